// SPDX-License-Identifier: BSD-3-Clause
//
// What core/replay tells by an op's name against what LibTorch's schemas mark.
#include <ATen/core/dispatch/Dispatcher.h>

#include "core/replay/written_arguments.h"

#include <QtTest>
#include <set>

using namespace dynascope;

namespace {

using Names = std::set<std::string>;

/// A call with every argument given: positional ones as "arg0", keywords by their names.
ir::Node callOf(const c10::FunctionSchema& schema, const std::string& target) {
    ir::Node node;
    node.target = target;
    for (const c10::Argument& argument : schema.arguments()) {
        if (argument.kwarg_only())
            node.kwargs.emplace_back(argument.name(), ir::Argument::node(argument.name()));
        else
            node.args.push_back(ir::Argument::node(argument.name()));
    }
    return node;
}

Names marked(const c10::FunctionSchema& schema) {
    Names out;
    for (const c10::Argument& argument : schema.arguments())
        if (argument.alias_info() && argument.alias_info()->isWrite()) out.insert(argument.name());
    return out;
}

std::string joined(const Names& names) {
    std::string out;
    for (const std::string& name : names)
        out += ' ' + name;
    return out;
}

} // namespace

class TestEngineAliasMarks : public QObject {
    Q_OBJECT

private slots:
    void everySchema() {
        std::size_t compared = 0, writing = 0;
        std::string faults;
        for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
            const auto handle = c10::Dispatcher::singleton().findOp(name);
            const std::size_t colons = name.name.find("::");
            const std::string space = name.name.substr(0, colons);
            if (!handle || !handle->hasSchema() ||
                (space != "aten" && space != "c10d" && space != "_c10d_functional" && space != "inductor"))
                continue;
            const std::string target = "torch.ops." + space + '.' + name.name.substr(colons + 2) + '.' +
                                       (name.overload_name.empty() ? "default" : name.overload_name);
            const ir::Node node = callOf(handle->schema(), target);
            Names got;
            for (const ir::Argument* argument : replay::writtenArguments(node).marked)
                got.insert(argument->text);
            const Names expected = marked(handle->schema());
            if (got != expected)
                faults += target + ": got" + joined(got) + ", marked are" + joined(expected) + '\n';
            ++compared;
            if (!expected.empty()) ++writing;
        }
        QVERIFY2(faults.empty(), faults.c_str());
        QVERIFY2(compared > 3000 && writing > 1300,
                 (std::to_string(compared) + " compared, " + std::to_string(writing) + " write").c_str());
    }

    /// Ops that write without a mark are in this version of PyTorch, and have none.
    void unmarkedOps() {
        for (const char* name :
             {"aten::native_batch_norm", "aten::batch_norm", "aten::cudnn_batch_norm",
              "aten::miopen_batch_norm", "aten::instance_norm", "aten::_batch_norm_impl_index",
              "aten::batch_norm_update_stats", "aten::batch_norm_gather_stats",
              "aten::batch_norm_gather_stats_with_counts"}) {
            const auto handle = c10::Dispatcher::singleton().findSchema({name, ""});
            QVERIFY2(handle, name);
            QVERIFY2(marked(handle->schema()).empty(), name);
            const ir::Node node =
                callOf(handle->schema(), "torch.ops.aten." + std::string(name).substr(6) + ".default");
            Names got;
            for (const ir::Argument* argument : replay::writtenArguments(node).unmarked)
                got.insert(argument->text);
            QVERIFY2((got == Names{"running_mean", "running_var"}), (name + joined(got)).c_str());
        }
    }
};

QTEST_APPLESS_MAIN(TestEngineAliasMarks)
#include "tst_engine_alias_marks.moc"
