// SPDX-License-Identifier: BSD-3-Clause
//
// The table of compile metrics with its choice of columns.
#pragma once

#include "views/compile_time/metrics_model.h"
#include "views/theme/theme.h"

#include <QTableView>

class QToolButton;

namespace dynascope::views {

class ColumnChooser;

/// GUI thread only.
class MetricsView : public QTableView {
    Q_OBJECT
public:
    explicit MetricsView(Theme& theme, QWidget* parent = nullptr);

    void set(session::SessionPtr session, MetricTablePtr table);
    void setFilter(const QString& text);
    /// Selects the rows of a compile; -1 for none.
    void setCompile(int compile);
    /// A button that opens the choice; for the host to place.
    [[nodiscard]] QToolButton* columnsButton() const { return m_button; }
    [[nodiscard]] MetricsModel* metrics() const { return m_model; }
    /// The shown cells of a row with tabs between them, the compile first.
    [[nodiscard]] QString rowText(const QModelIndex& row) const;

signals:
    void compileActivated(int compile);
    void recordRequested(int record);

private:
    void restyle();
    void columnsChanged();
    void recordOfCurrent();

    Theme& m_theme;
    MetricsModel* m_model;
    MetricsFilter* m_filter;
    ColumnChooser* m_chooser;
    QToolButton* m_button;
    QString m_text;
};

} // namespace dynascope::views
