// SPDX-License-Identifier: BSD-3-Clause
//
// How a function is called once AOTAutograd has compiled it, layer by layer: outer arguments, repeats that
// were dropped, synthetic bases, inner arguments, outputs in their order, and the epilogue that the runtime
// carries out. Data only; positions are those of each list.
#pragma once

#include "core/passes/aot/metadata.h"
#include "core/session/session.h"
#include "core/session/storage_cover.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dynascope::computed {

struct OuterCard {
    std::string name, type; ///< "a0", "f64[2, 1, 4]"
    bool writesData = false, writesGeometry = false;
    int sameAs = -1;                     ///< an earlier argument that is the same tensor and stands for it
    int base = -1;                       ///< the synthetic base it became a view of
    int inner = -1;                      ///< the inner argument it is, or the base's
    int storage = -1;                    ///< equal numbers share one; -1 where not known
    std::string geometry;                ///< "[2, 1, 4] (4, 4, 1) at 0"
    std::optional<session::Cover> cover; ///< bytes of the storage
};
struct BaseCard {
    std::string type;
    std::uint64_t bytes = 0;         ///< of the storage, as far as members show
    unsigned cellBytes = 0;          ///< 0 where not known
    std::vector<int> members;        ///< outer arguments
    std::vector<std::string> values; ///< of its cells before the call; empty where not known
    std::int64_t copiedBytes = 0;    ///< what writing it back copies
    std::int64_t neededBytes = 0;    ///< what writing only the written members back would; 0 where not known
};
struct InnerCard {
    std::string name, type;
    int outer = -1, base = -1; ///< what it is
    bool written = false;      ///< its new value leaves the graph, or the graph ends with a copy_ into it
    bool inGraph = false;      ///< the latter
};
struct OutputCard {
    enum class Role : std::uint8_t { NewValue, Result, Geometry, IntermediateBase };
    std::string name, type;
    Role role = Role::Result;
    int inner = -1; ///< of NewValue
    int user = -1;  ///< of Result: which of them
    passes::aot::OutputType kind = passes::aot::OutputType::NonAlias;
    int of = -1; ///< the outer argument, or the base, that a Result looks at; the argument of a Geometry
};
struct EpilogueCard {
    std::string operation; ///< "copy_", "as_strided_", "gen_alias", "return", "pass"
    std::string what;      ///< "base 0 ← output 0"
    int output = -1, base = -1, outer = -1;
    bool writes = false;
};

struct AotConvention {
    std::string declined; ///< why there is none; empty where there is one
    std::string refusal;  ///< what PyTorch said of this call where it failed; empty where it did not
    std::string strategy; ///< of dedupe: a sentence
    std::vector<OuterCard> outer;
    std::size_t taken = 0; ///< the first of them are what the shown program takes; others Dynamo had dropped
    std::vector<BaseCard> bases;
    std::vector<InnerCard> inner;
    std::vector<OutputCard> outputs;
    std::vector<EpilogueCard> epilogue;
    session::StagePtr stage; ///< that inner arguments and outputs are nodes of; null where there is none
    bool training = false;
};

/// The steps that a reader walks: columns of the diagram.
enum class AotConventionStep : std::uint8_t { Outer, Dedupe, Bases, Inner, Outputs, Epilogue };
inline constexpr int conventionSteps = 6;

/// From a capture's Dynamo graph, described inputs, traced graph and metadata. For a worker.
[[nodiscard]] AotConvention conventionOfCapture(const session::Session& session, std::size_t compile);
/// From the `aot` part of an oracle case, by the layers of core/passes/aot. For a worker.
[[nodiscard]] AotConvention conventionOfCase(const session::Session& session);

/// Fills the epilogue from the rest.
void addEpilogue(AotConvention& convention);

} // namespace dynascope::computed
