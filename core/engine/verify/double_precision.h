// SPDX-License-Identifier: BSD-3-Clause
//
// The same program in double precision. What rounding makes of two ways to compute one thing all but vanishes
// there; what is a difference stays.
#pragma once

#include "core/engine/verify/program_run.h"

namespace dynascope::engine {

/// Every dtype of real or complex numbers that the program names becomes the widest of its kind, and so do
/// its constants and, when it runs, its inputs. Nothing where that would not be the same program: where bits
/// are looked at, autocast or a default dtype is set, numbers have 8 bits, or graphs are kept in the graph.
[[nodiscard]] std::optional<Side> inDoublePrecision(const Side& side);

/// Whether inputs may be widened: their memory at most a gibibyte then, and seen as one dtype each.
[[nodiscard]] bool areWidenable(const nlohmann::json& inputs);

/// Factories that name no dtype make double precision while this lives.
class DoubleByDefault {
public:
    explicit DoubleByDefault(bool on);
    ~DoubleByDefault();
    DoubleByDefault(const DoubleByDefault&) = delete;
    DoubleByDefault& operator=(const DoubleByDefault&) = delete;

private:
    caffe2::TypeMeta m_before;
};

} // namespace dynascope::engine
