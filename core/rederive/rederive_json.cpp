// SPDX-License-Identifier: BSD-3-Clause
#include "core/rederive/rederive_json.h"

#include "core/base/codec.h"

namespace dynascope::wire {

template <>
struct Words<engine::Rederived> {
    static constexpr auto of = engine::rederivedNames;
};

template <>
struct Words<passes::partition::Decision::Kind> {
    static constexpr std::array<std::string_view, 2> of{"saved", "recomputed"};
};

template <>
struct Fields<passes::partition::Decision> {
    static constexpr const char* name = "decision";
    static void of(auto& f, auto& x) {
        f("node", x.node);
        f("decision", x.kind);
        f("bytes", x.bytes);
        f("why", x.why);
    }
};

template <>
struct Fields<engine::RederivedStage> {
    static constexpr const char* name = "derived stage";
    static void of(auto& f, auto& x) {
        f("rank", x.rank);
        f("compile_id", x.compile);
        f("stage", x.stage);
        f("from", x.from);
        f.needed("verdict", x.verdict);
        f("reason", x.reason);
        f("nodes", x.nodes);
        f("matched", x.matched);
        f("time_us", x.microseconds);
        f("captured", x.captured);
        f("derived", x.got);
        f("node", x.node);
        f("derived_node", x.nodeGot);
        f("missed_guard", x.missedGuard);
        f("left_out", x.leftOut);
        f("decisions", x.decisions);
        f.optional("attempt", x.attempt);
        f.optional("metadata", x.metadata);
        f.optional("versions", x.versions);
        f.optional("hooks", x.hooks);
    }
};

template <>
struct Fields<engine::Rederivation> {
    static constexpr const char* name = "rederivation";
    static void of(auto& f, auto& x) {
        f.needed("rederived", x.row);
        f.optional("metadata", x.metadata);
    }
};

DYNASCOPE_WIRE(engine::RederivedStage)
DYNASCOPE_WIRE(engine::Rederivation)

} // namespace dynascope::wire

namespace dynascope::engine {

std::string_view decisionName(passes::partition::Decision::Kind kind) {
    return wire::Words<passes::partition::Decision::Kind>::of[static_cast<std::size_t>(kind)];
}

nlohmann::json rederivedJson(const RederivedStage& stage) {
    return wire::encode(stage);
}

Result<RederivedStage> readRederived(const nlohmann::json& stage) {
    return wire::decode<RederivedStage>(stage);
}

std::string writeRederivation(const Rederivation& said) {
    wire::Any out = wire::encode(said);
    out[wire::versionField] = rederivationVersion;
    return wire::textOf(out);
}

Result<Rederivation> readRederivation(const std::string& text) {
    const wire::Any document = wire::parsed(text);
    const Result<int> version = wire::versionOf(document, rederivationVersion);
    if (!version) return tl::unexpected(version.error());
    return wire::decode<Rederivation>(document,
                                      *version == 0 ? wire::Missing::NotSaid : wire::Missing::Fails);
}

} // namespace dynascope::engine
