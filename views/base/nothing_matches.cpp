// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/nothing_matches.h"

#include "views/theme/theme.h"

#include <QAbstractItemView>
#include <QEvent>
#include <QLineEdit>

namespace dynascope::views {

EmptyMessage::EmptyMessage(Theme& theme, QAbstractItemView& view)
    : MessagePage(theme, view.viewport())
    , m_view(view) {
    const QAbstractItemModel* model = view.model();
    connect(model, &QAbstractItemModel::modelReset, this, &EmptyMessage::follow);
    connect(model, &QAbstractItemModel::rowsInserted, this, &EmptyMessage::follow);
    connect(model, &QAbstractItemModel::rowsRemoved, this, &EmptyMessage::follow);
    view.viewport()->installEventFilter(this);
    follow();
}

void EmptyMessage::setWord(const QString& text, const QString& linkText, std::function<void()> action) {
    setMessage(text, linkText, std::move(action));
    follow();
}

void EmptyMessage::follow() {
    setGeometry(m_view.viewport()->rect());
    setVisible(!text().isEmpty() && m_view.model()->rowCount(m_view.rootIndex()) == 0);
}

bool EmptyMessage::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) setGeometry(m_view.viewport()->rect());
    return MessagePage::eventFilter(watched, event);
}

NothingMatches::NothingMatches(Theme& theme, QAbstractItemView& view, QLineEdit& filter, const QString& what)
    : EmptyMessage(theme, view) {
    const auto say = [this, &filter, what] {
        if (filter.text().isEmpty()) return setWord({});
        setWord(what.arg(filter.text()), tr("Clear the filter"), [&filter] { filter.clear(); });
    };
    connect(&filter, &QLineEdit::textChanged, this, say);
    say();
}

} // namespace dynascope::views
