// SPDX-License-Identifier: BSD-3-Clause
#include "views/breaks/breaks_page.h"

#include "core/session/compile_counts.h"
#include "core/session/resume.h"
#include "views/base/aligned_text.h"
#include "views/base/bytecode_panel.h"
#include "views/base/code_view.h"
#include "views/base/page_parts.h"
#include "views/base/source_text.h"
#include "views/breaks/break_facts.h"
#include "views/breaks/break_run_times.h"
#include "views/breaks/cut_strip.h"
#include "views/breaks/reasons_model.h"
#include "views/inspector/fact_view.h"
#include "views/inspector/inspector_panel.h"
#include "views/theme/splitter.h"
#include "views/workspace/break_place.h"
#include "views/workspace/labels.h"

#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSaveFile>
#include <QScrollArea>
#include <QStackedWidget>
#include <QStandardItemModel>
#include <QTabBar>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>
#include <array>
#include <set>
#include <string_view>

namespace dynascope::views {

namespace {

constexpr int compileRole = Qt::UserRole + 1;

QString cutTitle(const session::Session& session, const std::vector<session::CutRow>& rows) {
    std::set<std::string_view> functions;
    for (const session::CutRow& row : rows)
        functions.insert(session::originalFunction(session.compiles[row.root].function));
    if (functions.size() > 1)
        return BreaksPage::tr("How the breaks cut %1 functions into graphs").arg(functions.size());
    return functions.empty() || functions.begin()->empty()
               ? BreaksPage::tr("How the breaks cut the frame into graphs")
               : BreaksPage::tr("How the breaks cut %1 into graphs")
                     .arg(toQString(std::string(*functions.begin())));
}

} // namespace

struct BreaksPage::Private {
    FigureRow* figures = nullptr;
    QLineEdit* filter = nullptr;
    QPushButton* save = nullptr;
    QLabel* stripTitle = nullptr;
    CutStrip* strip = nullptr;
    QScrollArea* stripScroll = nullptr;
    QTableView* table = nullptr;
    ReasonsModel* model = nullptr;
    ReasonsFilter* proxy = nullptr;
    QToolButton *byCost = nullptr, *byOrder = nullptr;
    QLabel* noMatch = nullptr;
    QTabBar* tabs = nullptr;
    QStackedWidget* pages = nullptr;
    CodeView *source = nullptr, *bytecode = nullptr, *raw = nullptr;
    QTreeView* frames = nullptr;
    QStandardItemModel* frameModel = nullptr;
    FactView* detail = nullptr;
    QVBoxLayout* left = nullptr;
    session::SessionPtr session;
    SourceText text;
    int group = -1;
};

BreaksPage::BreaksPage(Workspace& workspace, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
    , d(std::make_unique<Private>()) {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    d->figures = new FigureRow;
    column->addWidget(d->figures);
    auto* split = new Splitter(Qt::Horizontal);
    auto* leftSide = new QWidget;
    d->left = new QVBoxLayout(leftSide);
    d->left->setContentsMargins(0, 0, 0, 0);
    d->left->setSpacing(0);
    auto* rightSide = new QWidget;
    auto* right = new QVBoxLayout(rightSide);
    right->setContentsMargins(0, 0, 0, 0);
    right->setSpacing(0);
    QHBoxLayout* rightHeader = nullptr;
    right->addWidget(headerBar(rightHeader));
    rightHeader->addWidget(plainLabel(tr("Graph break"), "strong"));
    d->detail = new FactView(theme);
    d->detail->setAccessibleName(tr("Graph break"));
    right->addWidget(d->detail, 1);
    split->addWidget(leftSide);
    split->addWidget(rightSide);
    split->setStretchFactor(0, 1);
    split->setStretchFactor(1, 0);
    split->setSizes({1000, theme.scaled(330)});
    split->setCollapsible(0, false);
    column->addWidget(split, 1);
    buildFigures();
    buildReasons();
    buildDetails();
    setContent(page);
    connect(d->detail, &FactView::followed, this,
            [this](const QString& target) { followLink(this->workspace(), target); });
    restyle();
}

BreaksPage::~BreaksPage() = default;

void BreaksPage::buildFigures() {
    d->table = new QTableView;
    d->table->setObjectName(QStringLiteral("breaks.table"));
    d->filter = addFilter(tr("Filter reasons"), d->table);
    setFocusProxy(d->table);
    d->filter->setMaximumWidth(190);
    d->save = new QPushButton(tr("Export"));
    d->save->setToolTip(tr("Write the table of reasons as CSV"));
    d->figures->row()->addWidget(d->filter);
    d->figures->row()->addWidget(d->save);
    connect(d->save, &QPushButton::clicked, this, [this] {
        const QString path =
            QFileDialog::getSaveFileName(this, tr("Export graph breaks"), QStringLiteral("graph_breaks.csv"));
        if (!path.isEmpty()) exportTo(path);
    });
}

void BreaksPage::buildReasons() {
    QHBoxLayout* row = nullptr;
    d->left->addWidget(headerBar(row));
    d->stripTitle = plainLabel({}, "strong");
    row->addWidget(d->stripTitle);
    row->addStretch(1);
    row->addWidget(plainLabel(tr("width is compile time, a number is the line of the break"), "hint"));
    d->strip = new CutStrip(theme());
    d->stripScroll = new QScrollArea;
    d->stripScroll->setWidgetResizable(true);
    d->stripScroll->setFrameShape(QFrame::NoFrame);
    d->stripScroll->setWidget(d->strip);
    d->left->addWidget(d->stripScroll);

    d->left->addWidget(headerBar(row));
    row->addWidget(plainLabel(tr("Reasons by cost"), "strong"));
    row->addStretch(1);
    const auto chip = [&](const QString& text, int column, Qt::SortOrder order) {
        auto* button = new QToolButton;
        button->setText(text);
        button->setCheckable(true);
        button->setAutoExclusive(true);
        button->setProperty("chip", true);
        connect(button, &QToolButton::clicked, this,
                [this, column, order] { d->table->sortByColumn(column, order); });
        row->addWidget(button);
        return button;
    };
    d->byCost = chip(tr("Cost"), ReasonsModel::Seconds, Qt::DescendingOrder);
    d->byOrder = chip(tr("Order of appearance"), ReasonsModel::Rank, Qt::AscendingOrder);
    d->byCost->setChecked(true);

    d->model = new ReasonsModel(this);
    d->proxy = new ReasonsFilter(this);
    d->proxy->setSourceModel(d->model);
    d->table->setAccessibleName(tr("Reasons"));
    d->table->setModel(d->proxy);
    d->table->setItemDelegate(new ReasonsDelegate(theme(), d->table));
    d->table->setShowGrid(false);
    d->table->setSelectionBehavior(QAbstractItemView::SelectRows);
    d->table->setSelectionMode(QAbstractItemView::SingleSelection);
    d->table->verticalHeader()->hide();
    d->table->setSortingEnabled(true);
    d->table->sortByColumn(ReasonsModel::Seconds, Qt::DescendingOrder);
    d->table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    QHeaderView* header = d->table->horizontalHeader();
    header->setSectionResizeMode(QHeaderView::Interactive);
    header->setSectionResizeMode(ReasonsModel::Reason, QHeaderView::Stretch);
    header->setHighlightSections(false);
    d->left->addWidget(d->table);
    d->noMatch = plainLabel({}, "hint");
    d->noMatch->setContentsMargins(12, 4, 12, 4);
    d->noMatch->hide();
    d->left->addWidget(d->noMatch);
    connect(d->filter, &QLineEdit::textChanged, this, [this](const QString& text) {
        d->proxy->setText(text);
        const bool none = d->proxy->rowCount() == 0 && !text.isEmpty();
        d->noMatch->setVisible(none);
        if (none) d->noMatch->setText(tr("No reason matches %1. Clear the filter to see all.").arg(text));
    });
    connect(d->table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& now) {
                if (now.isValid()) workspace().showBreak(now.data(ReasonsModel::GroupRole).toInt());
            });
    connect(d->strip, &CutStrip::groupActivated, this, [this](int group) { workspace().showBreak(group); });
    connect(d->strip, &CutStrip::compileActivated, this,
            [this](int compile) { workspace().selectCompile(workspace().place().capture, compile); });
}

void BreaksPage::buildDetails() {
    d->tabs = new QTabBar;
    d->tabs->setDrawBase(false);
    d->tabs->setExpanding(false);
    for (const QString& name :
         {tr("Source"), tr("Frames before and after"), tr("Bytecode"), tr("Raw reason")})
        d->tabs->addTab(name);
    QHBoxLayout* row = nullptr;
    QWidget* bar = headerBar(row);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(d->tabs);
    row->addStretch(1);
    d->left->addWidget(bar);
    d->pages = new QStackedWidget;
    d->source = new CodeView(theme());
    d->source->setObjectName(QStringLiteral("breaks.source"));
    d->source->setAccessibleName(tr("Source"));
    d->bytecode = new CodeView(theme());
    d->bytecode->setObjectName(QStringLiteral("breaks.bytecode"));
    d->bytecode->setAccessibleName(tr("Bytecode"));
    d->raw = new CodeView(theme());
    d->raw->setAccessibleName(tr("Raw reason"));
    d->frames = new QTreeView;
    d->frames->setAccessibleName(tr("Frames before and after"));
    d->frames->setEditTriggers(QAbstractItemView::NoEditTriggers);
    d->frames->setUniformRowHeights(true);
    d->frameModel = new QStandardItemModel(this);
    d->frames->setModel(d->frameModel);
    d->pages->addWidget(d->source);
    d->pages->addWidget(d->frames);
    d->pages->addWidget(d->bytecode);
    d->pages->addWidget(d->raw);
    d->left->addWidget(d->pages, 1);
    connect(d->tabs, &QTabBar::currentChanged, d->pages, &QStackedWidget::setCurrentIndex);
    connect(d->frames, &QTreeView::activated, this, [this](const QModelIndex& index) {
        const QVariant compile = index.siblingAtColumn(0).data(compileRole);
        if (compile.isValid()) workspace().selectCompile(workspace().place().capture, compile.toInt());
    });
    connect(d->source, &CodeView::lineClicked, this, [this](int, int line) {
        const Workspace::Capture* capture = workspace().capture();
        if (!capture) return;
        for (std::size_t g = 0; g < capture->breaks.groups.size(); ++g) {
            const ir::SourceLocation& at = capture->breaks.groups[g].location;
            if (at.file == d->text.path && d->text.indexOfLine.value(int(at.line), -1) == line)
                return workspace().showBreak(int(g));
        }
    });
}

bool BreaksPage::exportTo(const QString& path) {
    const Workspace::Capture* capture = workspace().capture();
    QSaveFile file(path);
    return capture && file.open(QIODevice::WriteOnly) &&
           file.write(breaksAsCsv(capture->breaks).toUtf8()) >= 0 && file.commit();
}

void BreaksPage::restyle() {
    d->save->setIcon(theme().icon(QStringLiteral("export")));
    d->table->verticalHeader()->setDefaultSectionSize(theme().scaled(24));
    fitColumns();
    d->group = -1;
}

void BreaksPage::resizeEvent(QResizeEvent* event) {
    Panel::resizeEvent(event);
    fitColumns();
    fitStrip();
}

// The reason is the column to read: the others give way to it where the page is narrow.
void BreaksPage::fitColumns() {
    const bool narrow = width() < theme().scaled(1200);
    const std::array<int, ReasonsModel::ColumnCount> wide{34, 200, 110, 62, 190, 84, 92, 88};
    const std::array<int, ReasonsModel::ColumnCount> tight{28, 160, 84, 62, 132, 76, 98, 80};
    for (std::size_t i = 0; i < wide.size(); ++i)
        d->table->setColumnWidth(int(i), theme().scaled(narrow ? tight[i] : wide[i]));
}

void BreaksPage::refresh() {
    if (showNothingOpen()) {
        d->model->setGroups({});
        d->session.reset();
        return;
    }
    const Workspace::Capture& capture = *workspace().capture();
    const session::BreakSummary& breaks = capture.breaks;
    if (breaks.groups.empty()) {
        d->model->setGroups({});
        d->session.reset();
        const std::size_t frames = session::countCompiles(*capture.session).frames;
        showMessage(breaks.compiles == 0
                        ? tr("This capture has no compiles, so nothing could break.")
                        : tr("No graph breaks: every frame was captured whole. %1, %2.")
                              .arg(countText(frames, tr("frame"), tr("frames")),
                                   countText(breaks.compiles, tr("compile"), tr("compiles"))));
        return;
    }
    showContent();
    const Colours& c = theme().colours();
    d->figures->setFigures(
        {{numberText(breaks.breaks), breaks.breaks == 1 ? tr("graph break") : tr("graph breaks"), c.removed},
         {numberText(breaks.groups.size()),
          breaks.groups.size() == 1 ? tr("reason") : tr("distinct reasons")},
         {numberText(breaks.compiles), breaks.compiles == 1 ? tr("compile") : tr("compiles")},
         {numberText(breaks.recompiles), breaks.recompiles == 1 ? tr("recompile") : tr("recompiles"),
          c.changed},
         {secondsText(breaks.compileSeconds), tr("compile time")},
         {secondsText(breaks.secondsAfterBreaks), tr("of it after a break"), c.removed}});
    if (d->session != capture.session) {
        d->session = capture.session;
        d->group = -1;
        d->text = {};
        d->model->setGroups(breaks.groups);
        d->table->setColumnHidden(ReasonsModel::RunTime, d->session->profiles.empty());
        showBreakRunTimes(workspace(), *d->model);
        std::vector<session::CutRow> rows = session::cutRows(*capture.session, breaks);
        d->stripTitle->setText(cutTitle(*d->session, rows));
        d->strip->setRows(capture.session, std::move(rows));
        fitStrip();
        const int shown = std::min(int(breaks.groups.size()), 7);
        d->table->setFixedHeight((shown + 1) * theme().scaled(24) + theme().scaled(8));
    }
    const int chosen = breakGroup(workspace().place());
    showGroup(chosen >= 0 ? chosen : int(session::firstToChange(breaks)));
}

// Two rows always; as many as a quarter of a taller page has room for.
void BreaksPage::fitStrip() {
    const int row = theme().scaled(66), margin = theme().scaled(14) + 10;
    const int rows = std::max(2, (height() / 4 - margin) / row);
    d->stripScroll->setFixedHeight(std::min(d->strip->sizeHint().height() + 12, rows * row + margin));
}

void BreaksPage::showGroup(int group) {
    const Workspace::Capture& capture = *workspace().capture();
    if (group >= int(capture.breaks.groups.size())) return;
    const QModelIndex row = d->proxy->mapFromSource(d->model->index(group, 0));
    if (row.isValid() && d->table->currentIndex().row() != row.row()) {
        const QSignalBlocker block(d->table->selectionModel());
        d->table->selectRow(row.row());
        d->table->viewport()->update();
    }
    if (group == d->group && d->text.document) return;
    d->group = group;
    d->strip->setGroup(std::size_t(group));
    d->detail->setFacts(breakFacts(capture, std::size_t(group)));
    d->raw->setDocument(makeCodeDocument(rawReason(capture, std::size_t(group)), Language::Plain), {});
    const session::BreakGroup& data = capture.breaks.groups[std::size_t(group)];
    d->frameModel->clear();
    d->frameModel->setHorizontalHeaderLabels({tr("Frame"), tr("State"), tr("Compile time"), tr("Detail")});
    const auto add = [&](QStandardItem* parent, std::size_t index) {
        if (index >= capture.session->compiles.size()) return;
        const session::Compile& compile = capture.session->compiles[index];
        QList<QStandardItem*> items;
        for (const QString& text :
             {toQString(compileName(*capture.session, compile)) + u' ' + frameText(compile),
              statusChip(compile), secondsText(session::compileTime(compile)), statusDetail(compile)})
            items << new QStandardItem(text);
        items[0]->setData(int(index), compileRole);
        items[3]->setToolTip(items[3]->text());
        parent->appendRow(items);
    };
    auto* before = new QStandardItem(tr("Frames that broke here"));
    auto* after = new QStandardItem(tr("Frames compiled because of it"));
    for (const session::BreakOccurrence& o : data.occurrences)
        add(before, o.compile);
    for (const std::size_t index : data.framesAfter)
        add(after, index);
    d->frameModel->appendRow(before);
    d->frameModel->appendRow(after);
    d->frames->expandAll();
    d->frames->setColumnWidth(0, theme().scaled(330));
    showBytecode(group);
    showSource(group);
}

void BreaksPage::showBytecode(int group) {
    const Workspace::Capture& capture = *workspace().capture();
    // Frames that broke here mostly run the same code; the first that has it recorded will do.
    for (const session::BreakOccurrence& o : capture.breaks.groups[std::size_t(group)].occurrences) {
        if (o.compile >= capture.session->compiles.size()) continue;
        const session::Compile& compile = capture.session->compiles[o.compile];
        if (compile.bytecode.empty()) continue;
        workspace().tasks().run<AlignedText>(
            QStringLiteral("breaks.bytecode"), this,
            [code = compile.bytecode.front()](const TaskContext&) {
                return alignBytecode(code.original.text(), code.modified.text());
            },
            [this](AlignedText text) {
                CodeView::Options options;
                options.signs = options.fold = true;
                d->bytecode->setAccessibleDescription({});
                d->bytecode->setRows(text.document[0], text.document[1], std::move(text.rows), options);
            });
        return;
    }
    workspace().tasks().cancel(QStringLiteral("breaks.bytecode"));
    CodeView::Options options;
    for (const session::BreakOccurrence& o : capture.breaks.groups[std::size_t(group)].occurrences)
        if (options.emptyText.isEmpty() && o.compile < capture.session->compiles.size())
            options.emptyText = noBytecodeText(*capture.session, capture.session->compiles[o.compile]);
    if (options.emptyText.isEmpty()) options.emptyText = tr("The capture has no compile of this break.");
    d->bytecode->setAccessibleDescription(options.emptyText);
    d->bytecode->setRows(makeCodeDocument({}, Language::Plain), nullptr, {}, options);
}

void BreaksPage::showSource(int group) {
    const Workspace::Capture& capture = *workspace().capture();
    const session::BreakGroup& data = capture.breaks.groups[std::size_t(group)];
    d->tabs->setTabText(0, data.location.file.empty() ? tr("Source")
                                                      : tr("Source %1").arg(fileName(data.location.file)));
    workspace().tasks().run<SourceText>(
        QStringLiteral("breaks.source"), this,
        [session = capture.session, path = data.location.file](const TaskContext&) {
            return loadSource(*session, path);
        },
        [this, group](SourceText text) {
            const Workspace::Capture* now = workspace().capture();
            if (!now || group >= int(now->breaks.groups.size()) || now->session != d->session) return;
            const session::BreakGroup& shown = now->breaks.groups[std::size_t(group)];
            d->text = std::move(text);
            const int line = d->text.indexOfLine.value(int(shown.location.line), -1);
            std::vector<CodeRow> rows = d->text.rows;
            if (line >= 0) {
                QStringList ids;
                for (const session::BreakOccurrence& o : shown.occurrences)
                    if (o.compile < now->session->compiles.size())
                        ids << toQString(compileName(*now->session, now->session->compiles[o.compile]));
                CodeRow note;
                note.note = tr("%1 here, in %2. ")
                                .arg(countText(shown.occurrences.size(), tr("break"), tr("breaks")),
                                     ids.mid(0, 8).join(QStringLiteral(", ")) +
                                         (ids.size() > 8 ? QStringLiteral(", …") : QString())) +
                            toQString(session::afterwards(shown));
                rows.insert(rows.begin() + line + 1, std::move(note));
            }
            CodeView::Options options;
            options.emptyText = d->text.notice;
            d->source->setRows(d->text.document, nullptr, std::move(rows), options);
            QHash<int, GutterMark> marks = breakMarks(now->breaks, d->text);
            for (auto mark = marks.begin(); mark != marks.end(); ++mark)
                mark->fillRow = mark.key() == line;
            d->source->setMarks(0, std::move(marks));
            d->source->setHighlight(0, {}, {});
            if (line >= 0) d->source->reveal(0, line);
        });
}

} // namespace dynascope::views
