// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/text_diff_panel.h"

#include "views/base/aligned_texts.h"
#include "views/base/code_view.h"
#include "views/workspace/labels.h"
#include "views/workspace/trace.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QSaveFile>
#include <QToolButton>
#include <algorithm>

namespace dynascope::views {

namespace {

constexpr auto taskTag = "textdiff";

QString unified(const AlignedText& text) {
    QString out;
    for (const CodeRow& row : text.rows) {
        const auto line = [&](int side) {
            const int i = row.line[std::size_t(side)];
            return i < 0 ? QString() : text.document[std::size_t(side)]->lines[std::size_t(i)].text;
        };
        const bool same = row.change == diff::Change::Same || !text.document[1];
        if (row.line[0] >= 0) out += (same ? u' ' : row.line[1] < 0 || !same ? u'-' : u' ') + line(0) + u'\n';
        if (!same && row.line[1] >= 0) out += u'+' + line(1) + u'\n';
        if (same && row.line[0] < 0 && row.line[1] >= 0) out += u' ' + line(1) + u'\n';
    }
    return out;
}

} // namespace

struct TextDiffPanel::Private {
    QWidget* tools = nullptr;
    QLabel *notice = nullptr, *counts = nullptr;
    QToolButton *quiet = nullptr, *shortNames = nullptr, *strides = nullptr, *clears = nullptr;
    QToolButton *copy = nullptr, *save = nullptr;
    AlignedTexts texts;
    AlignKey key;
    AlignedTextPtr text = std::make_shared<const AlignedText>();
    bool ready = false;

    [[nodiscard]] AlignOptions options() const {
        return {quiet->isChecked(), shortNames->isChecked(), strides->isChecked(), clears->isChecked()};
    }
};

TextDiffPanel::TextDiffPanel(Workspace& workspace, Theme& theme, QWidget* parent)
    : CodePanel(workspace, theme, tr("Text diff"), parent)
    , d(std::make_unique<Private>()) {
    d->notice = addHint();
    headerRow()->addStretch(1);
    d->tools = new QWidget;
    auto* tools = new QHBoxLayout(d->tools);
    tools->setContentsMargins(8, 0, 4, 0);
    tools->setSpacing(6);
    d->counts = new QLabel;
    d->counts->setObjectName(QStringLiteral("textDiffCounts"));
    d->counts->setTextFormat(Qt::PlainText);
    d->counts->setProperty("role", "hint");
    d->counts->setToolTip(tr("Lines of text that were added, removed and changed; the canvas counts nodes"));
    tools->addWidget(d->counts);
    const auto chip = [&](const QString& text, const QString& tip, bool on) {
        auto* button = new QToolButton;
        button->setText(text);
        button->setToolTip(tip);
        button->setCheckable(true);
        button->setChecked(on);
        button->setProperty("chip", true);
        connect(button, &QToolButton::toggled, this, &TextDiffPanel::invalidate);
        tools->addWidget(button);
        return button;
    };
    d->quiet =
        chip(tr("Ignore spelling"),
             tr("A node that is only renamed, or whose target is spelled otherwise, is no difference"), true);
    d->shortNames = chip(tr("Short names"),
                         tr("aten.add.Tensor for torch.ops.aten.add.Tensor, cap.py for the full path"), true);
    d->strides = chip(tr("Strides"), tr("Show strides and device: f32[4, 5][5, 1]cpu"), false);
    d->clears = chip(tr("Clears"), tr("Show where a name is cleared after its last use: x = None"), false);
    const auto button = [&](const QString& tip, auto slot) {
        auto* out = new QToolButton;
        out->setToolTip(tip);
        connect(out, &QToolButton::clicked, this, slot);
        tools->addWidget(out);
        return out;
    };
    d->copy = button(tr("Copy the diff as unified text"), [this] { copyAll(); });
    d->save = button(tr("Export the diff as a file"), [this] {
        const QString path =
            QFileDialog::getSaveFileName(this, tr("Export diff"), QStringLiteral("stages.diff"));
        if (!path.isEmpty()) exportTo(path);
    });
    headerRow()->addWidget(d->tools);
    addDifferenceKeys();

    connect(&workspace, &Workspace::stagesChanged, this, &TextDiffPanel::invalidate);
    connect(&workspace, &Workspace::diffChanged, this, &TextDiffPanel::invalidate);
    connect(&workspace, &Workspace::nodeSelected, this, &TextDiffPanel::invalidate);
    connect(&workspace, &Workspace::diffPrepared, this, &TextDiffPanel::prepare);
    const auto forget = [this] { d->texts.clear(); };
    connect(&workspace, &Workspace::captureClosed, this, forget);
    connect(&workspace, &Workspace::captureReplaced, this, forget);
    connect(&workspace.trace(), &Trace::changed, this, &TextDiffPanel::invalidate);
    connect(view(), &CodeView::lineClicked, this, [this](int pane, int line) {
        const session::StagePtr& stage = pane == 0 ? d->key.a : d->key.b;
        if (stage && stage->content == session::Stage::Content::Code && line >= 0)
            return this->workspace().selectCode(this->workspace().indexOf(stage.get()),
                                                std::uint32_t(line) + 1);
        const auto& nodes = d->text->nodeOfLine[std::size_t(pane)];
        if (line >= 0 && line < int(nodes.size()) && nodes[std::size_t(line)] != ir::npos)
            this->workspace().selectNode({pane == 0 ? Side::A : Side::B, nodes[std::size_t(line)]});
    });
    connect(view(), &CodeView::wordActivated, this, [this](int pane, int, const QString& word) {
        const ir::GraphPtr& graph = pane == 0 ? d->key.graphA : d->key.graphB;
        const ir::NodeIndex node = graph ? graph->find(word.toStdString()) : ir::npos;
        if (node != ir::npos) this->workspace().selectNode({pane == 0 ? Side::A : Side::B, node});
    });
    view()->toolTipFor = [this](int pane, int, const QString& word) -> QString {
        const ir::GraphPtr& graph = pane == 0 ? d->key.graphA : d->key.graphB;
        const ir::NodeIndex i = graph ? graph->find(word.toStdString()) : ir::npos;
        if (i == ir::npos) return {};
        const ir::Node& node = graph->node(i);
        QString text = word + QLatin1String("  ") + QString::fromStdString(ir::shortTarget(node.target));
        if (node.meta) text += u'\n' + QString::fromStdString(node.meta->annotation());
        if (const ir::SourceLocation* at = node.location())
            text += u'\n' + QString::fromStdString(at->file) + u':' + QString::number(at->line) + u'\n' +
                    QString::fromStdString(at->code);
        return text + u'\n' + tr("Ctrl-click goes to its definition");
    };
    restyle();
}

TextDiffPanel::~TextDiffPanel() = default;

QWidget* TextDiffPanel::takeTools() {
    headerRow()->removeWidget(d->tools);
    d->tools->setParent(nullptr);
    header()->hide();
    return d->tools;
}

void TextDiffPanel::returnTools() {
    headerRow()->addWidget(d->tools);
    d->tools->show();
    header()->show();
}

void TextDiffPanel::setCompactTools(bool compact) {
    d->counts->setHidden(compact);
}

bool TextDiffPanel::isPreparing() const {
    return !d->texts.isIdle();
}

void TextDiffPanel::nextDifference(int direction) {
    view()->nextDifference(direction);
}

void TextDiffPanel::copyAll() {
    QApplication::clipboard()->setText(unified(*d->text));
}

bool TextDiffPanel::exportTo(const QString& path) {
    QSaveFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(unified(*d->text).toUtf8()) >= 0 && file.commit();
}

void TextDiffPanel::restyle() {
    d->copy->setIcon(theme().icon(QStringLiteral("copy")));
    d->save->setIcon(theme().icon(QStringLiteral("export")));
}

void TextDiffPanel::prepare(const session::StagePtr& a, const session::StagePtr& b, const DiffPtr& diff) {
    if (!isVisible()) return;
    const auto graphA = a->graph(), graphB = b->graph();
    if (graphA && graphB) d->texts.prepare({a, b, *graphA, *graphB, diff, d->options()});
}

/// What is known at once; else it is made, and false.
bool TextDiffPanel::showText(const AlignKey& key) {
    const bool newStages = key.a != d->key.a || key.b != d->key.b;
    d->key = key;
    d->ready = false;
    workspace().tasks().cancel(QString::fromLatin1(taskTag));
    if (const AlignedTextPtr known = d->texts.find(key)) {
        d->texts.keep(key, known);
        setText(known, newStages);
        return true;
    }
    setLoading(true);
    workspace().tasks().run<AlignedTextPtr>(
        QString::fromLatin1(taskTag), this,
        [key, columns = d->texts.columns()](const TaskContext&) { return AlignedTexts::make(key, *columns); },
        [this, key, newStages](AlignedTextPtr text) {
            d->texts.keep(key, text);
            setText(std::move(text), newStages);
            setLoading(false);
            invalidate();
        });
    return false;
}

void TextDiffPanel::setText(AlignedTextPtr text, bool newStages) {
    d->text = std::move(text);
    d->ready = true;
    CodeView::Options options;
    options.signs = options.fold = d->text->document[1] != nullptr;
    if (newStages) view()->clear();
    view()->setRows(d->text->document[0], d->text->document[1], d->text->rows, options);
}

void TextDiffPanel::refresh() {
    if (showNothingOpen()) return;
    const StageView &a = workspace().stage(Side::A), &b = workspace().stage(Side::B);
    if (!a.stage && !b.stage) {
        d->counts->clear();
        showMessage(workspace().compile() ? tr("This compile has no graph: Dynamo ended before it made one.")
                                          : tr("No compile is selected."));
        return;
    }
    const bool graphs = a.graph && b.graph;
    const bool waiting = a.loading || b.loading || (graphs && !workspace().diff());
    setLoading(waiting);
    if (waiting) return;
    const AlignKey key{a.stage,     b.stage, a.graph, b.graph, graphs ? workspace().diff() : nullptr,
                       d->options()};
    if (!(d->ready && key == d->key) && !showText(key)) return;
    setLoading(false);
    showContent();
    QStringList unread;
    for (const StageView* side : {&a, &b})
        if (side->stage && !side->error.isEmpty())
            unread << tr("%1 is raw text: %2").arg(toQString(side->stage->label()), side->error);
    unread.removeDuplicates();
    d->notice->setText(unread.join(QStringLiteral("  ")));
    d->notice->setToolTip(unread.join(u'\n'));
    header()->setVisible(!unread.isEmpty() || d->tools->parentWidget() == header());
    // One text differs from nothing.
    d->quiet->setVisible(d->text->document[1] != nullptr);
    d->counts->setText(d->text->document[1] ? lineCounts(d->text->counts) : QString());

    const NodeSelection selected = workspace().place().node;
    const int side = selected.side == Side::A ? 0 : 1;
    std::array<std::set<int>, 2> own, related;
    const auto lines = [this](int of, const std::vector<ir::NodeIndex>& sorted) {
        std::set<int> out;
        const auto& nodes = d->text->nodeOfLine[std::size_t(of)];
        for (std::size_t i = 0; i < nodes.size(); ++i)
            if (std::binary_search(sorted.begin(), sorted.end(), nodes[i])) out.insert(int(i));
        return out;
    };
    if (!selected.isEmpty()) own[std::size_t(side)] = lines(side, {selected.node});
    const Subject asked = workspace().subject();
    for (int pane = 0; pane < 2; ++pane) {
        related[std::size_t(pane)] = lines(pane, workspace().relatedOn(pane == 0 ? Side::A : Side::B));
        const int stage = pane == 0 ? workspace().place().stageA : workspace().place().stageB;
        if (asked.kind == Subject::Kind::Code && asked.stage == stage)
            own[std::size_t(pane)] = {int(asked.line) - 1};
    }
    for (int pane = 0; pane < 2; ++pane)
        view()->setHighlight(pane, own[std::size_t(pane)], related[std::size_t(pane)]);
    if (!own[std::size_t(side)].empty())
        view()->reveal(side, *own[std::size_t(side)].begin());
    else
        for (int pane = 1; pane >= 0; --pane)
            if (!related[std::size_t(pane)].empty())
                view()->reveal(pane, *related[std::size_t(pane)].begin());
}

} // namespace dynascope::views
