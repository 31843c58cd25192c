// SPDX-License-Identifier: BSD-3-Clause
#include "core/computed/aot_convention.h"

#include "core/computed/alias_table.h"
#include "core/ir/storage.h"
#include "core/session/input_sources.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_map>

namespace dynascope::computed {

namespace {

using ir::NodeIndex;
using passes::aot::InnerIndex;
using passes::aot::MutationType;
using passes::aot::OutputType;

constexpr std::string_view plain = "PlainAOTInput(idx=";
constexpr std::string_view same = " is ";

/// "L['x']" or "G['m']._parameters['w']": where the program's caller has a value.
bool isSource(std::string_view text) {
    return text.starts_with("L[") || text.starts_with("G[");
}

bool isBase(std::string_view comment) {
    return comment.starts_with("ViewBaseAOTInput(") || comment.starts_with("SyntheticBaseAOTInput(");
}

/// The outer argument that a description of an inner one names.
std::optional<std::size_t> outerOf(std::string_view comment) {
    const std::size_t at = comment.find(plain);
    if (at == std::string_view::npos || (at != 0 && !isBase(comment))) return {};
    std::size_t value = 0;
    const char* const end = comment.data() + comment.size();
    return std::from_chars(comment.data() + at + plain.size(), end, value).ec == std::errc()
               ? std::optional(value)
               : std::nullopt;
}

std::string spelled(const std::vector<std::string>& list, char open, char close) {
    std::string out(1, open);
    for (std::size_t i = 0; i < list.size(); ++i)
        out += (i == 0 ? "" : ", ") + list[i];
    return out + close;
}

std::string typeOf(const ir::Node& node) {
    return node.meta ? node.meta->shortForm() : std::string();
}

std::vector<NodeIndex> placeholders(const ir::Graph& graph) {
    std::vector<NodeIndex> out;
    for (NodeIndex i = 0; i < graph.size(); ++i)
        if (graph.node(i).op == ir::Op::Placeholder) out.push_back(i);
    return out;
}

ir::GraphPtr dynamoGraph(const session::Compile& compile) {
    ir::GraphPtr out;
    for (const session::StagePtr& stage : compile.stages)
        if (stage->name == "dynamo_output_graph")
            if (const auto graph = stage->graph()) out = *graph;
    return out;
}

class FromCapture {
public:
    FromCapture(const session::Session& session, std::size_t compile)
        : m_compile(session.compiles[compile])
        , m_table(aliasTable(session, compile)) {}

    AotConvention run() {
        if (!m_table.metadata) return declined(m_table.problem);
        if (!m_table.graph) return declined("the traced graph cannot be read");
        const ir::GraphPtr dynamo = dynamoGraph(m_compile);
        if (!dynamo) return declined("the capture has no Dynamo graph of this compile");
        m_out.stage = m_table.stage;
        m_out.training = m_table.stage->name == "aot_joint_graph";
        addOuter(*dynamo);
        addInner();
        joinMembers();
        addOutputs();
        m_out.taken = m_out.outer.size();
        addRepeats();
        addEpilogue(m_out);
        return std::move(m_out);
    }

private:
    AotConvention declined(std::string why) {
        m_out.declined = std::move(why);
        return std::move(m_out);
    }

    void addOuter(const ir::Graph& dynamo) {
        std::map<std::string_view, const session::TensorInput*> described;
        for (const session::TensorInput& input : m_compile.inputs)
            if (!input.source.empty()) described.emplace(input.source, &input);
        const std::vector<std::string> sources = session::inputSources(m_compile, dynamo);
        const std::vector<NodeIndex> roots = ir::storageRoots(dynamo);
        std::vector<bool> written(dynamo.size(), false);
        for (NodeIndex i = 0; i < dynamo.size(); ++i)
            for (const NodeIndex value : ir::valuesWritten(dynamo, i))
                written[roots[value]] = true;
        for (const NodeIndex i : placeholders(dynamo)) {
            OuterCard& card = m_out.outer.emplace_back();
            const std::size_t ordinal = m_out.outer.size() - 1;
            card.name = dynamo.node(i).name;
            card.type = typeOf(dynamo.node(i));
            card.writesData = written[i];
            const auto input = ordinal < sources.size() ? described.find(sources[ordinal]) : described.end();
            if (input == described.end() || sources[ordinal].empty()) continue;
            const session::TensorInput& tensor = *input->second;
            card.name = tensor.source;
            card.storage = tensor.storage;
            card.geometry =
                spelled(tensor.meta.sizes, '[', ']') +
                (tensor.meta.strides ? ' ' + spelled(*tensor.meta.strides, '(', ')') : std::string()) +
                " at " + tensor.storageOffset;
            card.cover = session::coverOf(tensor, m_compile.symbols);
        }
    }

    void addInner() {
        const auto& meta = m_table.metadata->meta;
        for (std::size_t i = 0; i < meta.inputs.size(); ++i) {
            InnerCard& card = m_out.inner.emplace_back();
            card.name = "input " + std::to_string(i);
            const auto type = meta.inputs[i].mutationType();
            card.written = !type || *type != MutationType::NotMutated;
            card.inGraph = type && *type == MutationType::InGraph;
            if (m_table.inputs[i] == ir::npos) continue;
            const ir::Node& node = m_table.graph->node(m_table.inputs[i]);
            card.name = node.name;
            card.type = typeOf(node);
            std::optional<std::size_t> outer = outerOf(node.comment);
            if (!outer && node.comment.empty()) outer = i; // text without descriptions: nothing was merged
            if (!outer || *outer >= m_out.outer.size()) continue;
            if (isBase(node.comment)) {
                card.base = int(m_out.bases.size());
                BaseCard& base = m_out.bases.emplace_back();
                base.type = card.type;
                if (node.meta && node.meta->tensor) {
                    base.bytes = node.meta->tensor->bytes().value_or(0);
                    base.cellBytes = ir::dtypeBytes(node.meta->tensor->dtype);
                }
                base.copiedBytes = std::int64_t(base.bytes);
                m_baseOf[m_out.outer[*outer].storage] = card.base;
            } else {
                card.outer = int(*outer);
                OuterCard& of = m_out.outer[*outer];
                of.inner = int(i);
                of.writesData = meta.inputs[i].mutatesData;
                of.writesGeometry = meta.inputs[i].mutatesMetadata;
            }
        }
    }

    /// Arguments that are no inner one themselves became views of the base of their storage.
    void joinMembers() {
        for (std::size_t i = 0; i < m_out.outer.size(); ++i) {
            OuterCard& card = m_out.outer[i];
            if (card.inner >= 0) continue;
            const auto base = card.storage < 0 ? m_baseOf.end() : m_baseOf.find(card.storage);
            if (base == m_baseOf.end()) continue;
            card.base = base->second;
            m_out.bases[std::size_t(card.base)].members.push_back(int(i));
            for (std::size_t k = 0; k < m_out.inner.size(); ++k)
                if (m_out.inner[k].base == card.base) card.inner = int(k);
        }
    }

    /// Arguments that Dynamo left out because they are tensors that it had: a guard says which is which.
    void addRepeats() {
        std::map<std::string, int, std::less<>> known;
        for (std::size_t i = 0; i < m_out.outer.size(); ++i)
            known.emplace(m_out.outer[i].name, int(i));
        std::string repeats;
        for (const session::Guard& guard : m_compile.guards) {
            const std::size_t at = guard.code.find(same);
            if (guard.isManager() || at == std::string::npos) continue;
            std::string first = guard.code.substr(0, at), second = guard.code.substr(at + same.size());
            if (!known.contains(first)) std::swap(first, second);
            const auto found = known.find(first);
            if (found == known.end() || known.contains(second) || !isSource(second)) continue;
            OuterCard card = m_out.outer[std::size_t(found->second)];
            card.name = second;
            card.sameAs = found->second;
            known.emplace(second, found->second);
            m_out.outer.push_back(std::move(card));
            repeats += (repeats.empty() ? "" : ", ") + guard.code;
        }
        m_out.strategy =
            repeats.empty()
                ? "Dynamo passes each tensor once, and no guard says that it was given one twice."
                : "Dynamo passes each tensor once, and guards check that repeats are: " + repeats + '.';
    }

    int outerIndex(InnerIndex inner) const {
        const InnerCard& card = m_out.inner[inner.value];
        if (card.outer >= 0) return card.outer;
        const auto& members = m_out.bases[std::size_t(std::max(0, card.base))].members;
        return card.base < 0 || members.empty() ? -1 : members.front();
    }

    void addOutputs() {
        const auto& meta = m_table.metadata->meta;
        for (std::size_t i = 0; i < meta.inputs.size(); ++i) {
            const auto type = meta.inputs[i].mutationType();
            if (!type || *type != MutationType::OutGraph) continue;
            OutputCard& card = m_out.outputs.emplace_back();
            card.role = OutputCard::Role::NewValue;
            card.inner = int(i);
            card.type = m_out.inner[i].type;
        }
        for (std::size_t i = 0; i < meta.outputs.size(); ++i) {
            OutputCard& card = m_out.outputs.emplace_back();
            card.role = OutputCard::Role::Result;
            card.user = int(i);
            card.kind = meta.outputs[i].type;
            if (meta.outputs[i].input) card.of = outerIndex(*meta.outputs[i].input);
            if (meta.outputs[i].base) card.of = int(*meta.outputs[i].base);
        }
        for (std::size_t i = 0; i < meta.intermediateBases; ++i)
            m_out.outputs.emplace_back().role = OutputCard::Role::IntermediateBase;
        const ir::Node& result = *m_table.graph->nodes().back();
        if (result.op != ir::Op::Output || result.args.empty()) return;
        const std::vector<ir::Argument>& values = result.args.front().items;
        for (std::size_t i = 0; i < std::min(values.size(), m_out.outputs.size()); ++i) {
            m_out.outputs[i].name = values[i].isNode() ? values[i].text : std::string("None");
            const NodeIndex node = values[i].isNode() ? m_table.graph->find(values[i].text) : ir::npos;
            if (node != ir::npos) m_out.outputs[i].type = typeOf(m_table.graph->node(node));
        }
    }

    const session::Compile& m_compile;
    AliasTable m_table;
    AotConvention m_out;
    std::unordered_map<int, int> m_baseOf; ///< by storage
};

} // namespace

void addEpilogue(AotConvention& convention) {
    const auto nameOf = [&](int outer) {
        return outer >= 0 && outer < int(convention.outer.size()) ? convention.outer[std::size_t(outer)].name
                                                                  : std::string("an input");
    };
    const auto target = [&](const InnerCard& inner, EpilogueCard& card) {
        card.base = inner.base;
        card.outer = inner.outer;
        return inner.base >= 0 ? "base " + std::to_string(inner.base) : nameOf(inner.outer);
    };
    for (std::size_t i = 0; i < convention.inner.size(); ++i) {
        const InnerCard& inner = convention.inner[i];
        if (!inner.inGraph) continue;
        EpilogueCard& card = convention.epilogue.emplace_back();
        card.operation = "copy_";
        card.what = target(inner, card) + ", by the graph itself";
        card.writes = true;
    }
    for (std::size_t i = 0; i < convention.outputs.size(); ++i) {
        const OutputCard& output = convention.outputs[i];
        EpilogueCard card;
        card.output = int(i);
        if (output.role == OutputCard::Role::NewValue && output.inner >= 0) {
            card.operation = "copy_";
            card.what =
                target(convention.inner[std::size_t(output.inner)], card) + " ← output " + std::to_string(i);
            card.writes = true;
        } else if (output.role == OutputCard::Role::Result) {
            switch (output.kind) {
            case OutputType::AliasOfInput:
                card.operation = "gen_alias";
                card.what = "from " + nameOf(output.of);
                card.outer = output.of;
                break;
            case OutputType::IsInput:
                card.operation = "return";
                card.what = nameOf(output.of) + ", the same object";
                card.outer = output.of;
                break;
            case OutputType::AliasOfIntermediate:
            case OutputType::AliasOfIntermediateSaveAsOutput:
                card.operation = "gen_alias";
                card.what = "from base " + std::to_string(std::max(0, output.of));
                break;
            case OutputType::AliasOfIntermediateBaseIsUserOutput:
                card.operation = "gen_alias";
                card.what = "from result " + std::to_string(std::max(0, output.of));
                break;
            case OutputType::NonAlias:
            case OutputType::UnsafeViewAlias:
            case OutputType::CustomFunctionView:
                card.operation = "pass";
                card.what = "as it is";
                break;
            }
        } else if (output.role == OutputCard::Role::Geometry) {
            card.operation = "as_strided_";
            card.what = nameOf(output.of) + ", its new geometry";
            card.outer = output.of;
            card.writes = true;
        } else {
            continue; // kept by the runtime, not given to the caller
        }
        convention.epilogue.push_back(std::move(card));
    }
}

AotConvention conventionOfCapture(const session::Session& session, std::size_t compile) {
    return FromCapture(session, compile).run();
}

} // namespace dynascope::computed
