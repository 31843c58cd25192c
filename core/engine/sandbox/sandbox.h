// SPDX-License-Identifier: BSD-3-Clause
//
// What keeps a stranger's graph from harm: what the engine's process may do, and which operators may be
// called with which arguments.
//
// It knows no graphs: who binds one asks about each operator by name, who calls one lets its arguments be
// checked. It must not come to need anything that runs graphs, since all of that stands on it.
//
// In this order: confine.h, the process, with landlock.h, system_calls.h, environment_variables.h and
// gpu_devices.h; allow_list.h, whether an operator may be called; operator_classes.h, what each does with
// arguments that lie; argument_checks.h, the check before its call, of which checks/ has one for each family.
#pragma once

#include "core/engine/sandbox/allow_list.h"
#include "core/engine/sandbox/argument_checks.h"
#include "core/engine/sandbox/confine.h"
#include "core/engine/sandbox/environment_variables.h"
#include "core/engine/sandbox/operator_classes.h"
