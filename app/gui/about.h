// SPDX-License-Identifier: BSD-3-Clause
//
// Help > About: what this program is, and which Qt, LibTorch and CUDA it has to work with.
#pragma once

#include "core/engine/client/client.h"

#include <QMessageBox>

namespace dynascope::views {
class Engine;
}

namespace dynascope::app {

/// A line for each library. `answer` is the engine's, null while it has not come; `noEngine` says why there is
/// none to ask, and is empty where there is one.
[[nodiscard]] QString versionLines(const engine::Answer<wire::EnvironmentReply>* answer,
                                   const QString& noEngine);

/// Opens it over `parent`, and asks the engine, which starts for it. Deletes itself when it is closed.
QMessageBox* openAbout(views::Engine& engine, QWidget& parent);

} // namespace dynascope::app
