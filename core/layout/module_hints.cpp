// SPDX-License-Identifier: BSD-3-Clause
//
// Which parameter or buffer a placeholder holds, from what torch.export's signature says and from the names that
// Dynamo, AOTAutograd and torch.export give it.
#include "core/base/words.h"
#include "core/layout/fold.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>

namespace dynascope::layout {

namespace {

/// "L_self_modules_layers_modules_0_modules_fc_parameters_weight_" -> "layers.0.fc.weight". Dynamo spells the
/// source L['self']._modules['layers']._modules['0']... with every other sign turned into "_", so the words
/// in between tell where an attribute name begins and ends. A model in a global has G for L.
std::string fromDynamo(std::string_view target) {
    constexpr std::array<std::string_view, 4> scopes = {"L_", "l_", "G_", "g_"};
    if (std::ranges::none_of(scopes, [&](std::string_view s) { return target.starts_with(s); })) return {};
    constexpr std::array<std::string_view, 3> words = {"_modules_", "_parameters_", "_buffers_"};
    std::vector<std::string_view> parts;
    std::size_t begin = std::string_view::npos;
    bool sawTensor = false;
    for (std::size_t i = 1; i < target.size();) {
        const auto word = std::find_if(words.begin(), words.end(),
                                       [&](std::string_view w) { return target.substr(i).starts_with(w); });
        if (word == words.end()) {
            ++i;
            continue;
        }
        if (begin != std::string_view::npos) parts.push_back(target.substr(begin, i - begin));
        sawTensor = sawTensor || *word != words[0];
        // The closing "_" of one word opens the next, as in "_modules_0_modules_".
        begin = i + word->size();
        i = begin;
    }
    if (!sawTensor || begin == std::string_view::npos) return {};
    std::string_view last = target.substr(begin);
    if (last.ends_with('_')) last.remove_suffix(1);
    parts.push_back(last);
    std::string path;
    for (const std::string_view part : parts) {
        if (!path.empty()) path += '.';
        path += part;
    }
    return path;
}

/// "p_layers_0_linear1_weight" -> "layers.0.linear1.weight". Export joins with "_", so only list indices and
/// the tensor's own name can be told apart.
std::string fromExport(std::string_view name) {
    if (!name.starts_with("p_") && !name.starts_with("b_")) return {};
    name.remove_prefix(2);
    constexpr std::array<std::string_view, 8> tensors = {
        "in_proj_weight",      "in_proj_bias", "running_mean", "running_var",
        "num_batches_tracked", "inv_freq",     "weight",       "bias"};
    std::string_view module = name;
    std::string_view tensor;
    for (const std::string_view t : tensors) {
        if (name.ends_with(t) && (name.size() == t.size() || name[name.size() - t.size() - 1] == '_')) {
            tensor = t;
            module = name.substr(0, name.size() - t.size());
            if (module.ends_with('_')) module.remove_suffix(1);
            break;
        }
    }
    if (tensor.empty()) {
        const std::size_t cut = name.rfind('_');
        if (cut == std::string_view::npos) return std::string(name);
        module = name.substr(0, cut);
        tensor = name.substr(cut + 1);
    }
    // "layers_0_linear1": a number between underscores is a list index.
    std::string path;
    std::string word;
    const auto flush = [&] {
        if (word.empty()) return;
        path += (path.empty() ? "" : ".") + word;
        word.clear();
    };
    while (!module.empty()) {
        const std::size_t cut = module.find('_');
        const std::string_view piece = module.substr(0, cut);
        if (isDigits(piece) && !word.empty()) {
            flush();
            path += '.' + std::string(piece);
        } else {
            word += (word.empty() ? "" : "_") + std::string(piece);
        }
        module = cut == std::string_view::npos ? std::string_view{} : module.substr(cut + 1);
    }
    flush();
    return path.empty() ? std::string(tensor) : path + '.' + std::string(tensor);
}

/// "parameter layers.0.weight" -> "layers.0.weight": what the signature of an exported program says.
std::string fromSignature(std::string_view comment) {
    for (const std::string_view role : {"parameter ", "buffer ", "tensor constant ", "custom obj "})
        if (comment.starts_with(role)) return std::string(comment.substr(role.size()));
    return {};
}

std::optional<std::size_t> leadingNumber(std::string_view text) {
    std::size_t value = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
    return ec == std::errc() && end != text.data() ? std::optional(value) : std::nullopt;
}

/// Position among the compiled function's inputs: "PlainAOTInput(idx=3)" -> 3; else by the names that
/// AOTAutograd gives, "primals_4" -> 3 and "arg3_1" -> 3.
std::optional<std::size_t> inputPosition(const ir::Node& node) {
    constexpr std::string_view mark = "PlainAOTInput(idx=";
    if (const std::size_t at = node.comment.find(mark); at == 0)
        return leadingNumber(node.comment.substr(mark.size()));
    const std::string_view name = node.name;
    if (name.starts_with("primals_")) {
        const auto n = leadingNumber(name.substr(8));
        return n && *n > 0 ? std::optional(*n - 1) : std::nullopt;
    }
    if (name.starts_with("arg") && name.ends_with("_1")) return leadingNumber(name.substr(3));
    return std::nullopt;
}

bool sameShape(const ir::Node& a, const ir::Node& b) {
    if (!a.meta || !b.meta || !a.meta->tensor || !b.meta->tensor) return true;
    return a.meta->tensor->dtype == b.meta->tensor->dtype && a.meta->tensor->sizes == b.meta->tensor->sizes;
}

std::vector<const ir::Node*> placeholders(const ir::Graph& graph) {
    std::vector<const ir::Node*> out;
    for (const ir::NodePtr& node : graph.nodes()) {
        if (node->op == ir::Op::Placeholder) out.push_back(node.get());
    }
    return out;
}

} // namespace

std::vector<std::string> moduleHints(const ir::Graph& graph, const ir::Graph* dynamo) {
    const std::vector<const ir::Node*> own = placeholders(graph);
    const std::vector<const ir::Node*> named =
        dynamo ? placeholders(*dynamo) : std::vector<const ir::Node*>{};
    std::vector<std::string> hints(own.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
        const ir::Node& node = *own[i];
        hints[i] = fromSignature(node.comment);
        if (hints[i].empty()) hints[i] = fromDynamo(node.target);
        if (hints[i].empty()) hints[i] = fromExport(node.target.empty() ? node.name : node.target);
        if (!hints[i].empty()) continue;
        const auto position = inputPosition(node);
        if (position && *position < named.size() && sameShape(node, *named[*position]))
            hints[i] = fromDynamo(named[*position]->target);
    }
    return hints;
}

std::vector<std::string> moduleNames(const GroupTree& tree) {
    std::vector<std::string> out(tree.groupOfNode.size());
    for (ir::NodeIndex i = 0; i < out.size(); ++i) {
        out[i] = tree.stateName(i);
        GroupId group = tree.groupOfNode[i];
        while (out[i].empty() && group != noGroup && tree.groups[group].kind != Group::Kind::Root) {
            if (tree.groups[group].kind == Group::Kind::Module) out[i] = tree.groups[group].path;
            group = tree.groups[group].parent;
        }
        if (const std::string& lone = tree.loneModule(i); !lone.empty())
            out[i] += (out[i].empty() ? "" : ".") + lone;
    }
    return out;
}

std::vector<ModulePlace> modulePlaces(const ir::Graph& graph, const std::vector<std::string>& hints) {
    const std::vector<std::string> names = stateNames(graph, hints);
    std::map<std::string, ModulePlace, std::less<>> places;
    for (ir::NodeIndex i = 0; i < names.size(); ++i) {
        if (names[i].empty()) continue;
        ir::NodeIndex reader = ir::npos;
        for (const ir::NodeIndex user : graph.users(i)) {
            if (graph.node(user).op != ir::Op::Output) reader = std::min(reader, user);
        }
        std::size_t end = names[i].rfind('.');
        for (; end != std::string::npos && end > 0; end = names[i].rfind('.', end - 1)) {
            const std::string path = names[i].substr(0, end);
            const auto [at, isNew] = places.try_emplace(path, ModulePlace{path, reader, 0, false});
            at->second.first = std::min(at->second.first, reader);
            ++at->second.tensors;
            // The items of a list are numbered: "layers" of "layers.0".
            const std::string_view next = std::string_view(names[i]).substr(end + 1);
            at->second.isList = at->second.isList || isDigits(next.substr(0, next.find('.')));
        }
    }
    std::vector<ModulePlace> out;
    for (auto& [path, place] : places) {
        if (place.first != ir::npos) out.push_back(std::move(place));
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const ModulePlace& a, const ModulePlace& b) { return a.first < b.first; });
    return out;
}

} // namespace dynascope::layout
