// SPDX-License-Identifier: BSD-3-Clause
//
// The guard tree of one compile: managers by source, their checks below, and checks that Dynamo adds to every
// frame in a group of their own.
#pragma once

#include "core/session/session.h"
#include "views/base/item_tree_model.h"

#include <string_view>

namespace dynascope::views {

struct GuardItem : TreeItem {
    const session::Guard* guard = nullptr; ///< null for the group of ambient checks
    bool failed = false;
};

/// GUI thread only.
class GuardsModel : public ItemTreeModel<GuardItem> {
    Q_OBJECT
public:
    enum Column { Source, Type, Check, AddedBy, ColumnCount };
    /// Of any column. CopyRole is the guard as PyTorch prints it, NameRole its source with modules by their qualified
    /// names, as the table shows sources and checks, SearchRole all that the filter looks through.
    enum Role { FailedRole = Qt::UserRole, FileRole, LineRole, SearchRole, NameRole, CopyRole };

    explicit GuardsModel(QObject* parent = nullptr);
    /// Guards that a reason of `recompiles` names are marked as failed.
    void setGuards(session::SessionPtr session, std::size_t compile);
    void clear();
    [[nodiscard]] int failedCount() const { return m_failed; }
    [[nodiscard]] int checkCount() const { return m_checks; }

    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    int add(int parent, const session::Guard* guard);

    session::SessionPtr m_session;
    int m_failed = 0, m_checks = 0;
};

/// True where a reason of recompilation names this guard: its check's text, or its source in quotes or whole.
[[nodiscard]] bool guardMatchesReason(const session::Guard& guard, std::string_view reason);

} // namespace dynascope::views
