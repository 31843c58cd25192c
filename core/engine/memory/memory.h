// SPDX-License-Identifier: BSD-3-Clause
//
// The door in PyTorch's CPU allocator: what a thread allocates within an AllocationScope comes from that
// scope's source.
//
// It knows neither graphs nor replays: a source that writes down or hands out addresses is of
// core/engine/replay.
//
// One header: allocation_source.h.
#pragma once

#include "core/engine/memory/allocation_source.h"
