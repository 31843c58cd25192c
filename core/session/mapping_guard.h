// SPDX-License-Identifier: BSD-3-Clause
//
// Files that are cut short while they are mapped. Reading past their new end is SIGBUS, which would end the
// program; here the lost part reads as zeros, and whoever asks is told. After sigbus.c of systemd.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dynascope::session {

/// Guards one mapping as long as it lives. Where 256 mappings are guarded already, it guards none. Any
/// thread.
class MappingGuard {
public:
    MappingGuard(const void* data, std::size_t size, std::string path);
    ~MappingGuard();
    MappingGuard(const MappingGuard&) = delete;
    MappingGuard& operator=(const MappingGuard&) = delete;

    /// Whether something was read that is no longer there.
    [[nodiscard]] bool isLost() const;

private:
    int m_slot = -1;
};

/// Whether any guarded file was cut short, also one that is closed by now. Cheap. Any thread.
[[nodiscard]] bool anyFileLost();
/// Their paths, each once. Any thread.
[[nodiscard]] std::vector<std::string> lostFiles();

} // namespace dynascope::session
