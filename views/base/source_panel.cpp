// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/source_panel.h"

#include "views/base/code_view.h"
#include "views/base/line_marks.h"
#include "views/base/source_text.h"
#include "views/workspace/joined_profiles.h"
#include "views/workspace/labels.h"
#include "views/workspace/trace.h"

#include <QComboBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeySequence>
#include <QLabel>
#include <QMenu>
#include <QSignalBlocker>
#include <algorithm>

namespace dynascope::views {

namespace {

/// Nodes by the innermost line that made them, for one file and one stage.
using NodesOfLine = QHash<int, std::vector<ir::NodeIndex>>;

NodesOfLine nodesByLine(const ir::GraphPtr& graph, const std::string& path) {
    NodesOfLine out;
    if (!graph) return out;
    for (ir::NodeIndex i = 0; i < graph->size(); ++i)
        if (const ir::SourceLocation* at = graph->node(i).location(); at && at->file == path)
            out[int(at->line)].push_back(i);
    return out;
}

} // namespace

struct SourcePanel::Private {
    QComboBox* files = nullptr;
    QLabel *notice = nullptr, *hint = nullptr;
    session::SessionPtr session;
    std::string path;
    int line = 0; ///< asked for; 0 follows the selection
    SourceText text;
    std::array<ir::GraphPtr, 2> graphs;
    std::array<NodesOfLine, 2> nodes;
    std::shared_ptr<const profile::LineTimes> times; ///< null while, or where, there are none
    bool inSteps = false;                            ///< that is of steps
    NodeSelection shown;
    Subject heard; ///< the last one that the trace was about
    Subject led;   ///< the last one that chose the file
    int clickedLine = 0;
    std::size_t clicks = 0;
};

SourcePanel::SourcePanel(Workspace& workspace, Theme& theme, QWidget* parent)
    : CodePanel(workspace, theme, tr("Source"), parent)
    , d(std::make_unique<Private>()) {
    d->files = new QComboBox;
    d->files->setAccessibleName(tr("Source file"));
    d->files->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    d->files->setMinimumContentsLength(12);
    headerRow()->addWidget(d->files);
    d->notice = addHint();
    headerRow()->setStretchFactor(d->notice, 1);
    d->hint = addHint();
    d->hint->setProperty("role", "label");

    connect(&workspace, &Workspace::stagesChanged, this, &SourcePanel::invalidate);
    connect(&workspace, &Workspace::nodeSelected, this, [this] {
        d->line = 0;
        invalidate();
    });
    connect(&workspace.trace(), &Trace::changed, this, [this] {
        if (const Subject& asked = this->workspace().trace().subject(); asked != d->heard) {
            d->heard = asked;
            d->line = 0;
        }
        invalidate();
    });
    connect(&workspace, &Workspace::sourceRequested, this, &SourcePanel::showLine);
    connect(d->files, &QComboBox::activated, this, [this](int index) {
        showLine(d->files->itemData(index).toString(), 0);
        d->path = d->files->itemData(index).toString().toStdString();
    });
    connect(view(), &CodeView::lineClicked, this, [this](int, int line) {
        if (const int number = numberOf(line); number > 0) selectNodesOf(number);
    });
    view()->extendMenu = [this](QMenu& menu, int, int line) {
        const int number = numberOf(line);
        if (number == 0) return;
        menu.addSeparator();
        menu.addAction(tr("What became of line %1").arg(number), QKeySequence(tr("Alt+L")), this,
                       [this, number] { traceLine(number); });
    };
}

SourcePanel::~SourcePanel() = default;

void SourcePanel::showLine(const QString& file, int line) {
    d->path = file.toStdString();
    d->line = line;
    d->shown = workspace().place().node;
    invalidate();
}

int SourcePanel::numberOf(int line) const {
    if (!d->text.document) return 0;
    const auto& lines = d->text.document->lines;
    return line >= 0 && line < int(lines.size()) ? lines[std::size_t(line)].number : 0;
}

bool SourcePanel::traceCaret() {
    const int number = numberOf(view()->currentLine());
    if (number > 0) traceLine(number);
    return number > 0;
}

void SourcePanel::traceLine(int lineNumber) {
    const Subject now = workspace().subject();
    const bool isAsked =
        now.kind == Subject::Kind::Line && now.file == d->path && int(now.line) == lineNumber;
    workspace().selectLine(d->path, std::uint32_t(lineNumber),
                           isAsked ? workspace().place().node : NodeSelection(), true);
    emit workspace().panelRequested(PanelId::Provenance);
}

void SourcePanel::selectNodesOf(int lineNumber) {
    d->clicks = lineNumber == d->clickedLine ? d->clicks + 1 : 0;
    d->clickedLine = lineNumber;
    // B first: what the line became is the usual question.
    std::vector<NodeSelection> all;
    for (const Side side : {Side::B, Side::A})
        for (const ir::NodeIndex node : d->nodes[side == Side::A ? 0 : 1].value(lineNumber))
            all.push_back({side, node});
    if (all.empty()) {
        d->hint->setText(tr("No node was made at :%1").arg(lineNumber));
        d->shown = {};
        workspace().selectLine(d->path, std::uint32_t(lineNumber));
        return;
    }
    const std::size_t at = d->clicks % all.size();
    d->shown = all[at];
    workspace().selectLine(d->path, std::uint32_t(lineNumber), all[at]);
    const bool inB = all[at].side == Side::B;
    const auto inSide = d->nodes[inB ? 1 : 0].value(lineNumber).size();
    const std::size_t nth = inB ? at + 1 : at + 1 - d->nodes[1].value(lineNumber).size();
    d->hint->setText(tr("node %1 of %2 in %3").arg(nth).arg(inSide).arg(QLatin1Char(inB ? 'B' : 'A')));
}

void SourcePanel::refresh() {
    if (showNothingOpen()) return;
    const session::SessionPtr session = workspace().capture()->session;
    if (session->sources.empty()) {
        showMessage(tr("This capture quotes no source line: its graphs carry no stack traces."));
        return;
    }
    if (d->session != session) {
        d->session = session;
        d->path.clear();
        d->text = {};
        d->line = 0;
        d->shown = {};
        askTimes();
        const QSignalBlocker block(d->files);
        d->files->clear();
        for (const auto& [path, file] : session->sources) {
            const QString text = QString::fromStdString(path);
            d->files->addItem(QFileInfo(text).fileName(), text);
            d->files->setItemData(d->files->count() - 1, text, Qt::ToolTipRole);
        }
    }
    // The selection leads unless a line was asked for after it.
    const NodeSelection selected = workspace().place().node;
    const ir::Node* node = workspace().selectedNode();
    if (const ir::SourceLocation* at = node ? node->location() : nullptr;
        at && selected != d->shown && d->line == 0)
        d->path = at->file;
    followSubject();
    if (d->path.empty()) {
        const session::Compile* compile = workspace().compile();
        const ir::SourceLocation* at = compile ? compile->location() : nullptr;
        d->path = at && session->sources.contains(at->file) ? at->file : session->sources.begin()->first;
    }
    if (d->text.path != d->path || !d->text.document) {
        setLoading(true);
        workspace().tasks().run<SourceText>(
            QStringLiteral("source"), this,
            [session, path = d->path](const TaskContext&) { return loadSource(*session, path); },
            [this](SourceText text) {
                setLoading(false);
                d->text = std::move(text);
                d->graphs = {};
                view()->setRows(d->text.document, nullptr, d->text.rows, {.emptyText = d->text.notice});
                invalidate();
            });
        return;
    }
    showContent();
    mark();
}

void SourcePanel::askTimes() {
    d->times.reset();
    const int number = profile::shownProfile(*d->session);
    if (number < 0) return workspace().profiles().cancel(this);
    using Times = std::shared_ptr<const profile::LineTimes>;
    workspace().profiles().ask(d->session, number, this, [this](const Result<JoinedProfilePtr>& joined) {
        if (!joined) return; // the lines have no times
        const JoinedProfilePtr& profile = *joined;
        workspace().tasks().run<Times>(
            QStringLiteral("source.times"), this,
            [profile](const TaskContext&) {
                const std::lock_guard lock(profile->mutex);
                return std::make_shared<const profile::LineTimes>(lineTimes(*profile->facts));
            },
            [this, profile](Times times) {
                if (profile->joined->session != d->session) return;
                d->times = std::move(times);
                d->inSteps = !profile->joined->profile->steps.empty();
                d->graphs = {}; // marks are made again
                invalidate();
            });
    });
}

/// Shows the file that the subject's line is in, or the first of those that it comes from.
void SourcePanel::followSubject() {
    const Subject asked = workspace().subject();
    if (asked == d->led || d->line > 0 || workspace().selectedNode()) return;
    if (asked.kind == Subject::Kind::Line) {
        d->path = asked.file;
        d->led = asked;
    } else if (const CompileTrace* trace = workspace().trace().current();
               trace && !trace->answer.lines.empty()) {
        const auto& lines = trace->answer.lines;
        const bool shown = std::any_of(lines.begin(), lines.end(),
                                       [this](const ir::SourceLocation& at) { return at.file == d->path; });
        if (!shown) d->path = lines.front().file;
        d->led = asked;
    }
}

void SourcePanel::mark() {
    {
        const QSignalBlocker block(d->files);
        d->files->setCurrentIndex(d->files->findData(QString::fromStdString(d->path)));
        d->files->setToolTip(QString::fromStdString(d->path));
    }
    QString notice = d->text.notice;
    if (d->times)
        if (const QString note = runTimesNote(*d->times, d->text, d->inSteps); !note.isEmpty())
            notice += (notice.isEmpty() ? QString() : QStringLiteral(" ")) + note;
    d->notice->setText(notice);
    d->notice->setToolTip(notice);
    const std::array<ir::GraphPtr, 2> graphs{workspace().stage(Side::A).graph,
                                             workspace().stage(Side::B).graph};
    if (graphs != d->graphs || d->graphs == std::array<ir::GraphPtr, 2>{}) {
        d->graphs = graphs;
        d->clickedLine = 0;
        d->nodes = {nodesByLine(graphs[0], d->path), nodesByLine(graphs[1], d->path)};
        QHash<int, GutterMark> marks = breakMarks(workspace().capture()->breaks, d->text);
        for (auto line = d->text.indexOfLine.cbegin(); line != d->text.indexOfLine.cend(); ++line) {
            const auto a = d->nodes[0].value(line.key()).size(), b = d->nodes[1].value(line.key()).size();
            if (a + b == 0) continue;
            GutterMark& mark = marks[*line];
            mark.count = tr("%1 / %2").arg(a).arg(b);
            if (!mark.toolTip.isEmpty()) mark.toolTip += u'\n';
            mark.toolTip += tr("Of this line: %1 in A, %2 in B")
                                .arg(countText(qulonglong(a), tr("node"), tr("nodes")),
                                     countText(qulonglong(b), tr("node"), tr("nodes")));
        }
        if (d->times) addRunTimes(marks, *d->times, d->text);
        view()->setMarks(0, std::move(marks));
    }
    std::set<int> own, related;
    int goal = d->line;
    const auto add = [this](std::set<int>& to, int number) {
        if (const auto at = d->text.indexOfLine.constFind(number); at != d->text.indexOfLine.cend())
            to.insert(*at);
    };
    const Subject asked = workspace().subject();
    const ir::Node* node = workspace().selectedNode();
    if (node && node->stack)
        for (const ir::SourceLocation& at : *node->stack)
            if (at.file == d->path) add(related, int(at.line));
    int leading = 0;
    if (asked.kind == Subject::Kind::Line && asked.file == d->path)
        leading = int(asked.line);
    else if (const ir::SourceLocation* at = node ? node->location() : nullptr; at && at->file == d->path)
        leading = int(at->line);
    if (const CompileTrace* trace = workspace().trace().current())
        for (const ir::SourceLocation& at : trace->answer.lines) {
            if (at.file != d->path) continue;
            add(related, int(at.line));
            if (leading == 0 && goal == 0) goal = int(at.line);
        }
    if (!node && asked.kind != Subject::Kind::Line && d->line == 0) d->hint->clear();
    if (goal == 0) goal = leading;
    add(own, d->line > 0 ? d->line : leading);
    for (const int line : own)
        related.erase(line);
    view()->setHighlight(0, own, related);
    if (goal > 0 && d->text.indexOfLine.contains(goal)) view()->reveal(0, d->text.indexOfLine.value(goal));
}

} // namespace dynascope::views
