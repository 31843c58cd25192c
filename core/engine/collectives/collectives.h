// SPDX-License-Identifier: BSD-3-Clause
//
// Process groups of c10d whose ranks live in this process, so that graphs with collectives run as they stand.
//
// It knows tensors and names of groups; of graphs only what core/ranks says of their collectives. Nothing
// leaves the process: ranks that are processes of their own have PyTorch's process groups (app/rank_host).
//
// In this order: peers.h, the groups, and what the other ranks give; mirror_groups.h, one rank alone;
// lock_step.h, all ranks as threads that take turns; kernels.h, what PyTorch has for its collectives in
// Python only.
#pragma once

#include "core/engine/collectives/kernels.h"
#include "core/engine/collectives/lock_step.h"
#include "core/engine/collectives/mirror_groups.h"
#include "core/engine/collectives/peers.h"
