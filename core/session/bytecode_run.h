// SPDX-License-Identifier: BSD-3-Clause
//
// Follows values through bytecode that Dynamo generated, as text of `dis`: which of a compiled graph's
// results, and which locals of the frame, it hands to the function that goes on after a graph break. Nothing
// is carried out: a value that the text does not tell is unknown, and so is what comes of it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::session {

struct CodeOp {
    std::string label;  ///< what jumps name: "158", "L3"; empty where the text has none
    std::string name;   ///< "LOAD_FAST"
    int argument = 0;   ///< 0 where it has none
    std::string detail; ///< "h" of "LOAD_FAST 3 (h)"
};

/// The instructions of a `dis` listing of CPython 3.10 to 3.13, without caches, paddings and prefixes.
[[nodiscard]] std::vector<CodeOp> readBytecode(std::string_view listing);

/// The label that a jump names; empty for other instructions.
[[nodiscard]] std::string_view jumpTarget(const CodeOp& op);
/// A number that is all of a text.
[[nodiscard]] std::optional<std::int64_t> decimal(std::string_view text);

struct CodeValue;
using CodeValuePtr = std::shared_ptr<CodeValue>;

struct CodeValue {
    enum class Kind : std::uint8_t {
        Unknown,
        Null,    ///< CPython's marker of a plain call
        Integer, ///< number
        None,
        Sequence,     ///< a list or tuple: items
        Slice,        ///< items: begin and end
        Global,       ///< text
        Local,        ///< text: a local that the frame was called with
        GraphResults, ///< what the compiled graph returned
        GraphOutput,  ///< number: one of them
    };
    Kind kind = Kind::Unknown;
    std::int64_t number = 0;
    std::string text;
    std::vector<CodeValuePtr> items;
};

using CodeKind = CodeValue::Kind;

/// A call of a function that goes on after a graph break.
struct ResumeCall {
    std::string target; ///< the label of the instruction at which it goes on, in the frame's own code
    std::vector<CodeValuePtr> arguments;
};

/// All paths through the code. Linear in the code, but for a limit on paths.
[[nodiscard]] std::vector<ResumeCall> resumeCallsOf(const std::vector<CodeOp>& code);

/// What the locals of a function that goes on after a graph break hold once its prologue is over, by name.
/// Empty where the code is none of that kind.
[[nodiscard]] std::map<std::string, CodeValuePtr>
localsAfterPrologue(const std::vector<CodeOp>& code, const std::vector<CodeValuePtr>& arguments);

/// How many instructions there are from a label to the end; 0 for an unknown label. A function that goes on
/// after a break ends as the code that it was made of does.
[[nodiscard]] std::size_t opsFrom(const std::vector<CodeOp>& code, std::string_view label);
/// The label to which the prologue of such a function jumps; empty for other code.
[[nodiscard]] std::string resumedLabel(const std::vector<CodeOp>& code);

/// Which of a frame's calls go on as the code `resumed`: their target, or empty where that is not certain. Dynamo names a
/// target by the offset in instructions that it has rewritten, which is not the listing's once a jump is long or CPython
/// has joined two instructions. So it is told by the code that is left: one target is the one, and of two that
/// a branch has, the smaller offset is the earlier one.
[[nodiscard]] std::string targetOf(const std::vector<ResumeCall>& calls, const std::vector<CodeOp>& original,
                                   const std::vector<CodeOp>& resumed);

} // namespace dynascope::session
