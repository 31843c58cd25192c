// SPDX-License-Identifier: BSD-3-Clause
//
// The opcodes of pickles (Lib/pickletools.py, protocols 0 to 5).
#pragma once

#include <cstdint>
#include <string_view>

namespace dynascope::capture::opcode {

/// Those that build data, which are carried out.
enum Code : std::uint8_t {
    Mark = '(',
    Stop = '.',
    Pop = '0',
    PopMark = '1',
    Dup = '2',
    None = 'N',
    NewTrue = 0x88,
    NewFalse = 0x89,
    Int = 'I',
    BinInt = 'J',
    BinInt1 = 'K',
    BinInt2 = 'M',
    Long = 'L',
    Long1 = 0x8a,
    Long4 = 0x8b,
    Float = 'F',
    BinFloat = 'G',
    String = 'S',
    BinString = 'T',
    ShortBinString = 'U',
    BinBytes = 'B',
    ShortBinBytes = 'C',
    BinBytes8 = 0x8e,
    ByteArray8 = 0x96,
    Unicode = 'V',
    BinUnicode = 'X',
    ShortBinUnicode = 0x8c,
    BinUnicode8 = 0x8d,
    EmptyList = ']',
    Append = 'a',
    Appends = 'e',
    List = 'l',
    EmptyTuple = ')',
    Tuple = 't',
    Tuple1 = 0x85,
    Tuple2 = 0x86,
    Tuple3 = 0x87,
    EmptyDict = '}',
    DictOfMark = 'd',
    SetItem = 's',
    SetItems = 'u',
    EmptySet = 0x8f,
    AddItems = 0x90,
    FrozenSet = 0x91,
    Get = 'g',
    BinGet = 'h',
    LongBinGet = 'j',
    Put = 'p',
    BinPut = 'q',
    LongBinPut = 'r',
    Memoize = 0x94,
    Proto = 0x80,
    Frame = 0x95,
};

/// The name of an opcode that could run code or needs something from outside; empty for all others.
[[nodiscard]] std::string_view refusedName(std::uint8_t code);

} // namespace dynascope::capture::opcode
