// SPDX-License-Identifier: BSD-3-Clause
#include "views/text/source_panel.h"

#include "views/text/code_view.h"
#include "views/text/source_text.h"

#include <QComboBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>

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
    NodeSelection shown;
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
    connect(&workspace, &Workspace::sourceRequested, this, &SourcePanel::showLine);
    connect(d->files, &QComboBox::activated, this, [this](int index) {
        showLine(d->files->itemData(index).toString(), 0);
        d->path = d->files->itemData(index).toString().toStdString();
    });
    connect(view(), &CodeView::lineClicked, this, [this](int, int line) {
        const auto& lines = d->text.document->lines;
        if (line >= 0 && line < int(lines.size())) selectNodesOf(lines[std::size_t(line)].number);
    });
}

SourcePanel::~SourcePanel() = default;

void SourcePanel::showLine(const QString& file, int line) {
    d->path = file.toStdString();
    d->line = line;
    d->shown = workspace().place().node;
    invalidate();
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
        return;
    }
    const std::size_t at = d->clicks % all.size();
    d->shown = all[at];
    workspace().selectNode(all[at]);
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

void SourcePanel::mark() {
    {
        const QSignalBlocker block(d->files);
        d->files->setCurrentIndex(d->files->findData(QString::fromStdString(d->path)));
        d->files->setToolTip(QString::fromStdString(d->path));
    }
    d->notice->setText(d->text.notice);
    d->notice->setToolTip(d->text.notice);
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
            mark.toolTip += tr("%1 nodes in A, %2 nodes in B were made at this line").arg(a).arg(b);
        }
        view()->setMarks(0, std::move(marks));
    }
    std::set<int> own, related;
    int goal = d->line;
    if (const ir::Node* node = workspace().selectedNode(); node && node->stack) {
        for (const ir::SourceLocation& at : *node->stack)
            if (at.file == d->path && d->text.indexOfLine.contains(int(at.line)))
                related.insert(d->text.indexOfLine.value(int(at.line)));
        if (const ir::SourceLocation* at = node->location(); at->file == d->path) {
            if (goal == 0) goal = int(at->line);
            if (d->text.indexOfLine.contains(int(at->line)))
                own.insert(d->text.indexOfLine.value(int(at->line)));
        }
    } else if (d->line == 0) {
        d->hint->clear();
    }
    if (d->line > 0) {
        own.clear();
        if (d->text.indexOfLine.contains(d->line)) own.insert(d->text.indexOfLine.value(d->line));
    }
    for (const int line : own)
        related.erase(line);
    view()->setHighlight(0, own, related);
    if (goal > 0 && d->text.indexOfLine.contains(goal)) view()->reveal(0, d->text.indexOfLine.value(goal));
}

} // namespace dynascope::views
