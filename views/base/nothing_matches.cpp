// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/nothing_matches.h"

#include "views/theme/theme.h"

#include <QAbstractItemView>
#include <QEvent>
#include <QLineEdit>

namespace dynascope::views {

NothingMatches::NothingMatches(Theme& theme, QAbstractItemView& view, QLineEdit& filter, QString what)
    : MessagePage(theme, view.viewport())
    , m_view(view)
    , m_filter(filter)
    , m_what(std::move(what)) {
    const QAbstractItemModel* model = view.model();
    connect(model, &QAbstractItemModel::modelReset, this, &NothingMatches::update);
    connect(model, &QAbstractItemModel::rowsInserted, this, &NothingMatches::update);
    connect(model, &QAbstractItemModel::rowsRemoved, this, &NothingMatches::update);
    connect(&filter, &QLineEdit::textChanged, this, &NothingMatches::update);
    view.viewport()->installEventFilter(this);
    update();
}

void NothingMatches::update() {
    const bool nothing = !m_filter.text().isEmpty() && m_view.model()->rowCount(m_view.rootIndex()) == 0;
    if (nothing) {
        setMessage(m_what.arg(m_filter.text()), tr("Clear the filter"), [this] { m_filter.clear(); });
        setGeometry(m_view.viewport()->rect());
    }
    setVisible(nothing);
}

bool NothingMatches::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) setGeometry(m_view.viewport()->rect());
    return MessagePage::eventFilter(watched, event);
}

} // namespace dynascope::views
