// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/digest_log.h"

#include "core/base/digest.h"
#include "core/capture/read_ahead.h"
#include "core/capture/record_types.h"
#include "core/capture/trace_lines.h"
#include "core/store/packing.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <simdjson.h>

namespace dynascope::capture {

namespace {

using Json = nlohmann::json;

constexpr int digestVersion = 1;

/// What is large and says nothing of how ranks differ that other records do not say too, nor anything that an answer to
/// what was compiled, how long it took or whether it is right rests on.
constexpr std::array<std::string_view, 5> leftOut = {
    "artifact:fx_graph_runnable",     "artifact:runtime_wrapper_orchestration",
    "artifact:cprofile_manifold_url", "artifact:dynamo_side_effects",
    "artifact:min_cut_information",
};

bool isLeftOut(std::string_view type) {
    return std::ranges::find(leftOut, type) != leftOut.end() || type.ends_with("_ORIGINAL_BYTECODE") ||
           type.ends_with("_MODIFIED_BYTECODE");
}

/// Of a record's header; empty where it cannot be read.
std::string typeOf(simdjson::dom::parser& parser, std::string_view header) {
    simdjson::dom::object object;
    if (parser.parse(header.data(), header.size()).get(object) != simdjson::SUCCESS) return {};
    const auto [type, body] = typeOfHeader(object);
    std::string_view name;
    if (type == "artifact" && body["name"].get(name) == simdjson::SUCCESS)
        return "artifact:" + std::string(name);
    return std::string(type);
}

std::string firstRecord(const Digest& digest, std::string_view prefix, const std::string& name,
                        const std::string& host) {
    Json left = Json::object();
    for (const auto& [type, count] : digest.leftOut)
        left[type] = count;
    Json said = {{"version", digestVersion}, {"of", name}, {"bytes", digest.bytes}, {"left_out", left}};
    if (!host.empty()) said["host"] = host;
    const std::string payload = said.dump(-1, ' ', false, Json::error_handler_t::replace);
    Md5 hash;
    hash.add(payload);
    const Json header = {{"artifact", {{"name", digestArtifact}, {"encoding", "json"}}},
                         {"has_payload", toHex(hash.finish())}};
    return std::string(prefix) + header.dump() + "\n\t" + payload + '\n';
}

} // namespace

Result<Digest> makeDigest(std::string_view log, const std::string& name, const TaskContext& task,
                          const std::string& host) {
    Digest out;
    out.bytes = log.size();
    TraceLines lines(log);
    simdjson::dom::parser parser;
    std::string kept, prefix;
    for (std::uint64_t begin = 0;; begin = lines.position()) {
        const std::optional<TraceItem> item = lines.next();
        if (!item) break;
        if (task.cancelled()) return cancellation();
        task.report("Reading", begin, log.size());
        const std::string_view text = log.substr(begin, lines.position() - begin);
        if (item->kind == TraceItem::Kind::Record) {
            const std::string type = typeOf(parser, log.substr(item->jsonOffset, item->jsonLength));
            if (type == "artifact:" + std::string(digestArtifact))
                return failure("is a digest already", name);
            if (isLeftOut(type)) {
                ++out.leftOut[type];
                continue;
            }
            if (out.records++ == 0) prefix = text.substr(0, item->jsonOffset - begin);
        }
        kept += text;
    }
    if (out.records == 0) return failure("has no record of a TORCH_TRACE log", name);
    Result<std::string> packed = store::pack(firstRecord(out, prefix, name, host) + kept);
    if (!packed) return tl::unexpected(packed.error());
    out.packed = std::move(*packed);
    return out;
}

std::string digestWords(std::string_view payload) {
    const Json document = Json::parse(payload, nullptr, false);
    if (!document.is_object() || !document.contains("left_out") || !document["left_out"].is_object())
        return {};
    std::string types;
    for (const auto& [type, count] : document["left_out"].items()) {
        if (!count.is_number_unsigned()) continue;
        types += (types.empty() ? "" : ", ") + std::to_string(count.get<std::uint64_t>()) + ' ' + type;
    }
    return types.empty() ? "a digest: nothing was left out" : "a digest: left out are " + types;
}

} // namespace dynascope::capture
