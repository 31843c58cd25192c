// SPDX-License-Identifier: BSD-3-Clause
//
// The index of a rank's own device, wherever PyTorch writes it: shapes, arguments, guards, generated code.
#include "core/compare/parts.h"

#include "core/base/text.h"
#include "core/base/words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

namespace dynascope::compare {

namespace {

constexpr std::array<std::string_view, 6> deviceTypes = {"cuda", "xpu", "hpu",
                                                         "mtia", "npu", "privateuseone"};

/// What stands before an index that names no type. "streamN" is the name that generated code gives the raw
/// stream of device N.
constexpr std::array<std::string_view, 16> leads = {
    "set_device(",  "set_device_index(", "setDevice(",       "set_device](args = (",
    "DeviceGuard(", "exchange_device(",  "get_raw_stream(",  "cuda.device(",
    "xpu.device(",  "device_guard(",     "CUDAStream(",      "device_index=",
    "device=",      "'device': ",        "device.index == ", "current_device() == "};

struct Place {
    std::size_t at = 0, end = 0; ///< of the digits
    int index = 0;
    std::string_view type; ///< empty where the text does not say
};

/// Calls `found` with every device index of a text, in order. Linear.
template <typename Found>
void eachIndex(std::string_view text, const Found& found) {
    const auto numberAt = [&](std::size_t at) -> std::optional<Place> {
        if (at >= text.size() || !isDigit(text[at])) return std::nullopt;
        Place place{at, at, 0, {}};
        const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), place.index);
        place.end = static_cast<std::size_t>(end - text.data());
        const bool whole = place.end >= text.size() || !isNameByte(text[place.end]);
        return error == std::errc() && whole ? std::optional(place) : std::nullopt;
    };
    const auto endsWith = [&](std::size_t at, std::string_view words) {
        return text.substr(0, at).ends_with(words);
    };
    for (std::size_t at = 1; at < text.size(); ++at) {
        if (!isDigit(text[at]) || isDigit(text[at - 1])) continue;
        std::optional<Place> place = numberAt(at);
        if (!place) continue;
        bool isDevice = false;
        for (const std::string_view type : deviceTypes) {
            const std::size_t length = type.size();
            const bool colon = text[at - 1] == ':' && text.substr(0, at - 1).ends_with(type);
            const bool wordStarts = colon && (at == length + 1 || !isNameByte(text[at - length - 2]));
            const std::string_view quoted = text.substr(0, at);
            const bool keyword = quoted.ends_with("', index=") && quoted.substr(0, at - 9).ends_with(type);
            const bool second = quoted.ends_with("', ") && quoted.substr(0, at - 3).ends_with(type) &&
                                quoted.substr(0, at - 3 - length).ends_with("device('");
            if (!wordStarts && !keyword && !second) continue;
            place->type = type;
            isDevice = true;
        }
        if (!isDevice)
            isDevice = std::any_of(leads.begin(), leads.end(),
                                   [&](std::string_view lead) { return endsWith(at, lead); });
        if (!isDevice && endsWith(at, "stream"))
            isDevice = at == 6 || !isNameByte(text[at - 7]) || text[at - 7] == '_';
        if (!isDevice) continue;
        found(*place);
        at = place->end - 1;
    }
}

void countIndices(std::string_view text, std::map<std::pair<std::string_view, int>, std::size_t>& counts) {
    eachIndex(text, [&](const Place& place) {
        if (place.type.empty()) return;
        const auto type = std::find(deviceTypes.begin(), deviceTypes.end(), place.type);
        ++counts[{*type, place.index}];
    });
}

} // namespace

int ownDevice(const session::Session& session, int rank) {
    std::map<std::pair<std::string_view, int>, std::size_t> counts;
    for (const session::Compile& compile : session.compiles) {
        if (compile.rank != rank) continue;
        for (const session::StagePtr& stage : compile.stages)
            countIndices(stage->payload.text(), counts);
        for (const session::TensorInput& input : compile.inputs)
            countIndices(input.meta.annotation(), counts);
    }
    int own = -1;
    std::size_t most = 0;
    for (const auto& [device, count] : counts) {
        if (count == most) own = -1;
        if (count <= most) continue;
        most = count;
        own = device.second;
    }
    return own;
}

std::string withoutOwnDevice(std::string_view text, int own) {
    std::string out;
    std::size_t copied = 0;
    if (own >= 0)
        eachIndex(text, [&](const Place& place) {
            if (place.index != own) return;
            out += text.substr(copied, place.at - copied);
            out += "own";
            copied = place.end;
        });
    out += text.substr(copied);
    return out;
}

namespace detail {

OwnDevices ownDevices(const session::Session& a, int rankA, const session::Session& b, int rankB) {
    const int ownA = ownDevice(a, rankA), ownB = ownDevice(b, rankB);
    if (ownA < 0 || ownB < 0) return {};
    return {ownA, ownB};
}

std::string OwnDevices::exchanged(std::string_view text) const {
    std::string out;
    std::size_t copied = 0;
    if (a != b)
        eachIndex(text, [&](const Place& place) {
            if (place.index != a && place.index != b) return;
            out += text.substr(copied, place.at - copied);
            out += std::to_string(place.index == a ? b : a);
            copied = place.end;
        });
    out += text.substr(copied);
    return out;
}

} // namespace detail

} // namespace dynascope::compare
