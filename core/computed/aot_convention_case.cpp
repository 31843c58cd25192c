// SPDX-License-Identifier: BSD-3-Clause
//
// The calling convention of an oracle case: its inputs and PyTorch's metadata, taken through the layers.
#include "core/base/json_fields.h"
#include "core/computed/aot_convention.h"
#include "core/engine/cases/aot_case.h"
#include "core/ir/text.h"
#include "core/passes/aot/dedupe.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace dynascope::computed {

namespace {

using nlohmann::json;
using passes::aot::KeptIndex;
using passes::aot::OuterIndex;
namespace aot = passes::aot;

constexpr std::size_t mostValues = 64; ///< cells whose values are drawn

std::string bracketed(const std::vector<std::int64_t>& list, char open, char close) {
    std::string out(1, open);
    for (std::size_t i = 0; i < list.size(); ++i)
        out += (i == 0 ? "" : ", ") + std::to_string(list[i]);
    return out + close;
}

std::string typeOf(const aot::TensorObject& object) {
    return std::string(ir::shortDtype(object.dtype)) + bracketed(object.geometry.sizes, '[', ']');
}

/// The bytes that a tensor covers, by the reader of captures' own rule.
std::optional<session::Cover> coverOfObject(const aot::TensorObject& object) {
    session::TensorInput tensor;
    tensor.meta.dtype = std::string(ir::shortDtype(object.dtype));
    tensor.meta.strides.emplace();
    for (const std::int64_t size : object.geometry.sizes)
        tensor.meta.sizes.push_back(std::to_string(size));
    for (const std::int64_t stride : object.geometry.strides)
        tensor.meta.strides->push_back(std::to_string(stride));
    tensor.storageOffset = std::to_string(object.geometry.offset);
    return session::coverOf(tensor, {});
}

/// "4" for 4.0: cells are narrow.
std::string valueText(const json& value) {
    if (!value.is_number_float()) return value.dump();
    const double number = value.get<double>();
    return number == std::floor(number) && std::abs(number) < 1e6 ? std::to_string(std::int64_t(number))
                                                                  : value.dump();
}

class FromCase {
public:
    explicit FromCase(const json& oracleCase)
        : m_case(oracleCase) {}

    AotConvention run() {
        const json& whole = field(m_case, "aot");
        const bool failed = whole.is_object() && whole.contains("error");
        if (failed) m_out.refusal = stringField(field(whole, "error"), "message");
        const json& answer = failed ? field(whole, "retry_without_view_replay") : whole;
        if (!answer.is_object() || !answer.contains("metadata_outer"))
            return declined(failed ? "PyTorch fails on this call: " + m_out.refusal
                                   : "the case has no metadata of AOTAutograd");
        engine::DescribedInputs inputs(field(m_case, "inputs"));
        const auto meta =
            engine::readMetadata(field(answer, "metadata_outer"), inputs.arguments().list.size());
        if (!inputs.valid() || !meta) return declined("the case's inputs and metadata do not fit");
        aot::CallKind kind;
        kind.training = m_out.training = inputs.training();
        const auto plan = aot::planDedupe(inputs.arguments(), *meta, kind);
        if (!plan) return declined(plan.error().message);
        addOuter(inputs, *meta, *plan);
        aot::TensorObjects objects = inputs.objects();
        const auto kept = aot::dedupedArguments(*plan, inputs.arguments(), objects);
        const auto keptMeta = aot::dedupedMetadata(*plan, *meta);
        const auto merged = aot::mergeViewInputs(objects, kept, keptMeta, kind);
        if (!merged) return declined(merged.error().message);
        if (const auto graph = ir::readGraph(stringField(answer, "fw_graph"))) m_graph = *graph;
        std::optional<aot::MergedMetadata> inner;
        if (*merged) {
            auto found = aot::mergedMetadata(**merged, objects, kept, keptMeta);
            if (!found) return declined(found.error().message);
            inner = std::move(*found);
        }
        addInner(objects, kept, inner ? inner->meta.inputs : keptMeta.inputs, *merged);
        addOutputs(*meta, inner);
        addEpilogue(m_out);
        return std::move(m_out);
    }

private:
    AotConvention declined(std::string why) {
        m_out.declined = std::move(why);
        return std::move(m_out);
    }

    void addOuter(const engine::DescribedInputs& inputs, const aot::ViewAndMutationMeta<OuterIndex>& meta,
                  const aot::DedupePlan& plan) {
        const json& named = field(field(m_case, "inputs"), "inputs");
        const bool specialized = plan.strategy == aot::DedupePlan::Strategy::Specialize;
        m_out.taken = inputs.arguments().list.size();
        m_out.strategy =
            specialized ? "A repeated tensor is written, so the graph takes it once and serves only calls "
                          "with the same repeats."
            : plan.leafified.empty() ? "No tensor is passed twice: nothing is done."
                                     : "No repeat is written, so repeats become detached aliases.";
        m_keptOf.clear();
        std::vector<int> firstOf;
        for (std::size_t i = 0; i < inputs.arguments().list.size(); ++i) {
            const auto& argument = inputs.arguments().list[i];
            OuterCard& card = m_out.outer.emplace_back();
            card.name = named.is_array() && i < named.size() ? stringField(named[i], "name") : std::string();
            if (card.name.empty()) card.name = argument.name;
            card.writesData = meta.inputs[i].mutatesData;
            card.writesGeometry = meta.inputs[i].mutatesMetadata;
            const std::size_t kept = plan.keptOf[i].value;
            m_keptOf.push_back(kept);
            if (plan.keep[i]) {
                firstOf.resize(std::max(firstOf.size(), kept + 1), -1);
                firstOf[kept] = int(i);
            } else if (kept < firstOf.size()) {
                card.sameAs = firstOf[kept];
            }
            if (!argument.tensor) {
                card.type = "a number";
                continue;
            }
            const aot::TensorObject& object = inputs.objects().objects[*argument.tensor];
            card.type = typeOf(object);
            card.storage = int(object.storage);
            card.geometry = bracketed(object.geometry.sizes, '[', ']') + ' ' +
                            bracketed(object.geometry.strides, '(', ')') + " at " +
                            std::to_string(object.geometry.offset);
            card.cover = coverOfObject(object);
        }
    }

    int outerOfKept(std::size_t kept) const {
        for (std::size_t i = 0; i < m_keptOf.size(); ++i)
            if (m_keptOf[i] == kept && m_out.outer[i].sameAs < 0) return int(i);
        return -1;
    }

    /// Of the card that was added last: how it is written, and its name in the graph.
    void describe(InnerCard& card, const std::vector<aot::InputAliasInfo>& infos) {
        std::size_t at = m_out.inner.size() - 1;
        if (at < infos.size()) {
            const auto type = infos[at].mutationType();
            card.written = !type || *type != aot::MutationType::NotMutated;
            card.inGraph = type && *type == aot::MutationType::InGraph;
        }
        if (!m_graph) return;
        for (const ir::NodePtr& node : m_graph->nodes())
            if (node->op == ir::Op::Placeholder && at-- == 0) {
                card.name = node->name;
                return;
            }
    }

    void addInner(const aot::TensorObjects& objects, const aot::CallArguments<KeptIndex>& kept,
                  const std::vector<aot::InputAliasInfo>& infos, const std::optional<aot::MergePlan>& plan) {
        const json& storages = field(field(m_case, "inputs"), "storages");
        for (std::size_t b = 0; plan && b < plan->bases.size(); ++b) {
            const aot::SyntheticBase& base = plan->bases[b];
            BaseCard& card = m_out.bases.emplace_back();
            card.type = std::string(ir::shortDtype(base.dtype)) + bracketed(base.geometry.sizes, '[', ']');
            card.cellBytes = ir::dtypeBytes(ir::shortDtype(base.dtype));
            card.bytes = std::uint64_t(std::max<std::int64_t>(0, base.geometry.end())) * card.cellBytes;
            card.copiedBytes = base.copiedBytes;
            card.neededBytes = base.neededBytes;
            InnerCard& inner = m_out.inner.emplace_back();
            inner.base = int(b);
            inner.type = card.type;
            describe(inner, infos);
            for (const KeptIndex member : base.members) {
                for (std::size_t i = 0; i < m_keptOf.size(); ++i) {
                    if (m_keptOf[i] != member.value) continue;
                    m_out.outer[i].base = int(b);
                    m_out.outer[i].inner = int(m_out.inner.size()) - 1;
                    if (m_out.outer[i].sameAs < 0) card.members.push_back(int(i));
                }
            }
            const int first =
                card.members.empty() ? -1 : m_out.outer[std::size_t(card.members.front())].storage;
            if (first >= 0 && storages.is_array() && std::size_t(first) < storages.size())
                for (const json& value : field(storages[std::size_t(first)], "data"))
                    if (card.values.size() < mostValues) card.values.push_back(valueText(value));
        }
        const auto add = [&](KeptIndex k) {
            InnerCard& inner = m_out.inner.emplace_back();
            inner.outer = outerOfKept(k.value);
            inner.type =
                kept.at(k).tensor ? typeOf(objects.objects[*kept.at(k).tensor]) : std::string("a number");
            describe(inner, infos);
            for (std::size_t i = 0; i < m_keptOf.size(); ++i)
                if (m_keptOf[i] == k.value) m_out.outer[i].inner = int(m_out.inner.size()) - 1;
        };
        if (plan)
            for (const KeptIndex k : plan->others)
                add(k);
        else
            for (KeptIndex k; k.value < kept.list.size(); ++k.value)
                add(k);
    }

    void addOutputs(const aot::ViewAndMutationMeta<OuterIndex>& meta,
                    const std::optional<aot::MergedMetadata>& inner) {
        for (std::size_t i = 0; i < m_out.inner.size(); ++i) {
            if (!m_out.inner[i].written || m_out.inner[i].inGraph) continue;
            OutputCard& card = m_out.outputs.emplace_back();
            card.role = OutputCard::Role::NewValue;
            card.inner = int(i);
            card.type = m_out.inner[i].type;
        }
        for (std::size_t i = 0; i < meta.outputs.size(); ++i) {
            OutputCard& card = m_out.outputs.emplace_back();
            card.role = OutputCard::Role::Result;
            card.user = int(i);
            // A base takes an input object's place: the result becomes an alias of it.
            card.kind =
                inner && i < inner->meta.outputs.size() ? inner->meta.outputs[i].type : meta.outputs[i].type;
            if (meta.outputs[i].input) card.of = int(meta.outputs[i].input->value);
            if (meta.outputs[i].base) card.of = int(*meta.outputs[i].base);
        }
        for (std::size_t i = 0; inner && i < inner->geometryChanged.size(); ++i) {
            OutputCard& card = m_out.outputs.emplace_back();
            card.role = OutputCard::Role::Geometry;
            card.of = outerOfKept(inner->geometryChanged[i].value);
        }
        for (std::size_t i = 0; i < meta.intermediateBases; ++i)
            m_out.outputs.emplace_back().role = OutputCard::Role::IntermediateBase;
        if (!m_graph || m_graph->size() == 0 || m_graph->nodes().back()->args.empty()) return;
        const std::vector<ir::Argument>& values = m_graph->nodes().back()->args.front().items;
        for (std::size_t i = 0; i < std::min(values.size(), m_out.outputs.size()); ++i)
            m_out.outputs[i].name = values[i].isNode() ? values[i].text : std::string("None");
    }

    const json& m_case;
    AotConvention m_out;
    ir::GraphPtr m_graph;
    std::vector<std::size_t> m_keptOf; ///< by outer argument
};

} // namespace

AotConvention conventionOfCase(const session::Session& session) {
    AotConvention none;
    none.declined = "the session holds no oracle case";
    if (session.inputs.files.size() != 1 || !session.inputs.files.front().source) return none;
    const std::string_view bytes = session.inputs.files.front().source->bytes();
    const json document = json::parse(bytes.begin(), bytes.end(), nullptr, false);
    if (!document.is_object()) return none;
    return FromCase(document).run();
}

} // namespace dynascope::computed
