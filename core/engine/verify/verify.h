// SPDX-License-Identifier: BSD-3-Clause
//
// Two programs run side by side: whether a computed graph is still right, and where it parts from eager.
//
// It knows no pass, and takes neither side's word: everything is told from the runs. The verdict is the
// protocol's (core/engine/wire/verify.h), which core/engine/service/verify_method.h answers with.
//
// In this order: verification.h, the whole of it; program_run.h, one run with all that can be asked of it;
// checks.h and tensor_compare.h, what is compared; monitor.h, double_precision.h and rounding_noise.h, what a
// difference may come from besides the graph; locate.h, the node at which it begins; gradients.h and
// shared_inputs.h, which cases need.
#pragma once

#include "core/engine/verify/checks.h"
#include "core/engine/verify/gradients.h"
#include "core/engine/verify/locate.h"
#include "core/engine/verify/program_run.h"
#include "core/engine/verify/verification.h"
