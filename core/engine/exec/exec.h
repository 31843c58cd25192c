// SPDX-License-Identifier: BSD-3-Clause
//
// Programs: a graph bound to operators and functions of PyTorch, its constants and inputs, and the
// interpreter that runs it node by node. All of the engine that runs something stands on it.
//
// It changes no graph, and of passes it knows only the tensors that go through them (torch_values.h): who
// wants to see nodes run gives an observer. What a graph may call it asks of core/engine/sandbox.
//
// In this order: program.h, a graph made ready; interpreter.h, running it; case_values.h and seeded_values.h,
// tensors for it; node_values.h, what came of each node; torch_values.h, tensors that go with a graph through
// passes. PyTorch's functions above the dispatcher are in torch_level, torch_level/call.h first.
#pragma once

#include "core/engine/exec/case_values.h"
#include "core/engine/exec/interpreter.h"
#include "core/engine/exec/node_values.h"
#include "core/engine/exec/program.h"
#include "core/engine/exec/torch_values.h"
