// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/tensor_record.h"

#include <algorithm>
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
    out.meta.dtype = ir::shortDtype(json::text(body, "dtype"));
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
    out.isConj = json::boolean(body, "is_conj");
    out.isNeg = json::boolean(body, "is_neg");
    out.base = json::smallInteger(body, "base");
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
