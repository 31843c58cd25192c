// SPDX-License-Identifier: BSD-3-Clause
//
// The left dock: the tree of everything that is open, and its filter.
#pragma once

#include "core/session/filter.h"
#include "views/capture/capture_filter.h"
#include "views/theme/theme.h"
#include "views/workspace/workspace.h"

#include <QPersistentModelIndex>
#include <QWidget>
#include <vector>

class QLabel;
class QStackedWidget;
class QTreeView;

namespace dynascope::views {

class CaptureModel;
class FilterEdit;

class CapturePanel : public QWidget {
    Q_OBJECT
public:
    CapturePanel(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);

    [[nodiscard]] QTreeView* tree() const { return m_tree; }
    [[nodiscard]] FilterEdit* filterEdit() const { return m_edit; }

signals:
    void closeRequested(int capture);

public slots:
    void focusFilter();
    void clearFilter();
    void expandAll();
    void collapseAll(); ///< to captures and frames

protected:
    bool eventFilter(QObject* watched, QEvent* event) override; ///< of the tree: its menu

private:
    [[nodiscard]] std::vector<session::FilterValue> moduleValues() const;
    void applyFilter();
    void setAccepted(std::optional<CompileSet> accepted);
    void open(const QModelIndex& index);
    void showCurrent();
    void expandNew(int capture);
    void updateState();
    void keepView(); ///< before a capture is replaced
    void restoreView();
    [[nodiscard]] std::size_t compileCount() const;

    Workspace& m_workspace;
    Theme& m_theme;
    CaptureModel* m_model;
    CaptureFilter* m_proxy;
    FilterEdit* m_edit;
    QLabel* m_error;
    QStackedWidget* m_stack;
    QTreeView* m_tree;
    QLabel* m_empty;
    /// While a capture is being replaced: the row at the top of the view, where it stood, and what came in.
    struct Kept {
        bool on = false;
        QPersistentModelIndex top;
        int y = 0;
        QPersistentModelIndex current;
        std::vector<QPersistentModelIndex> added;
    } m_kept;
};

} // namespace dynascope::views
