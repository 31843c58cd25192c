// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/module_classes.h"

#include "core/session/module_names.h"

namespace dynascope::session {

namespace {

/// "LlamaDecoderLayer" of "..., type=<class 'transformers.models.llama.modeling_llama.LlamaDecoderLayer'>".
std::string_view classIn(std::string_view code) {
    constexpr std::string_view before = "type=<class '";
    const std::size_t at = code.find(before);
    if (at == std::string_view::npos) return {};
    const std::string_view rest = code.substr(at + before.size());
    const std::size_t end = rest.find("'>");
    if (end == std::string_view::npos) return {};
    const std::string_view name = rest.substr(0, end);
    return name.substr(name.rfind('.') + 1);
}

} // namespace

ModuleClasses moduleClasses(const GuardList& guards) {
    ModuleClasses out;
    for (const Guard& guard : guards) {
        // What is no module's source has no such member, or ends in another one.
        if (guard.type != "TYPE_MATCH" || !guard.source.ends_with("']")) continue;
        const std::size_t member = guard.source.rfind("._");
        if (member == std::string::npos ||
            !std::string_view(guard.source).substr(member).starts_with("._modules['"))
            continue;
        const std::string_view name = classIn(guard.code);
        if (name.empty()) continue;
        const auto [at, isNew] = out.try_emplace(withModuleNames(guard.source), name);
        if (!isNew && at->second != name) at->second.clear();
    }
    std::erase_if(out, [](const auto& entry) { return entry.second.empty(); });
    return out;
}

} // namespace dynascope::session
