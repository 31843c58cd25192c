// SPDX-License-Identifier: BSD-3-Clause
//
// The table of operators: each that LibTorch has is in it, nothing else is, and what the checks ask for is in
// the schemas.
#include "core/engine/sandbox/allow_list.h"
#include "core/engine/sandbox/operator_classes.h"
#include "tests/engine/service_runner.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

#include <QtTest>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

using namespace dynascope;
using nlohmann::json;

namespace {

constexpr std::string_view nobody = "aten::dynascope_test_nobody_classed";

TORCH_LIBRARY_FRAGMENT(aten, library) {
    library.def("dynascope_test_nobody_classed(Tensor a) -> Tensor", [](const at::Tensor& a) { return a; });
}

std::string contentOf(const std::string& path) {
    std::ifstream file(std::string(DYNASCOPE_SOURCE_DIR) + '/' + path);
    std::ostringstream out;
    out << file.rdbuf();
    return out.str();
}

constexpr std::string_view endOfFunction = "\n\x7d\n";

bool isNamable(const std::string& name) {
    return name.starts_with("aten::") || name.starts_with("prims::") ||
           name.starts_with("_c10d_functional") || name.starts_with("_dtensor::");
}

/// Operators by the word of their line: "checkAlias".
std::map<std::string, std::vector<std::string>> operatorsByCheck() {
    const std::string table = contentOf("core/engine/sandbox/operator_classes.inc");
    std::map<std::string, std::vector<std::string>> out;
    const std::regex line("\\{\"([^\"]+)\", &(\\w+)(<\\d>)?\\},");
    for (std::sregex_iterator at(table.begin(), table.end(), line), end; at != end; ++at)
        out[(*at)[2]].push_back((*at)[1]);
    return out;
}

std::set<std::string> argumentsOf(const std::vector<std::string>& operators) {
    std::set<std::string> out;
    c10::Dispatcher& dispatcher = c10::Dispatcher::singleton();
    for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
        const auto op = dispatcher.findSchema(name);
        if (!op || std::find(operators.begin(), operators.end(), name.name) == operators.end()) continue;
        for (const c10::Argument& argument : op->schema().arguments())
            out.insert(argument.name());
    }
    return out;
}

} // namespace

class TestEngineOperatorClasses : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { engine::rememberBuiltInOperators(); }

    /// What fails here are lines to class and to put into operator_classes.inc.
    void everyOperatorHasAClass() {
        std::set<std::string> missing;
        for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames())
            if (isNamable(name.name) && name.name != nobody && !engine::operatorClass(name.name))
                missing.insert(name.name);
        std::string lines;
        for (const std::string& line : missing)
            lines += '\n' + line;
        QVERIFY2(missing.empty(), lines.c_str());
    }

    void everyClassHasItsOperator() {
        std::set<std::string> known;
        for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames())
            known.insert(name.name);
        std::size_t safe = 0, checked = 0, refused = 0;
        for (const engine::OperatorClass& row : engine::operatorClasses()) {
            const std::string name(row.name);
            QVERIFY2(known.contains(name), name.c_str());
            ++(!row.refusal.empty() ? refused : row.check ? checked : safe);
        }
        qInfo("%zu operators are safe, %zu after a check, %zu refused", safe, checked, refused);
        QVERIFY(safe > 1000 && checked > 100 && refused > 40);
    }

    /// A name that is asked for and that no operator of the family has would check nothing.
    void everyNameThatACheckAsksForIsAnArgument() {
        const auto families = operatorsByCheck();
        QVERIFY(families.size() > 30);
        const std::regex function("\nvoid (check\\w+)\\(const c10::FunctionSchema& schema");
        const std::regex word("\"([a-z][a-z0-9_]*)\"");
        std::set<std::string> seen;
        for (const char* file : {"collectives", "embedding", "indices", "linear_algebra", "losses",
                                 "networks", "normalization", "pooling", "sampling", "views"}) {
            const std::string text = contentOf(std::string("core/engine/sandbox/checks/") + file + ".cpp");
            for (std::sregex_iterator at(text.begin(), text.end(), function), end; at != end; ++at) {
                const std::string family = (*at)[1];
                const auto begin = static_cast<std::size_t>(at->position());
                std::istringstream body(text.substr(begin, text.find(endOfFunction, begin) - begin));
                QVERIFY2(families.contains(family), (family + " is no operator's check").c_str());
                const std::set<std::string> arguments = argumentsOf(families.at(family));
                seen.insert(family);
                for (std::string line; std::getline(body, line);) {
                    if (line.find("op().") != std::string::npos) continue; // asks for a name's ending
                    for (std::sregex_iterator one(line.begin(), line.end(), word), last; one != last; ++one)
                        QVERIFY2(arguments.contains((*one)[1]),
                                 (family + " asks for " + (*one)[1].str()).c_str());
                }
            }
        }
        for (const auto& [family, operators] : families)
            QVERIFY2(seen.contains(family), family.c_str());
    }

    void whatNobodyClassedIsRefusedByName() {
        const engine::OperatorVerdict verdict =
            engine::judgeOperator("aten", std::string(nobody.substr(nobody.find("::") + 2)));
        QCOMPARE(verdict.obstacle, engine::Obstacle::Refused);
        test::ServiceRunner engine;
        const char* const graph =
            "class GraphModule(torch.nn.Module):\n    def forward(self, x: \"f32[4]\"):\n"
            "        r = torch.ops.aten.dynascope_test_nobody_classed.default(x)\n        return (r,)\n";
        QVERIFY(engine.execute(graph, json::object()).is_null());
        QVERIFY2(engine.lastError().find(
                     "is not classed: nobody has looked at what it does with hostile arguments") !=
                     std::string::npos,
                 engine.lastError().c_str());
    }

    /// A plugin's operators are its author's business; names that this PyTorch lacks are told as unknown.
    void pluginsAndOldNamesAreNotJudged() {
        auto plugin = torch::Library(torch::Library::FRAGMENT, "aten", std::nullopt, __FILE__, __LINE__);
        plugin.def("dynascope_test_of_a_plugin(Tensor a) -> Tensor");
        QCOMPARE(engine::judgeOperator("aten", "dynascope_test_of_a_plugin").obstacle,
                 engine::Obstacle::None);
        QCOMPARE(engine::judgeOperator("aten", "no_longer_there").obstacle, engine::Obstacle::None);
    }

    void reasonsAreTold() {
        QCOMPARE(QString::fromStdString(engine::judgeOperator("aten", "from_file").reason),
                 "is refused: it reaches outside the graph");
        QVERIFY(engine::judgeOperator("aten", "_cummax_helper")
                    .reason.starts_with("is refused: only PyTorch's own"));
        QCOMPARE(engine::judgeOperator("aten", "add").obstacle, engine::Obstacle::None);
        QCOMPARE(engine::judgeOperator("prims", "fma").obstacle, engine::Obstacle::None);
    }
};

QTEST_GUILESS_MAIN(TestEngineOperatorClasses)
#include "tst_engine_operator_classes.moc"
