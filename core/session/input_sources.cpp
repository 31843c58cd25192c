// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/input_sources.h"

#include <cctype>
#include <charconv>
#include <optional>

namespace dynascope::session {

namespace {

/// The number behind "idx=" in "PlainAOTInput(idx=3)" and "ViewBaseAOTInput(base_of=PlainAOTInput(idx=3))".
std::optional<std::size_t> plainInput(const ir::Node& node) {
    const std::string_view comment = node.comment;
    constexpr std::string_view open = "PlainAOTInput(idx=";
    if (!comment.starts_with(open) && !isBaseInput(node)) return std::nullopt;
    const std::size_t at = comment.find(open);
    if (at == std::string_view::npos) return std::nullopt;
    std::size_t number = 0;
    const auto [end, status] =
        std::from_chars(comment.data() + at + open.size(), comment.data() + comment.size(), number);
    return status == std::errc() ? std::optional(number) : std::nullopt;
}

/// The attribute that AOTAutograd made an input of: "p" for "ParamAOTInput(target='p')".
std::string_view attributeInput(std::string_view comment) {
    for (const std::string_view open : {"ParamAOTInput(target='", "BufferAOTInput(target='"}) {
        if (!comment.starts_with(open)) continue;
        comment.remove_prefix(open.size());
        return comment.substr(0, comment.find('\''));
    }
    return {};
}

bool isTensor(const ir::Node& node) {
    return node.meta && node.meta->tensor;
}

std::vector<const ir::Node*> placeholdersOf(const ir::Graph* graph) {
    std::vector<const ir::Node*> out;
    if (!graph) return out;
    for (const ir::NodePtr& node : graph->nodes())
        if (node->op == ir::Op::Placeholder) out.push_back(node.get());
    return out;
}

/// "x" for "L['x']", "kwargs['ids']" for "L['kwargs']['ids']": the function's locals need no scope before them.
std::string withoutScope(std::string_view source) {
    constexpr std::string_view open = "L['";
    if (!source.starts_with(open)) return std::string(source);
    const std::size_t end = source.find("']", open.size());
    if (end == std::string_view::npos) return std::string(source);
    return std::string(source.substr(open.size(), end - open.size())) + std::string(source.substr(end + 2));
}

} // namespace

std::string lettersAndDigits(std::string_view text) {
    std::string out;
    for (const char c : text)
        if (std::isalnum(static_cast<unsigned char>(c)) != 0)
            out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

bool isSameTensor(const ir::Node& a, const ir::Node& b) {
    return isTensor(a) && isTensor(b) && a.meta->tensor->dtype == b.meta->tensor->dtype &&
           a.meta->tensor->sizes.size() == b.meta->tensor->sizes.size();
}

bool isBaseInput(const ir::Node& placeholder) {
    return placeholder.comment.starts_with("ViewBaseAOTInput(") ||
           placeholder.comment.starts_with("SyntheticBaseAOTInput(");
}

InputsByName::InputsByName(const Compile& compile) {
    for (const TensorInput& input : compile.inputs)
        if (!input.source.empty()) m_inputs[lettersAndDigits(input.source)] = &input;
    const StagePtr dynamo = compile.findStage("dynamo_output_graph");
    const auto graph = dynamo ? dynamo->graph() : Result<ir::GraphPtr>(ir::GraphPtr());
    if (!graph || !*graph) return;
    for (const ir::NodePtr& node : (*graph)->nodes())
        if (node->op == ir::Op::Placeholder) m_dynamo.push_back(node->target);
}

const TensorInput* InputsByName::find(std::string_view name) const {
    // Names of attributes lack the scope of their source, L or G.
    for (const std::string_view scope : {"", "l", "g"}) {
        const auto found = m_inputs.find(std::string(scope) + lettersAndDigits(name));
        if (found != m_inputs.end()) return found->second;
    }
    return nullptr;
}

std::string InputsByName::nameOf(const ir::Node& placeholder) const {
    const auto position = plainInput(placeholder);
    if (position && *position < m_dynamo.size()) return m_dynamo[*position];
    if (const std::string_view attribute = attributeInput(placeholder.comment); !attribute.empty())
        return std::string(attribute);
    return placeholder.target.empty() ? placeholder.name : placeholder.target;
}

std::optional<InnerInput> innerInput(const ir::Node& placeholder) {
    const auto outer = plainInput(placeholder);
    return outer ? std::optional(InnerInput{*outer, isBaseInput(placeholder)}) : std::nullopt;
}

std::vector<std::string> inputSources(const Compile& compile, const ir::Graph& graph) {
    const InputsByName inputs(compile);
    std::vector<std::string> out;
    for (const ir::NodePtr& node : graph.nodes()) {
        if (node->op != ir::Op::Placeholder) continue;
        const TensorInput* input = inputs.find(inputs.nameOf(*node));
        out.push_back(input ? input->source : std::string());
    }
    return out;
}

std::vector<std::string> describedSources(const Compile& compile) {
    std::vector<std::string> out;
    for (const TensorInput& input : compile.inputs)
        if (!input.source.empty()) out.push_back(input.source);
    return out;
}

std::vector<std::string> inputNames(const ir::Graph& graph, const ir::Graph* dynamo,
                                    std::span<const std::string> sources) {
    std::map<std::string, std::string, std::less<>> known; // empty where several have the letters
    for (const std::string& source : sources)
        if (const auto [at, fresh] = known.try_emplace(lettersAndDigits(source), source);
            !fresh && at->second != source)
            at->second.clear();
    const std::vector<const ir::Node*> outer = placeholdersOf(dynamo);
    std::vector<std::string> out;
    for (const ir::Node* node : placeholdersOf(&graph)) {
        std::string& name = out.emplace_back();
        const auto position = isBaseInput(*node) ? std::nullopt : plainInput(*node);
        const ir::Node* own = node;
        if (position) own = *position < outer.size() ? outer[*position] : nullptr;
        if (!own || !isSameTensor(*own, *node)) continue;
        if (!own->target.starts_with("L_") && !own->target.starts_with("G_")) continue;
        const auto found = known.find(lettersAndDigits(own->target));
        if (found == known.end())
            name = position ? own->name : std::string();
        else if (!found->second.empty())
            name = withoutScope(found->second);
    }
    return out;
}

} // namespace dynascope::session
