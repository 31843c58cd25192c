// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "app/gui/action_registry.h"
#include "views/theme/theme.h"

#include <QDialog>

namespace dynascope::app {

/// Every key of the registry by scope, with a filter. Made from the same list as the menus.
class KeyboardPage : public QDialog {
    Q_OBJECT
public:
    KeyboardPage(const ActionRegistry& actions, views::Theme& theme, QWidget* parent = nullptr);
};

} // namespace dynascope::app
