// SPDX-License-Identifier: BSD-3-Clause
//
// Passes that need LibTorch, each a passes::Pass (core/passes/pass.h), and what tells all passes about
// operators.
//
// It knows neither protocol nor plugins: core/engine/service/pass_runner.h lists these passes and runs them,
// and core/passes/known_passes.h has their names. A pass that needs no tensors belongs to core/passes.
//
// In this order: schema_effects.h, what operators write and alias, by their schemas; decompose.h, a short
// pass; functionalize_pass.h; normalize_ir.h, which runs alias_analysis.h; shapes.h with shape_rules.h;
// eager_check.h, whether a functional graph still does what its source does. normalize_words.h is
// normalize_ir's own.
#pragma once

#include "core/engine/passes/decompose.h"
#include "core/engine/passes/functionalize_pass.h"
#include "core/engine/passes/normalize_ir.h"
#include "core/engine/passes/schema_effects.h"
#include "core/engine/passes/shapes.h"
