// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/nothing_matches.h"

#include "views/theme/theme.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractProxyModel>
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
    setVisible(!text().isEmpty() && isEmpty());
}

bool EmptyMessage::isEmpty() const {
    return m_view.model()->rowCount(m_view.rootIndex()) == 0;
}

bool EmptyMessage::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) setGeometry(m_view.viewport()->rect());
    return MessagePage::eventFilter(watched, event);
}

NothingMatches::NothingMatches(Theme& theme, QAbstractItemView& view, QLineEdit& filter, const QString& what)
    : EmptyMessage(theme, view)
    , m_filter(filter)
    , m_what(what) {
    connect(&filter, &QLineEdit::textChanged, this, &NothingMatches::say);
    say();
}

void NothingMatches::narrowBy(QAbstractButton& box, const QString& alone, const QString& typed) {
    m_box = &box;
    m_alone = alone;
    m_typed = typed;
    connect(&box, &QAbstractButton::toggled, this, &NothingMatches::say);
    say();
}

bool NothingMatches::isEmpty() const {
    if (!EmptyMessage::isEmpty()) return false;
    const auto* proxy = qobject_cast<const QAbstractProxyModel*>(view().model());
    return !proxy || proxy->sourceModel()->rowCount(proxy->mapToSource(view().rootIndex())) > 0;
}

void NothingMatches::say() {
    const bool narrowed = m_box && m_box->isChecked();
    if (!m_filter.text().isEmpty())
        return setWord((narrowed ? m_typed : m_what).arg(m_filter.text()), tr("Clear the filter"),
                       [this] { m_filter.clear(); });
    if (!narrowed) return setWord({});
    setWord(m_alone, tr("Show all"), [this] { m_box->setChecked(false); });
}

} // namespace dynascope::views
