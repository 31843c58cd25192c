// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/cases/compare.h"
#include "core/engine/wire/execute.h"
#include "core/engine/wire/pass.h"
#include "core/oracle/oracle_case.h"

#include <algorithm>

namespace dynascope::engine {

namespace {

using nlohmann::json;

/// Inputs of the form {shape, stride, storage_offset, dtype, data} as those of the other kinds, each on a
/// storage of its own. Null for what has no such form.
json asCaseInputs(const json& inputs) {
    json out{{"storages", json::array()}, {"inputs", json::array()}};
    for (const json& input : inputs) {
        const json& data = field(input, "data");
        const json& shape = field(input, "shape");
        const json& stride = field(input, "stride");
        const json& offset = field(input, "storage_offset");
        if (!data.is_array() || !shape.is_array() || !stride.is_array() || shape.size() != stride.size() ||
            !offset.is_number_integer())
            return {};
        // Only dense tensors in order of their elements occur: a storage is then the data itself.
        json entry = input;
        entry.erase("data");
        entry["storage"] = out["storages"].size();
        entry["via"] = "set";
        out["storages"].push_back({{"dtype", field(input, "dtype")}, {"data", data}});
        out["inputs"].push_back(std::move(entry));
    }
    return out;
}

class NormalizeJudge {
public:
    NormalizeJudge(Client& engine, const json& oracleCase, const JudgeOptions& options, CaseReport& report)
        : m_engine(engine)
        , m_case(oracleCase)
        , m_options(options)
        , m_report(report)
        , m_inputs(asCaseInputs(field(oracleCase, "inputs"))) {}

    void run() {
        if (!field(m_case, "before").is_string() || m_inputs.is_null())
            return add("case", CaseVerdict::Failed, "a graph `before` and inputs are needed");
        eager();
        pass();
    }

private:
    void add(const std::string& part, CaseVerdict verdict, std::string reason = {}) {
        m_report.parts.push_back({part, verdict, std::move(reason)});
    }

    [[nodiscard]] const std::string& before() const {
        return field(m_case, "before").get_ref<const std::string&>();
    }

    void eager() {
        wire::ExecuteRequest request;
        request.on.inputs = m_inputs;
        const CallResult got = asJson(m_engine.execute(before(), request, m_options.call));
        if (!got) return notRun("eager", got.error());
        const std::string different = differentFromEager(*got);
        add("eager", different.empty() ? CaseVerdict::Passed : CaseVerdict::Failed, different);
    }

    /// What the engine cannot run it says; that is no wrong answer.
    void notRun(const std::string& part, const CallError& error) {
        const bool unsupported = field(error.data, "unsupported").is_array();
        add(part, unsupported ? CaseVerdict::Skipped : CaseVerdict::Failed, error.message);
    }

    /// The case has outputs and inputs after the call as nested lists, and dtypes of outputs.
    std::string differentFromEager(const json& got) const {
        if (std::string outputs = differentRows("output", field(m_case, "outputs"), got["outputs"]);
            !outputs.empty())
            return outputs;
        const json& types = field(m_case, "out_dtypes");
        if (types.is_array() && types.size() != got["outputs"].size()) return "the number of dtypes differs";
        for (std::size_t i = 0; types.is_array() && i < std::min(types.size(), got["outputs"].size()); ++i) {
            const std::string type = "torch." + stringField(got["outputs"][i], "dtype");
            if (types[i] != type) return "output " + std::to_string(i) + " is " + type;
        }
        return differentRows("input", field(m_case, "post_inputs"), got["post"]["inputs"]);
    }

    static std::string differentRows(const std::string& what, const json& expected, const json& got) {
        if (!expected.is_array() || expected.size() != got.size())
            return "the number of " + what + "s differs";
        for (std::size_t i = 0; i < expected.size(); ++i) {
            // Some cases nest their data by shape.
            std::size_t position = 0;
            const bool nests =
                expected[i].is_array() && !expected[i].empty() && expected[i].front().is_array();
            const std::string where = dataDifference(
                expected[i], nests ? nested(got[i]["data"], got[i]["shape"], 0, position) : got[i]["data"]);
            if (!where.empty()) return what + ' ' + std::to_string(i) + ": " + where;
        }
        return {};
    }

    /// The engine's flat data as lists within lists.
    static json nested(const json& data, const json& shape, std::size_t dim, std::size_t& position) {
        if (dim == shape.size()) return data.at(position++);
        json out = json::array();
        for (std::size_t i = 0; i < shape[dim].get<std::size_t>(); ++i)
            out.push_back(nested(data, shape, dim + 1, position));
        return out;
    }

    void pass() {
        wire::PassRequest request;
        request.passes = {"normalize_ir"};
        request.verify = true;
        request.on.inputs = m_inputs;
        const CallResult got = asJson(m_engine.pass(before(), request, m_options.call));
        if (!got && got.error().code == static_cast<int>(ErrorCode::InvalidParams) &&
            got.error().message.find("no pass 'normalize_ir'") != std::string::npos)
            return add("graph", CaseVerdict::Skipped, "this engine has no pass 'normalize_ir'");
        if (!got) return notRun("graph", got.error());
        const std::string golden = stringField(m_case, "after");
        const std::string graph = stringField(*got, "graph");
        add("graph", graph == golden ? CaseVerdict::Passed : CaseVerdict::Failed,
            graph == golden ? std::string() : firstDifferentLine(golden, graph));
        verification(field(*got, "verified"), field(*got, "differences"));
    }

    /// The pass is unsound on some graphs: the engine's verification has to see it on just those.
    void verification(const json& verified, const json& differences) {
        const json& expected = field(m_case, "after_matches_eager");
        const auto differs = [&](std::string_view aspect) {
            return std::any_of(differences.begin(), differences.end(), [&](const json& difference) {
                return stringField(difference, "aspect") == aspect;
            });
        };
        for (const auto& [claim, aspect] :
             {std::pair{"outputs", "output_values"}, std::pair{"post_inputs", "input_values"}})
            if (differences.is_array() && field(expected, claim) == differs(aspect))
                return add("verification", CaseVerdict::Failed,
                           std::string("after_matches_eager.") + claim + " is not so here");
        const bool sound = field(expected, "outputs") == true && field(expected, "post_inputs") == true;
        if (verified == sound) return add("verification", CaseVerdict::Passed);
        add("verification", CaseVerdict::Failed,
            std::string("verification finds the graph ") +
                (sound ? "different from eager" : "equal to eager"));
    }

    Client& m_engine;
    const json& m_case;
    const JudgeOptions& m_options;
    CaseReport& m_report;
    json m_inputs;
};

} // namespace

void judgeNormalizeIr(Client& engine, const json& oracleCase, const JudgeOptions& options,
                      CaseReport& report) {
    NormalizeJudge(engine, oracleCase, options, report).run();
}

} // namespace dynascope::engine
