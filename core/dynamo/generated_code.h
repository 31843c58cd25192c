// SPDX-License-Identifier: BSD-3-Clause
//
// The bytecode that Dynamo generated: of each frame that was compiled, and of resume functions; and what each
// instruction is for. Guards are no bytecode; CompileInfo::guards has them.
#pragma once

#include "core/dynamo/recording.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::dynamo {

/// What an instruction of generated code is for, in the order in which they mostly come.
enum class CodePhase : std::uint8_t {
    Unknown,        ///< the recording does not say
    Entry,          ///< what comes before the graph: cells, random numbers, aliases
    GraphCall,      ///< loads the graph's inputs, calls it and keeps its outputs
    NewObjects,     ///< side effects, first phase: builds objects that the frame made
    Reconstruction, ///< puts together the value stack and the locals for what comes after
    Load,           ///< side effects, first phase: loads the new contents of objects
    Store,          ///< side effects, second phase: stores them
    Instruction,    ///< the instruction at which the graph breaks, as it was
    Blocks,         ///< enters with blocks again around that instruction, and leaves them
    Resume,         ///< hands over to the resume function
    Return,
    Prologue, ///< of a resume function: takes over the stack and the locals, enters with blocks, jumps
    Original, ///< the program's own instructions
};

/// "graph call", as the recording words it.
[[nodiscard]] std::string_view codePhaseName(CodePhase phase);
/// One sentence for a reader who does not know Dynamo.
[[nodiscard]] std::string_view codePhaseText(CodePhase phase);

struct BytecodeLine {
    std::int32_t offset = -1; ///< in bytes; -1 where it is not known
    std::uint32_t line = 0;   ///< of the source; 0 where it is not known
    std::string op;           ///< "LOAD_FAST"
    std::string argument;     ///< as `dis` prints it
    CodePhase phase = CodePhase::Unknown;
    std::uint32_t target = UINT32_MAX; ///< index of the line that it jumps to
};

struct GeneratedBytecode {
    enum class Role : std::uint8_t {
        Compiled, ///< what is carried out in place of a frame
        Resume,   ///< a resume function as it was made; compiled when it is called first, it has another one
    };
    Role role = Role::Compiled;
    std::string name, file;
    std::uint32_t firstLine = 0;
    std::uint32_t original = 0;         ///< Recording::code() of what it was made of; 0 where it is not known
    std::uint32_t compile = UINT32_MAX; ///< index into Recording::compiles()
    std::uint32_t attempt = UINT32_MAX; ///< index into attempts(): of Resume, in which it was made
    StepIndex step = noStep;            ///< likewise
    std::vector<BytecodeLine> lines;
};

/// In the order in which they were made. Reads the file: on the recording's thread.
[[nodiscard]] std::vector<GeneratedBytecode> generatedCodes(const Recording& recording);

/// A code object of the program in the same form; all of it is Original.
[[nodiscard]] std::vector<BytecodeLine> bytecodeLines(const Code& code);

/// "  12  LOAD_FAST x", without phase and line. `width` is that of the offset.
[[nodiscard]] std::string bytecodeLineText(const BytecodeLine& line, std::size_t width = 5);

} // namespace dynascope::dynamo
