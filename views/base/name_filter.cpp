// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/name_filter.h"

#include "core/session/filter.h"

namespace dynascope::views {

NameFilter::NameFilter(int textRole, int nameRole, QObject* parent)
    : QSortFilterProxyModel(parent)
    , m_textRole(textRole)
    , m_nameRole(nameRole) {}

void NameFilter::setText(const QString& typed) {
    const QLatin1String key("module:");
    const bool named = typed.trimmed().startsWith(key, Qt::CaseInsensitive);
    m_text = named ? QString() : typed;
    m_name = (named ? typed.trimmed().mid(key.size()) : typed).trimmed().toLower().toStdString();
    invalidateFilter();
}

bool NameFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    if (m_text.isEmpty() && m_name.empty()) return true;
    const QModelIndex index = sourceModel()->index(row, 0, parent);
    if (!m_text.isEmpty() && index.data(m_textRole).toString().contains(m_text, Qt::CaseInsensitive))
        return true;
    const std::string name = m_name.empty() ? std::string() : index.data(m_nameRole).toString().toStdString();
    return !name.empty() && session::matchesModule(m_name, name);
}

} // namespace dynascope::views
