// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/cases/compare.h"
#include "core/engine/cases/frozen_reshapes.h"
#include "core/engine/wire/execute.h"
#include "core/engine/wire/pass.h"
#include "core/ir/text.h"
#include "core/oracle/oracle_case.h"

#include <algorithm>
#include <array>

namespace dynascope::engine {

namespace {

using nlohmann::json;

constexpr std::array<Aspect, 6> answeredAspects{Aspect::OutputValues,   Aspect::OutputStrides,
                                                Aspect::OutputAliasing, Aspect::Storages,
                                                Aspect::InputValues,    Aspect::InputStrides};

/// What a reshape may turn into, and what may be regenerated before one.
constexpr std::array<std::string_view, 20> viewTargets{
    "view",   "_unsafe_view", "clone",      "alias",     "detach",    "select",  "slice", "transpose",
    "t",      "permute",      "diagonal",   "expand",    "unsqueeze", "squeeze", "split", "split_with_sizes",
    "unbind", "unfold",       "as_strided", "lift_fresh"};

std::string firstOfDifferences(const json& differences) {
    return differences.is_array() && !differences.empty() ? stringField(differences.front(), "text")
                                                          : std::string("values differ");
}

class FunctionalizationJudge {
public:
    FunctionalizationJudge(Client& engine, const json& oracleCase, const JudgeOptions& options)
        : m_engine(engine)
        , m_case(oracleCase)
        , m_options(options) {}

    void run(CaseReport& report) {
        m_report = &report;
        if (!field(m_case, "before").is_string()) {
            add("eager", CaseVerdict::Skipped,
                "PyTorch could not trace it: " + stringField(field(m_case, "before_error"), "message"));
            return;
        }
        eager();
        for (const char* mode : {"mutations", "mutations_and_views"})
            functionalized(mode);
    }

private:
    void add(const std::string& part, CaseVerdict verdict, std::string reason = {}) {
        m_report->parts.push_back({part, verdict, std::move(reason)});
    }

    [[nodiscard]] const std::string& before() const {
        return field(m_case, "before").get_ref<const std::string&>();
    }
    CallResult execute(const std::string& graph, wire::RunOn on) {
        wire::ExecuteRequest request;
        request.on = std::move(on);
        return asJson(m_engine.execute(graph, request, m_options.call));
    }
    CallResult execute(wire::RunOn on) { return execute(before(), std::move(on)); }
    CallResult pass(const std::string& graph, const wire::PassRequest& request) {
        return asJson(m_engine.pass(graph, request, m_options.call));
    }
    [[nodiscard]] wire::RunOn values() const {
        return {field(m_case, "inputs"), field(m_case, "before_attrs"), {}};
    }

    [[nodiscard]] std::string eagerError() const {
        return stringField(field(field(m_case, "eager"), "error"), "message");
    }

    [[nodiscard]] wire::PassRequest functionalize(const std::string& mode) const {
        wire::PassRequest out;
        out.on = values();
        out.passes = {"functionalize"};
        out.options.remove = mode;
        out.verify = eagerError().empty();
        return out;
    }

    void eager() {
        const CallResult got = execute(values());
        const json& eager = field(m_case, "eager");
        const std::string different = differentFromEager(got, eager);
        if (different.empty()) {
            const std::string wrong = wrongWords(got, eager);
            return add("eager", wrong.empty() ? CaseVerdict::Passed : CaseVerdict::Failed, wrong);
        }
        const std::string lost = lostGradMode(m_case);
        if (lost.empty() || !eagerError().empty()) return add("eager", CaseVerdict::Failed, different);
        // Values do not depend on the grad mode: they are held against eager's all the same.
        wire::RunOn on = values();
        json expected = field(m_case, "eager");
        for (json& input : on.inputs["inputs"])
            if (input.is_object()) input.erase("requires_grad");
        expected.erase("grads");
        const std::string wrong = differentFromEager(execute(std::move(on)), expected);
        add("eager", wrong.empty() ? CaseVerdict::Declined : CaseVerdict::Failed,
            wrong.empty() ? lost : wrong);
    }

    /// What the case says beside results: the class of an error, how gradients were asked for, and that the
    /// source graph does what the program does.
    [[nodiscard]] std::string wrongWords(const CallResult& got, const json& eager) const {
        constexpr std::string_view loss =
            "sum over differentiable outputs o_k (k from 1) of k*sum(o_k); grads listed for leaf inputs with "
            "requires_grad, in order";
        const std::string type = stringField(field(eager, "error"), "type");
        if (const std::string raised = got ? std::string() : stringField(got.error().data, "type");
            !raised.empty() && !type.empty() && raised != type)
            return "the error is a " + raised + ", expected a " + type;
        if (eager.contains("grad_loss") && stringField(eager, "grad_loss") != loss)
            return "gradients are of '" + std::string(loss) + "', expected of '" +
                   stringField(eager, "grad_loss") + '\'';
        return wrongAnswer(field(m_case, "before_matches_eager"), json::array());
    }

    [[nodiscard]] static std::string differentFromEager(const CallResult& got, const json& eager) {
        const std::string expectedError = stringField(field(eager, "error"), "message");
        if (!got) {
            const bool expected = !engineGone(got.error()) && sameCause(expectedError, got.error().message);
            return expected ? std::string() : got.error().message;
        }
        if (!expectedError.empty()) return "it ran, expected the error '" + expectedError + "'";
        const std::vector<Difference> differences = compareRuns(eager, *got);
        return differences.empty() ? std::string() : differences.front().text;
    }

    /// PyTorch's own graph is judged by the golden text, and the engine's answer by eager; where PyTorch's
    /// graph is right the two are one.
    void functionalized(const std::string& mode) {
        const json& expected = field(field(m_case, "after"), mode.c_str());
        if (!expected.is_object()) return add(mode, CaseVerdict::Skipped, "the case has no such part");
        wire::PassRequest request = functionalize(mode);
        if (constantsAreDetached()) request.options.options["detach_constants"] = "yes";
        const CallResult answer = pass(before(), request);
        request.options.faithful = true;
        const CallResult got = pass(before(), request);
        if (!m_options.faithful && !equalsEager(mode, answer)) return;
        if (!got) return raised(mode, expected, got.error());
        const json& verified = field(*got, "verified");
        const bool right = verified.is_null() || verified == true;
        const std::string known = joined(field(*got, "deviations"));
        if (const std::string error = stringField(field(expected, "error"), "message"); !error.empty())
            return right ? add(mode, CaseVerdict::Passed)
                         : add(mode, CaseVerdict::Failed,
                               "it ran, PyTorch raises '" + error + "', and " +
                                   firstOfDifferences(field(*got, "differences")));
        const std::string golden = stringField(expected, "graph");
        const std::string graph = stringField(*got, "graph");
        // Sizes that the program left to be inferred are numbers in the source graph.
        const bool sameGraph = graph == golden || (matchesEager(field(expected, "matches_eager")) &&
                                                   FrozenReshapes::sameButInferredSizes(golden, graph));
        if (!sameGraph) return differentText(mode, golden, graph, right, known);
        if (const std::string wrong =
                wrongAnswer(field(expected, "matches_eager"), field(*got, "differences"));
            !verified.is_null() && !wrong.empty())
            return add(mode, CaseVerdict::Failed, wrong);
        if (const std::string wrong = wrongContent(expected, field(*got, "attrs")); !wrong.empty())
            return add(mode, CaseVerdict::Failed, wrong);
        add(mode, CaseVerdict::Passed);
    }

    /// What a case says of its golden graph beside the text: number of nodes, and constants.
    static std::string wrongContent(const json& expected, const json& constants) {
        const Result<ir::GraphPtr> graph = ir::readGraph(stringField(expected, "graph"));
        if (const json& nodes = field(expected, "n_nodes");
            graph && nodes.is_number() && nodes != json((*graph)->size()))
            return "the graph has " + std::to_string((*graph)->size()) + " nodes, expected " + nodes.dump();
        const json& attributes = field(expected, "attrs");
        if (!attributes.is_object()) return {};
        for (const auto& [name, constant] : attributes.items())
            for (const auto& [key, value] : constant.items())
                if (const std::string wrong =
                        dataDifference(value, field(field(constants, name.c_str()), key.c_str()));
                    !wrong.empty())
                    return "constant '" + name + "', " + key + ": " + wrong;
        return {};
    }

    /// torch.tensor and new_tensor detach what they make, which PyTorch's pass, run on the program itself,
    /// records and the graph does not have. Constants of other origin, such as indices, look the same there.
    [[nodiscard]] bool constantsAreDetached() const {
        const std::string source = stringField(m_case, "python_source"),
                          before = stringField(m_case, "before");
        const std::size_t detached =
            occurrences(source, "torch.tensor(") + occurrences(source, ".new_tensor(");
        return detached > 0 &&
               detached == occurrences(before, "[target=torch.ops.aten.lift_fresh_copy.default]");
    }

    static std::size_t occurrences(std::string_view text, std::string_view word) {
        std::size_t count = 0;
        for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
            ++count;
        return count;
    }

    /// Where eager succeeds the answer has to be eager's; else it fails with eager's error.
    bool equalsEager(const std::string& mode, const CallResult& answer) {
        if (!answer) {
            if (!engineGone(answer.error()) && sameCause(eagerError(), answer.error().message)) return true;
            add(mode, CaseVerdict::Failed, answer.error().message);
            return false;
        }
        const json& verified = field(*answer, "verified");
        if (verified.is_null() || verified == true) return true;
        add(mode, CaseVerdict::Failed, firstOfDifferences(field(*answer, "differences")));
        return false;
    }

    void raised(const std::string& mode, const json& expected, const CallError& error) {
        const std::string wanted = stringField(field(expected, "error"), "message");
        if (engineGone(error)) return add(mode, CaseVerdict::Failed, error.message);
        if (sameCause(eagerError(), error.message)) return add(mode, CaseVerdict::Passed);
        if (sameCause(wanted, error.message)) return add(mode, CaseVerdict::Passed);
        add(mode, CaseVerdict::Failed,
            error.message + (wanted.empty() ? std::string() : " (PyTorch raises '" + wanted + "')"));
    }

    /// Two causes are known. torch.reshape was traced as it decomposed on eager strides, while PyTorch's
    /// pass, run on the program itself, decides on the strides and sizes of functional values: the graphs
    /// then differ in reshapes and what follows from them. And operators that are compositions run below the
    /// pass where they turn off its dispatch key: it leaves what they write as it is.
    void differentText(const std::string& mode, const std::string& golden, const std::string& graph,
                       bool right, const std::string& known) {
        const bool reshapes =
            stringField(m_case, "python_source").find("torch.reshape(") != std::string::npos;
        const std::string frozen =
            "the source graph froze a reshape at eager strides" + (known.empty() ? known : "; " + known);
        const bool claims = field(field(field(m_case, "after"), mode.c_str()), "matches_eager").is_object();
        if (reshapes && (right || !known.empty()) && computations(golden) == computations(graph) &&
            (!claims || keepsItsWord(mode)))
            return add(mode, CaseVerdict::Declined, frozen);
        if (reshapes && !golden.empty() && asReshapes(mode) == golden)
            return add(mode, CaseVerdict::Declined, frozen + "; PyTorch's pass takes it for a view");
        if (const std::string left = leftWrite(golden); right && !left.empty() && keepsItsWord(mode))
            return add(mode, CaseVerdict::Declined,
                       "PyTorch's pass leaves the write '" + left +
                           "' in the graph, since its operator runs below functionalization");
        add(mode, CaseVerdict::Failed, firstDifferentLine(golden, graph));
    }

    /// What PyTorch's pass makes of the source graph with torch.reshape in the place of the copies that it
    /// was traced as; sizes that golden leaves to be inferred are spelled as there.
    std::string asReshapes(const std::string& mode) {
        const auto thawed = FrozenReshapes::thawed(stringField(m_case, "before"));
        const json& expected = field(field(m_case, "after"), mode.c_str());
        if (thawed.empty() || field(expected, "matches_eager").is_null()) return {};
        wire::PassRequest request = functionalize(mode);
        request.options.faithful = true;
        const CallResult got = pass(thawed, request);
        if (!got) return {};
        const std::string golden = stringField(expected, "graph"), graph = stringField(*got, "graph");
        const bool same = graph == golden || FrozenReshapes::sameButInferredSizes(golden, graph);
        const std::string wrong = wrongAnswer(field(expected, "matches_eager"), field(*got, "differences"));
        return same && wrong.empty() ? golden : std::string();
    }

    /// The first node of a graph that writes something else than an input, or before the end.
    static std::string leftWrite(const std::string& golden) {
        const Result<ir::GraphPtr> graph = ir::readGraph(golden);
        if (!graph) return {};
        for (const ir::NodePtr& node : (*graph)->nodes()) {
            const std::string target = ir::shortTarget(node->target);
            const std::string name = target.substr(0, target.rfind('.'));
            if (node->op != ir::Op::CallFunction || !name.ends_with('_') || node->args.empty()) continue;
            const ir::NodeIndex written = (*graph)->find(node->args.front().text);
            if (written != ir::npos && (*graph)->node(written).op != ir::Op::Placeholder &&
                !(*graph)->node(written).target.ends_with("as_strided_.default"))
                return node->name;
        }
        return {};
    }

    /// Whether golden, run here, answers the six questions as the case says.
    bool keepsItsWord(const std::string& mode) {
        const json& expected = field(field(m_case, "after"), mode.c_str());
        const json& claims = field(expected, "matches_eager");
        if (!claims.is_object()) return false;
        const CallResult got =
            execute(stringField(expected, "graph"), {field(m_case, "inputs"), field(expected, "attrs"), {}});
        if (!got) return false;
        json differences = json::array();
        for (const Difference& difference : compareRuns(field(m_case, "eager"), *got))
            differences.push_back({{"aspect", aspectName(difference.aspect)}, {"text", difference.text}});
        return wrongAnswer(claims, differences).empty();
    }

    /// Targets in order, without views, their inverses and the copies that a reshape may be.
    static std::vector<std::string> computations(std::string_view graph) {
        std::vector<std::string> out;
        for (std::size_t at = graph.find("[target="); at != std::string_view::npos;
             at = graph.find("[target=", at + 1)) {
            std::string target(graph.substr(at + 8, graph.find(']', at) - at - 8));
            const std::string name = target.substr(0, target.rfind('.'));
            const bool view = std::any_of(viewTargets.begin(), viewTargets.end(), [&](std::string_view word) {
                return name == "torch.ops.aten." + std::string(word) ||
                       name == "torch.ops.aten." + std::string(word) + "_copy";
            });
            if (!view && !name.ends_with("_scatter") && target != "operator.getitem")
                out.push_back(std::move(target));
        }
        return out;
    }

    static bool matchesEager(const json& claims) {
        return claims.is_object() &&
               std::all_of(answeredAspects.begin(), answeredAspects.end(), [&](Aspect aspect) {
                   return field(claims, std::string(aspectName(aspect)).c_str()) == true;
               });
    }

    /// PyTorch's graph and ours are the same text, so they must answer the six questions alike.
    static std::string wrongAnswer(const json& matchesEager, const json& differences) {
        if (!matchesEager.is_object() || !differences.is_array()) return {};
        for (const Aspect aspect : answeredAspects) {
            const auto name = std::string(aspectName(aspect));
            const auto found =
                std::find_if(differences.begin(), differences.end(), [&](const json& difference) {
                    return stringField(difference, "aspect") == name;
                });
            const bool same = found == differences.end();
            if (field(matchesEager, name.c_str()) == same) continue;
            return "matches_eager." + name + " is " +
                   (same ? "true here" : "false here: " + stringField(*found, "text"));
        }
        return {};
    }

    Client& m_engine;
    const json& m_case;
    const JudgeOptions& m_options;
    CaseReport* m_report = nullptr;
};

} // namespace

void judgeFunctionalization(Client& engine, const json& oracleCase, const JudgeOptions& options,
                            CaseReport& report) {
    FunctionalizationJudge(engine, oracleCase, options).run(report);
}

} // namespace dynascope::engine
