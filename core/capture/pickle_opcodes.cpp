// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/pickle_opcodes.h"

#include <array>
#include <utility>

namespace dynascope::capture::opcode {

std::string_view refusedName(std::uint8_t code) {
    static constexpr std::array<std::pair<std::uint8_t, std::string_view>, 15> names = {{
        {'c', "GLOBAL"},
        {'R', "REDUCE"},
        {'b', "BUILD"},
        {'i', "INST"},
        {'o', "OBJ"},
        {'P', "PERSID"},
        {'Q', "BINPERSID"},
        {0x81, "NEWOBJ"},
        {0x82, "EXT1"},
        {0x83, "EXT2"},
        {0x84, "EXT4"},
        {0x92, "NEWOBJ_EX"},
        {0x93, "STACK_GLOBAL"},
        {0x97, "NEXT_BUFFER"},
        {0x98, "READONLY_BUFFER"},
    }};
    for (const auto& [known, name] : names)
        if (known == code) return name;
    return {};
}

} // namespace dynascope::capture::opcode
