// SPDX-License-Identifier: BSD-3-Clause
#include "views/compare/compare_place.h"
#include "views/compare/compare_private.h"
#include "views/workspace/labels.h"

#include <QHeaderView>
#include <QLabel>
#include <QStackedLayout>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <algorithm>

namespace dynascope::views {

namespace {

using compare::CompileComparison;
using compare::StageComparison;

const QString compareTag = QStringLiteral("compare");
constexpr std::size_t mostPoints = 4;

/// The stages of a compile that the other side lacks, so that its graphs can be looked at.
std::vector<StageComparison> stagesOfOne(const session::Compile& compile, compare::CompareVerdict verdict) {
    std::vector<StageComparison> out;
    for (const session::StagePtr& stage : compile.stages) {
        StageComparison entry;
        (verdict == compare::CompareVerdict::OnlyInA ? entry.a : entry.b) = stage;
        entry.verdict = verdict;
        out.push_back(std::move(entry));
    }
    return out;
}

const session::Compile* compileOf(const session::SessionPtr& session, std::size_t compile) {
    return compile == compare::none ? nullptr : &session->compiles[compile];
}

} // namespace

QString ComparePage::summary() const {
    return d->points->text().isEmpty() ? d->summary->text() : d->summary->text() + u'\n' + d->points->text();
}

bool ComparePage::isSettled() const {
    return d->running < 0 && d->graphs->isSettled();
}

void ComparePage::refresh() {
    const ComparisonRequest* request = workspace().comparison();
    if (!request) {
        d->shown.reset();
        if (!showNothingOpen())
            showMessage(tr("Nothing is compared. File > Compare with... takes two captures, two ranks or two "
                           "compiles."));
        return;
    }
    const Place& place = workspace().place();
    const auto own = place.own.of<ComparePlace>();
    const ComparisonResultPtr result = d->results.value(place.comparison);
    if (!result) return start();
    showContent();
    if (d->shown != result) {
        d->shown = result;
        d->rank = d->pair = d->stage = -2;
        showResult();
    }
    int rank = 0, pair = -1;
    if (result->ofRanks()) {
        const bool alike = result->ranks.firstDiffering == compare::none;
        const int row = alike ? 0 : int(result->ranks.firstDiffering);
        rank = own.rank > 0 && own.rank < d->model->sides() ? own.rank : d->model->rankOfRow(row);
        pair = own.rank > 0 ? own.pair : d->model->pairOfRow(row, rank);
    } else {
        pair = own.pair;
    }
    const compare::Comparison& comparison = result->of(rank);
    if (pair < 0 || std::size_t(pair) >= comparison.compiles.size()) pair = firstPair(comparison);
    const bool newPair = rank != d->rank || pair != d->pair;
    d->rank = rank;
    d->pair = pair;
    if (newPair) showPair();
    int stage = own.stage;
    const auto count = d->stageModel->stages().size();
    if (stage < 0 || std::size_t(stage) >= count) {
        const std::size_t first =
            pair < 0 ? compare::none : firstDifferingStage(comparison.compiles[std::size_t(pair)]);
        stage = first < count ? int(first) : count > 0 ? 0 : -1;
    }
    if (newPair || stage != d->stage) {
        d->stage = stage;
        showStage();
    }
}

void ComparePage::start() {
    const int index = workspace().place().comparison;
    if (d->running == index) return;
    d->running = index;
    const ComparisonRequest request = *workspace().comparison();
    sayProgress(tr("Comparing %1 with %2")
                    .arg(toQString(request.a->title), request.what == ComparisonRequest::What::Ranks
                                                          ? tr("its other ranks")
                                                          : toQString(request.b->title)));
    TaskRunner& tasks = workspace().tasks();
    tasks.run<ComparisonResultPtr>(
        compareTag, this, [request](const TaskContext& task) { return runComparison(request, task); },
        [this, index](const ComparisonResultPtr& result) {
            d->running = -1;
            if (!result) return;
            d->results.insert(index, result);
            invalidate();
        });
}

void ComparePage::sayProgress(const QString& text) {
    showMessage(text, tr("Cancel"), [this] {
        workspace().tasks().cancel(compareTag);
        d->running = -1;
        showMessage(tr("The comparison was stopped."), tr("Compare again"), [this] { start(); });
    });
}

void ComparePage::progressed(const QString& tag, const QString& phase, quint64 done, quint64 total) {
    if (tag == compareTag && d->running >= 0)
        sayProgress(tr("%1: %2 of %3").arg(phase, numberText(done), numberText(total)));
}

void ComparePage::showResult() {
    d->model->set(d->shown);
    d->pairsDelegate->setFirstMono(d->model->differenceColumn());
    d->pairs->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    fitColumns();
    showHead();
}

void ComparePage::showHead() {
    const ComparisonResult& result = *d->shown;
    std::array<std::size_t, 4> counts{result.whole.same, result.whole.differing, result.whole.onlyInA,
                                      result.whole.onlyInB};
    if (result.ofRanks()) {
        const auto& rows = result.ranks.rows;
        counts[0] = std::size_t(
            std::count_if(rows.begin(), rows.end(), [](const compare::RankRow& row) { return row.alike(); }));
        counts[1] = rows.size() - counts[0];
    }
    for (std::size_t i = 0; i < counts.size(); ++i) {
        d->figures[i].value->setText(numberText(counts[i]));
        const bool shown = i < 2 || result.request.what == ComparisonRequest::What::Captures;
        d->figures[i].value->setVisible(shown);
        d->figures[i].label->setVisible(shown);
    }
    const QString sides =
        result.ofRanks()
            ? tr("The %1 ranks of %2").arg(result.ranks.ranks.size()).arg(toQString(result.request.a->title))
            : tr("A  %1     B  %2").arg(result.nameA(), result.nameB(0));
    d->sides->setText(sides);
    d->sides->setToolTip(sides);
    d->swap->setVisible(!result.ofRanks());
    d->summary->setText(toQString(result.explanation.summary));
    QStringList all;
    for (const std::string& point : result.explanation.points)
        all << QStringLiteral("·  ") + toQString(point);
    d->points->setToolTip(all.join(u'\n'));
    if (std::size_t(all.size()) > mostPoints) {
        const qsizetype more = all.size() - qsizetype(mostPoints) + 1;
        all = all.mid(0, qsizetype(mostPoints) - 1);
        all << tr("·  %1 more, in the tabs below").arg(more);
    }
    if (!result.explanation.totals.empty()) all.prepend(toQString(result.explanation.totals));
    d->points->setText(all.join(u'\n'));
    d->points->setVisible(!all.isEmpty());
}

void ComparePage::showPair() {
    const ComparisonResult& result = *d->shown;
    const compare::Comparison& comparison = result.of(d->rank);
    const CompileComparison* entry = d->pair < 0 ? nullptr : &comparison.compiles[std::size_t(d->pair)];
    std::vector<StageComparison> stages;
    if (entry && entry->a != compare::none && entry->b != compare::none)
        stages = entry->stages;
    else if (entry)
        stages = entry->b == compare::none
                     ? stagesOfOne(result.request.a->compiles[entry->a], compare::CompareVerdict::OnlyInA)
                     : stagesOfOne(result.request.b->compiles[entry->b], compare::CompareVerdict::OnlyInB);
    d->choosing = true;
    d->stageModel->set(std::move(stages));
    const std::array<std::vector<ComparedValue>, 7> values{
        entry ? valueRows(entry->inputs) : std::vector<ComparedValue>(),
        entry ? guardRows(entry->guards) : std::vector<ComparedValue>(),
        entry ? guardRows(entry->symbols) : std::vector<ComparedValue>(),
        entry ? cacheRows(entry->caches) : std::vector<ComparedValue>(),
        timingRows(comparison.timings),
        valueRows(comparison.settings),
        entry && entry->passes ? passRows(*entry->passes) : std::vector<ComparedValue>()};
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto differing = std::count_if(values[i].begin(), values[i].end(), [](const ComparedValue& v) {
            return v.verdict != compare::CompareVerdict::Same;
        });
        ValuesTab& tab = d->values[i];
        d->details->setTabText(d->details->indexOf(tab.page),
                               differing > 0 ? tab.title + u' ' + numberText(qulonglong(differing))
                                             : tab.title);
        static_cast<QStackedLayout*>(tab.page->layout())->setCurrentIndex(values[i].empty() ? 1 : 0);
        tab.model->set(values[i]);
    }
    d->details->setTabVisible(d->details->indexOf(d->values.back().page), entry && entry->passes);
    const bool none = d->stageModel->stages().empty();
    d->stagesStack->setCurrentIndex(none ? 1 : 0);
    if (none && d->details->currentIndex() == 0)
        for (std::size_t i = values.size(); i-- > 0;)
            if (!values[i].empty()) d->details->setCurrentWidget(d->values[i].page);
    if (none && !values.back().empty()) d->details->setCurrentWidget(d->values.back().page);
    if (const int row = d->model->rowOfPair(d->rank, d->pair); row >= 0) {
        const int column = result.ofRanks() ? d->rank + 1 : d->model->differenceColumn();
        const QModelIndex index = d->proxy->mapFromSource(d->model->index(row, column));
        d->pairs->setCurrentIndex(index);
        d->pairs->scrollTo(index.siblingAtColumn(0));
    }
    d->choosing = false;
    fitColumns();
}

void ComparePage::showStage() {
    const std::vector<StageComparison>& stages = d->stageModel->stages();
    d->graphs->setVisible(d->stage >= 0 && d->pair >= 0);
    if (d->stage < 0 || d->pair < 0) {
        d->graphs->clear();
        return;
    }
    d->choosing = true;
    const QModelIndex index = d->stageModel->index(d->stage, 0);
    d->stages->setCurrentIndex(index);
    d->stages->scrollTo(index);
    d->choosing = false;
    const ComparisonRequest& request = d->shown->request;
    const CompileComparison& entry = d->shown->of(d->rank).compiles[std::size_t(d->pair)];
    d->graphs->show(stages[std::size_t(d->stage)], *request.a, compileOf(request.a, entry.a), *request.b,
                    compileOf(request.b, entry.b));
}

void ComparePage::choosePair(const QModelIndex& index) {
    if (d->choosing || !index.isValid() || !d->shown) return;
    const QModelIndex source = d->proxy->mapToSource(index);
    Place place = workspace().place();
    auto own = place.own.of<ComparePlace>();
    if (d->shown->ofRanks()) {
        const int column = source.column();
        own.rank = column > 1 && column < d->model->functionColumn() ? column - 1
                                                                     : d->model->rankOfRow(source.row());
    }
    own.pair = d->model->pairOfRow(source.row(), std::max(0, own.rank));
    own.stage = -1;
    place.own.set(own);
    workspace().go(place);
}

void ComparePage::chooseStage(const QModelIndex& index) {
    if (d->choosing || !index.isValid()) return;
    Place place = workspace().place();
    auto own = place.own.of<ComparePlace>();
    if (d->shown->ofRanks()) own.rank = d->rank;
    own.pair = d->pair;
    own.stage = index.row();
    place.own.set(own);
    workspace().go(place);
}

void ComparePage::openInStages() {
    if (!d->shown || d->pair < 0) return;
    const CompileComparison& entry = d->shown->of(d->rank).compiles[std::size_t(d->pair)];
    const bool inA = entry.a != compare::none;
    const session::SessionPtr& session = inA ? d->shown->request.a : d->shown->request.b;
    const auto& captures = workspace().captures();
    for (std::size_t i = 0; i < captures.size(); ++i)
        if (captures[i].session == session)
            return workspace().selectCompile(int(i), int(inA ? entry.a : entry.b));
}

/// What a row of the tab Passes is about, on the page Inductor: of A where A has it.
void ComparePage::openPass(int row) {
    if (!d->shown || d->pair < 0) return;
    const ComparedValue& value = d->values.back().model->rows()[std::size_t(row)];
    const std::optional<PassPlace>& at = value.placeA ? value.placeA : value.placeB;
    if (!at) return;
    const CompileComparison& entry = d->shown->of(d->rank).compiles[std::size_t(d->pair)];
    const session::SessionPtr& session = value.placeA ? d->shown->request.a : d->shown->request.b;
    const auto& captures = workspace().captures();
    for (std::size_t i = 0; i < captures.size(); ++i) {
        if (captures[i].session != session) continue;
        workspace().selectCompile(int(i), int(value.placeA ? entry.a : entry.b));
        Place place = workspace().place();
        place.page = Page::Inductor;
        place.own.set(*at);
        return workspace().go(place);
    }
}

void ComparePage::swapSides() {
    if (!d->shown) return;
    ComparisonRequest request = d->shown->request;
    std::swap(request.a, request.b);
    std::swap(request.rankA, request.rankB);
    std::swap(request.compileA, request.compileB);
    workspace().compare(std::move(request));
}

} // namespace dynascope::views
