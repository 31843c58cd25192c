// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/code_panel.h"

#include "views/base/code_view.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QShortcut>
#include <QVBoxLayout>

namespace dynascope::views {

CodePanel::CodePanel(Workspace& workspace, Theme& theme, const QString& name, QWidget* parent)
    : Panel(workspace, theme, parent)
    , m_header(new QWidget)
    , m_row(new QHBoxLayout(m_header))
    , m_view(new CodeView(theme)) {
    m_header->setProperty("header", true);
    m_header->setAttribute(Qt::WA_StyledBackground);
    m_row->setContentsMargins(8, 2, 12, 2);
    m_row->setSpacing(10);
    m_view->setAccessibleName(name);
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_header);
    column->addWidget(m_view, 1);
    setContent(page);
    setFocusProxy(m_view);
    takeFilterKeys(m_view);
}

void CodePanel::focusFilter() {
    m_view->openFind();
}

QLabel* CodePanel::addHint() {
    auto* label = new QLabel;
    label->setTextFormat(Qt::PlainText);
    label->setProperty("role", "hint");
    label->setMinimumWidth(0);
    m_row->addWidget(label);
    return label;
}

void CodePanel::addDifferenceKeys() {
    for (const int direction : {1, -1}) {
        auto* key = new QShortcut(QKeySequence(direction > 0 ? Qt::Key_F7 : Qt::SHIFT | Qt::Key_F7), m_view);
        key->setContext(Qt::WidgetWithChildrenShortcut);
        connect(key, &QShortcut::activated, m_view, [this, direction] { m_view->nextDifference(direction); });
    }
}

QString CodePanel::lineCounts(const std::array<std::size_t, 6>& counts) {
    const auto count = [&](diff::Change change) { return counts[std::size_t(change)]; };
    return tr("+%1 −%2 ~%3 lines")
        .arg(count(diff::Change::Added))
        .arg(count(diff::Change::Removed))
        .arg(count(diff::Change::Changed));
}

} // namespace dynascope::views
