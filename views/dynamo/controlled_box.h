// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "views/base/page_parts.h"

#include <QBoxLayout>
#include <QLabel>
#include <initializer_list>

namespace dynascope::views {

/// As titledBox(), with controls after the title. GUI thread only.
[[nodiscard]] inline QWidget* controlledBox(const QString& title, QWidget* content,
                                            std::initializer_list<QWidget*> controls) {
    const TitledBox box = titledBox(title, content);
    auto* row = qobject_cast<QBoxLayout*>(box.title->parentWidget()->layout());
    int at = row->indexOf(box.title);
    for (QWidget* control : controls)
        row->insertWidget(++at, control);
    return box.widget;
}

} // namespace dynascope::views
