// SPDX-License-Identifier: BSD-3-Clause
#include "views/notes/notes_panel.h"

#include "views/base/icon_delegate.h"
#include "views/base/message_page.h"
#include "views/notes/note_places.h"
#include "views/theme/splitter.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSignalBlocker>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

namespace dynascope::views {

namespace {

/// A bookmark or a note in front of the place.
QIcon placeIcon(const Theme& theme, const QModelIndex& index) {
    const bool bookmarked = index.data(NotesModel::BookmarkedRole).toBool();
    return theme.icon(bookmarked ? QStringLiteral("bookmark") : QStringLiteral("note"));
}

} // namespace

NotesPanel::NotesPanel(Workspace& workspace, Notebook& notebook, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
    , m_notebook(notebook)
    , m_model(new NotesModel(workspace, notebook, this))
    , m_proxy(new QSortFilterProxyModel(this))
    , m_list(new QTreeView)
    , m_filter(addFilter(tr("Filter notes"), m_list))
    , m_listOrMessage(new QStackedWidget)
    , m_listMessage(new MessagePage(theme))
    , m_about(new QComboBox)
    , m_bookmark(new QToolButton)
    , m_editor(new QPlainTextEdit) {
    m_list->setObjectName(QStringLiteral("notes.list"));
    m_listMessage->setObjectName(QStringLiteral("notes.message"));
    m_about->setObjectName(QStringLiteral("notes.about"));
    m_editor->setObjectName(QStringLiteral("notes.editor"));
    auto* split = new Splitter(Qt::Horizontal);
    split->addWidget(makeList());
    split->addWidget(makeEditor());
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    split->setChildrenCollapsible(false);
    setContent(split);

    for (const auto signal : {&Workspace::stagesChanged, &Workspace::computedChanged})
        connect(&workspace, signal, this, &Panel::invalidate);
    connect(&workspace, &Workspace::nodeSelected, this, &Panel::invalidate);
    connect(&m_notebook, &Notebook::changed, this, &Panel::invalidate);
    restyle();
}

QWidget* NotesPanel::makeList() {
    m_proxy->setSourceModel(m_model);
    m_proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_proxy->setFilterKeyColumn(-1);
    m_proxy->setSortRole(NotesModel::SortRole);
    m_proxy->setSortCaseSensitivity(Qt::CaseInsensitive);
    m_list->setModel(m_proxy);
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_list->setItemDelegate(new IconDelegate(
        theme(), NotesModel::Place,
        [this](const QModelIndex& index) { return placeIcon(this->theme(), index); }, m_list));
    m_list->setAccessibleName(tr("Notes and bookmarks"));
    m_list->setSortingEnabled(true);
    m_list->sortByColumn(-1, Qt::AscendingOrder);
    QHeaderView* header = m_list->header();
    header->setStretchLastSection(false);
    header->setMinimumSectionSize(theme().scaled(60));
    header->setSectionResizeMode(NotesModel::Text, QHeaderView::Stretch);
    header->resizeSection(NotesModel::Place, theme().scaled(210));
    header->resizeSection(NotesModel::Frame, theme().scaled(130));
    header->resizeSection(NotesModel::Changed, theme().scaled(118));
    header->resizeSection(NotesModel::CaptureName, theme().scaled(110));
    addCopyRows(m_list, [](const QModelIndex& row) {
        // The note as it was written, lines and all.
        const QString note = row.data(NotesModel::NoteRole).toString();
        const auto cell = [&row](int column) { return row.siblingAtColumn(column).data().toString(); };
        return QStringList{cell(NotesModel::Place), note, cell(NotesModel::Frame),
                           cell(NotesModel::CaptureName)}
            .join(u'\t');
    });
    auto* remove = new QAction(tr("Delete"), m_list);
    remove->setShortcut(QKeySequence(Qt::Key_Delete));
    remove->setShortcutContext(Qt::WidgetShortcut);
    connect(remove, &QAction::triggered, this, &NotesPanel::removeSelected);
    m_list->addAction(remove);
    connect(m_filter, &QLineEdit::textChanged, m_proxy, &QSortFilterProxyModel::setFilterFixedString);
    connect(m_filter, &QLineEdit::textChanged, this, &NotesPanel::refreshList);
    connect(m_list, &QTreeView::clicked, this, &NotesPanel::open);
    connect(m_list, &QTreeView::activated, this, &NotesPanel::open);

    m_listOrMessage->addWidget(m_list);
    m_listOrMessage->addWidget(m_listMessage);
    m_filter->setMaximumWidth(theme().scaled(260));
    auto* left = new QWidget;
    auto* box = new QVBoxLayout(left);
    box->setContentsMargins(0, 0, 0, 0);
    box->setSpacing(0);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(8, 5, 8, 5);
    bar->addWidget(m_filter);
    bar->addStretch(1);
    box->addLayout(bar);
    box->addWidget(m_listOrMessage, 1);
    return left;
}

QWidget* NotesPanel::makeEditor() {
    m_about->setAccessibleName(tr("What the note is about"));
    m_about->setToolTip(tr("What the note is about"));
    m_about->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_about->setMinimumContentsLength(12);
    m_bookmark->setObjectName(QStringLiteral("bookmarkHere"));
    m_bookmark->setCheckable(true);
    m_bookmark->setAutoRaise(true);
    m_bookmark->setToolTip(tr("Bookmark (Ctrl+B)"));
    m_bookmark->setAccessibleName(tr("Bookmark"));
    m_editor->setPlaceholderText(tr("Write a note here. It is kept as you type."));
    m_editor->setAccessibleName(tr("Note"));
    m_editor->setTabChangesFocus(true);
    connect(m_about, &QComboBox::currentIndexChanged, this, &NotesPanel::showNote);
    connect(m_bookmark, &QToolButton::clicked, this, [this] {
        if (const int at = m_about->currentIndex(); at >= 0)
            m_notebook.toggleBookmark(m_capture, m_here[std::size_t(at)]);
    });
    connect(m_editor, &QPlainTextEdit::textChanged, this, &NotesPanel::write);

    auto* right = new QWidget;
    auto* box = new QVBoxLayout(right);
    box->setContentsMargins(0, 0, 0, 0);
    box->setSpacing(0);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(8, 5, 8, 5);
    bar->addWidget(m_about, 1);
    bar->addWidget(m_bookmark);
    box->addLayout(bar);
    box->addWidget(m_editor, 1);
    return right;
}

void NotesPanel::restyle() {
    m_bookmark->setIcon(theme().icon(QStringLiteral("bookmark")));
}

void NotesPanel::editHere() {
    refresh();
    if (m_about->count() > 0) m_about->setCurrentIndex(0);
    m_editor->setFocus(Qt::ShortcutFocusReason);
}

void NotesPanel::refreshList() {
    if (m_model->rowCount() == 0)
        m_listMessage->setMessage(tr("No note yet. Select a node and write beside this, or press "
                                     "Ctrl+Shift+N. Ctrl+B bookmarks it."),
                                  {}, {});
    else if (m_proxy->rowCount() == 0)
        m_listMessage->setMessage(tr("No note matches %1.").arg(m_filter->text()), tr("Clear the filter"),
                                  [this] { m_filter->clear(); });
    m_listOrMessage->setCurrentWidget(m_proxy->rowCount() == 0 ? static_cast<QWidget*>(m_listMessage)
                                                               : m_list);
}

void NotesPanel::refresh() {
    if (showNothingOpen()) return;
    showContent();
    refreshList();
    const std::vector<ir::Address> here = addressesHere(workspace());
    const int capture = workspace().place().capture;
    if (here != m_here || capture != m_capture) {
        m_here = here;
        m_capture = capture;
        const QSignalBlocker quiet(m_about);
        m_about->clear();
        for (const ir::Address& address : m_here)
            m_about->addItem(addressTitle(*workspace().session(), address));
    }
    showNote();
}

void NotesPanel::showNote() {
    const int at = m_about->currentIndex();
    const bool somewhere = at >= 0 && at < int(m_here.size());
    m_editor->setEnabled(somewhere);
    m_bookmark->setEnabled(somewhere);
    const ir::Address address = somewhere ? m_here[std::size_t(at)] : ir::Address();
    m_bookmark->setChecked(somewhere && m_notebook.isBookmarked(m_capture, address));
    const QString note = somewhere ? m_notebook.note(m_capture, address) : QString();
    const QString shown = m_editor->toPlainText();
    // It is being written; a note of blanks only is none.
    if (note == shown || (note.isEmpty() && shown.trimmed().isEmpty() && m_editor->hasFocus())) return;
    const QSignalBlocker quiet(m_editor);
    m_editor->setPlainText(note);
}

void NotesPanel::write() {
    const int at = m_about->currentIndex();
    if (at >= 0 && at < int(m_here.size()))
        m_notebook.setNote(m_capture, m_here[std::size_t(at)], m_editor->toPlainText());
}

void NotesPanel::removeSelected() {
    // By value: removing reloads the list.
    std::map<int, std::vector<ir::Address>> chosen;
    for (const QModelIndex& index : m_list->selectionModel()->selectedRows()) {
        const NotesModel::Row& row = m_model->rows()[std::size_t(m_proxy->mapToSource(index).row())];
        chosen[row.capture].push_back(row.address);
    }
    for (const auto& [capture, addresses] : chosen)
        m_notebook.remove(capture, addresses);
}

void NotesPanel::open(const QModelIndex& index) {
    const int row = m_proxy->mapToSource(index).row();
    if (row < 0) return;
    if (m_list->selectionModel()->selectedRows().size() > 1)
        return; // rows are being chosen to copy or delete
    const NotesModel::Row chosen = m_model->rows()[std::size_t(row)]; // going there may reload the list
    if (!goToAddress(workspace(), chosen.capture, chosen.address))
        emit placeMissing(chosen.capture, chosen.address);
}

} // namespace dynascope::views
