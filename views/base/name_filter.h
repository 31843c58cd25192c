// SPDX-License-Identifier: BSD-3-Clause
//
// The filter of a list whose rows may be about modules and parameters.
#pragma once

#include <QSortFilterProxyModel>

namespace dynascope::views {

/// Lets rows through that hold what was typed anywhere in their text, in either case, or whose module or parameter is
/// meant by it: "layers.12.q_proj" means "model.layers.12.self_attn.q_proj.weight". After "module:" only the latter
/// counts, as in the capture tree. Both texts are the first column's, each of a role of the source model. GUI thread
/// only.
class NameFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    NameFilter(int textRole, int nameRole, QObject* parent = nullptr);
    void setText(const QString& typed);

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    int m_textRole, m_nameRole;
    QString m_text;     ///< empty after "module:"
    std::string m_name; ///< lower case
};

} // namespace dynascope::views
