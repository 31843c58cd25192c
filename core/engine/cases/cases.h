// SPDX-License-Identifier: BSD-3-Clause
//
// What an engine is asked with, as JSON: inputs of graphs, metadata and traced graphs, in the form of an
// oracle case (tests/oracle/README.md). On both ends of the wire, so without LibTorch, and in the client's
// library.
//
// It makes no tensor and runs nothing: core/engine/exec/case_values.h does. It does not know the methods either,
// only the values that they take.
//
// In this order: graph_inputs.h, inputs for a graph whose real ones are not at hand; index_bounds.h, what
// operators ask of such values; run_on.h, inputs from wherever a user has them; input_form.h, a form to fill
// in by hand; traced_graph.h, aot_case.h and metadata_compare.h, what AOTAutograd made; compare.h, two runs
// held against each other. frozen_reshapes.h is the oracle's own.
#pragma once

#include "core/engine/cases/aot_case.h"
#include "core/engine/cases/compare.h"
#include "core/engine/cases/graph_inputs.h"
#include "core/engine/cases/input_form.h"
#include "core/engine/cases/metadata_compare.h"
#include "core/engine/cases/run_on.h"
#include "core/engine/cases/traced_graph.h"
