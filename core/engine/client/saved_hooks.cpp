// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/client/saved_hooks.h"

#include <algorithm>
#include <set>

namespace dynascope::engine {

namespace {

namespace hooks = passes::hooks;
using hooks::Filter;
using session::StagePtr;

class CapturedHooks {
public:
    CapturedHooks(const session::Session& session, const session::Compile& compile, int attempt, int k,
                  const std::vector<std::size_t>& staticInputs, const ir::SymbolValues& hints)
        : m_session(session)
        , m_compile(compile)
        , m_attempt(attempt)
        , m_k(k)
        , m_staticInputs(staticInputs)
        , m_hints(hints) {}

    std::optional<Result<SavedHooks>> run() {
        m_out.forwardBefore = stage("aot_forward_graph_pre_saved_tensors_hooks");
        m_out.backwardBefore = stage("aot_backward_graph_pre_saved_tensors_hooks");
        if (!m_out.forwardBefore || !m_out.backwardBefore) return std::nullopt;
        return inlined();
    }

private:
    [[nodiscard]] StagePtr stage(std::string_view name) const {
        const auto found =
            std::find_if(m_compile.stages.begin(), m_compile.stages.end(), [&](const StagePtr& stage) {
                return stage->name == name && stage->attempt == m_attempt && stage->k == m_k;
            });
        return found == m_compile.stages.end() ? nullptr : *found;
    }

    /// The hook as it was traced on that value.
    [[nodiscard]] Result<ir::GraphPtr> hookOn(std::string_view name, const std::string& saved) const {
        for (const StagePtr& stage : m_compile.stages)
            if (stage->name == name && stage->attempt == m_attempt && stage->detail == saved)
                return stage->graph();
        return tl::unexpected(
            Error{"the capture holds no " + std::string(name) + " of '" + saved + "'", {}, 0, 0});
    }

    /// The record of the hooks says which filter was on.
    void readFilter() {
        constexpr std::string_view mark = "\nmode:";
        for (const std::size_t index : m_compile.records) {
            const session::Record& record = m_session.records[index];
            if (record.type != "artifact:aot_saved_tensors_hooks_graphs" || record.attempt != m_attempt)
                continue;
            const std::string text = record.payload.text();
            const std::size_t at = text.find(mark);
            if (at == std::string::npos) continue;
            const std::size_t begin = at + mark.size();
            const std::string mode = text.substr(begin, text.find('\n', begin) - begin);
            m_out.filterRecorded = true;
            m_out.filter = mode == "donated"     ? Filter::Donated
                           : mode == "no_static" ? Filter::NoStatic
                                                 : Filter::All;
        }
    }

    Result<SavedHooks> inlined() {
        readFilter();
        auto forward = m_out.forwardBefore->graph();
        if (!forward) return tl::unexpected(forward.error());
        auto backward = m_out.backwardBefore->graph();
        if (!backward) return tl::unexpected(backward.error());
        const std::vector<ir::Argument> outputs = hooks::resultLeaves(**forward);
        std::size_t saved = 0;
        for (const std::string& name : hooks::placeholderNames(**backward))
            saved += (*forward)->find(name) != ir::npos ? 1 : 0;
        if (saved > outputs.size())
            return tl::unexpected(Error{"backward takes more than forward saves", {}, 0, 0});
        hooks::Request request{*forward, *backward, outputs.size() - saved, m_out.filter, m_staticInputs};
        const std::string pack = "aot_saved_tensors_hooks_pack", unpack = "aot_saved_tensors_hooks_unpack";
        auto hooked = hooks::inlineHooks(
            request, [&](const std::string& of) { return hookOn(pack, of); },
            [&](const std::string& of) { return hookOn(unpack, of); });
        if (!hooked) return tl::unexpected(hooked.error());
        m_out.hooked = std::move(*hooked);
        for (std::size_t i = request.functionOutputs; i < outputs.size(); ++i)
            if (outputs[i].isNode()) describe(outputs[i].text);
        return std::move(m_out);
    }

    void describe(const std::string& saved) {
        HookedValue& value = m_out.values.emplace_back();
        value.saved = saved;
        const auto& all = m_out.hooked.packed;
        const auto found = std::find_if(all.begin(), all.end(),
                                        [&](const hooks::Packed& packed) { return packed.saved == saved; });
        value.packed = found != all.end();
        if (!value.packed) {
            value.why = reasonToLeave();
            return;
        }
        value.values = found->values;
        std::string names;
        for (const std::string& name : value.values) {
            const ir::NodeIndex node = m_out.hooked.forward->find(name);
            const auto meta =
                node == ir::npos ? std::optional<ir::ValueMeta>() : m_out.hooked.forward->node(node).meta;
            const bool tensor = meta && meta->tensor;
            const std::string form = tensor ? meta->tensor->shortForm() : std::string("of unknown shape");
            value.text += (value.text.empty() ? "" : ", ") + form;
            names += (names.empty() ? "" : ", ") + name + ' ' + form;
            const auto bytes = tensor ? bytesOf(*meta->tensor) : std::nullopt;
            if (!bytes || value.bytes < 0 || __builtin_add_overflow(value.bytes, *bytes, &value.bytes))
                value.bytes = -1;
        }
        value.why = "the hook packs it into " + (names.empty() ? std::string("no tensor") : names);
    }

    [[nodiscard]] std::string reasonToLeave() const {
        const std::string by = m_out.filterRecorded
                                   ? std::string(" (saved_tensors_hooks_filtering_mode)")
                                   : std::string(" (PyTorch's default saved_tensors_hooks_filtering_mode)");
        const std::string begin =
            "the hooks leave it as it is: filter '" + std::string(filterName(m_out.filter)) + '\'' + by;
        if (m_out.filter == Filter::Donated)
            return begin + " packs only memory that nobody but backward holds, and this is or shares that of "
                           "an input, an output or a gradient";
        return begin + (m_out.filter == Filter::NoStatic ? " leaves out parameters and buffers" : "");
    }

    [[nodiscard]] std::optional<std::int64_t> bytesOf(const ir::TensorMeta& meta) const {
        ir::TensorMeta at = meta;
        for (std::string& size : at.sizes) {
            const auto value = ir::symbolValue(size, m_hints);
            if (!value) return std::nullopt;
            size = std::to_string(*value);
        }
        const auto bytes = at.bytes();
        return bytes ? std::optional(static_cast<std::int64_t>(*bytes)) : std::nullopt;
    }

    const session::Session& m_session;
    const session::Compile& m_compile;
    int m_attempt, m_k;
    const std::vector<std::size_t>& m_staticInputs;
    const ir::SymbolValues& m_hints;
    SavedHooks m_out;
};

} // namespace

std::optional<Result<SavedHooks>> savedHooks(const session::Session& session, const session::Compile& compile,
                                             int attempt, int k, const std::vector<std::size_t>& staticInputs,
                                             const ir::SymbolValues& hints) {
    return CapturedHooks(session, compile, attempt, k, staticInputs, hints).run();
}

void addHooks(const SavedHooks& hooks, std::vector<passes::partition::Decision>& decisions) {
    using passes::partition::Decision;
    for (Decision& decision : decisions) {
        const auto found =
            std::find_if(hooks.values.begin(), hooks.values.end(),
                         [&](const HookedValue& value) { return value.saved == decision.node; });
        if (decision.kind != Decision::Kind::Saved || found == hooks.values.end()) continue;
        decision.why += "; " + found->why;
        if (!found->packed || found->bytes < 0) continue;
        if (found->bytes != decision.bytes)
            decision.why +=
                ", " + std::to_string(found->bytes) + " bytes instead of " + std::to_string(decision.bytes);
        decision.bytes = found->bytes;
    }
}

std::string_view filterName(Filter filter) {
    return filter == Filter::Donated ? "donated" : filter == Filter::NoStatic ? "no_static" : "all";
}

} // namespace dynascope::engine
