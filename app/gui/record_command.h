// SPDX-License-Identifier: BSD-3-Clause
//
// The command line of File > Record: the interpreters there are, putting one or a script into it, and why it
// cannot be run.
#pragma once

#include "app/gui/record_run.h"

namespace dynascope::app {

/// Absolute paths of the Pythons that somebody in `workingFolder` would take, the likeliest first: of the
/// virtual environment that is active or lies in the folder, then those of PATH. Asks the file system only.
[[nodiscard]] QStringList pythonInterpreters(const QString& workingFolder);

/// `command` as a shell takes it, run by `interpreter`: in the place of a Python that it names, else before
/// its script. torchrun becomes the module that it is, as the interpreter has it.
[[nodiscard]] QString withInterpreter(const QString& command, const QString& interpreter);
/// `command` with `script` in the place of the script that it names, else behind its interpreter; arguments
/// stay. An empty command takes `interpreter`.
[[nodiscard]] QString withScript(const QString& command, const QString& script, const QString& interpreter);

/// What keeps a request from being run, as a sentence that says what to do; empty where nothing does.
[[nodiscard]] QString whyNotRecorded(const ProgramToRecord& request);

} // namespace dynascope::app
