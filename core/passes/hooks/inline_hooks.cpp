// SPDX-License-Identifier: BSD-3-Clause
#include "core/passes/hooks/inline_hooks.h"

#include "core/ir/text.h"
#include "core/passes/hooks/hooked_values.h"

#include <algorithm>
#include <charconv>

namespace dynascope::passes::hooks {

namespace {

using ir::Graph;
using ir::GraphPtr;
using ir::NodeIndex;

enum class Half : std::uint8_t { Forward, Backward };

tl::unexpected<PassError> refuse(std::string message) {
    return tl::unexpected(PassError{std::move(message), ir::npos, false, {}});
}

std::vector<std::string_view> itemsOf(std::string_view text) {
    std::vector<std::string_view> out;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        if (comma > 0) out.push_back(text.substr(0, comma));
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return out;
}

template <typename Number>
std::optional<Number> numberOf(std::string_view text) {
    Number out{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(out) : std::nullopt;
}

/// How many of what the second graph takes the first one returns.
std::size_t handedOver(const Graph& from, const Graph& to) {
    const std::vector<ir::Argument> results = resultLeaves(from);
    const std::vector<std::string> taken = placeholderNames(to);
    return static_cast<std::size_t>(std::count_if(taken.begin(), taken.end(), [&](const std::string& name) {
        return std::any_of(results.begin(), results.end(), [&](const ir::Argument& result) {
            return result.isNode() && result.text == name;
        });
    }));
}

std::string annotationOf(const Graph& graph, const std::string& name) {
    const NodeIndex node = graph.find(name);
    return node == ir::npos || !graph.node(node).meta ? std::string() : graph.node(node).meta->annotation();
}

GraphPtr withoutMetadata(const Graph& graph) {
    ir::GraphBuilder builder;
    for (const ir::NodePtr& node : graph.nodes()) {
        ir::Node bare = *node;
        bare.meta.reset();
        builder.add(std::move(bare));
    }
    return builder.build();
}

/// The hooks of one run, as options give them.
class GivenHooks {
public:
    GivenHooks(const PassContext& context, const Graph& forward)
        : m_context(context)
        , m_forward(forward) {}

    [[nodiscard]] bool has(std::string_view kind, const std::string& saved) const {
        return !optionOf(kind, saved).empty();
    }

    [[nodiscard]] Result<GraphPtr> pack(const std::string& saved) {
        auto hook = read("pack", saved);
        if (!hook) return hook;
        m_leaves = resultLeaves(**hook).size();
        m_packed.clear();
        const std::vector<std::string> inputs = placeholderNames(**hook);
        const std::string tracedOn = inputs.size() == 1 ? annotationOf(**hook, inputs.front()) : "";
        const std::string on = annotationOf(m_forward, saved);
        if (isOwn("pack", saved)) {
            for (const ir::Argument& leaf : resultLeaves(**hook))
                m_packed.push_back(leaf.isNode() ? annotationOf(**hook, leaf.text) : std::string());
            return hook;
        }
        const auto form = [](const std::string& annotation) {
            return ir::parseAnnotation(annotation).shortForm();
        };
        if (!tracedOn.empty() && !on.empty() && form(tracedOn) != form(on))
            return failure("the pack hook is of " + form(tracedOn) + ", and '" + saved + "' is " + form(on) +
                           ": give the one that was traced on it as pack:" + saved);
        if (tracedOn.empty() || tracedOn != on) return withoutMetadata(**hook);
        for (const ir::Argument& leaf : resultLeaves(**hook))
            m_packed.push_back(leaf.isNode() ? annotationOf(**hook, leaf.text) : std::string());
        return hook;
    }

    /// After pack() of the same value.
    [[nodiscard]] Result<GraphPtr> unpack(const std::string& saved) {
        auto hook = read("unpack", saved);
        if (!hook) return hook;
        if (m_leaves != 1 && placeholderNames(**hook).size() == 1)
            hook = withTupleTakenApart(*hook, m_leaves);
        if (!hook || isOwn("unpack", saved)) return hook;
        std::vector<std::string> takes;
        for (const std::string& name : placeholderNames(**hook))
            takes.push_back(annotationOf(**hook, name));
        return !takes.empty() && takes == m_packed ? *hook : withoutMetadata(**hook);
    }

private:
    static std::string ownOption(std::string_view kind, const std::string& saved) {
        return std::string(kind) + ':' + saved;
    }
    [[nodiscard]] bool isOwn(std::string_view kind, const std::string& saved) const {
        return !m_context.option(ownOption(kind, saved), {}).empty();
    }
    [[nodiscard]] std::string optionOf(std::string_view kind, const std::string& saved) const {
        return m_context.option(ownOption(kind, saved), m_context.option(kind, {}));
    }
    [[nodiscard]] Result<GraphPtr> read(std::string_view kind, const std::string& saved) const {
        auto graph = ir::readGraph(optionOf(kind, saved));
        if (graph) return graph;
        return failure("the " + std::string(kind) + " hook of '" + saved +
                       "' cannot be read: " + graph.error().toString());
    }

    const PassContext& m_context;
    const Graph& m_forward;
    std::size_t m_leaves = 0;
    std::vector<std::string> m_packed; ///< annotations of what the pack hook made; empty where unknown
};

class Run {
public:
    Run(const PassState& source, const PassContext& context, PassObserver& observer)
        : m_source(source)
        , m_graph(*source.graph)
        , m_context(context)
        , m_observer(observer) {}

    PassResult<PassState> run() {
        if (auto read = readOptions(); !read) return tl::unexpected(read.error());
        if (m_context.task.cancelled()) return tl::unexpected(PassError{"cancelled", ir::npos, true, {}});
        GivenHooks given(m_context, *m_request.forward);
        if (const std::string lack = lackOf(given); !lack.empty()) return refuse(lack);
        auto hooked = inlineHooks(
            m_request, [&](const std::string& saved) { return given.pack(saved); },
            [&](const std::string& saved) { return given.unpack(saved); });
        if (!hooked) return refuse(hooked.error().message);
        m_hooked = std::move(*hooked);
        m_values = hookedValues(m_request, m_hooked, m_filterSource, m_symbols);
        PassState out{
            m_half == Half::Forward ? m_hooked.forward : m_hooked.backward, m_source.values, nullptr, {}};
        if (m_half == Half::Backward && !m_hooked.packed.empty() && m_source.values)
            out.values = m_source.values->withoutInputs();
        m_result = out.graph.get();
        if (m_half == Half::Forward)
            tellForward();
        else
            tellBackward();
        if (std::string note = nothingPacked(m_values, m_request.filter, m_filterSource); !note.empty())
            out.notes.push_back(std::move(note));
        return out;
    }

private:
    PassResult<bool> readOptions() {
        const std::string partner = m_context.option("partner", {});
        if (partner.empty()) {
            std::string lack =
                "the other half is missing: give a forward's backward, or a backward's forward, "
                "as partner";
            std::string hooks;
            for (const char* kind : {"pack", "unpack"}) {
                const std::string own = std::string(kind) + ':';
                const bool given =
                    std::any_of(m_context.options.begin(), m_context.options.end(), [&](const auto& option) {
                        return option.first == kind || option.first.starts_with(own);
                    });
                if (!given) hooks += (hooks.empty() ? "" : " and ") + std::string(kind);
            }
            if (!hooks.empty()) lack += "; so are the hooks: give them as " + hooks;
            return refuse(std::move(lack));
        }
        auto other = ir::readGraph(partner);
        if (!other) return refuse("the other half cannot be read: " + other.error().toString());
        const std::string half = m_context.option("half", {});
        const std::size_t forwards = handedOver(m_graph, **other), backwards = handedOver(**other, m_graph);
        if (half == "forward" || half == "backward")
            m_half = half == "forward" ? Half::Forward : Half::Backward;
        else if (!half.empty())
            return refuse("half is forward or backward, not '" + half + "'");
        else if ((forwards == 0) == (backwards == 0))
            return refuse(forwards == 0
                              ? "neither graph takes what the other one returns, so that it is not clear "
                                "which is forward: say so by half"
                              : "each graph takes what the other one returns, so that it is not clear which "
                                "is forward: say so by half");
        else
            m_half = forwards > 0 ? Half::Forward : Half::Backward;
        m_request.forward = m_half == Half::Forward ? m_source.graph : *other;
        m_request.backward = m_half == Half::Forward ? *other : m_source.graph;
        const auto outputs = functionOutputsOf(*m_request.forward, *m_request.backward);
        if (!outputs) return refuse(outputs.error().message);
        m_request.functionOutputs = *outputs;
        return readFilter();
    }

    PassResult<bool> readFilter() {
        const std::string mode = m_context.option("filter", {});
        m_request.filter = mode.empty() ? Filter::Donated : filterNamed(mode);
        if (!mode.empty() && filterName(m_request.filter) != mode)
            return refuse("filter is donated, no_static or all, not '" + mode + "'");
        m_filterSource = mode.empty()                                          ? FilterSource::Default
                         : m_context.option("filter_source", {}) == "recorded" ? FilterSource::Recorded
                                                                               : FilterSource::Given;
        const std::string positions = m_context.option("static", {});
        for (const std::string_view item : itemsOf(positions)) {
            const auto position = numberOf<std::size_t>(item);
            if (!position) return refuse("static takes positions such as 0,3, not '" + positions + "'");
            m_request.staticInputs.push_back(*position);
        }
        if (m_request.filter == Filter::NoStatic &&
            m_context.options.find("static") == m_context.options.end())
            return refuse(
                "filter no_static leaves out parameters and buffers, and which those are is missing: "
                "give their positions among forward's inputs as static, or nothing where there are "
                "none");
        const std::string symbols = m_context.option("symbols", {});
        for (const std::string_view item : itemsOf(symbols)) {
            const std::size_t equals = item.find('=');
            const auto value = equals == std::string_view::npos
                                   ? std::nullopt
                                   : numberOf<std::int64_t>(item.substr(equals + 1));
            if (!value) return refuse("symbols takes values such as s77=4, not '" + symbols + "'");
            m_symbols[std::string(item.substr(0, equals))] = *value;
        }
        return true;
    }

    /// Names every hook that the filter asks for and nobody gave.
    std::string lackOf(const GivenHooks& given) const {
        std::string packs, unpacks;
        auto same = ir::readGraph("graph():\n    %x : [num_users=1] = placeholder[target=x]\n    return x");
        const auto note = [&](const char* kind, std::string& into) {
            return [&, kind](const std::string& saved) {
                if (!given.has(kind, saved)) into += (into.empty() ? "" : ", ") + saved;
                return same;
            };
        };
        (void)inlineHooks(m_request, note("pack", packs), note("unpack", unpacks));
        std::string out;
        for (const auto& [kind, names] : {std::pair("pack", &packs), std::pair("unpack", &unpacks)})
            if (!names->empty())
                out += (out.empty() ? "" : "; ") + std::string(kind) + " is missing for " + *names;
        if (out.empty()) return out;
        return out + ": give the hook's graph as " + (packs.empty() ? "unpack" : "pack") +
               ", or as it was traced on one saved tensor as " + (packs.empty() ? "unpack" : "pack") +
               ":NAME";
    }

    void add(Step step, std::size_t count) {
        m_end += static_cast<NodeIndex>(count);
        step.end = m_end;
        m_observer.onStep(std::move(step));
    }

    /// A node of the source that stands at the end of the result so far, perhaps in a new form.
    void keep(NodeIndex source, const std::string& why) {
        Step step;
        step.source = source;
        if (m_result->nodes()[m_end] != m_graph.nodes()[source] && !why.empty()) {
            step.why = why;
            step.changed.push_back({source, m_end, why});
        }
        add(std::move(step), 1);
    }

    static void emit(Step& step, const Graph& result, const std::vector<std::string>& names,
                     std::string_view why) {
        for (const std::string& name : names)
            if (const NodeIndex node = result.find(name); node != ir::npos)
                step.emitted.push_back({node, why});
    }

    [[nodiscard]] const Packed* packedOf(const std::string& saved) const {
        const auto found = std::find_if(m_hooked.packed.begin(), m_hooked.packed.end(),
                                        [&](const Packed& packed) { return packed.saved == saved; });
        return found == m_hooked.packed.end() ? nullptr : &*found;
    }

    [[nodiscard]] static std::string bytesText(const HookedValue& value) {
        if (!value.packed || value.bytes < 0 || value.bytesBefore < 0) return {};
        return ", " + std::to_string(value.bytes) + " bytes instead of " + std::to_string(value.bytesBefore);
    }

    void tellForward() {
        const bool hasOutput = m_graph.size() > 0 && m_graph.nodes().back()->op == ir::Op::Output;
        const auto body = static_cast<NodeIndex>(m_graph.size() - (hasOutput ? 1 : 0));
        for (NodeIndex i = 0; i < body; ++i)
            keep(i, "what the hook returns for a saved tensor has a name of its own");
        for (const HookedValue& value : m_values) {
            Step step;
            step.source = m_graph.find(value.saved);
            step.why = "saved for backward: " + value.why + bytesText(value);
            const Packed* packed = packedOf(value.saved);
            if (packed) emit(step, *m_result, packed->packing, "packs what is saved");
            add(std::move(step), packed ? packed->packing.size() : 0);
        }
        if (hasOutput)
            keep(body, m_hooked.packed.empty() ? "" : "returns what the hooks made of what is saved");
    }

    void tellBackward() {
        NodeIndex i = 0;
        for (; i < m_graph.size() && m_graph.node(i).op == ir::Op::Placeholder; ++i) {
            const std::string& name = m_graph.node(i).name;
            const auto value = std::find_if(m_values.begin(), m_values.end(),
                                            [&](const HookedValue& of) { return of.saved == name; });
            Step step;
            step.source = i;
            if (value != m_values.end()) step.why = "saved by forward: " + value->why + bytesText(*value);
            std::size_t count = 0;
            while (m_end + count < m_result->size() && isInputFor(m_end + count, i, value)) {
                if (m_result->node(m_end + count).name != name)
                    step.emitted.push_back({m_end + static_cast<NodeIndex>(count), "what forward packed"});
                ++count;
            }
            add(std::move(step), count);
        }
        for (auto packed = m_hooked.packed.rbegin(); packed != m_hooked.packed.rend(); ++packed) {
            Step step;
            step.source = m_graph.find(packed->saved);
            step.why = "the unpack hook makes '" + packed->unpacked + "' in its place";
            emit(step, *m_result, packed->unpacking, "unpacks what was saved");
            if (packed->unpacked != packed->saved)
                step.removed.push_back({step.source, m_result->find(packed->unpacked), step.why});
            add(std::move(step), packed->unpacking.size());
        }
        for (; i < m_graph.size() && m_end < m_result->size(); ++i)
            keep(i, "reads what was unpacked");
    }

    /// Whether node `at` of the result is the source's placeholder, or stands for it.
    template <typename Value>
    [[nodiscard]] bool isInputFor(NodeIndex at, NodeIndex placeholder, const Value& value) const {
        const ir::Node& node = m_result->node(at);
        if (node.op != ir::Op::Placeholder) return false;
        if (node.name == m_graph.node(placeholder).name) return true;
        return value != m_values.end() &&
               std::find(value->values.begin(), value->values.end(), node.name) != value->values.end();
    }

    const PassState& m_source;
    const Graph& m_graph;
    const PassContext& m_context;
    PassObserver& m_observer;
    Half m_half = Half::Forward;
    Request m_request;
    FilterSource m_filterSource = FilterSource::Default;
    ir::SymbolValues m_symbols;
    Hooked m_hooked;
    std::vector<HookedValue> m_values;
    const Graph* m_result = nullptr;
    NodeIndex m_end = 0; ///< of the result so far
};

} // namespace

PassResult<PassState> InlineHooks::run(const PassState& source, const PassContext& context,
                                       PassObserver& observer) const {
    return Run(source, context, observer).run();
}

} // namespace dynascope::passes::hooks
