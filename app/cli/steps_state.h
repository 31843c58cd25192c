// SPDX-License-Identifier: BSD-3-Clause
//
// What `dynascope-cli steps` says of a recording and of one step, as text and as JSON.
#pragma once

#include "core/dynamo/recording.h"

#include <nlohmann/json.hpp>
#include <string>

namespace dynascope::cli {

/// Compiles, attempts, graph breaks and other events.
[[nodiscard]] std::string summaryText(const dynamo::Recording& recording);
[[nodiscard]] nlohmann::json summaryJson(const dynamo::Recording& recording);

/// One line for each of `count` steps from `first` on.
[[nodiscard]] std::string stepLines(const dynamo::Recording& recording, dynamo::StepIndex first,
                                    dynamo::StepIndex count);
[[nodiscard]] nlohmann::json stepsJson(const dynamo::Recording& recording, dynamo::StepIndex first,
                                       dynamo::StepIndex count);

/// Everything that Dynamo held at a step.
[[nodiscard]] std::string stateText(const dynamo::Recording& recording, const dynamo::State& state,
                                    dynamo::StepIndex step);
[[nodiscard]] nlohmann::json stateJson(const dynamo::Recording& recording, const dynamo::State& state,
                                       dynamo::StepIndex step);

/// Side effects of every graph and how they are made real; changes that were refused.
[[nodiscard]] std::string effectsText(const dynamo::Recording& recording);
[[nodiscard]] nlohmann::json effectsJson(const dynamo::Recording& recording);

/// Each code object that was generated, beside the original, with what its instructions are for.
[[nodiscard]] std::string bytecodeText(const dynamo::Recording& recording);
[[nodiscard]] nlohmann::json bytecodeJson(const dynamo::Recording& recording);

/// Questions to AOTAutograd's cache: keys, what they differ in, nodes that cannot be cached.
[[nodiscard]] std::string cacheText(const dynamo::Recording& recording);
/// The lookups of two recordings beside each other: which have one key, and what all the others differ in.
[[nodiscard]] std::string cacheComparisonText(const dynamo::Recording& left, const dynamo::Recording& right);
/// Inputs' storages, hooks, operators before functionalization; lookups of Dynamo's cache; CUDA graph trees.
[[nodiscard]] std::string graphsText(const dynamo::Recording& recording);

} // namespace dynascope::cli
