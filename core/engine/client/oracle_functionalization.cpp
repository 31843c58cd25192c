// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/client/compare.h"
#include "core/engine/client/oracle_case.h"

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
    return differences.is_array() && !differences.empty() ? text(differences.front(), "text")
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
            add("eager", Verdict::Skipped,
                "PyTorch could not trace it: " + text(field(m_case, "before_error"), "message"));
            return;
        }
        eager();
        for (const char* mode : {"mutations", "mutations_and_views"})
            functionalized(mode);
    }

private:
    void add(const std::string& part, Verdict verdict, std::string reason = {}) {
        m_report->parts.push_back({part, verdict, std::move(reason)});
    }

    CallResult ask(const std::string& method, json params) {
        params["inputs"] = field(m_case, "inputs");
        params["attrs"] = field(m_case, "before_attrs");
        return m_engine.callOnGraph(method, field(m_case, "before").get_ref<const std::string&>(),
                                    std::move(params), m_options.call);
    }

    [[nodiscard]] std::string eagerError() const {
        return text(field(field(m_case, "eager"), "error"), "message");
    }

    void eager() {
        const CallResult got = ask("execute", json::object());
        const std::string expectedError = eagerError();
        if (!got) {
            const bool expected = !engineGone(got.error()) && sameCause(expectedError, got.error().message);
            return expected ? add("eager", Verdict::Passed)
                            : add("eager", Verdict::Failed, got.error().message);
        }
        if (!expectedError.empty())
            return add("eager", Verdict::Failed, "it ran, expected the error '" + expectedError + "'");
        const std::vector<Difference> differences = compareRuns(field(m_case, "eager"), *got);
        if (differences.empty()) return add("eager", Verdict::Passed);
        add("eager", Verdict::Failed, differences.front().text);
    }

    /// PyTorch's own graph is judged by the golden text, and the engine's answer by eager; where PyTorch's
    /// graph is right the two are one.
    void functionalized(const std::string& mode) {
        const json& expected = field(field(m_case, "after"), mode.c_str());
        if (!expected.is_object()) return add(mode, Verdict::Skipped, "the case has no such part");
        json params{{"passes", {"functionalize"}}, {"remove", mode}, {"verify", eagerError().empty()}};
        const CallResult answer = ask("pass", params);
        params["faithful"] = true;
        const CallResult got = ask("pass", std::move(params));
        if (!m_options.faithful && !equalsEager(mode, answer)) return;
        if (!got) return raised(mode, expected, got.error());
        const json& verified = field(*got, "verified");
        const bool right = verified.is_null() || verified == true;
        const std::string known = joined(field(*got, "deviations"));
        if (const std::string error = text(field(expected, "error"), "message"); !error.empty())
            return right ? add(mode, Verdict::Passed)
                         : add(mode, Verdict::Failed,
                               "it ran, PyTorch raises '" + error + "', and " +
                                   firstOfDifferences(field(*got, "differences")));
        const std::string golden = text(expected, "graph");
        const std::string graph = text(*got, "graph");
        if (graph != golden) return differentText(mode, golden, graph, right, known);
        if (const std::string wrong =
                wrongAnswer(field(expected, "matches_eager"), field(*got, "differences"));
            !verified.is_null() && !wrong.empty())
            return add(mode, Verdict::Failed, wrong);
        add(mode, Verdict::Passed);
    }

    /// Where eager succeeds the answer has to be eager's; else it fails with eager's error.
    bool equalsEager(const std::string& mode, const CallResult& answer) {
        if (!answer) {
            if (!engineGone(answer.error()) && sameCause(eagerError(), answer.error().message)) return true;
            add(mode, Verdict::Failed, answer.error().message);
            return false;
        }
        const json& verified = field(*answer, "verified");
        if (verified.is_null() || verified == true) return true;
        add(mode, Verdict::Failed, firstOfDifferences(field(*answer, "differences")));
        return false;
    }

    void raised(const std::string& mode, const json& expected, const CallError& error) {
        const std::string wanted = text(field(expected, "error"), "message");
        if (engineGone(error)) return add(mode, Verdict::Failed, error.message);
        if (sameCause(eagerError(), error.message)) return add(mode, Verdict::Passed);
        if (sameCause(wanted, error.message)) return add(mode, Verdict::Passed);
        add(mode, Verdict::Failed,
            error.message + (wanted.empty() ? std::string() : " (PyTorch raises '" + wanted + "')"));
    }

    /// The one known cause: torch.reshape was traced as it decomposed on eager strides, while PyTorch's pass,
    /// run on the program itself, decides on the strides and sizes of functional values. The graphs then
    /// differ in reshapes, and in whatever is regenerated around them, and in nothing else.
    void differentText(const std::string& mode, const std::string& golden, const std::string& graph,
                       bool right, const std::string& known) {
        const bool frozenReshape = text(m_case, "python_source").find("torch.reshape(") != std::string::npos;
        if (frozenReshape && (right || !known.empty()) && computations(golden) == computations(graph))
            return add(mode, Verdict::Declined,
                       "the source graph froze a reshape at eager strides" +
                           (known.empty() ? known : "; " + known));
        add(mode, Verdict::Failed, firstDifferentLine(golden, graph));
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

    /// PyTorch's graph and ours are the same text, so they must answer the six questions alike.
    static std::string wrongAnswer(const json& matchesEager, const json& differences) {
        if (!matchesEager.is_object() || !differences.is_array()) return {};
        for (const Aspect aspect : answeredAspects) {
            const auto name = std::string(aspectName(aspect));
            const auto found =
                std::find_if(differences.begin(), differences.end(),
                             [&](const json& difference) { return text(difference, "aspect") == name; });
            const bool same = found == differences.end();
            if (field(matchesEager, name.c_str()) == same) continue;
            return "matches_eager." + name + " is " +
                   (same ? "true here" : "false here: " + text(*found, "text"));
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
