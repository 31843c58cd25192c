// SPDX-License-Identifier: BSD-3-Clause
#include "core/rederive/saved_hooks.h"

#include "core/ir/text.h"
#include "core/passes/aot/metadata_text.h"
#include "core/rederive/partition_settings.h"
#include "core/session/symbol_hints.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

namespace dynascope::engine {

namespace {

namespace hooks = passes::hooks;
using hooks::Filter;
using hooks::FilterSource;
using session::StagePtr;

constexpr std::string_view forwardStage = "aot_forward_graph", backwardStage = "aot_backward_graph";
constexpr std::string_view beforeSuffix = "_pre_saved_tensors_hooks";
constexpr std::string_view packStage = "aot_saved_tensors_hooks_pack";
constexpr std::string_view unpackStage = "aot_saved_tensors_hooks_unpack";

StagePtr stageOf(const session::Compile& compile, std::string_view name, int attempt, int k) {
    const auto found = std::find_if(compile.stages.begin(), compile.stages.end(), [&](const StagePtr& stage) {
        return stage->name == name && stage->attempt == attempt && stage->k == k;
    });
    return found == compile.stages.end() ? nullptr : *found;
}

StagePtr before(const session::Compile& compile, std::string_view half, int attempt, int k) {
    return stageOf(compile, std::string(half) + std::string(beforeSuffix), attempt, k);
}

/// Whether hooks that PyTorch inlines were on, as Dynamo saw it.
bool hooksAreOn(const session::Compile& compile, int attempt, int k) {
    if (const StagePtr dynamo = stageOf(compile, "dynamo_output_graph", attempt, k))
        if (const auto graph = dynamo->graph(); graph && *graph)
            if ((*graph)->subgraphs().contains("saved_tensors_hooks_pack_0")) return true;
    return compile.guardText.text().find("top_saved_tensors_hooks ids == (") != std::string::npos;
}

struct FilterFound {
    Filter filter = Filter::Donated;
    FilterSource source = FilterSource::Default;
};

/// The record of the hooks says which filter was on, else that of the settings.
FilterFound filterOf(const session::Session& session, const session::Compile& compile, int attempt) {
    FilterFound out;
    const auto take = [&](std::string_view mode) {
        out = {hooks::filterNamed(mode), FilterSource::Recorded};
    };
    const nlohmann::json settings = functorchSettings(session, compile, attempt);
    if (const auto mode = settings.find("saved_tensors_hooks_filtering_mode");
        mode != settings.end() && mode->is_string())
        take(mode->get_ref<const std::string&>());
    constexpr std::string_view mark = "\nmode:";
    for (const std::size_t index : compile.records) {
        const session::Record& record = session.records[index];
        if (record.attempt != attempt || record.type != "artifact:aot_saved_tensors_hooks_graphs") continue;
        const std::string text = record.payload.text();
        const std::size_t at = text.find(mark);
        if (at == std::string::npos) continue;
        const std::size_t begin = at + mark.size();
        take(text.substr(begin, text.find('\n', begin) - begin));
    }
    return out;
}

/// The hook as it was traced on that value; null where the capture has none.
StagePtr hookOn(const session::Compile& compile, int attempt, std::string_view name,
                const std::string& saved) {
    const auto found = std::find_if(compile.stages.begin(), compile.stages.end(), [&](const StagePtr& stage) {
        return stage->name == name && stage->attempt == attempt && stage->detail == saved;
    });
    return found == compile.stages.end() ? nullptr : *found;
}

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
        m_out.forwardBefore = before(m_compile, forwardStage, m_attempt, m_k);
        m_out.backwardBefore = before(m_compile, backwardStage, m_attempt, m_k);
        m_out.recorded = m_out.forwardBefore && m_out.backwardBefore;
        if (!m_out.recorded) {
            if (!hooksAreOn(m_compile, m_attempt, m_k)) return std::nullopt;
            m_out.forwardBefore = stageOf(m_compile, forwardStage, m_attempt, m_k);
            m_out.backwardBefore = stageOf(m_compile, backwardStage, m_attempt, m_k);
            if (!m_out.forwardBefore || !m_out.backwardBefore) return std::nullopt;
        }
        return inlined();
    }

private:
    [[nodiscard]] Result<ir::GraphPtr> traced(std::string_view name, const std::string& saved) const {
        if (!m_out.recorded)
            return failure("they are on and pack '" + saved +
                           "', but the capture holds neither the graphs from before nor the hooks");
        if (const StagePtr hook = hookOn(m_compile, m_attempt, name, saved)) return hook->graph();
        return failure("the capture holds no " + std::string(name) + " of '" + saved + "'");
    }

    Result<SavedHooks> inlined() {
        const FilterFound found = filterOf(m_session, m_compile, m_attempt);
        m_out.filter = found.filter;
        m_out.filterSource = found.source;
        auto forward = m_out.forwardBefore->graph();
        if (!forward) return tl::unexpected(forward.error());
        auto backward = m_out.backwardBefore->graph();
        if (!backward) return tl::unexpected(backward.error());
        const auto outputs = hooks::functionOutputsOf(**forward, **backward);
        if (!outputs) return tl::unexpected(outputs.error());
        const hooks::Request request{*forward, *backward, *outputs, m_out.filter, m_staticInputs};
        auto hooked = hooks::inlineHooks(
            request, [&](const std::string& of) { return traced(packStage, of); },
            [&](const std::string& of) { return traced(unpackStage, of); });
        if (!hooked) return tl::unexpected(hooked.error());
        m_out.hooked = std::move(*hooked);
        m_out.values = hooks::hookedValues(request, m_out.hooked, m_out.filterSource, m_hints);
        m_out.note = hooks::nothingPacked(m_out.values, m_out.filter, m_out.filterSource);
        return std::move(m_out);
    }

    const session::Session& m_session;
    const session::Compile& m_compile;
    int m_attempt, m_k;
    const std::vector<std::size_t>& m_staticInputs;
    const ir::SymbolValues& m_hints;
    SavedHooks m_out;
};

/// Positions of parameters and buffers among the primals, as the k-th record of metadata has them; nothing
/// where there is no such record.
std::optional<std::string> staticInputsText(const session::Session& session, const session::Compile& compile,
                                            int attempt, int k) {
    int seen = 0;
    for (const std::size_t index : compile.records) {
        const session::Record& record = session.records[index];
        if (record.type != "artifact:aot_forward_graph_fw_metadata" || record.attempt != attempt ||
            seen++ != k)
            continue;
        const auto metadata = passes::aot::readMetadataText(record.payload.text());
        if (!metadata) return std::nullopt;
        std::string out;
        for (const passes::aot::InnerIndex input : metadata->staticInputs)
            out += (out.empty() ? "" : ",") + std::to_string(input.value);
        return out;
    }
    return std::nullopt;
}

std::string printed(const ir::Graph& graph) {
    return graph.style().form == ir::TextStyle::Form::Readable ? ir::printReadable(graph).text
                                                               : ir::printFx(graph);
}

} // namespace

std::optional<Result<SavedHooks>> savedHooks(const session::Session& session, const session::Compile& compile,
                                             int attempt, int k, const std::vector<std::size_t>& staticInputs,
                                             const ir::SymbolValues& hints) {
    return CapturedHooks(session, compile, attempt, k, staticInputs, hints).run();
}

session::StagePtr hookedTwin(const session::Compile& compile, const session::Stage& stage) {
    for (const std::string_view half : {forwardStage, backwardStage})
        if (stage.name == std::string(half) + std::string(beforeSuffix))
            return stageOf(compile, half, stage.attempt, stage.k);
    return nullptr;
}

Result<std::map<std::string, std::string, std::less<>>>
hookOptions(const session::Session& session, const session::Compile& compile, const session::Stage& stage) {
    const bool isBefore = stage.name.ends_with(beforeSuffix);
    const std::string half = stage.name.substr(0, stage.name.size() - (isBefore ? beforeSuffix.size() : 0));
    if (half != forwardStage && half != backwardStage)
        return failure("hooks are inlined into a forward or backward graph of AOTAutograd's, and " +
                       stage.label() + " is neither");
    const StagePtr recorded = before(compile, half, stage.attempt, stage.k);
    if (!isBefore && recorded)
        return failure("the hooks are in " + stage.label() + " already: take " + recorded->label());
    if (!isBefore && !hooksAreOn(compile, stage.attempt, stage.k))
        return failure("the capture shows no saved-tensors hooks that PyTorch inlines in this compile");
    const bool isForward = half == forwardStage;
    const std::string other = std::string(isForward ? backwardStage : forwardStage);
    const StagePtr partner =
        stageOf(compile, isBefore ? other + std::string(beforeSuffix) : other, stage.attempt, stage.k);
    std::map<std::string, std::string, std::less<>> out;
    out["half"] = isForward ? "forward" : "backward";
    if (partner) {
        const auto graph = partner->graph();
        if (!graph) return tl::unexpected(graph.error());
        out["partner"] = printed(**graph);
    }
    const FilterFound found = filterOf(session, compile, stage.attempt);
    if (found.source == FilterSource::Recorded) {
        out["filter"] = hooks::filterName(found.filter);
        out["filter_source"] = "recorded";
    }
    if (const auto positions = staticInputsText(session, compile, stage.attempt, stage.k))
        out["static"] = *positions;
    for (const auto& [symbol, value] : session::symbolHints(compile)) {
        std::string& symbols = out["symbols"];
        symbols += (symbols.empty() ? "" : ",") + symbol + '=' + std::to_string(value);
    }
    for (const StagePtr& hook : compile.stages) {
        const bool packs = hook->name == packStage;
        if (hook->attempt != stage.attempt || hook->detail.empty() || (!packs && hook->name != unpackStage))
            continue;
        const auto graph = hook->graph();
        if (!graph) return tl::unexpected(graph.error());
        out.emplace((packs ? "pack:" : "unpack:") + hook->detail, printed(**graph));
    }
    return out;
}

void addHooks(const SavedHooks& hooks, std::vector<passes::partition::Decision>& decisions) {
    using passes::partition::Decision;
    for (Decision& decision : decisions) {
        const auto found = std::find_if(
            hooks.values.begin(), hooks.values.end(),
            [&](const passes::hooks::HookedValue& value) { return value.saved == decision.node; });
        if (decision.kind != Decision::Kind::Saved || found == hooks.values.end()) continue;
        decision.why += "; " + found->why;
        if (!found->packed || found->bytes < 0) continue;
        if (found->bytes != decision.bytes)
            decision.why +=
                ", " + std::to_string(found->bytes) + " bytes instead of " + std::to_string(decision.bytes);
        decision.bytes = found->bytes;
    }
}

} // namespace dynascope::engine
