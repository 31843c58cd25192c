// SPDX-License-Identifier: BSD-3-Clause
//
// Notes and bookmarks: a list to jump from, and a field for the note at the selected place.
#pragma once

#include "views/base/panel.h"
#include "views/notes/notes_model.h"

class QComboBox;
class QLineEdit;
class QPlainTextEdit;
class QSortFilterProxyModel;
class QStackedWidget;
class QToolButton;
class QTreeView;

namespace dynascope::views {

class MessagePage;

class NotesPanel : public Panel {
    Q_OBJECT
public:
    NotesPanel(Workspace& workspace, Notebook& notebook, Theme& theme, QWidget* parent = nullptr);

    /// Puts the cursor into the note of the selected place.
    void editHere();
    /// What the note is about: the node, its stage, its frame.

signals:
    /// Chosen in the list, and not there (any more): a computed stage.
    void placeMissing(int capture, const dynascope::ir::Address& address);

protected:
    void refresh() override;
    void restyle() override;

private:
    [[nodiscard]] QWidget* makeList();
    [[nodiscard]] QWidget* makeEditor();
    void refreshList();
    void showNote();
    void open(const QModelIndex& index);
    void write();
    void removeSelected();

    Notebook& m_notebook;
    NotesModel* m_model;
    QSortFilterProxyModel* m_proxy;
    QTreeView* m_list;
    QLineEdit* m_filter;
    QStackedWidget* m_listOrMessage;
    MessagePage* m_listMessage;
    QComboBox* m_about;
    QToolButton* m_bookmark;
    QPlainTextEdit* m_editor;
    int m_capture = -1;
    std::vector<ir::Address> m_here; ///< what m_about offers
};

} // namespace dynascope::views
