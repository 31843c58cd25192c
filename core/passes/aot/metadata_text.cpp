// SPDX-License-Identifier: BSD-3-Clause
#include "core/passes/aot/metadata_text.h"

#include "core/base/python_text.h"
#include "core/base/text.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace dynascope::passes::aot {

namespace {

/// What stands between `open` and the last character, which must be its counterpart.
std::optional<std::string_view> inside(std::string_view text, std::string_view open, char close) {
    text = trimmed(text);
    if (!text.starts_with(open) || text.size() < open.size() + 1 || text.back() != close) return {};
    return text.substr(open.size(), text.size() - open.size() - 1);
}

/// The keyword arguments of one call.
class Fields {
public:
    explicit Fields(std::string_view arguments)
        : m_pieces(python::splitOutside(arguments, ',')) {}

    [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const {
        for (const std::string_view piece : m_pieces)
            if (piece.starts_with(name) && piece.size() > name.size() && piece[name.size()] == '=')
                return trimmed(piece.substr(name.size() + 1));
        return {};
    }
    [[nodiscard]] bool flag(std::string_view name) const { return find(name) == "True"; }
    [[nodiscard]] std::optional<std::size_t> number(std::string_view name) const {
        const auto text = find(name);
        return text ? numberOf(*text) : std::nullopt;
    }
    /// Of a list; nothing where there is none.
    [[nodiscard]] std::optional<std::vector<std::string_view>> items(std::string_view name) const {
        const auto text = find(name);
        const auto list = text ? inside(*text, "[", ']') : std::nullopt;
        return list ? std::optional(python::splitOutside(*list, ',')) : std::nullopt;
    }

    static std::optional<std::size_t> numberOf(std::string_view text) {
        std::size_t value = 0;
        const char* const end = text.data() + text.size();
        const auto read = std::from_chars(text.data(), end, value);
        return read.ec == std::errc() && read.ptr == end ? std::optional(value) : std::nullopt;
    }

private:
    std::vector<std::string_view> m_pieces;
};

InputAliasInfo inputOf(const Fields& fields) {
    InputAliasInfo out;
    out.isLeaf = fields.flag("is_leaf");
    out.mutatesData = fields.flag("mutates_data");
    out.mutatesMetadata = fields.flag("mutates_metadata");
    out.mutatesStorageMetadata = fields.flag("mutates_storage_metadata");
    out.mutationsHiddenFromAutograd = fields.flag("mutations_hidden_from_autograd");
    out.mutationsUnderNoGradOrInferenceMode = fields.flag("mutations_under_no_grad_or_inference_mode");
    out.storageResized = fields.flag("mutation_inductor_storage_resize");
    out.requiresGrad = fields.flag("requires_grad");
    out.keepInputMutations = fields.flag("keep_input_mutations");
    return out;
}

Result<OutputAliasInfo<InnerIndex>> outputOf(const Fields& fields, std::size_t inputs) {
    OutputAliasInfo<InnerIndex> out;
    // "<OutputType.alias_of_input: 2>"
    std::string_view type = fields.find("output_type").value_or("");
    const std::size_t dot = type.find('.');
    type = dot == std::string_view::npos ? std::string_view() : type.substr(dot + 1);
    const auto known = outputTypeFromName(type.substr(0, type.find(':')));
    if (!known) return failure("an output of a kind that is not known");
    out.type = *known;
    if (const auto base = fields.number("base_idx")) {
        if (!liesInInput(out.type))
            out.base = *base;
        else if (*base < inputs)
            out.input = InnerIndex{*base};
        else
            return failure("an output aliases input " + std::to_string(*base) + " of " +
                           std::to_string(inputs));
    }
    out.requiresGrad = fields.flag("requires_grad");
    out.requiresGradForBackward = fields.find("requires_grad_for_backward")
                                      ? fields.flag("requires_grad_for_backward")
                                      : out.requiresGrad;
    // "<class 'torch._subclasses.functional_tensor.FunctionalTensor'>"
    if (const auto raw = fields.find("raw_type")) {
        std::string_view name = raw->substr(0, raw->rfind('\''));
        out.rawType = std::string(name.substr(name.find_last_of(".'") + 1));
    }
    return out;
}

} // namespace

Result<CapturedMetadata> readMetadataText(std::string_view text) {
    const auto body = inside(text, "ViewAndMutationMeta(", ')');
    if (!body) return failure("no ViewAndMutationMeta");
    const Fields fields(*body);
    const auto inputs = fields.items("input_info"), outputs = fields.items("output_info");
    if (!inputs || !outputs) return failure("ViewAndMutationMeta without input_info or output_info");
    CapturedMetadata out;
    for (const std::string_view input : *inputs) {
        const auto arguments = inside(input, "InputAliasInfo(", ')');
        if (!arguments) return failure("an input without InputAliasInfo");
        out.meta.inputs.push_back(inputOf(Fields(*arguments)));
    }
    for (const std::string_view output : *outputs) {
        const auto arguments = inside(output, "OutputAliasInfo(", ')');
        if (!arguments) return failure("an output without OutputAliasInfo");
        const Fields own(*arguments);
        out.saysForBackward &= own.find("requires_grad_for_backward").has_value();
        auto info = outputOf(own, out.meta.inputs.size());
        if (!info) return tl::unexpected(info.error());
        out.meta.outputs.push_back(std::move(*info));
    }
    out.meta.intermediateBases = fields.number("num_intermediate_bases").value_or(0);
    out.keepInputMutations = fields.flag("keep_input_mutations");
    for (const std::string_view index :
         fields.items("static_input_indices").value_or(std::vector<std::string_view>()))
        if (const auto value = Fields::numberOf(index); value && *value < out.meta.inputs.size())
            out.staticInputs.push_back({*value});
    std::sort(out.staticInputs.begin(), out.staticInputs.end());
    auto tangents = fields.items("traced_tangents_descs");
    if (!tangents) tangents = fields.items("traced_tangents"); // as of PyTorch 2.8
    for (const std::string_view tangent : tangents.value_or(std::vector<std::string_view>()))
        out.tangents.emplace_back(tangent);
    return out;
}

} // namespace dynascope::passes::aot
