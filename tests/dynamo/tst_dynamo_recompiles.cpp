// SPDX-License-Identifier: BSD-3-Clause
//
// Reasons of recompiles, as PyTorch writes them, and the caches of real traces.
#include "core/capture/open.h"
#include "core/dynamo/recompiles.h"
#include "tests/support/captures.h"

#include <QtTest>

using namespace dynascope;
using namespace dynascope::dynamo;
using Kind = FailedGuard::Kind;

Q_DECLARE_METATYPE(FailedGuard::Kind)

class TestDynamoRecompiles : public QObject {
    Q_OBJECT

private slots:
    void reasons_data() {
        QTest::addColumn<QString>("reason");
        QTest::addColumn<Kind>("kind");
        QTest::addColumn<QString>("subject");
        QTest::addColumn<QString>("expected");
        QTest::addColumn<QString>("actual");
        const auto row = [](const char* reason, Kind kind, const char* subject, const char* expected,
                            const char* actual) {
            QTest::newRow(reason) << QString(reason) << kind << QString(subject) << QString(expected)
                                  << QString(actual);
        };
        row("0/0: tensor 'x' size mismatch at index 0. expected 8, actual 4", Kind::Size, "x", "8", "4");
        row("0/0: tensor 'x' stride mismatch at index 1. expected 3, actual 1", Kind::Stride, "x", "3", "1");
        row("1/0: tensor 'x' rank mismatch. expected 2, actual 3", Kind::Rank, "x", "2", "3");
        row("1/0: tensor 'x' dtype mismatch. expected Float, actual Double", Kind::Dtype, "x", "Float",
            "Double");
        row("1/0: tensor 'x' requires_grad mismatch. expected requires_grad=0", Kind::RequiresGrad, "x",
            "requires_grad=0", "");
        row("1/0: tensor '___stack0' size mismatch at index 1. expected 8, actual 4", Kind::Size, "___stack0",
            "8", "4");
        row("3/1: 2 <= h.size()[0] <= 4096", Kind::Size, "h", "2 to 4096", "");
        row("3/1: 2 <= self.cache.size()[1]", Kind::Size, "self.cache", "at least 2", "");
        row("3/1: h.size()[0] <= 16", Kind::Size, "h", "at most 16", "");
        row("3/1: h.size()[0] == 8", Kind::Size, "h", "8", "");
        row("3/1: h.size()[0] == x.size()[0]", Kind::Value, "h.size()[0]", "x.size()[0]", "");
        row("0/0: n == 0", Kind::Value, "n", "0", "");
        row("0/0: len(xs) == 3", Kind::Length, "xs", "3", "");
        row("1/0: not G['history']  # history.append(x)  # cap.py:17 in forward", Kind::Length,
            "G['history']", "0", "");
        row("1/0: not hasattr(G['m'], 'f')", Kind::Other, "", "", "");
        row("2/0: Cache line invalidated because L['___stack0'] got deallocated", Kind::Freed,
            "L['___stack0']", "", "");
        row("7/0: len(self.state[list(dict.keys(self.state))[0]]) != 0", Kind::Length,
            "self.state[list(dict.keys(self.state))[0]]", "0", "");
        row("0/1: ___check_type_id(n, 139663132414464), type=<class 'float'>", Kind::Type, "n", "float", "");
        row("0/1: ___check_obj_id(self.act, 1234)", Kind::Object, "self.act", "", "");
        row("0/0: a is b", Kind::Alias, "a", "", "");
        row("0/0: mask is None", Kind::Value, "mask", "None", "");
        row("0/0: GLOBAL_STATE changed: grad_mode", Kind::Mode, "", "", "");
        row("0/0: BACKEND_MATCH failure: torch.compile detected different backend callables.", Kind::Backend,
            "", "", "");
        row("", Kind::Other, "", "", "");
        row("tensor '", Kind::Other, "", "", "");
        row(" == ", Kind::Other, "", "", "");
    }
    void reasons() {
        QFETCH(QString, reason);
        QFETCH(Kind, kind);
        QFETCH(QString, subject);
        QFETCH(QString, expected);
        QFETCH(QString, actual);
        const FailedGuard guard = readFailedGuard(reason.toStdString());
        QCOMPARE(guard.kind, kind);
        QCOMPARE(QString::fromStdString(guard.subject), subject);
        QCOMPARE(QString::fromStdString(guard.expected), expected);
        QCOMPARE(QString::fromStdString(guard.actual), actual);
        QCOMPARE(guard.advice.empty(), kind == Kind::Other);
    }

    /// The second step of an optimizer is another compile whatever the program does.
    void stepsOfAnOptimizer() {
        session::Compile compile;
        compile.recompileReasons = {"7/0: len(self.state[list(dict.keys(self.state))[0]]) != 0"};
        compile.userStack = {{"/venv/lib/python3.11/site-packages/torch/optim/sgd.py", 105, "step", ""}};
        QVERIFY(failedGuards(compile).front().advice.find("optimizer") != std::string::npos);
        QCOMPARE(failedGuards(compile).front().actual, std::string("more than 0")); // as PyTorch's words say
        compile.userStack = {{"/home/me/train.py", 105, "step", ""}};
        QVERIFY(failedGuards(compile).front().advice.find("optimizer") == std::string::npos);
    }

    void places() {
        const FailedGuard guard =
            readFailedGuard("0/1: n == 0         # def f(x,n): return (x*n).sum()  # scripts/cap.py:58 in f "
                            "(HINT: type float)\n"
                            "User stack trace:\n  File \"/home/user/cap.py\", line 58, in f\n");
        QCOMPARE(guard.entry, std::string("0/1"));
        QCOMPARE(guard.check, std::string("n == 0"));
        QCOMPARE(guard.addedAt.file, std::string("scripts/cap.py"));
        QCOMPARE(guard.addedAt.line, 58U);
        QCOMPARE(guard.addedAt.function, std::string("f"));
        QCOMPARE(guard.addedAt.code, std::string("def f(x,n): return (x*n).sum()"));
        QCOMPARE(guard.expected, std::string("0"));
        QCOMPARE(readFailedGuard("0/0: tensor 'x' size mismatch at index 2. expected 8, actual 4").dimension,
                 2);
    }

    /// Dimensions, dtypes and numbers that change from call to call; the trace's last entry was asked after
    /// two.
    void aRealTrace() {
        const auto session = capture::open(test::capture("trace_inductor/recompiles").toStdString());
        QVERIFY(session);
        const std::vector<FrameCache> caches = explainRecompiles(**session);
        QCOMPARE(caches.size(), std::size_t(1));
        QCOMPARE(caches[0].entries, std::size_t(3));
        QCOMPARE(caches[0].recompiles.size(), std::size_t(2));
        const FailedGuard& number = caches[0].recompiles[0].failed.at(0);
        QCOMPARE(number.entry, std::string("0/0"));
        QCOMPARE(number.subject, std::string("n"));
        QCOMPARE(number.expected, std::string("0"));
        QCOMPARE(number.actual, std::string("1.0"));
        const std::vector<FailedGuard>& second = caches[0].recompiles[1].failed;
        QCOMPARE(second.size(), std::size_t(2));
        QCOMPARE(second[0].entry, std::string("0/1"));
        QCOMPARE(second[0].kind, Kind::Type);
        QCOMPARE(second[0].expected, std::string("float"));
        QCOMPARE(second[1].entry, std::string("0/0"));
        QCOMPARE(second[1].actual, std::string("2"));
    }

    /// The guard on the constant that was compiled in instead has the value of the call.
    void valuesFromWhatWasCompiledInstead() {
        session::Compile compile;
        compile.recompileReasons = {"0/0: n == 2   # return x * n  # p.py:7 in f",
                                    "0/1: L['mode'] == 'cos'  # if mode  # p.py:6 in f"};
        session::Guard number, word;
        number.code = "L['n'] == 3";
        word.code = "L['mode'] == 'sin'";
        compile.guards = {word, number};
        const std::vector<FailedGuard> failed = failedGuards(compile);
        QCOMPARE(failed[0].expected, std::string("2"));
        QCOMPARE(failed[0].actual, std::string("3"));
        QCOMPARE(failed[1].actual, std::string("'sin'"));
    }

    /// Reasons name a local as the program does, guards as Dynamo does; a flag that is not one is the other.
    void valuesOfTheCall() {
        session::Compile compile;
        compile.recompileReasons = {"0/0: self.n == 1  # self.n += 1  # p.py:7 in f",
                                    "0/0: tensor 'x' requires_grad mismatch. expected requires_grad=1"};
        session::Guard number;
        number.code = "L['self'].n == 2";
        compile.guards = {number};
        const FailedGuard inner =
            readFailedGuard("2/0: tensor 'b['x'][0]' size mismatch at index 1. expected 3, actual 4");
        QCOMPARE(inner.subject, std::string("b['x'][0]"));
        QVERIFY(inner.advice.find("mark_dynamic(b['x'][0], 1)") != std::string::npos);
        QVERIFY(readFailedGuard("2/0: tensor 'b['x'").subject.empty());
        const std::vector<FailedGuard> failed = failedGuards(compile);
        QCOMPARE(failed[0].actual, std::string("2"));
        QCOMPARE(failed[1].actual, std::string("requires_grad=0"));
    }

    /// Nobody can mark what a frame takes in that goes on after a graph break.
    void adviceForResumedFunctions() {
        session::Compile compile;
        compile.function = "torch_dynamo_resume_in_f_at_30";
        compile.recompileReasons = {"1/0: tensor 'h' size mismatch at index 0. expected 8, actual 4",
                                    "1/0: n == 2"};
        const std::vector<FailedGuard> resumed = failedGuards(compile);
        QVERIFY(resumed[0].advice.find("mark_dynamic(h") == std::string::npos);
        QVERIFY(resumed[0].advice.find("argument") != std::string::npos);
        QVERIFY(resumed[1].advice.find("int that a frame takes in") != std::string::npos);
        compile.function = "f";
        QVERIFY(failedGuards(compile)[0].advice.find("mark_dynamic(h, 0)") != std::string::npos);
    }

    /// PyTorch compiles a torch.nn module through a function of its own, whose names no program can write.
    void adviceForWrappersOfDynamo() {
        session::Compile compile;
        compile.function = "inner";
        compile.userStack = {
            {"/venv/lib/python3.11/site-packages/torch/_dynamo/external_utils.py", 70, "inner", ""}};
        compile.recompileReasons = {"0/0: tensor 'args[0]' size mismatch at index 0. expected 2, actual 3"};
        const std::string advice = failedGuards(compile)[0].advice;
        QVERIFY(advice.find("mark_dynamic(args") == std::string::npos);
        QVERIFY(advice.find("argument that this tensor is made from") != std::string::npos);
        compile.userStack = {{"/home/me/external_utils.py", 70, "inner", ""}};
        QVERIFY(failedGuards(compile)[0].advice.find("mark_dynamic(args[0], 0)") != std::string::npos);
    }

    /// A module is told by its parameters, whatever the program calls it; and a later entry that holds an int as a
    /// constant says that ints are not made symbolic.
    void adviceForNumbers() {
        session::Compile compile;
        compile.recompileReasons = {"0/0: m.n == 3", "0/2: k == 2", "0/0: k == 2", "0/1: k == 1",
                                    "0/0: o.n == 3"};
        session::TensorInput weight;
        weight.source = "L['m']._modules['e']._parameters['weight']";
        compile.inputs = {weight};
        session::TensorInput own;
        own.source = "L['n'].__dict__['_modules']['e']._parameters['weight']";
        compile.inputs.push_back(own);
        compile.recompileReasons.push_back("0/0: n.count == 3");
        const std::vector<FailedGuard> failed = failedGuards(compile);
        QVERIFY(failed[5].advice.find("allow_unspec_int_on_nn_module") != std::string::npos);
        QVERIFY(failed[0].advice.find("allow_unspec_int_on_nn_module") != std::string::npos);
        QVERIFY(failed[1].advice.find("torch.compile(dynamic=False)") != std::string::npos);
        QVERIFY(failed[2].advice.find("symbolic from its second value on") != std::string::npos);
        QVERIFY(failed[3].advice.find("dynamic=False") == std::string::npos);
        QVERIFY(failed[4].advice.find("module") == std::string::npos);
    }

    /// A size that was symbolic, and became one value by what the program does with it, is so however it is marked.
    void adviceForSpecializedSizes() {
        session::Compile compile;
        compile.function = "forward";
        compile.recompileReasons = {"0/0: tensor 'x' size mismatch at index 2. expected 32, actual 48",
                                    "0/0: tensor 'x' size mismatch at index 0. expected 4, actual 5"};
        session::SymbolInfo height;
        height.symbol = "s53";
        height.source = "L['x'].size()[2]";
        height.became = "48";
        height.becameReason = "range_refined_to_singleton";
        height.becameAt = {{"/p/net.py", 20, "forward", {}}};
        session::SymbolInfo batch; // another symbol is no constant
        batch.symbol = "s77";
        batch.source = "L['x'].size()[0]";
        batch.became = "s53";
        compile.symbols = {batch, height};
        const std::vector<FailedGuard> failed = failedGuards(compile);
        QVERIFY2(failed[0].advice.find("s53 became 48 at net.py:20 (range_refined_to_singleton)") !=
                     std::string::npos,
                 failed[0].advice.c_str());
        QVERIFY(failed[0].advice.find("mark_dynamic(") == std::string::npos);
        QVERIFY(failed[1].advice.find("mark_dynamic(x, 0)") != std::string::npos);
    }

    /// Dynamo holds two sizes against each other, and marking one of them alone is an error of PyTorch's.
    void adviceForSizesThatAreAlike() {
        session::Compile compile;
        compile.function = "loss_of";
        compile.recompileReasons = {"0/0: tensor 'ids' size mismatch at index 1. expected 24, actual 32"};
        const auto symbol = [&](const char* name, const char* source, const char* value) {
            session::SymbolInfo info;
            info.symbol = name;
            info.source = source;
            info.value = value;
            compile.symbols.push_back(info);
        };
        symbol("s27", "L['ids'].size()[1]", "32");
        symbol("s5", "L['other'].size()[0]", "7");
        const auto advice = [&] { return failedGuards(compile)[0].advice; };
        QCOMPARE(advice(), std::string("One entry serves every size once it is symbolic: "
                                       "torch._dynamo.mark_dynamic(ids, 1), or torch.compile(dynamic=True)"));
        symbol("s64", "L['mask'].size()[1]", "32");
        symbol("s70", "L['self'].scale.size()[0]", "32");           // no argument that one could mark
        std::swap(compile.symbols.front(), compile.symbols.back()); // in whatever order PyTorch made them
        std::swap(compile.symbols[1], compile.symbols[2]);
        QCOMPARE(advice(),
                 std::string("One entry serves every size once it is symbolic: "
                             "torch._dynamo.mark_dynamic(ids, 1) and torch._dynamo.mark_dynamic(mask, 1), "
                             "which were alike here, or torch.compile(dynamic=True)"));
    }

    /// Marking sizes dynamic is what a compile that failed had done.
    void adviceWhereTheCompileFailed() {
        session::Compile compile;
        compile.recompileReasons = {"0/0: tensor 'images' size mismatch at index 2. expected 64, actual 96"};
        session::SymbolInfo symbol;
        symbol.symbol = "s14";
        symbol.source = "L['images'].size()[2]";
        symbol.value = "96";
        compile.symbols = {symbol};
        QVERIFY(failedGuards(compile)[0].advice.find("mark_dynamic") != std::string::npos);
        compile.status = session::Status::Failed;
        compile.failType = "InductorError";
        const std::string advice = failedGuards(compile)[0].advice;
        QVERIFY2(advice.find("mark_dynamic") == std::string::npos &&
                     advice.find("failed (InductorError)") != std::string::npos,
                 advice.c_str());
        compile.failType = "TorchRuntimeError"; // as of shapes that do not fit, which eager refuses too
        QVERIFY(failedGuards(compile)[0].advice.find("dynamic=False") == std::string::npos);
    }

    /// The state is made once; a rate that is a constant of the entry changes with each step of a scheduler.
    void adviceForOptimizers() {
        session::Compile compile;
        compile.function = "step";
        compile.userStack = {{"/venv/lib/python3.11/site-packages/torch/optim/sgd.py", 105, "step", ""}};
        compile.recompileReasons = {"21/0: len(self.state[list(dict.keys(self.state))[0]]) != 0"};
        const auto advice = [&] { return failedGuards(compile)[0].advice; };
        QVERIFY2(advice().ends_with("nothing to change"), advice().c_str());
        // Every first entry has it as a constant.
        session::Guard guard;
        guard.code = "L['self'].param_groups[0]['lr'] == 0.05";
        compile.guards = {guard};
        QVERIFY2(advice().ends_with("nothing to change"), advice().c_str());
        session::SymbolInfo rate;
        rate.symbol = "zf8";
        rate.source = "L['self'].param_groups[0]['lr']";
        rate.value = "0.05";
        compile.symbols = {rate}; // it stayed symbolic
        QVERIFY2(advice().ends_with("nothing to change"), advice().c_str());
        compile.symbols.front().became = "0.0500000000000000";
        QVERIFY2(advice().find("(lr == 0.05)") != std::string::npos &&
                     advice().find("lr=torch.tensor") != std::string::npos,
                 advice().c_str());
    }

    void adviceForListsThatGrow() {
        session::Compile compile;
        const auto guards = [&](const char* code) {
            const std::string behind = std::string("  # ") + code + "  # cap.py:17 in forward";
            compile.recompileReasons = {"1/1: len(G['h']) == 1" + behind, "1/0: not G['h']" + behind};
            return failedGuards(compile);
        };
        session::Guard now;
        now.code = "len(G['h']) == 2";
        compile.guards = {now};
        for (const FailedGuard& guard : guards("h.append(loss.item())")) {
            QCOMPARE(guard.actual, std::string("2"));
            QVERIFY2(guard.advice.find("append outside") != std::string::npos, guard.advice.c_str());
        }
        QVERIFY(guards("for x in h:")[0].advice.find("append") == std::string::npos);
        now.code = "len(G['h']) == 0"; // it became shorter
        compile.guards = {now};
        QVERIFY(guards("h.append(loss.item())")[0].advice.find("append") == std::string::npos);
    }

    /// What to do depends on what was compiled in.
    void advice_data() {
        QTest::addColumn<QString>("reason");
        QTest::addColumn<QString>("says");
        QTest::addColumn<QString>("saysNot");
        const auto row = [](const char* reason, const char* says, const char* saysNot) {
            QTest::newRow(reason) << QString(reason) << QString(says) << QString(saysNot);
        };
        row("0/0: n == 2", "specialize_int", "string");
        row("0/0: n == 1", "constant of the entry", "symbolic");
        row("0/0: G['n'] == 2", "constant of the entry", "symbolic");
        row("0/0: scale == 1.0", "specialize_float", "specialize_int");
        row("0/0: scale == 1e-05", "specialize_float", "specialize_int");
        row("0/0: mode == 'sin'", "string", "specialize_int");
        row("0/0: self.n == 2", "module", "string");
        row("0/0: mask is None", "None", "specialize_int");
        row("0/0: flag == True", "bool", "specialize_int");
        row("0/0: key == Colour.RED", "constant", "specialize_int");
        row("0/0: tensor 'x' size mismatch at index 1. expected 8, actual 4", "mark_dynamic(x, 1)",
            "argument");
        row("2/0: Cache line invalidated because L['___stack0'] got deallocated", "at the graph break",
            "create");
        row("2/0: Cache line invalidated because L['act'] got deallocated", "create the object once",
            "break");
        row("0/0: tensor '___stack0' size mismatch at index 1. expected 8, actual 4", "argument",
            "___stack0");
    }
    void advice() {
        QFETCH(QString, reason);
        QFETCH(QString, says);
        QFETCH(QString, saysNot);
        const QString advice = QString::fromStdString(readFailedGuard(reason.toStdString()).advice);
        QVERIFY2(advice.contains(says), qPrintable(advice));
        QVERIFY2(!advice.contains(saysNot), qPrintable(advice));
    }

    /// The compile that Dynamo refused is none, and no entry of the cache.
    void atTheLimit() {
        session::Session session;
        for (int i = 0; i < 4; ++i) {
            session::Compile compile;
            compile.id.frame = 0;
            compile.id.compile = i;
            compile.status = session::Status::Compiled;
            compile.compileSeconds = 1 << i;
            if (i > 0) compile.recompileReasons = {"0/0: n == 2"};
            session.compiles.push_back(compile);
        }
        session::Compile& last = session.compiles.back();
        last.status = session::Status::Failed;
        last.failType = "Unsupported";
        last.failReason =
            "Dynamo recompile limit exceeded\n  Explanation: ... exceeding the recompile_limit cache "
            "size limit (currently set to 3). Excessive ...";
        const std::vector<FrameCache> caches = explainRecompiles(session);
        QCOMPARE(caches.size(), std::size_t(1));
        QCOMPARE(caches[0].entries, std::size_t(3));
        QCOMPARE(caches[0].seconds, 6.0);
        QCOMPARE(caches[0].recompiles.size(), std::size_t(3));
        QVERIFY(!caches[0].recompiles[1].refused);
        QVERIFY(caches[0].recompiles[2].refused);
        QCOMPARE(recompileLimit(last).value_or(0), std::size_t(3));
        QVERIFY(!recompileLimit(session.compiles[0]));
        for (const char* reason :
             {"recompile_limit reached", "cache_size_limit reached", "Dynamo cache limit exceeded"}) {
            last.failReason = reason;
            QVERIFY2(last.hitRecompileLimit(), reason);
        }
        last.failReason = "recompile limits are fine";
        QVERIFY(!last.hitRecompileLimit());
    }

    void guardsSideBySide() {
        const auto guard = [](const char* source, const char* type, const char* code) {
            session::Guard out;
            out.source = source;
            out.type = type;
            out.code = code;
            return out;
        };
        const session::GuardList before{
            guard("L['x']", "GuardManager", "x"), guard("L['x']", "TENSOR_MATCH", "size=[8]"),
            guard("L['n']", "EQUALS_MATCH", "n == 2"), guard("", "GLOBAL_STATE", "same"),
            guard("L['y']", "TENSOR_MATCH", "only before")};
        const session::GuardList after{
            guard("L['x']", "GuardManager", "other"), guard("L['n']", "TYPE_MATCH", "int"),
            guard("L['x']", "TENSOR_MATCH", "size=[None]"), guard("", "GLOBAL_STATE", "same")};
        const GuardChanges changes = compareGuards(before, after);
        QCOMPARE(changes.same, std::size_t(1));
        QCOMPARE(changes.changes.size(), std::size_t(4));
        QVERIFY(!changes.changes[0].before);
        QCOMPARE(changes.changes[0].after->code, std::string("int"));
        QCOMPARE(changes.changes[1].before->code, std::string("size=[8]"));
        QCOMPARE(changes.changes[1].after->code, std::string("size=[None]"));
        QVERIFY(!changes.changes[2].after && !changes.changes[3].after);
        QCOMPARE(compareGuards(before, before).changes.size(), std::size_t(0));
        QCOMPARE(compareGuards(before, before).same, std::size_t(4));
    }

    void whatBecameSymbolic() {
        session::Compile first, again;
        session::SymbolInfo old, size, gone;
        old.source = "L['x'].size()[1]";
        size.source = "L['x'].size()[0]";
        size.symbol = "s77";
        gone.source = "L['n']";
        gone.became = "4";
        first.symbols = {old};
        again.symbols = {old, size, gone};
        const auto made = madeSymbolic(first, again);
        QCOMPARE(made.size(), std::size_t(1));
        QCOMPARE(made[0]->symbol, std::string("s77"));
    }

    void everyTraceIsRead() {
        for (const QString& log : test::traceLogs()) {
            const auto session = capture::open(log.toStdString());
            QVERIFY(session);
            for (const FrameCache& cache : explainRecompiles(**session))
                for (const Recompile& recompile : cache.recompiles)
                    for (const FailedGuard& guard : recompile.failed)
                        QVERIFY2(guard.kind != Kind::Other && !guard.entry.empty(), guard.check.c_str());
        }
    }
};

QTEST_GUILESS_MAIN(TestDynamoRecompiles)
#include "tst_dynamo_recompiles.moc"
