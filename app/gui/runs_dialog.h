// SPDX-License-Identifier: BSD-3-Clause
//
// File > Runs: what `dynascope-cli run` recorded into a folder, to open, compare, follow or remove.
#pragma once

#include "app/gui/runs_model.h"

#include <QDialog>

class QLabel;
class QLineEdit;
class QPushButton;
class QSortFilterProxyModel;
class QSpinBox;
class QTableView;

namespace dynascope::views {
class EmptyMessage;
class TaskRunner;
} // namespace dynascope::views

namespace dynascope::app {

/// Does not block the window: the folder is listed and its captures are read one by one on the TaskRunner (tags
/// "runs.list", "runs.read", "runs.remove"), the newest first. GUI thread only.
class RunsDialog : public QDialog {
    Q_OBJECT
public:
    RunsDialog(views::TaskRunner& tasks, views::Theme& theme, QWidget* parent = nullptr);

    [[nodiscard]] QString folder() const;
    /// Lists the runs in a folder; what is known of their captures stays known.
    void setFolder(const QString& folder);
    void readAgain() { setFolder(folder()); }

signals:
    void openRequested(const QString& path);
    void compareRequested(const QString& one, const QString& other); ///< the older one first
    void followRequested(const QString& path);                       ///< of what can be read on
    void folderChosen(const QString& folder);

protected:
    void hideEvent(QHideEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override; ///< of the filter: down to the table

private:
    void makeTable();
    void makeRows();
    void makeKeys();
    void browse();
    void takeList(const QString& folder, Result<std::vector<RunRow>> rows);
    void readNext();
    void openSelected();
    void compareSelected();
    void followSelected();
    void askToRemove();
    void remove(const std::vector<std::string>& paths);
    void update();
    void restyle();
    /// Those that are selected, by when they began.
    [[nodiscard]] std::vector<const RunRow*> selected() const;
    [[nodiscard]] std::vector<std::string> removable() const;

    views::TaskRunner& m_tasks;
    views::Theme& m_theme;
    RunsModel* m_model;
    QSortFilterProxyModel* m_shown;
    QLineEdit *m_folder, *m_filter;
    QTableView* m_table;
    views::EmptyMessage* m_empty = nullptr;
    QLabel* m_note;
    QSpinBox* m_keep;
    QPushButton *m_open, *m_compare, *m_follow, *m_remove;
    std::string m_problem; ///< why something could not be listed or removed
};

} // namespace dynascope::app
