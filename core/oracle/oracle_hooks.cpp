// SPDX-License-Identifier: BSD-3-Clause
//
// Judges kind `saved_tensors_hooks`: the engine traces both hooks on each saved value, they are inlined, and
// the graphs are compared with PyTorch's and run.
#include "core/engine/cases/compare.h"
#include "core/engine/wire/execute.h"
#include "core/engine/wire/pass.h"
#include "core/ir/text.h"
#include "core/oracle/oracle_case.h"
#include "core/passes/hooks/saved_tensors_hooks.h"

#include <algorithm>
#include <map>

namespace dynascope::engine {

namespace {

using nlohmann::json;
namespace hooks = passes::hooks;

/// Inputs in a case's form, each dense on a storage of its own.
class InputList {
public:
    void add(const json& dtype, json shape, json data) {
        json strides = json::array();
        std::int64_t step = 1;
        for (std::size_t i = shape.size(); i-- > 0;) {
            strides.insert(strides.begin(), step);
            step *= std::max<std::int64_t>(shape[i].get<std::int64_t>(), 1);
        }
        m_inputs["inputs"].push_back({{"storage", m_inputs["storages"].size()},
                                      {"dtype", dtype},
                                      {"shape", std::move(shape)},
                                      {"stride", std::move(strides)},
                                      {"storage_offset", 0},
                                      {"via", "set"}});
        m_inputs["storages"].push_back({{"dtype", dtype}, {"data", std::move(data)}});
    }
    /// As "execute" describes it.
    void add(const json& tensor) { add(tensor.at("dtype"), tensor.at("shape"), tensor.at("data")); }
    [[nodiscard]] const json& inputs() const { return m_inputs; }

private:
    json m_inputs{{"storages", json::array()}, {"inputs", json::array()}};
};

class HooksJudge {
public:
    HooksJudge(Client& engine, const json& oracleCase, const JudgeOptions& options, CaseReport& report)
        : m_engine(engine)
        , m_case(oracleCase)
        , m_options(options)
        , m_report(report) {}

    void run() {
        const auto forward = graphOf("fw_pre"), backward = graphOf("bw_pre");
        m_packHook = graphOf("pack_graph");
        m_unpackHook = graphOf("unpack_graph");
        if (!forward || !backward || !m_packHook || !m_unpackHook)
            return add("case", "two modules and two hooks are needed");
        // The programs of these cases take two float matrices of two rows.
        for (const char* name : {"x", "y"})
            m_arguments.add("float32", json::array({2, 2}), field(m_case, name));
        if (auto known = learnSaved(); !known) return add("case", known.error().message);

        hooks::Request request{forward, backward, 0, filter(), {}};
        if (const json& outputs = field(m_case, "num_inner_fwd_outputs"); outputs.is_number_unsigned())
            request.functionOutputs = outputs.get<std::size_t>();
        for (const json& input : field(m_case, "static_input_indices"))
            if (input.is_number_unsigned()) request.staticInputs.push_back(input.get<std::size_t>());
        const auto got = hooks::inlineHooks(
            request, [this](const std::string& saved) { return tracedPack(saved); },
            [this](const std::string&) { return tracedUnpack(); });
        if (!got) return add("fw_post", got.error().message);
        compare("fw_post", *got->forward);
        compare("bw_post", *got->backward);
        values(*got, request.functionOutputs);
    }

private:
    void add(const std::string& part, const std::string& difference) {
        m_report.parts.push_back(
            {part, difference.empty() ? CaseVerdict::Passed : CaseVerdict::Failed, difference});
    }

    ir::GraphPtr graphOf(const char* key) const {
        auto graph = ir::readGraph(stringField(m_case, key));
        return graph ? *graph : nullptr;
    }

    hooks::Filter filter() const {
        const std::string mode = stringField(m_case, "filtering_mode");
        if (mode == "donated") return hooks::Filter::Donated;
        return mode == "no_static" ? hooks::Filter::NoStatic : hooks::Filter::All;
    }

    Result<json> execute(const ir::Graph& graph, const json& inputs, bool values = false) {
        wire::ExecuteRequest request;
        request.on.inputs = inputs;
        request.values = values;
        const auto got = m_engine.execute(ir::printFx(graph), request, m_options.call);
        if (!got) return failure(got.error().message);
        return wire::encode(*got);
    }

    /// Runs forward as it was, for the shapes of what it saves.
    Result<void> learnSaved() {
        constexpr bool values = true;
        auto got = execute(*graphOf("fw_pre"), m_arguments.inputs(), values);
        if (!got) return tl::unexpected(got.error());
        for (const json& value : field(*got, "values"))
            m_values[stringField(value, "node")] = value;
        return {};
    }

    /// The hook as operators, on values of these shapes.
    Result<ir::GraphPtr> traced(const ir::Graph& hook, const json& inputs) {
        wire::PassRequest request;
        request.on.inputs = inputs;
        request.passes = {"functionalize"};
        const auto got = m_engine.pass(ir::printFx(hook), request, m_options.call);
        if (!got) return failure(got.error().message);
        return ir::readGraph(got->graph);
    }

    Result<ir::GraphPtr> tracedPack(const std::string& saved) {
        const json& value = m_values[saved];
        std::size_t elements = 1;
        for (const json& size : field(value, "shape"))
            elements *= size.get<std::size_t>();
        InputList inputs;
        inputs.add(field(value, "dtype"), field(value, "shape"), json(std::vector<int>(elements, 1)));
        auto packed = execute(*m_packHook, inputs.inputs());
        if (!packed) return tl::unexpected(packed.error());
        m_packed = field(*packed, "outputs");
        return traced(*m_packHook, inputs.inputs());
    }

    Result<ir::GraphPtr> tracedUnpack() {
        auto hook = hooks::withTupleTakenApart(m_unpackHook, m_packed.size());
        if (!hook) return hook;
        InputList inputs;
        for (const json& value : m_packed)
            inputs.add(value);
        return traced(**hook, inputs.inputs());
    }

    void compare(const char* key, const ir::Graph& got) {
        const std::string printed = ir::printFx(got), expected = stringField(m_case, key);
        add(key, printed == expected ? std::string() : firstDifferentLine(expected, printed));
    }

    /// Forward on the case's inputs, then backward on what it saved and tangents of ones.
    void values(const hooks::Hooked& modules, std::size_t functionOutputs) {
        const auto forward = execute(*modules.forward, m_arguments.inputs());
        if (!forward) return add("outputs", forward.error().message);
        const json& outputs = field(*forward, "outputs");
        json results = json::array();
        InputList inputs;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            if (i < functionOutputs)
                results.push_back(outputs[i]["data"]);
            else
                inputs.add(outputs[i]);
        }
        add("outputs", dataDifference(field(m_case, "outputs"), results));
        for (std::size_t i = 0; i < std::min(functionOutputs, outputs.size()); ++i)
            inputs.add(outputs[i]["dtype"], outputs[i]["shape"],
                       json(std::vector<int>(outputs[i]["data"].size(), 1)));
        const auto backward = execute(*modules.backward, inputs.inputs());
        if (!backward) return add("grads", backward.error().message);
        json gradients = json::array();
        for (const json& output : field(*backward, "outputs"))
            gradients.push_back(field(output, "data"));
        add("grads", dataDifference(field(m_case, "grads"), gradients));
    }

    Client& m_engine;
    const json& m_case;
    const JudgeOptions& m_options;
    CaseReport& m_report;
    ir::GraphPtr m_packHook, m_unpackHook;
    InputList m_arguments;
    std::map<std::string, json> m_values; ///< of forward's nodes, as "execute" describes them
    json m_packed;                        ///< what the pack hook made of the value under way
};

} // namespace

void judgeHooks(Client& engine, const json& oracleCase, const JudgeOptions& options, CaseReport& report) {
    HooksJudge(engine, oracleCase, options, report).run();
}

} // namespace dynascope::engine
