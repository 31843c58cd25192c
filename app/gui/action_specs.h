// SPDX-License-Identifier: BSD-3-Clause
//
// Short ways to write an ActionSpec down.
#pragma once

#include "app/gui/action_registry.h"

namespace dynascope::app {

[[nodiscard]] inline ActionSpec spec(const char* id, const QString& text, const QString& menu,
                                     QList<QKeySequence> keys = {}, const char* icon = "",
                                     const QString& tip = {}) {
    ActionSpec s;
    s.id = QLatin1String(id);
    s.text = text;
    s.menu = menu;
    s.keys = std::move(keys);
    s.icon = QLatin1String(icon);
    s.tip = tip;
    return s;
}

[[nodiscard]] inline ActionSpec grouped(ActionSpec s) {
    s.startsGroup = true;
    return s;
}

[[nodiscard]] inline ActionSpec inCanvas(ActionSpec s) {
    s.scope = Scope::Canvas;
    return s;
}

} // namespace dynascope::app
