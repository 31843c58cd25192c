// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/tensor_record.h"

#include <algorithm>
#include <array>
#include <utility>

namespace dynascope::capture {

namespace {

std::vector<std::string> spellings(const json::element& body, std::string_view key) {
    std::vector<std::string> out;
    simdjson::dom::array items;
    if (body[key].get(items) != simdjson::SUCCESS) return out;
    for (const json::element item : items)
        out.push_back(json::spelling(item));
    return out;
}

/// The quoted value after `key`, as Python's repr prints it.
std::string_view quotedAfter(std::string_view text, std::string_view key) {
    const std::size_t at = text.find(key);
    if (at == std::string_view::npos) return {};
    text.remove_prefix(at + key.size());
    return text.substr(0, text.find('\''));
}

} // namespace

std::string shortDtype(std::string_view dtype) {
    constexpr std::string_view prefix = "torch.";
    if (dtype.starts_with(prefix)) dtype.remove_prefix(prefix.size());
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 22> names = {{
        {"bfloat16", "bf16"},
        {"bool", "b8"},
        {"complex128", "c128"},
        {"complex32", "c32"},
        {"complex64", "c64"},
        {"float16", "f16"},
        {"float32", "f32"},
        {"float4_e2m1fn_x2", "f4e2m1fnx2"},
        {"float64", "f64"},
        {"float8_e4m3fn", "f8e4m3fn"},
        {"float8_e4m3fnuz", "f8e4m3fnuz"},
        {"float8_e5m2", "f8e5m2"},
        {"float8_e5m2fnuz", "f8e5m2fnuz"},
        {"float8_e8m0fnu", "f8e8m0fnu"},
        {"int16", "i16"},
        {"int32", "i32"},
        {"int64", "i64"},
        {"int8", "i8"},
        {"uint16", "u16"},
        {"uint32", "u32"},
        {"uint64", "u64"},
        {"uint8", "u8"},
    }};
    const auto found =
        std::find_if(names.begin(), names.end(), [&](const auto& pair) { return pair.first == dtype; });
    return std::string(found == names.end() ? dtype : found->second);
}

std::string shortDevice(std::string_view device) {
    const std::string_view type = quotedAfter(device, "type='");
    if (type.empty()) return std::string(device);
    std::string out(type);
    constexpr std::string_view key = "index=";
    const std::size_t at = device.find(key);
    if (at != std::string_view::npos) {
        std::string_view index = device.substr(at + key.size());
        index = index.substr(0, index.find_first_of(",) "));
        out += ':';
        out += index;
    }
    return out;
}

session::TensorInput parseTensor(const json::element& body) {
    session::TensorInput out;
    out.describer = json::smallInteger(body, "describer_id", 0);
    out.id = json::smallInteger(body, "id", 0);
    out.meta.dtype = shortDtype(json::text(body, "dtype"));
    out.meta.device = shortDevice(json::text(body, "device"));
    out.meta.sizes = spellings(body, "size");
    simdjson::dom::array strides;
    if (body["stride"].get(strides) == simdjson::SUCCESS) out.meta.strides = spellings(body, "stride");
    if (json::element offset; body["storage_offset"].get(offset) == simdjson::SUCCESS)
        out.storageOffset = json::spelling(offset);
    out.storage = json::smallInteger(body, "storage");
    out.isLeaf = json::boolean(body, "is_leaf");
    out.requiresGrad = json::boolean(body, "requires_grad");
    out.isParameter = json::boolean(body, "is_parameter");
    out.isView = json::boolean(body, "is_view");
    out.base = json::smallInteger(body, "base");
    out.raw = simdjson::minify(body);
    return out;
}

session::StorageInfo parseStorage(const json::element& body) {
    session::StorageInfo out;
    out.describer = json::smallInteger(body, "describer_id", 0);
    out.id = json::smallInteger(body, "id", 0);
    out.bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(0, json::integer(body, "size", 0)));
    return out;
}

} // namespace dynascope::capture
