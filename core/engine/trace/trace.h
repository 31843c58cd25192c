// SPDX-License-Identifier: BSD-3-Clause
//
// Tracing: a program runs on tensors that note every operator below functionalization and autograd, which
// makes a graph.
//
// It knows neither of the two levels above it (core/engine/functionalize, core/engine/aot) nor what a trace
// is for. Kernels that PyTorch has in Python stand in here for those in C++, so that graphs have the
// operators that PyTorch's tracer sees.
//
// In this order: tracer.h, tape and tracer tensors; fake_strides.h, strides as PyTorch's fake tensors have
// them; python_kernels.h, meta_kernels.h and functional_kernels.h, the kernels that are put in while a trace
// lives. python_tables.h and register_where.h are theirs.
#pragma once

#include "core/engine/trace/functional_kernels.h"
#include "core/engine/trace/meta_kernels.h"
#include "core/engine/trace/python_kernels.h"
#include "core/engine/trace/tracer.h"
