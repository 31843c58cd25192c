// SPDX-License-Identifier: BSD-3-Clause
//
// Small recordings of passes, made record by record: one compile, one graph, passes that are known to keep its values,
// to change one, and to change strides.
#pragma once

#include <string>

namespace dynascope::test {

/// What tells two of them apart.
struct SmallPasses {
    bool wrong = false;   ///< custom_pass makes a subtraction of the addition; else it changes nothing
    bool skips = false;   ///< remove_noop_ops did not run: a setting is off
    bool unknown = false; ///< the last pass puts in an operator that no engine has
    bool folds = false;   ///< the result is multiplied by a constant, and fold_constants makes a number of it
    bool writes = false;  ///< the last pass but one writes the product into x
    bool shares = false;  ///< the graph gives back a copy of x as well, and the last pass x itself
    bool tuned = false;   ///< kernels of mul were timed: a template, PyTorch's own, and one that failed
    bool timed = false;   ///< PyTorch timed both ways before it decided on that fusion
    bool fused =
        true; ///< the scheduler fused op0 with op1; else it refused: "no shared data", or with `timed` because it was slower
};

/// The bytes of a .dpasses of compile 0/0. Passes of phase post_grad, forward, in order: remove_noop_ops (removes
/// alias), custom_pass, transpose_output (the result has other strides), and with `unknown` use_own_operator. The graph
/// takes x and y, f32[4, 4], and gives (x * y) + y; mul comes from train.py:7, add from train.py:8.
[[nodiscard]] std::string smallPasses(const SmallPasses& how = {});

/// The split of a joint graph of sin(x) * y into forward, which saves sin, and backward.
enum class SmallSplit {
    Right,
    Wrong, ///< backward takes the sine for the cosine
    Lacks, ///< backward reads what forward does not give back
};
[[nodiscard]] std::string smallSplit(SmallSplit how);

} // namespace dynascope::test
