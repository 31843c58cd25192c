// SPDX-License-Identifier: BSD-3-Clause
#include "core/computed/calling_convention.h"

#include "core/base/words.h"
#include "core/session/input_sources.h"
#include "core/session/write_back.h"

#include <algorithm>

namespace dynascope::computed {

namespace {

/// What a graph returns, one after the other.
std::vector<ir::Argument> resultsOf(const ir::Graph& graph) {
    if (graph.size() == 0) return {};
    const ir::Node& last = *graph.nodes().back();
    if (last.op != ir::Op::Output || last.args.empty()) return {};
    const ir::Argument& results = last.args.front();
    const bool several =
        results.kind == ir::Argument::Kind::Tuple || results.kind == ir::Argument::Kind::List;
    return several ? results.items : std::vector<ir::Argument>{results};
}

/// Storages of the program's values, by what the recording says of each.
class Memory {
public:
    explicit Memory(const FunctionalRecording& recording)
        : m_recording(recording) {
        for (const OpStep& step : recording.run().steps)
            for (const ScoreRow& row : step.rows) {
                m_groupOf[row.value] = row.storage;
                m_shapeOf[row.value] = row.shape;
                const int op = recording.opOf(row.value);
                if (op >= 0 && recording.source(op).op == ir::Op::Placeholder)
                    m_inputOf.emplace(row.storage, row.value);
            }
    }

    [[nodiscard]] std::string typeOf(const std::string& value) const {
        const int op = m_recording.opOf(value);
        if (op >= 0 && m_recording.source(op).meta && m_recording.source(op).meta->tensor)
            return m_recording.source(op).meta->shortForm();
        const auto eager = m_recording.run().eager.find(value);
        if (eager != m_recording.run().eager.end()) return eager->second.typeText();
        const auto shape = m_shapeOf.find(value);
        return shape == m_shapeOf.end() ? std::string() : shapeText(shape->second);
    }

    void describe(const std::string& value, const std::vector<std::string>& before,
                  ConventionOutput& out) const {
        using Kind = ConventionOutput::Memory;
        const std::string& own = m_recording.canonical(value);
        const int op = m_recording.opOf(own);
        const auto group = m_groupOf.find(own);
        if (op >= 0 && m_recording.source(op).op == ir::Op::Placeholder) {
            out.memory = Kind::IsInput;
            out.with = own;
            return;
        }
        if (group == m_groupOf.end()) return;
        out.memory = Kind::Own;
        if (const auto input = m_inputOf.find(group->second); input != m_inputOf.end()) {
            out.memory = Kind::AliasOfInput;
            out.with = input->second;
            return;
        }
        for (const std::string& other : before)
            if (const auto its = m_groupOf.find(m_recording.canonical(other));
                its != m_groupOf.end() && its->second == group->second) {
                out.memory = Kind::SameAsOutput;
                out.with = other;
                return;
            }
    }

private:
    const FunctionalRecording& m_recording;
    std::map<std::string, int> m_groupOf;
    std::map<std::string, std::vector<std::int64_t>> m_shapeOf;
    std::map<int, std::string> m_inputOf; ///< of a storage: the input that it belongs to
};

OuterArgument::Mutation mutationOf(const InputWriteBack& back) {
    const bool data = std::find(back.how.begin(), back.how.end(), "copy_") != back.how.end();
    const bool geometry = back.how.size() > (data ? 1U : 0U);
    return data && geometry ? OuterArgument::Mutation::DataAndGeometry
           : geometry       ? OuterArgument::Mutation::Geometry
                            : OuterArgument::Mutation::Data;
}

/// The node whose value a write-back reads: its second argument.
std::string valueOf(const ir::Graph& graph, const std::string& node) {
    const ir::NodeIndex at = graph.find(node);
    if (at == ir::npos || graph.node(at).args.size() < 2 || !graph.node(at).args[1].isNode()) return {};
    return graph.node(at).args[1].text;
}

void addSteps(const InputWriteBack& back, const ir::Graph& graph, const std::optional<ForcingBreak>& forced,
              std::vector<EpilogueStep>& out) {
    for (std::size_t i = 0; i < back.how.size(); ++i) {
        EpilogueStep step;
        step.input = back.input;
        step.operation = back.how[i];
        step.output = back.output;
        if (i < back.nodes.size()) step.node = back.nodes[i];
        step.value = valueOf(graph, step.node);
        if (step.operation == "copy_") {
            step.bytes = back.bytes;
            step.wholeStorage = back.wholeStorage;
            step.sharedWith = back.sharedWith;
        }
        step.forcedBy = forced;
        out.push_back(std::move(step));
    }
}

} // namespace

std::string ForcingBreak::text() const {
    return "before the break at " + place;
}

ForcingBreaks forcingBreaks(const session::Session& session, const session::BreakSummary& breaks,
                            std::size_t index, const FunctionalRun& run) {
    ForcingBreaks out;
    if (!run.source || index >= session.compiles.size()) return out;
    const std::vector<std::string> sources = session::inputSources(session.compiles[index], *run.source);
    std::size_t position = 0;
    for (const ir::NodePtr& node : run.source->nodes()) {
        if (node->op != ir::Op::Placeholder || position >= sources.size()) continue;
        const std::string& source = sources[position++];
        if (std::none_of(run.writeBacks.begin(), run.writeBacks.end(),
                         [&](const InputWriteBack& back) { return back.input == node->name; }))
            continue;
        const auto after = session::breakAfterWrite(session, breaks, index, source);
        if (!after || after->group == SIZE_MAX) continue;
        const session::BreakGroup& group = breaks.groups[after->group];
        ForcingBreak forced;
        forced.group = int(after->group);
        forced.place = std::string(baseName(group.location.file));
        if (group.location.line > 0) forced.place += ':' + std::to_string(group.location.line);
        forced.reason = group.reason;
        if (after->resumed != SIZE_MAX)
            forced.resumed = session.compiles[after->resumed].id.toString() + " reads it as " + source;
        out.emplace(node->name, std::move(forced));
    }
    return out;
}

CallingConvention callingConvention(const FunctionalRecording& recording, const ForcingBreaks& breaks) {
    CallingConvention out;
    const FunctionalRun& run = recording.run();
    if (!run.source || !run.graph) return out;
    out.callerWritesBack = run.mode.callerWritesBack;
    const Memory memory(recording);
    const auto forcedBy = [&](const std::string& input) {
        const auto found = breaks.find(input);
        return found == breaks.end() ? std::nullopt : std::optional(found->second);
    };
    for (const ir::NodePtr& node : run.source->nodes()) {
        if (node->op != ir::Op::Placeholder) continue;
        OuterArgument argument;
        argument.node = node->name;
        argument.name = recording.nameOf(node->name);
        argument.type = memory.typeOf(node->name);
        for (const InputWriteBack& back : run.writeBacks) {
            const auto& shared = back.sharedWith;
            if (std::find(shared.begin(), shared.end(), node->name) != shared.end())
                argument.writtenWith = recording.nameOf(back.input);
            if (back.input != node->name) continue;
            argument.mutation = mutationOf(back);
            argument.bytes = back.bytes;
            argument.shared = !back.sharedWith.empty();
            argument.forcedBy = forcedBy(node->name);
        }
        out.arguments.push_back(std::move(argument));
    }

    const std::vector<ir::Argument> results = resultsOf(*run.graph), returned = resultsOf(*run.source);
    std::vector<std::string> before;
    std::size_t user = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
        ConventionOutput output;
        output.node = results[i].isNode() ? results[i].text : results[i].toString();
        const auto back = std::find_if(run.writeBacks.begin(), run.writeBacks.end(),
                                       [&](const InputWriteBack& b) { return b.output == int(i); });
        if (back != run.writeBacks.end()) {
            output.writtenTo = recording.nameOf(back->input);
            output.type = memory.typeOf(back->input);
        } else {
            output.user = int(user);
            if (user < returned.size() && returned[user].isNode()) {
                output.type = memory.typeOf(returned[user].text);
                memory.describe(returned[user].text, before, output);
                before.push_back(returned[user].text);
            }
            ++user;
        }
        out.outputs.push_back(std::move(output));
    }
    for (const InputWriteBack& back : run.writeBacks)
        addSteps(back, *run.graph, forcedBy(back.input), out.epilogue);
    // Inputs are called as in the rows above.
    for (ConventionOutput& output : out.outputs)
        output.with = recording.nameOf(output.with);
    for (EpilogueStep& step : out.epilogue) {
        step.input = recording.nameOf(step.input);
        for (std::string& other : step.sharedWith)
            other = recording.nameOf(other);
    }
    return out;
}

} // namespace dynascope::computed
