// SPDX-License-Identifier: BSD-3-Clause
//
// What torch._dynamo.comptime would say at a step of a recording. The calls are ComptimeContext's; nothing is
// evaluated, they are looked up by name.
//
// Source: torch/_dynamo/comptime.py of PyTorch 2.13.
#pragma once

#include "core/dynamo/recording.h"

#include <string>
#include <string_view>
#include <vector>

namespace dynascope::dynamo {

/// The answer to one call, of one line or several, without a newline at its end:
///
///     print_graph()  print_value_stack()  print_locals()  print_bt()  print_guards()  print_disas()
///     print("x")  get_local("x")  assert_static("n")  force_static("n")  graph()  graph_break()
///     print_blocks()  help()
///
/// They take a stack level, as in print_locals(stacklevel=1): 0 is the frame of the step, 1 its caller, whose
/// value stack is what it was before the call took its operands; parent().print_locals() is the same. A
/// value is a local's name, with quotes or without, or get_local("x"). graph_break() and force_static() say
/// what if (core/dynamo/what_if.h). print_blocks(), which comptime does not have, lists the blocks around the
/// instruction (core/dynamo/blocks.h). An Error for a call that does not exist or whose argument is wrong.
[[nodiscard]] Result<std::string> answerComptime(const Recording& recording, StepIndex step,
                                                 std::string_view call);

/// How a call may go on that begins with `prefix`: whole calls, and names of locals within get_local(" and
/// assert_static(".
[[nodiscard]] std::vector<std::string> completeComptime(const Recording& recording, StepIndex step,
                                                        std::string_view prefix);

} // namespace dynascope::dynamo
