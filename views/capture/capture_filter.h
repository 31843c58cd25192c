// SPDX-License-Identifier: BSD-3-Clause
//
// Keeps the compiles of the capture tree that pass a filter, with everything above them.
#pragma once

#include "views/workspace/workspace.h"

#include <QSortFilterProxyModel>
#include <optional>
#include <set>
#include <utility>

namespace dynascope::views {

/// (capture, compile) pairs.
using CompileSet = std::set<std::pair<int, int>>;

class CaptureFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit CaptureFilter(QObject* parent = nullptr);
    /// Nothing: everything is shown.
    void setAccepted(std::optional<CompileSet> accepted);
    [[nodiscard]] bool isActive() const { return m_accepted.has_value(); }

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    std::optional<CompileSet> m_accepted;
};

} // namespace dynascope::views
