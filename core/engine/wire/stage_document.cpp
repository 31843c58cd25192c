// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/wire/stage_document.h"

#include "core/base/codec.h"
#include "core/base/json_fields.h"

namespace dynascope::wire {

template <>
struct Fields<DerivedFrom> {
    static constexpr const char* name = "derived";
    static void of(auto& f, auto& x) {
        f("stage", x.stage);
        f("k", x.k);
        f("attempt", x.attempt);
        f("time_us", x.microseconds);
    }
};

/// All but the replies.
template <>
struct Fields<StageDocument> {
    static constexpr const char* name = "how a stage was made";
    static void of(auto& f, auto& x) {
        f("passes", x.passes);
        f("removes_views", x.removesViews);
        f("caller_writes_back", x.callerWritesBack);
        f("removed", x.removed);
        f.optional("derived", x.derived);
    }
};

template <>
struct Fields<VerdictDocument::Parting> {
    static constexpr const char* name = "parting";
    static void of(auto& f, auto& x) {
        f("node", x.node);
        f("node_from", x.nodeFrom);
        f("expected", x.expected);
        f("actual", x.actual);
        f("text", x.text);
    }
};

template <>
struct Fields<VerdictDocument> {
    static constexpr const char* name = "verdict";
    static void of(auto& f, auto& x) {
        f("verdict", x.verdict);
        f("text", x.text);
        f("node", x.node);
        f("node_from", x.nodeFrom);
        f("isomorphic", x.isomorphic);
        f("twin", x.twin);
        f("differences", x.differences);
        f("parting", x.parting);
    }
};

DYNASCOPE_WIRE(StageDocument)
DYNASCOPE_WIRE(VerdictDocument)

namespace {

Result<Any> documentOf(const std::string& text) {
    Any document = parsed(text);
    if (!document.is_object()) return failure("no JSON object, or one that is nested too deeply");
    return document;
}

} // namespace

std::string writeStageDocument(const StageDocument& document) {
    Any out{{versionField, stageDocumentVersion}, {"how", encode(document)}};
    if (document.reply) {
        out["reply"] = encode(*document.reply);
        out["reply"].erase("graph");
    }
    if (document.eager) out["eager"] = encode(*document.eager);
    return textOf(out);
}

Result<StageDocument> readStageDocument(const std::string& text, const std::string& graph) {
    Result<Any> document = documentOf(text);
    if (!document) return tl::unexpected(document.error());
    const Result<int> version = versionOf(*document, stageDocumentVersion);
    if (!version) return tl::unexpected(version.error());
    const Missing missing = *version == 0 ? Missing::NotSaid : Missing::Fails;
    auto out = decode<StageDocument>(field(*document, "how"), missing);
    if (!out) return out;
    if (const auto reply = document->find("reply"); reply != document->end()) {
        if (reply->is_object()) (*reply)["graph"] = graph;
        auto read = decode<PassReply>(*reply, missing);
        if (!read) return tl::unexpected(read.error());
        out->reply = std::move(*read);
    }
    if (const auto eager = document->find("eager"); eager != document->end()) {
        auto read = decode<ExecuteReply>(*eager, missing);
        if (!read) return tl::unexpected(read.error());
        out->eager = std::move(*read);
    }
    return out;
}

std::string writeVerdictDocument(const VerdictDocument& document) {
    Any out = encode(document);
    out[versionField] = stageDocumentVersion;
    return textOf(out);
}

Result<VerdictDocument> readVerdictDocument(const std::string& text) {
    const Result<Any> document = documentOf(text);
    if (!document) return tl::unexpected(document.error());
    const Result<int> version = versionOf(*document, stageDocumentVersion);
    if (!version) return tl::unexpected(version.error());
    return decode<VerdictDocument>(*document, *version == 0 ? Missing::NotSaid : Missing::Fails);
}

} // namespace dynascope::wire
