// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/client/oracle.h"

#include "core/engine/client/compare.h"

#include <algorithm>
#include <array>
#include <optional>

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

const json& field(const json& object, const char* key) {
    static const json none;
    if (!object.is_object()) return none;
    const auto found = object.find(key);
    return found == object.end() ? none : *found;
}

std::string text(const json& object, const char* key) {
    const json& value = field(object, key);
    return value.is_string() ? value.get<std::string>() : std::string();
}

/// Python and C++ name a tensor's type differently: [torch.FloatTensor [2]] and [CPUFloatType [2]].
std::string withoutTypes(std::string_view text) {
    std::string out(text);
    for (std::size_t open = out.find('['); open != std::string::npos; open = out.find('[', open + 1)) {
        const std::size_t end = out.find_first_of(" ]", open);
        if (end == std::string::npos) break;
        const std::string_view word = std::string_view(out).substr(open + 1, end - open - 1);
        if (word.ends_with("Tensor") || word.ends_with("Type")) out.erase(open + 1, end - open - 1);
    }
    return out;
}

/// Messages carry sizes and positions after the cause; the start is the cause.
bool sameCause(std::string_view expected, std::string_view got) {
    constexpr std::size_t compared = 120;
    return !expected.empty() &&
           withoutTypes(expected).substr(0, compared) == withoutTypes(got).substr(0, compared);
}

std::string firstDifferentLine(std::string_view expected, std::string_view got) {
    for (std::size_t line = 1;; ++line) {
        const std::string_view a = expected.substr(0, expected.find('\n'));
        const std::string_view b = got.substr(0, got.find('\n'));
        if (a != b)
            return "line " + std::to_string(line) + " of the graph is '" + std::string(b) + "', expected '" +
                   std::string(a) + "'";
        if (a.size() == expected.size() || b.size() == got.size()) return "the graphs differ in length";
        expected.remove_prefix(a.size() + 1);
        got.remove_prefix(b.size() + 1);
    }
}

std::string joined(const json& sentences) {
    std::string out;
    if (!sentences.is_array()) return out;
    for (const json& sentence : sentences) {
        if (!sentence.is_string()) continue;
        if (!out.empty()) out += "; ";
        out += sentence.get<std::string>();
    }
    return out;
}

std::string firstDifference(const json& differences) {
    return differences.is_array() && !differences.empty() ? text(differences.front(), "text")
                                                          : std::string("values differ");
}

/// The engine did not answer at all: not the case's doing.
bool engineGone(const CallError& error) {
    return error.kind != CallError::Kind::Refused;
}

class Judge {
public:
    Judge(Client& engine, const json& oracleCase, const CallOptions& options)
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
                                    std::move(params), m_options);
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

    void functionalized(const std::string& mode) {
        const json& expected = field(field(m_case, "after"), mode.c_str());
        if (!expected.is_object()) return add(mode, Verdict::Skipped, "the case has no such part");
        const CallResult got =
            ask("pass", {{"passes", {"functionalize"}}, {"remove", mode}, {"verify", eagerError().empty()}});
        if (!got) return raised(mode, expected, got.error());
        const json& verified = field(*got, "verified");
        const bool right = verified.is_null() || verified == true;
        const std::string why = firstDifference(field(*got, "differences"));
        const std::string known = joined(field(*got, "deviations"));
        if (const std::string error = text(field(expected, "error"), "message"); !error.empty()) {
            return right ? add(mode, Verdict::Passed)
                         : add(mode, Verdict::Failed, "it ran, PyTorch raises '" + error + "', and " + why);
        }
        const std::string golden = text(expected, "graph");
        const std::string graph = text(*got, "graph");
        if (graph != golden) return differentText(mode, golden, graph, right, known);
        if (const std::string wrong =
                wrongAnswer(field(expected, "matches_eager"), field(*got, "differences"));
            !verified.is_null() && !wrong.empty())
            return add(mode, Verdict::Failed, wrong);
        if (right) return add(mode, Verdict::Passed);
        if (known.empty()) return add(mode, Verdict::Failed, why);
        add(mode, Verdict::Declined, known);
    }

    void raised(const std::string& mode, const json& expected, const CallError& error) {
        const std::string wanted = text(field(expected, "error"), "message");
        if (engineGone(error)) return add(mode, Verdict::Failed, error.message);
        if (sameCause(eagerError(), error.message)) return add(mode, Verdict::Passed);
        if (sameCause(wanted, error.message)) return add(mode, Verdict::Declined, error.message);
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
    const CallOptions& m_options;
    CaseReport* m_report = nullptr;
};

} // namespace

std::string_view verdictName(Verdict verdict) {
    switch (verdict) {
    case Verdict::Passed:
        return "passed";
    case Verdict::Failed:
        return "failed";
    case Verdict::Declined:
        return "declined";
    case Verdict::Skipped:
        return "skipped";
    }
    return {};
}

Verdict CaseReport::verdict() const {
    for (const Verdict verdict : {Verdict::Failed, Verdict::Declined, Verdict::Skipped}) {
        if (std::any_of(parts.begin(), parts.end(),
                        [&](const PartReport& p) { return p.verdict == verdict; }))
            return verdict;
    }
    return Verdict::Passed;
}

std::string CaseReport::reason() const {
    const Verdict worst = verdict();
    const auto part =
        std::find_if(parts.begin(), parts.end(), [&](const PartReport& p) { return p.verdict == worst; });
    return part == parts.end() || part->reason.empty() ? std::string() : part->part + ": " + part->reason;
}

CaseReport judgeCase(Client& engine, std::string_view caseText, const std::string& label,
                     const CallOptions& options) {
    CaseReport report{label, "unknown", {}};
    const json oracleCase = json::parse(caseText, nullptr, false);
    if (!oracleCase.is_object() || text(oracleCase, "kind").empty()) {
        report.parts.push_back({"case", Verdict::Failed, "this is no case: an object with a kind is needed"});
        return report;
    }
    report.kind = text(oracleCase, "kind");
    if (const std::string name = text(oracleCase, "name"); !name.empty()) report.name = name;
    if (report.kind != "random" && report.kind != "hand") {
        report.parts.push_back(
            {"case", Verdict::Skipped, "kind '" + report.kind + "' is not judged by this version"});
        return report;
    }
    Judge(engine, oracleCase, options).run(report);
    return report;
}

} // namespace dynascope::engine
