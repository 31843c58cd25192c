// SPDX-License-Identifier: BSD-3-Clause
//
// Functionalization over cells: each storage is one flat value, each view as_strided of it. For programs on
// which PyTorch's own functionalization parts from eager, and which AOTAutograd refuses.
//
// It knows core/engine/functionalize, whose options and scorecard it shares, but not who chose it:
// core/engine/passes does by functionalize/deviations.h, core/engine/service for calls.
//
// In this order: functionalize_cells.h, the pass; cell_store.h, storages and the windows onto them;
// cell_write_back.h, its end; cell_scorecard.h, what it says of each node; cell_call.h, calling a function
// that way.
#pragma once

#include "core/engine/cells/cell_call.h"
#include "core/engine/cells/functionalize_cells.h"
