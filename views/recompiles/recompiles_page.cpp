// SPDX-License-Identifier: BSD-3-Clause
#include "views/recompiles/recompiles_page.h"

#include "core/session/compile_counts.h"
#include "views/base/code_view.h"
#include "views/base/page_parts.h"
#include "views/base/source_text.h"
#include "views/inspector/fact_view.h"
#include "views/inspector/inspector_panel.h"
#include "views/recompiles/recompile_texts.h"
#include "views/theme/splitter.h"
#include "views/workspace/joined_profiles.h"
#include "views/workspace/labels.h"
#include "views/workspace/recompile_place.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSaveFile>
#include <QStackedWidget>
#include <QTabBar>
#include <algorithm>

namespace dynascope::views {

using dynamo::FrameCache;
using dynamo::Recompile;

namespace {

const QString guardsTag = QStringLiteral("recompiles.guards"),
              sourceTag = QStringLiteral("recompiles.source");

/// Guards of two entries, written out on a worker, as a frame of a large model has thousands.
struct ChangedGuards {
    std::vector<TableRow> rows;
    std::size_t same = 0;
};

} // namespace

struct RecompilesPage::Private {
    FigureRow* figures = nullptr;
    QLineEdit* filter = nullptr;
    QPushButton* save = nullptr;
    RowTable *table = nullptr, *asked = nullptr, *changes = nullptr;
    QTabBar* tabs = nullptr;
    QStackedWidget* pages = nullptr;
    CodeView *source = nullptr, *raw = nullptr;
    FactView* detail = nullptr;
    QLabel* note = nullptr;
    QVBoxLayout* left = nullptr;
    session::SessionPtr session;
    std::vector<FrameCache> caches;
    std::vector<profile::CompileRun> runs; ///< by compile; empty while, or where, that is not known
    std::vector<ListedRecompile> listed;
    std::vector<ListedRecompile> rows; ///< of `listed`: those of the table, in its order
    QString sameNote;
    int compile = -1;

    [[nodiscard]] const FrameCache& cacheOf(const ListedRecompile& at) const { return caches[at.cache]; }
    [[nodiscard]] const Recompile& recompileOf(const ListedRecompile& at) const {
        return caches[at.cache].recompiles[at.recompile];
    }
    /// Of a compile; null where it is none.
    [[nodiscard]] const ListedRecompile* find(int wanted) const {
        const auto found = std::find_if(listed.begin(), listed.end(), [&](const ListedRecompile& at) {
            return int(recompileOf(at).compile) == wanted;
        });
        return found == listed.end() ? nullptr : &*found;
    }
};

RecompilesPage::RecompilesPage(Workspace& workspace, Theme& theme, QWidget* parent)
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
    d->detail = new FactView(theme);
    d->detail->setObjectName(QStringLiteral("recompiles.detail"));
    d->detail->setAccessibleName(tr("Recompile"));
    split->addWidget(leftSide);
    split->addWidget(titledBox(tr("Recompile"), d->detail).widget);
    split->setStretchFactor(0, 1);
    split->setStretchFactor(1, 0);
    split->setSizes({1000, theme.scaled(330)});
    split->setCollapsible(0, false);
    column->addWidget(split, 1);
    buildFigures();
    buildList();
    buildDetails();
    setContent(page);
    connect(d->detail, &FactView::followed, this, &RecompilesPage::follow);
    restyle();
}

RecompilesPage::~RecompilesPage() = default;

void RecompilesPage::buildFigures() {
    d->table = new RowTable(tr("Recompiles"), recompileColumns(), theme());
    d->table->setObjectName(QStringLiteral("recompiles.table"));
    d->filter = addFilter(tr("Filter recompiles"), d->table);
    d->filter->setMaximumWidth(190);
    setFocusProxy(d->table);
    d->save = new QPushButton(tr("Export"));
    d->save->setToolTip(tr("Write the table of recompiles as CSV"));
    d->figures->row()->addWidget(d->filter);
    d->figures->row()->addWidget(d->save);
    connect(d->save, &QPushButton::clicked, this, [this] {
        const QString path =
            QFileDialog::getSaveFileName(this, tr("Export recompiles"), QStringLiteral("recompiles.csv"));
        if (!path.isEmpty()) exportTo(path);
    });
}

void RecompilesPage::buildList() {
    addCopyRows(d->table);
    d->left->addWidget(titledBox(tr("What was compiled again"), d->table).widget, 3);
    connect(d->filter, &QLineEdit::textChanged, this, [this] { fillList(); });
    connect(d->table, &RowTable::rowSelected, this, [this](int row) {
        Place place = workspace().place();
        setRecompile(place, int(d->recompileOf(d->rows[std::size_t(row)]).compile));
        workspace().go(place);
    });
    connect(d->table, &RowTable::rowActivated, this, [this](int row) {
        workspace().selectCompile(workspace().place().capture,
                                  int(d->recompileOf(d->rows[std::size_t(row)]).compile));
    });
}

void RecompilesPage::buildDetails() {
    d->tabs = new QTabBar;
    d->tabs->setDrawBase(false);
    d->tabs->setExpanding(false);
    for (const QString& name :
         {tr("Entries asked"), tr("Guards side by side"), tr("Source"), tr("Raw reason")})
        d->tabs->addTab(name);
    QHBoxLayout* row = nullptr;
    QWidget* bar = headerBar(row);
    row->setContentsMargins(0, 0, 8, 0);
    row->addWidget(d->tabs);
    row->addStretch(1);
    d->note = plainLabel({}, "hint");
    row->addWidget(d->note);
    d->left->addWidget(bar);
    d->asked = new RowTable(tr("Entries asked"), askedColumns(), theme());
    d->asked->setObjectName(QStringLiteral("recompiles.asked"));
    d->asked->setEmptyText(tr("The capture has no reason of this recompile."));
    addCopyRows(d->asked);
    d->changes = new RowTable(tr("Guards side by side"), guardChangeColumns(), theme());
    d->changes->setObjectName(QStringLiteral("recompiles.changes"));
    addCopyRows(d->changes);
    d->source = new CodeView(theme());
    d->source->setObjectName(QStringLiteral("recompiles.source"));
    d->source->setAccessibleName(tr("Source"));
    d->raw = new CodeView(theme());
    d->raw->setAccessibleName(tr("Raw reason"));
    d->pages = new QStackedWidget;
    for (QWidget* page : std::initializer_list<QWidget*>{d->asked, d->changes, d->source, d->raw})
        d->pages->addWidget(page);
    d->left->addWidget(d->pages, 2);
    connect(d->tabs, &QTabBar::currentChanged, this, [this](int tab) {
        d->pages->setCurrentIndex(tab);
        d->note->setText(tab == 1 ? d->sameNote : QString());
    });
    const auto entryOf = [this](int row) -> int {
        const ListedRecompile* at = d->find(d->compile);
        if (!at || row < 0 || std::size_t(row) >= d->recompileOf(*at).failed.size()) return -1;
        const session::Compile* entry =
            d->session->findBeside(d->session->compiles[std::size_t(d->compile)],
                                   d->recompileOf(*at).failed[std::size_t(row)].entry);
        return entry ? int(entry - d->session->compiles.data()) : -1;
    };
    connect(d->asked, &RowTable::rowActivated, this, [this, entryOf](int row) { showGuards(entryOf(row)); });
    connect(d->asked, &RowTable::linkActivated, this, [this, entryOf](int row, int column) {
        const ListedRecompile* at = d->find(d->compile);
        if (column == 0 || !at) return showGuards(entryOf(row));
        const ir::SourceLocation& added = d->recompileOf(*at).failed[std::size_t(row)].addedAt;
        followLink(workspace(), QStringLiteral("source:%1:%2").arg(toQString(added.file)).arg(added.line));
    });
}

bool RecompilesPage::exportTo(const QString& path) {
    QSaveFile file(path);
    return d->session && file.open(QIODevice::WriteOnly) &&
           file.write(recompilesAsCsv(*d->session, d->caches, d->runs).toUtf8()) >= 0 && file.commit();
}

void RecompilesPage::restyle() {
    d->save->setIcon(theme().icon(QStringLiteral("export")));
    d->compile = -1;
}

void RecompilesPage::read() {
    d->session = workspace().capture()->session;
    d->caches = dynamo::explainRecompiles(*d->session);
    d->listed = listRecompiles(d->caches);
    d->compile = -1;
    d->runs.clear();
    for (const int column : {ranColumn, runTimeColumn})
        d->table->setColumnHidden(column, d->session->profiles.empty());
    fillList();
    askRuns();
}

void RecompilesPage::askRuns() {
    const int number = profile::shownProfile(*d->session);
    if (number < 0) return workspace().profiles().cancel(this);
    workspace().profiles().ask(d->session, number, this, [this](const Result<JoinedProfilePtr>& profile) {
        if (!profile || (*profile)->joined->session != d->session) return;
        d->runs = compileRuns(*(*profile)->joined);
        d->compile = -1;
        fillList();
        showRecompile(workspace().place().own.of<RecompilePlace>().compile);
    });
}

void RecompilesPage::showFigures() {
    d->figures->setFigures(recompileFigures(*d->session, d->caches, theme().colours()));
}

void RecompilesPage::fillList() {
    const QStringList words = d->filter->text().split(u' ', Qt::SkipEmptyParts);
    double most = 0;
    for (const ListedRecompile& at : d->listed) {
        const session::Compile& made = d->session->compiles[d->recompileOf(at).compile];
        most = std::max(most, session::compileTime(made));
    }
    std::vector<TableRow> rows;
    d->rows.clear();
    for (const ListedRecompile& at : d->listed) {
        TableRow row = recompileRow(*d->session, d->recompileOf(at), most,
                                    d->runs.empty() ? nullptr : &d->runs[d->recompileOf(at).compile]);
        const bool matches = std::all_of(words.begin(), words.end(), [&](const QString& word) {
            return std::any_of(row.begin(), row.end(), [&](const TableCell& cell) {
                return cell.text.contains(word, Qt::CaseInsensitive);
            });
        });
        if (!matches) continue;
        rows.push_back(std::move(row));
        d->rows.push_back(at);
    }
    d->table->setEmptyText(
        words.isEmpty() ? QString()
                        : tr("No recompile matches %1. Clear the filter to see all.").arg(d->filter->text()));
    d->table->setRows(std::move(rows));
    if (d->compile >= 0) showRecompile(d->compile);
}

void RecompilesPage::refresh() {
    if (showNothingOpen()) {
        d->session.reset();
        return;
    }
    const session::Session& session = *workspace().session();
    if (std::none_of(session.compiles.begin(), session.compiles.end(), RecompilePlace::isListed)) {
        d->session.reset();
        showMessage(
            session.compiles.empty()
                ? tr("This capture has no compiles, so nothing was compiled again. A TORCH_TRACE log has "
                     "them, with the guards that failed.")
                : (session::hasSeveralRuns(session)
                       ? tr("Nothing was compiled a second time within a run: %1, each with one entry.")
                       : tr("Nothing was compiled a second time: %1, each with one entry."))
                      .arg(countText(session.compiles.size(), tr("compile"), tr("compiles"))));
        return;
    }
    showContent();
    if (d->session != workspace().capture()->session) read();
    showFigures();
    showRecompile(workspace().place().own.of<RecompilePlace>().compile);
}

void RecompilesPage::showRecompile(int compile) {
    const ListedRecompile* at = d->find(compile);
    if (!at) return;
    const auto row = std::find_if(d->rows.begin(), d->rows.end(), [&](const ListedRecompile& other) {
        return other.cache == at->cache && other.recompile == at->recompile;
    });
    d->table->select(row == d->rows.end() ? -1 : int(row - d->rows.begin()));
    if (compile == d->compile) return;
    d->compile = compile;
    const Recompile& recompile = d->recompileOf(*at);
    d->detail->setFacts(recompileFacts(*d->session, d->cacheOf(*at), recompile, d->runs));
    d->asked->setRows(askedRows(*d->session, recompile));
    compareGuards();
    showSource();
    showRaw();
}

void RecompilesPage::compareGuards() {
    const ListedRecompile& at = *d->find(d->compile);
    const session::Compile& made = d->session->compiles[std::size_t(d->compile)];
    const session::Compile& entry = askedFirst(*d->session, d->cacheOf(at), d->recompileOf(at));
    d->tabs->setTabText(1, tr("Guards of %1 and %2")
                               .arg(toQString(session::compileName(*d->session, entry)),
                                    toQString(session::compileName(*d->session, made))));
    d->changes->setRows({});
    d->sameNote.clear();
    d->note->clear();
    if (made.guards.empty() || entry.guards.empty()) {
        workspace().tasks().cancel(guardsTag);
        d->changes->setEmptyText(tr("The capture has no guards of %1.")
                                     .arg(toQString((made.guards.empty() ? made : entry).id.toString())));
        return;
    }
    d->changes->setEmptyText(tr("Comparing"));
    workspace().tasks().run<ChangedGuards>(
        guardsTag, this,
        [session = d->session, before = &entry - d->session->compiles.data(),
         after = d->compile](const TaskContext&) {
            const dynamo::GuardChanges changes = dynamo::compareGuards(
                session->compiles[std::size_t(before)].guards, session->compiles[std::size_t(after)].guards);
            return ChangedGuards{guardChangeRows(changes), changes.same};
        },
        [this](ChangedGuards guards) {
            d->changes->setEmptyText(tr("Both have the same guards."));
            d->changes->setRows(std::move(guards.rows));
            d->sameNote =
                tr("%1 that both have are not listed").arg(countText(guards.same, tr("check"), tr("checks")));
            d->note->setText(d->tabs->currentIndex() == 1 ? d->sameNote : QString());
        });
}

void RecompilesPage::showSource() {
    const ListedRecompile& at = *d->find(d->compile);
    const ir::SourceLocation place = recompilePlace(*d->session, d->recompileOf(at));
    d->tabs->setTabText(2, place.file.empty() ? tr("Source") : tr("Source %1").arg(fileName(place.file)));
    workspace().tasks().run<SourceText>(
        sourceTag, this,
        [session = d->session, path = place.file](const TaskContext&) { return loadSource(*session, path); },
        [this, place](const SourceText& text) {
            CodeView::Options options;
            options.emptyText =
                place.file.empty() ? tr("The capture does not say where the frame is.") : text.notice;
            const int line = text.indexOfLine.value(int(place.line), -1);
            d->source->setRows(text.document, nullptr, text.rows, options);
            QHash<int, GutterMark> marks;
            if (line >= 0) marks[line].fillRow = true;
            d->source->setMarks(0, std::move(marks));
            if (line >= 0) d->source->reveal(0, line);
        });
}

void RecompilesPage::showRaw() {
    QStringList reasons;
    for (const std::string& reason : d->session->compiles[std::size_t(d->compile)].recompileReasons)
        reasons << toQString(reason);
    CodeView::Options options;
    options.emptyText = tr("The capture has no reason of this recompile.");
    d->raw->setDocument(makeCodeDocument(reasons.join(u'\n'), Language::Plain), options);
}

void RecompilesPage::showGuards(int compile) {
    if (compile < 0) return;
    workspace().selectCompile(workspace().place().capture, compile);
    emit workspace().panelRequested(PanelId::Guards);
}

void RecompilesPage::follow(const QString& target) {
    const QStringList parts = target.split(u':');
    if (parts.front() == QLatin1String("guards")) return showGuards(parts.value(1).toInt());
    if (parts.front() != QLatin1String("pair")) return followLink(workspace(), target);
    ComparisonRequest request;
    request.what = ComparisonRequest::What::Compiles;
    request.a = request.b = d->session;
    request.compileA = parts.value(1).toInt();
    request.compileB = parts.value(2).toInt();
    workspace().compare(request);
}

} // namespace dynascope::views
