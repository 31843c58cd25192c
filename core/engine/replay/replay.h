// SPDX-License-Identifier: BSD-3-Clause
//
// Recording a graph once and replaying it without allocating: planned addresses on the CPU, CUDA graphs on a
// GPU, and trees of recordings that share memory.
//
// It decides nothing that core/replay can decide without tensors (plans, the trees' state machine, reports),
// links no CUDA (plugins/cuda implements cuda_device.h) and knows no protocol:
// core/engine/service/replay_methods.h asks it.
//
// In this order: backend.h, the interface; recorder.h, classify.h and cpu_graph.h, the CPU's way from a run
// to a replay; replay_run.h, replaying many times, measured and verified; cuda_backend.h over cuda_device.h;
// then trees: graph_pool.h, tree_functions.h, tree_run.h. CONTRIBUTING.md says how to add a backend.
#pragma once

#include "core/engine/replay/backend.h"
#include "core/engine/replay/cuda_backend.h"
#include "core/engine/replay/cuda_loader.h"
#include "core/engine/replay/graph_pool.h"
#include "core/engine/replay/replay_run.h"
#include "core/engine/replay/tree_functions.h"
#include "core/engine/replay/tree_run.h"
