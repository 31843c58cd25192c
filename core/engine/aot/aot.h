// SPDX-License-Identifier: BSD-3-Clause
//
// AOTAutograd without Python: of a function its metadata, the layers around it, and the joint graph of
// forward and backward, or the inference graph; and calling the function through what was traced. On top of
// the tracer and of functionalization.
//
// It knows neither the protocol nor where a graph came from (core/engine/service asks it, core/rederive
// judges what it answers), and plans nothing itself: what AOTAutograd decides by descriptions of inputs is
// core/passes/aot.
//
// In this order: autograd_level.h, tensors that autograd differentiates above the tracer; aot_metadata.h,
// what a first run tells; aot_layers.h, the layers planned from it; aot_trace.h, the second run and its
// graph; aot_backward.h and aot_runtime.h, calling it; aot_deviations.h, where PyTorch's own would part from
// eager. kept_graphs.h, open_slices.h and trace_level.h are the trace's own.
#pragma once

#include "core/engine/aot/aot_deviations.h"
#include "core/engine/aot/aot_metadata.h"
#include "core/engine/aot/aot_runtime.h"
#include "core/engine/aot/aot_trace.h"
