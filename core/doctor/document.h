// SPDX-License-Identifier: BSD-3-Clause
//
// What `dynascope-cli doctor` writes: what works on a machine, and the battery of a GPU (docs/doctor.md). And what the
// programs print that it asks. Values only. Reading is total: an Error names the field that is missing or odd.
#pragma once

#include "core/base/result.h"
#include "core/doctor/battery.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::doctor {

struct Finding {
    enum class State : std::uint8_t {
        Works,
        Limited, ///< works, but not all of it
        Missing, ///< what needs it does not work; the rest does
    };
    std::string what; ///< "engine"
    State state = State::Works;
    std::string text;   ///< one line: what was found, or why it is not there
    std::string advice; ///< what to do about it; empty where there is nothing to do
};
[[nodiscard]] std::string_view stateName(Finding::State state); ///< "works", "limited", "missing"

struct Document {
    std::string version;               ///< of the Dynascope that wrote it
    std::optional<std::string> system; ///< "Linux 6.1.0 x86_64"; nothing where the kernel did not say
    std::vector<Finding> findings;
    std::optional<GpuBattery> gpu; ///< with --gpu
};
/// One line of JSON.
[[nodiscard]] std::string textOf(const Document& document);
/// An error continues the name of the file: "is no document of 'doctor -o': findings[0].text: is missing".
[[nodiscard]] Result<Document> documentFrom(const std::string& text);

/// What `dynascope --self-check` prints.
struct WindowAnswer {
    std::string qt;       ///< its version
    std::string platform; ///< Qt's: "xcb"
    std::string screen;   ///< "1920x1080 at scale 1"
};
[[nodiscard]] Result<WindowAnswer> windowAnswerFrom(const std::string& printed);

/// What an interpreter says of itself.
struct PythonAnswer {
    std::string python; ///< its version
    std::string torch;  ///< PyTorch's; empty where it has none
};
[[nodiscard]] Result<PythonAnswer> pythonAnswerFrom(const std::string& printed);

} // namespace dynascope::doctor
