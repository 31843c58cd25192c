// SPDX-License-Identifier: BSD-3-Clause
#include "views/ranks/ranks_page.h"

#include "views/inspector/fact_view.h"
#include "views/inspector/inspector_panel.h"
#include "views/ranks/ranks_page_private.h"
#include "views/workspace/go_to.h"
#include "views/workspace/labels.h"
#include "views/workspace/ranks_place.h"

#include <QDataStream>
#include <QIODevice>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTabBar>
#include <algorithm>

namespace dynascope::views {

namespace {

constexpr int stateVersion = 2;
constexpr int notesBefore = 6; // the tab Notes of version 1, which lacked two tabs before it

/// The first of a compile and a text; of the compile, or of all, where there is no text.
std::size_t findReason(const ranks::Report& report, const RanksPlace& place) {
    for (std::size_t i = 0; i < report.reasons.size(); ++i) {
        const ranks::Reason& reason = report.reasons[i];
        if (!place.reason.empty() ? reason.text == place.reason && reason.compile == place.compile
                                  : place.compile.empty() || reason.compile == place.compile)
            return i;
    }
    return ranks::none;
}

std::size_t findRow(const ranks::Report& report, const std::string& compile) {
    const auto at = std::ranges::find(report.rows, compile, &ranks::CompileRow::id);
    return at == report.rows.end() ? ranks::none : std::size_t(at - report.rows.begin());
}

/// What to show where nothing is odd: collectives.
std::size_t firstWithLanes(const ranks::Report& report) {
    const auto at = std::ranges::find_if(report.rows, [](const auto& row) { return !row.lanes.empty(); });
    if (at != report.rows.end()) return std::size_t(at - report.rows.begin());
    return report.rows.empty() ? ranks::none : 0;
}

} // namespace

QByteArray RanksPage::saveState() const {
    QByteArray out;
    QDataStream stream(&out, QIODevice::WriteOnly);
    stream << stateVersion << d->tabs->currentIndex() << d->across->saveState() << d->down->saveState();
    return out;
}

void RanksPage::restoreState(const QByteArray& state) {
    QDataStream stream(state);
    int version = 0, tab = 0;
    QByteArray across, down;
    stream >> version >> tab >> across >> down;
    if (stream.status() != QDataStream::Ok || version < 1 || version > stateVersion) return;
    if (version == 1 && tab == notesBefore) tab += 2;
    if (tab >= 0 && tab < d->tabs->count()) d->tabs->setCurrentIndex(tab);
    d->across->restoreState(across);
    d->down->restoreState(down);
}

void RanksPage::restyle() {
    d->attach->setIcon(theme().icon(QStringLiteral("folder")));
    if (d->reading) showVerdict();
}

void RanksPage::refresh() {
    if (showNothingOpen()) {
        workspace().tasks().cancel(tag());
        d->session.reset();
        d->reading.reset();
        return;
    }
    const session::SessionPtr& session = workspace().capture()->session;
    if (session->ranks.size() < 2) {
        workspace().tasks().cancel(tag());
        d->session.reset();
        d->reading.reset();
        setLoading(false);
        return showMessage(tr("This capture has one rank. Open the folder that all ranks wrote to: "
                              "TORCH_TRACE=DIR torchrun ... writes a log of each there."));
    }
    showContent();
    const std::string& flight = workspace().place().own.of<RanksPlace>().flight;
    if (d->session != session || d->flight != flight) {
        d->session = session;
        d->flight = flight;
        d->reading.reset();
        read();
    } else if (d->reading) {
        showPlace();
    }
}

void RanksPage::read() {
    setLoading(true);
    d->verdict->setText(tr("Comparing %1 ranks").arg(d->session->ranks.size()));
    d->evidence->clear();
    d->icon->clear();
    d->stop->setText(tr("Cancel"));
    d->stop->setToolTip(tr("Stop comparing; nothing is said of the ranks then"));
    d->stop->show();
    workspace().tasks().run<capture::RanksReadingPtr>(
        tag(), this,
        [session = d->session, flight = d->flight](const TaskContext& task) {
            return capture::readRanks(session, flight, task);
        },
        [this](capture::RanksReadingPtr reading) { take(std::move(reading)); });
}

QString RanksPage::tag() {
    return QStringLiteral("ranks");
}

void RanksPage::cancel() {
    workspace().tasks().cancel(tag());
    setLoading(false);
    d->verdict->setText(tr("Comparing the ranks was cancelled; nothing is said of them."));
    d->evidence->clear();
    d->stop->setText(tr("Compare"));
    d->stop->setToolTip(tr("Hold the ranks against each other after all"));
}

void RanksPage::take(std::shared_ptr<const capture::RanksReading> reading) {
    setLoading(false);
    d->stop->hide();
    if (!reading) return;
    d->reading = std::move(reading);
    makeMatrix();
    const capture::RanksReading& now = *d->reading;
    showVerdict();
    d->reasons->setRows(rankReasonRows(now));
    d->waiting->setEmptyText(
        now.dumps == 0 ? tr("There is no flight-recorder dump beside the capture. TORCH_FR_BUFFER_SIZE=2000 "
                            "makes PyTorch "
                            "record; a dump of each rank goes into one folder, \"Flight dumps...\" reads it.")
                       : tr("By the flight recorder no call was going on: each had ended, or failed."));
    d->waiting->setRows(waitingRows(now));
    d->caches->setRows(cacheRows(now));
    d->measured->setRows(measuredRows(now));
    d->estimates->setRows(estimateRows(now));
    d->times->setReading(now);
    d->scaling->setReading(d->reading);
    d->notes->setRows(noteRows(now));
    std::vector<TableRow> alone;
    d->aloneRows.clear();
    for (AloneRow& row : aloneRows(now)) {
        d->aloneRows.push_back(row.compile);
        alone.push_back(std::move(row.cells));
    }
    d->alone->setRows(std::move(alone));
    fill();
    d->choice = {};
    showPlace();
}

void RanksPage::fill() {
    if (!d->reading) return;
    const QStringList words = d->filter->text().split(u' ', Qt::SkipEmptyParts);
    std::vector<TableRow> all = matrixRows(*d->reading), rows;
    d->rows.clear();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool matches = std::ranges::all_of(words, [&](const QString& word) {
            return std::ranges::any_of(
                all[i], [&](const TableCell& cell) { return cell.text.contains(word, Qt::CaseInsensitive); });
        });
        if (!matches) continue;
        rows.push_back(std::move(all[i]));
        d->rows.push_back(i);
    }
    d->matrix->setEmptyText(
        words.isEmpty() ? tr("These ranks compiled nothing.")
                        : tr("No compile matches %1. Clear the filter to see all.").arg(d->filter->text()));
    d->matrix->setRows(std::move(rows));
    const auto shown = std::ranges::find(d->rows, d->choice.row);
    d->matrix->select(shown == d->rows.end() ? -1 : int(shown - d->rows.begin()));
}

void RanksPage::showVerdict() {
    const ranks::RanksVerdict verdict = d->reading->report.verdict;
    static constexpr const char* icons[] = {"tick", "clock", "warning", "error"};
    const QColor colour = toneColour(toneOf(verdict), theme().colours());
    d->icon->setPixmap(
        theme().icon(QLatin1String(icons[std::size_t(verdict)]), colour).pixmap(theme().scaled(18)));
    d->verdict->setText(toQString(ranks::summaryOf(d->reading->report)));
    d->evidence->setText(evidenceText(*d->reading));
    d->figures->setFigures(rankFigures(*d->reading, theme().colours()));
}

void RanksPage::showPlace() {
    const RanksPlace place = workspace().place().own.of<RanksPlace>();
    const ranks::Report& report = d->reading->report;
    RanksChoice choice;
    choice.reason = findReason(report, place);
    choice.row = findRow(report, place.compile.empty() && choice.reason != ranks::none
                                     ? report.reasons[choice.reason].compile
                                     : place.compile);
    if (choice.row == ranks::none && choice.reason == ranks::none) choice.row = firstWithLanes(report);
    if (choice.reason == d->choice.reason && choice.row == d->choice.row && choice.row != ranks::none) {
        choice.lane = d->choice.lane;
        choice.call = d->choice.call;
    }
    d->choice = choice;
    d->reasons->select(choice.reason == ranks::none ? -1 : int(choice.reason));
    const auto shown = std::ranges::find(d->rows, choice.row);
    d->matrix->select(shown == d->rows.end() ? -1 : int(shown - d->rows.begin()));
    showDetail();
}

void RanksPage::showDetail() {
    const ranks::Report& report = d->reading->report;
    const std::size_t row = d->choice.row;
    d->lanes->setEmptyText(
        row == ranks::none
            ? tr("Select a compile to see its collectives.")
            : tr("%1 calls no collective, as far as its graphs say.").arg(toQString(report.rows[row].id)));
    d->lanes->setRow(row == ranks::none
                         ? nullptr
                         : std::shared_ptr<const ranks::CompileRow>(d->reading, &report.rows[row]));
    d->lanes->select({d->choice.lane, d->choice.call});
    d->detail->setFacts(ranksFacts(*d->reading, d->choice));
}

void RanksPage::chooseReason(std::size_t reason) {
    const ranks::Reason& of = d->reading->report.reasons[reason];
    Place place = workspace().place();
    setRanks(place, of.compile, of.text);
    workspace().go(place);
}

void RanksPage::chooseRow(std::size_t row) {
    Place place = workspace().place();
    setRanks(place, d->reading->report.rows[row].id);
    workspace().go(place);
}

void RanksPage::showReasonNode(bool code) {
    if (d->choice.reason == ranks::none) return;
    const ranks::Reason reason = d->reading->report.reasons[d->choice.reason];
    if (reason.at == ranks::none) return;
    if (reason.stage)
        goToLine(workspace(), reason.at, reason.stage, reason.node, {reason.file, reason.line, {}, {}});
    else
        workspace().selectCompile(workspace().place().capture, int(reason.at));
    if (code) emit workspace().panelRequested(PanelId::OutputCode);
}

void RanksPage::showCall(std::size_t index, int lane, int call, bool code) {
    if (index == ranks::none) return;
    const ranks::CompileRow& row = d->reading->report.rows[index];
    if (lane < 0 || std::size_t(lane) >= row.lanes.size()) return;
    const ranks::Lane& of = row.lanes[std::size_t(lane)];
    if (call < 0 || std::size_t(call) >= of.calls.size()) return;
    const ranks::Call one = of.calls[std::size_t(call)];
    const std::size_t compile = d->reading->report.rows[one.row].compiles[d->reading->indexOf(of.ranks)];
    goToLine(workspace(), compile, one.stage, one.what.node, one.what.at);
    if (code) emit workspace().panelRequested(PanelId::OutputCode);
}

void RanksPage::showWaiting(std::size_t row, int column) {
    const ranks::Waiting one = (*d->reading->report.waiting)[row];
    const ir::SourceLocation line{one.file, one.line, {}, {}};
    if (column == waitingPlaceColumn)
        return follow(QStringLiteral("source:%1:%2").arg(toQString(one.file)).arg(one.line));
    if (one.at == ranks::none) return;
    if (column == waitingCodeColumn && one.outputLine != 0) {
        const std::vector<session::StagePtr>& stages = d->session->compiles[one.at].stages;
        for (std::size_t i = stages.size(); i-- > 0;)
            if (stages[i]->content == session::Stage::Content::Code) {
                workspace().selectCode(int(i), one.outputLine, int(one.at));
                return emit workspace().panelRequested(PanelId::OutputCode);
            }
    }
    if (one.stage) goToLine(workspace(), one.at, one.stage, one.node, line);
}

void RanksPage::follow(const QString& target) {
    const QStringList parts = target.split(u':');
    const QString& kind = parts.front();
    if (kind == QLatin1String("ranknode")) return showReasonNode(false);
    if (kind == QLatin1String("rankcode") && parts.size() == 1) return showReasonNode(true);
    if (kind == QLatin1String("rankcall") || kind == QLatin1String("rankcode"))
        return showCall(d->choice.row, parts.value(1).toInt(), parts.value(2).toInt(),
                        kind == QLatin1String("rankcode"));
    if (kind == QLatin1String("reason")) return chooseReason(std::size_t(parts.value(1).toULongLong()));
    if (kind != QLatin1String("pair")) return followLink(workspace(), target);
    ComparisonRequest request;
    request.what = ComparisonRequest::What::Compiles;
    request.a = request.b = d->session;
    request.compileA = parts.value(1).toInt();
    request.compileB = parts.value(2).toInt();
    workspace().compare(request);
}

} // namespace dynascope::views
