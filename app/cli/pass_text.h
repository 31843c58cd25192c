// SPDX-License-Identifier: BSD-3-Clause
//
// What `dynascope-cli pass` prints of the engine's answers. Pure functions.
#pragma once

#include "app/cli/engine_command.h"
#include "core/engine/wire/pass.h"
#include "core/engine/wire/verify.h"
#include "core/session/breaks.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace dynascope::cli {

/// What of the capture sees a changed input after the graph.
struct InputReader {
    std::string source;                         ///< the input, as the program spells it
    const session::BreakGroup* group = nullptr; ///< null where no graph break comes before the next read
    const session::Compile* resumed = nullptr;  ///< the compile after it that reads the input; null: none
};

/// Who reads what write-backs of a graph write. Refers to the graph's capture, which must outlive it.
class InputReaders {
public:
    explicit InputReaders(const ChosenGraph& chosen);
    /// Nothing where the graph is of no capture.
    [[nodiscard]] std::optional<InputReader> of(const wire::WriteBack& back) const;

private:
    const ChosenGraph& m_chosen;
    session::BreakSummary m_breaks;
    std::vector<std::string> m_sources;
};

/// Puts the members "source" and "break" into the write-backs of an answer that is to be printed.
void addBreaks(nlohmann::json& printed, const wire::PassReply& reply, const InputReaders& readers);

/// A step as lines: what became of its node, and the scorecard after it.
[[nodiscard]] std::string stepText(const wire::PassStep& step);
[[nodiscard]] std::string writeBackText(const wire::PassReply& reply, const InputReaders& readers);
[[nodiscard]] std::string warningText(const wire::PassReply& reply);
/// The result as print_readable writes it, with its shapes.
[[nodiscard]] std::string readableText(const wire::PassReply& reply);

/// What was found out about the values of a result.
struct Verified {
    std::optional<wire::VerifyReply> where; ///< of a result that differs: how, and where it begins
    std::string versions;                   ///< where another release of PyTorch made the capture
};
[[nodiscard]] std::string verdictText(const wire::PassReply& reply, const Verified& verified);
/// Whether the reply, verified, is a reported failure: a program without a defined result is none.
[[nodiscard]] bool failedVerification(const wire::PassReply& reply, const Verified& verified);

} // namespace dynascope::cli
