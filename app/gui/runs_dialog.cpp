// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/runs_dialog.h"

#include "views/base/nothing_matches.h"
#include "views/base/page_parts.h"
#include "views/workspace/labels.h"
#include "views/workspace/task_runner.h"

#include <QAction>
#include <QDir>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSpinBox>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

namespace dynascope::app {

using namespace views;

namespace {

constexpr int keptAtFirst = 20, mostKept = 100'000;

std::vector<RunRow> rowsOf(std::vector<runs::FoundRun> found) {
    std::vector<RunRow> out;
    out.reserve(found.size());
    for (runs::FoundRun& run : found) {
        cli::CaptureFiles files = cli::captureFiles(run.path);
        out.push_back({std::move(run), files});
    }
    return out;
}

/// Whether somebody could open it.
bool holdsCapture(const RunRow& row) {
    return row.files.traces + row.files.recordings + row.files.passes + row.files.memories > 0;
}

QPushButton* button(const QString& text, const char* name, const QString& tip) {
    auto* out = new QPushButton(text);
    out->setObjectName(QLatin1String(name));
    out->setToolTip(tip);
    out->setAutoDefault(false); // Return is the table's
    return out;
}

} // namespace

RunsDialog::RunsDialog(TaskRunner& tasks, Theme& theme, QWidget* parent)
    : QDialog(parent)
    , m_tasks(tasks)
    , m_theme(theme)
    , m_model(new RunsModel(theme, this))
    , m_shown(new QSortFilterProxyModel(this))
    , m_folder(new QLineEdit)
    , m_filter(new QLineEdit)
    , m_table(new QTableView)
    , m_note(plainLabel({}, "label"))
    , m_keep(new QSpinBox)
    , m_open(button(tr("Open"), "runs.open", tr("Open the selected run (Return)")))
    , m_compare(button(tr("Compare"), "runs.compare",
                       tr("What tells the two selected runs apart, the older first (C)")))
    , m_follow(button(tr("Follow"), "runs.follow",
                      tr("Open the trace of a run that has not ended, and read it on as it grows (F)")))
    , m_remove(
          button(tr("Remove older..."), "runs.remove",
                 tr("Remove the folders of all runs that have ended but the newest, after a question; what "
                    "has not ended stays"))) {
    setWindowTitle(tr("Runs"));
    setSizeGripEnabled(true);
    makeTable();
    makeRows();
    makeKeys();
    connect(&m_theme, &Theme::changed, this, &RunsDialog::restyle);
    restyle();
    update();
    resize(m_theme.scaled(1240), m_theme.scaled(520));
}

void RunsDialog::makeTable() {
    m_shown->setSourceModel(m_model);
    m_shown->setSortRole(RunsModel::SortRole);
    m_shown->setFilterKeyColumn(-1);
    m_shown->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_table->setObjectName(QStringLiteral("runs.table"));
    m_table->setAccessibleName(tr("Runs"));
    m_table->setModel(m_shown);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(RunsModel::Started, Qt::DescendingOrder);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->setTabKeyNavigation(false);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->verticalHeader()->hide();
    m_table->horizontalHeader()->setSectionResizeMode(RunsModel::Command, QHeaderView::Stretch);
    m_table->horizontalHeader()->setHighlightSections(false);
    connect(m_table, &QTableView::activated, this, &RunsDialog::openSelected);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &RunsDialog::update);

    m_filter->setObjectName(QStringLiteral("runs.filter"));
    m_filter->setPlaceholderText(tr("Filter by name, command, end"));
    m_filter->setAccessibleName(tr("Filter runs"));
    m_filter->setClearButtonEnabled(true);
    m_filter->installEventFilter(this);
    connect(m_filter, &QLineEdit::textChanged, m_shown, &QSortFilterProxyModel::setFilterFixedString);
    connect(m_filter, &QLineEdit::textChanged, this, &RunsDialog::update);
    m_empty = new EmptyMessage(m_theme, *m_table);
    m_empty->setObjectName(QStringLiteral("runs.empty"));
    new NothingMatches(m_theme, *m_table, *m_filter, tr("No run matches %1."));
}

void RunsDialog::makeRows() {
    m_folder->setObjectName(QStringLiteral("runs.folder"));
    m_folder->setAccessibleName(tr("Folder of the runs"));
    connect(m_folder, &QLineEdit::returnPressed, this, [this] {
        emit folderChosen(folder());
        readAgain();
    });
    auto* browseButton =
        button(tr("Browse..."), "runs.browse", tr("Choose the folder, as run --into was given it"));
    connect(browseButton, &QPushButton::clicked, this, &RunsDialog::browse);
    auto* again = button(tr("Read again"), "runs.again", tr("List the folder as it is now (F5)"));
    connect(again, &QPushButton::clicked, this, &RunsDialog::readAgain);
    auto* top = new QHBoxLayout;
    top->addWidget(m_folder, 2);
    top->addWidget(browseButton);
    top->addWidget(again);
    top->addWidget(m_filter, 1);

    m_keep->setObjectName(QStringLiteral("runs.keep"));
    m_keep->setAccessibleName(tr("Runs to keep"));
    m_keep->setRange(0, mostKept);
    m_keep->setValue(keptAtFirst);
    m_keep->setPrefix(tr("keep "));
    m_keep->setToolTip(tr("So many of the newest that have ended stay"));
    connect(m_keep, &QSpinBox::valueChanged, this, &RunsDialog::update);
    m_note->setObjectName(QStringLiteral("runs.note"));
    m_note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* close = button(tr("Close"), "runs.close", {});
    connect(close, &QPushButton::clicked, this, &QDialog::hide);
    connect(m_open, &QPushButton::clicked, this, &RunsDialog::openSelected);
    connect(m_compare, &QPushButton::clicked, this, &RunsDialog::compareSelected);
    connect(m_follow, &QPushButton::clicked, this, &RunsDialog::followSelected);
    connect(m_remove, &QPushButton::clicked, this, &RunsDialog::askToRemove);
    auto* bottom = new QHBoxLayout;
    bottom->addWidget(m_note, 1);
    bottom->addWidget(m_keep);
    for (QPushButton* one : {m_remove, m_follow, m_compare, m_open, close})
        bottom->addWidget(one);
    auto* column = new QVBoxLayout(this);
    column->setSpacing(12);
    column->addLayout(top);
    column->addWidget(m_table, 1);
    column->addLayout(bottom);
    m_table->setFocus();
}

void RunsDialog::makeKeys() {
    const auto add = [this](QWidget* where, const QList<QKeySequence>& keys, Qt::ShortcutContext context,
                            const std::function<void()>& does) {
        auto* action = new QAction(where);
        action->setShortcuts(keys);
        action->setShortcutContext(context);
        connect(action, &QAction::triggered, this, does);
        where->addAction(action);
    };
    add(m_table, {QKeySequence(Qt::Key_C)}, Qt::WidgetShortcut, [this] { compareSelected(); });
    add(m_table, {QKeySequence(Qt::Key_F)}, Qt::WidgetShortcut, [this] { followSelected(); });
    add(m_table, {QKeySequence(Qt::Key_Slash)}, Qt::WidgetShortcut, [this] { m_filter->setFocus(); });
    add(this, {QKeySequence(Qt::CTRL | Qt::Key_F)}, Qt::WindowShortcut, [this] { m_filter->setFocus(); });
    add(this, {QKeySequence(Qt::Key_F5)}, Qt::WindowShortcut, [this] { readAgain(); });
}

bool RunsDialog::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_filter && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Down || key == Qt::Key_Return || key == Qt::Key_Enter) {
            if (m_table->selectionModel()->selectedRows().isEmpty()) m_table->selectRow(0);
            m_table->setFocus();
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

void RunsDialog::restyle() {
    m_table->verticalHeader()->setDefaultSectionSize(m_theme.scaled(24));
    constexpr std::pair<int, int> widths[] = {
        {RunsModel::Name, 180},  {RunsModel::Started, 144}, {RunsModel::End, 112},
        {RunsModel::Took, 64},   {RunsModel::Compiles, 84}, {RunsModel::Recompiles, 96},
        {RunsModel::Breaks, 72}, {RunsModel::Holds, 190},   {RunsModel::Size, 80}};
    for (const auto& [column, width] : widths)
        m_table->setColumnWidth(column, m_theme.scaled(width));
}

QString RunsDialog::folder() const {
    return QDir::cleanPath(m_folder->text().trimmed());
}

void RunsDialog::browse() {
    const QString chosen = QFileDialog::getExistingDirectory(this, tr("Folder of the runs"), folder());
    if (chosen.isEmpty()) return;
    emit folderChosen(chosen);
    setFolder(chosen);
}

void RunsDialog::setFolder(const QString& folder) {
    m_folder->setText(QDir::toNativeSeparators(folder));
    m_problem.clear();
    m_tasks.cancel(QStringLiteral("runs.read"));
    m_tasks.run<Result<std::vector<RunRow>>>(
        QStringLiteral("runs.list"), this,
        [path = folder.toStdString()](const TaskContext&) -> Result<std::vector<RunRow>> {
            return runs::runsIn(path).map(rowsOf);
        },
        [this, folder](Result<std::vector<RunRow>> rows) { takeList(folder, std::move(rows)); });
    update();
}

void RunsDialog::takeList(const QString& folder, Result<std::vector<RunRow>> rows) {
    std::vector<RunRow> taken;
    if (rows) taken = std::move(*rows);
    for (RunRow& row : taken) { // what has not changed need not be read again
        const auto known =
            std::ranges::find(m_model->rows(), row.run.path, [](const RunRow& one) { return one.run.path; });
        if (known != m_model->rows().end() && known->files.bytes == row.files.bytes)
            row.summary = known->summary;
    }
    std::vector<std::string> chosen;
    for (const RunRow* row : selected())
        chosen.push_back(row->run.path);
    m_model->setRows(std::move(taken));
    for (int i = 0; i < m_shown->rowCount(); ++i) {
        const RunRow& row = m_model->rows()[std::size_t(m_shown->mapToSource(m_shown->index(i, 0)).row())];
        if (std::ranges::find(chosen, row.run.path) != chosen.end())
            m_table->selectionModel()->select(m_shown->index(i, 0),
                                              QItemSelectionModel::Select | QItemSelectionModel::Rows);
    }
    if (chosen.empty() && m_shown->rowCount() > 0) m_table->selectRow(0);
    m_empty->setWord(
        m_model->rows().empty()
            ? (rows ? tr("No run is in %1.").arg(folder)
                    : tr("%1: %2.").arg(folder, toQString(rows.error().message))) +
                  tr(" dynascope-cli run -- python train.py makes one in dynascope-runs where it is called: "
                     "the "
                     "trace and a recording, what ran, and how it ended, in a folder of its own.")
            : QString(),
        tr("Choose another folder..."), [this] { browse(); });
    readNext();
}

void RunsDialog::readNext() {
    update();
    const auto& rows = m_model->rows();
    const auto next = std::find_if(rows.rbegin(), rows.rend(),
                                   [](const RunRow& row) { return !row.summary && row.run.record; });
    if (next == rows.rend()) return;
    m_tasks.run<runs::RunSummary>(
        QStringLiteral("runs.read"), this,
        [run = next->run](const TaskContext& task) { return runs::summaryOf(run, task); },
        [this, path = next->run.path](runs::RunSummary summary) {
            m_model->setSummary(path, std::move(summary));
            readNext();
        });
}

void RunsDialog::hideEvent(QHideEvent* event) {
    m_tasks.cancel(QStringLiteral("runs.read")); // readAgain() goes on
    QDialog::hideEvent(event);
}

std::vector<const RunRow*> RunsDialog::selected() const {
    std::vector<int> rows;
    for (const QModelIndex& index : m_table->selectionModel()->selectedRows())
        rows.push_back(m_shown->mapToSource(index).row());
    std::ranges::sort(rows); // runsIn() has them by their start
    std::vector<const RunRow*> out;
    out.reserve(rows.size());
    for (const int row : rows)
        out.push_back(&m_model->rows()[std::size_t(row)]);
    return out;
}

void RunsDialog::openSelected() {
    for (const RunRow* row : selected())
        if (holdsCapture(*row)) emit openRequested(toQString(row->run.path));
}

void RunsDialog::compareSelected() {
    const std::vector<const RunRow*> two = selected();
    if (m_compare->isEnabled())
        emit compareRequested(toQString(two.front()->run.path), toQString(two.back()->run.path));
}

void RunsDialog::followSelected() {
    if (!m_follow->isEnabled()) return;
    const std::string path = runs::followedPath(selected().front()->run.path);
    if (!path.empty()) emit followRequested(toQString(path));
}

std::vector<std::string> RunsDialog::removable() const {
    std::vector<runs::FoundRun> all;
    for (const RunRow& row : m_model->rows())
        all.push_back(row.run);
    std::vector<std::string> out;
    for (const runs::FoundRun* run : runs::runsBeyond(all, std::size_t(m_keep->value())))
        out.push_back(run->path);
    return out;
}

void RunsDialog::askToRemove() {
    const std::vector<std::string> paths = removable();
    if (paths.empty()) return;
    std::uint64_t bytes = 0;
    for (const RunRow& row : m_model->rows())
        if (std::ranges::find(paths, row.run.path) != paths.end()) bytes += row.files.bytes;
    auto* question = new QMessageBox(this);
    question->setObjectName(QStringLiteral("runs.question"));
    question->setAttribute(Qt::WA_DeleteOnClose);
    question->setWindowTitle(tr("Remove runs"));
    question->setTextFormat(Qt::PlainText);
    question->setText(tr("Remove %1, %2, from %3?")
                          .arg(countText(paths.size(), tr("run"), tr("runs")), bytesText(bytes), folder()));
    question->setInformativeText(tr("Their folders are deleted with all that is in them. The newest %1 that "
                                    "have ended stay, and what has "
                                    "not ended.")
                                     .arg(m_keep->value()));
    QPushButton* yes = question->addButton(tr("Remove"), QMessageBox::DestructiveRole);
    yes->setObjectName(QStringLiteral("runs.yes"));
    question->setDefaultButton(question->addButton(QMessageBox::Cancel));
    connect(yes, &QPushButton::clicked, this, [this, paths] { remove(paths); });
    question->open();
}

void RunsDialog::remove(const std::vector<std::string>& paths) {
    m_tasks.cancel(QStringLiteral("runs.read"));
    m_tasks.run<std::string>(
        QStringLiteral("runs.remove"), this,
        [paths](const TaskContext&) {
            for (const std::string& path : paths)
                if (const Result<void> gone = runs::removeRun(path); !gone) return gone.error().toString();
            return std::string();
        },
        [this](const std::string& problem) {
            readAgain();
            m_problem = problem;
            update();
        });
}

void RunsDialog::update() {
    const std::vector<const RunRow*> chosen = selected();
    const auto holds = [](const RunRow* row) { return holdsCapture(*row); };
    m_open->setEnabled(std::ranges::any_of(chosen, holds));
    m_compare->setEnabled(chosen.size() == 2 && std::ranges::all_of(chosen, holds));
    m_follow->setEnabled(chosen.size() == 1 && chosen.front()->run.record &&
                         !chosen.front()->run.record->exitStatus && chosen.front()->files.traces > 0);
    m_remove->setEnabled(!removable().empty());
    const auto& rows = m_model->rows();
    const auto unread =
        std::ranges::count_if(rows, [](const RunRow& row) { return !row.summary && row.run.record; });
    const auto goesOn = std::ranges::count_if(
        rows, [](const RunRow& row) { return row.run.record && !row.run.record->exitStatus; });
    QStringList words{countText(rows.size(), tr("run"), tr("runs"))};
    if (goesOn > 0) words << tr("%1 not ended").arg(goesOn);
    if (unread > 0) words << tr("reading %1 of %2").arg(qsizetype(rows.size()) - unread + 1).arg(rows.size());
    if (m_tasks.isRunning(QStringLiteral("runs.list"))) words = {tr("Reading %1").arg(folder())};
    m_note->setText(m_problem.empty() ? words.join(tr(", ")) : toQString(m_problem));
}

} // namespace dynascope::app
