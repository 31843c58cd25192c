// SPDX-License-Identifier: BSD-3-Clause
//
// Recordings of Dynamo for tests: those of the oracle's programs, and ones made record by record.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::test {

/// tests/oracle/recordings.tar.xz by the case's name; empty if it cannot be read.
[[nodiscard]] std::map<std::string, std::string> oracleRecordings();

/// The oracle's programs of kind dynamo_program, JSON by name.
[[nodiscard]] std::map<std::string, std::string> oraclePrograms();

/// Writes recordings, for what the recorder would hardly write.
class RecordingWriter {
public:
    RecordingWriter& record(char tag, std::string_view payload);
    RecordingWriter& numbers(char tag, const std::vector<std::uint64_t>& values, std::string_view rest = {});
    /// A step: flags, then what they announce.
    RecordingWriter& step(std::uint8_t flags, const std::vector<std::uint64_t>& values = {});
    /// What was added since the last block becomes one.
    RecordingWriter& endBlock();

    /// The file; what is not in a block yet is left to tail().
    [[nodiscard]] std::string file() const;
    [[nodiscard]] std::string tail() const;

private:
    std::string m_blocks;
    std::string m_open;
    std::uint32_t m_count = 0;
};

/// One attempt of many steps, as a large model makes it: calls of one function from a root frame, a value
/// every second step, a node every 20, a guard every 30, a side effect every 50.
[[nodiscard]] std::string longRecording(std::uint32_t steps);

} // namespace dynascope::test
