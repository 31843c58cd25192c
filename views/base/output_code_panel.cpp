// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/output_code_panel.h"

#include "views/base/code_view.h"
#include "views/base/output_code.h"
#include "views/theme/splitter.h"
#include "views/workspace/labels.h"
#include "views/workspace/trace.h"

#include <QComboBox>
#include <QLabel>
#include <QListView>
#include <QSignalBlocker>
#include <QStringListModel>
#include <QVBoxLayout>
#include <algorithm>

namespace dynascope::views {

namespace {

/// Why a compile without generated code has none, as far as the capture tells.
QString whyNoCode(const session::Compile& compile) {
    using session::Phase;
    const QString id = toQString(compile.id.toString());
    if (compile.status == session::Status::Failed)
        return OutputCodePanel::tr("%1 has no output code: it failed before any was recorded.").arg(id);
    if (compile.stages.empty())
        return OutputCodePanel::tr("%1 has no output code: this capture has no graph of it either.").arg(id);
    const bool inductor = std::ranges::any_of(compile.stages, [](const session::StagePtr& stage) {
        return stage->phase == Phase::PreGrad || stage->phase == Phase::PostGradForward ||
               stage->phase == Phase::PostGradBackward;
    });
    return inductor
               ? OutputCodePanel::tr("%1 has no output code: this capture has Inductor's graphs of it, but "
                                     "not the code that they became.")
                     .arg(id)
               : OutputCodePanel::tr("%1 has no output code: this capture has graphs of it, but none of "
                                     "Inductor's, which would generate code.")
                     .arg(id);
}

} // namespace

struct OutputCodePanel::Private {
    CodeView* view = nullptr;
    QComboBox* stages = nullptr;
    QListView* kernels = nullptr;
    QStringListModel* names = nullptr;
    QLabel* title = nullptr;
    OutputCode code;
    session::StagePtr stage; ///< shown or being read
    Subject led;             ///< the last one that chose the stage
    bool ready = false;
};

OutputCodePanel::OutputCodePanel(Workspace& workspace, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
    , d(std::make_unique<Private>()) {
    auto* split = new Splitter(Qt::Horizontal);
    auto* side = new QWidget;
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(8, 6, 0, 0);
    column->setSpacing(4);
    d->stages = new QComboBox;
    d->stages->setAccessibleName(tr("Generated code"));
    column->addWidget(d->stages);
    d->title = new QLabel;
    d->title->setProperty("role", "section");
    d->title->setTextFormat(Qt::PlainText);
    column->addWidget(d->title);
    d->names = new QStringListModel(this);
    d->kernels = new QListView;
    d->kernels->setObjectName(QStringLiteral("outputCode.kernels"));
    d->kernels->setAccessibleName(tr("Kernels"));
    d->kernels->setModel(d->names);
    d->kernels->setEditTriggers(QAbstractItemView::NoEditTriggers);
    d->kernels->setUniformItemSizes(true);
    d->kernels->setTextElideMode(Qt::ElideMiddle);
    column->addWidget(d->kernels, 1);
    split->addWidget(side);
    d->view = new CodeView(theme);
    d->view->setObjectName(QStringLiteral("outputCode.view"));
    d->view->setAccessibleName(tr("Output code"));
    split->addWidget(d->view);
    split->setStretchFactor(1, 1);
    split->setSizes({210, 800});
    setContent(split);
    setFocusProxy(d->view);
    takeFilterKeys(d->view);
    takeFilterKeys(d->kernels);
    connect(&workspace, &Workspace::stagesChanged, this, &OutputCodePanel::invalidate);
    connect(&workspace, &Workspace::nodeSelected, this, &OutputCodePanel::invalidate);
    connect(&workspace.trace(), &Trace::changed, this, &OutputCodePanel::invalidate);
    connect(d->stages, &QComboBox::activated, this, [this](int index) {
        const session::Compile* compile = this->workspace().compile();
        const int at = d->stages->itemData(index).toInt();
        if (!compile || at < 0 || at >= int(compile->stages.size())) return;
        d->stage = compile->stages[std::size_t(at)];
        d->led = this->workspace().subject();
        d->ready = false;
        invalidate();
    });
    const auto jump = [this](const QModelIndex& index) {
        if (index.row() >= 0 && index.row() < int(d->code.kernels.size()))
            d->view->reveal(0, d->code.kernels[std::size_t(index.row())].line);
    };
    connect(d->kernels, &QListView::clicked, this, jump);
    connect(d->kernels, &QListView::activated, this, jump);
    connect(d->view, &CodeView::linkActivated, this, &OutputCodePanel::followNode);
    connect(d->view, &CodeView::lineClicked, this, [this](int, int line) {
        if (const int stage = this->workspace().indexOf(d->stage.get()); stage >= 0 && line >= 0)
            this->workspace().selectCode(stage, std::uint32_t(line) + 1);
    });
}

OutputCodePanel::~OutputCodePanel() = default;

void OutputCodePanel::focusFilter() {
    d->view->openFind();
}

void OutputCodePanel::followNode(const QString& name) {
    const std::string node = name.toStdString();
    for (const Side side : {Side::B, Side::A})
        if (const ir::GraphPtr& graph = workspace().stage(side).graph)
            if (const ir::NodeIndex at = graph->find(node); at != ir::npos)
                return workspace().selectNode({side, at});
    // Neither side has it: the last stage that does becomes B.
    const session::Compile* compile = workspace().compile();
    for (int i = compile ? int(compile->stages.size()) - 1 : -1; i >= 0; --i) {
        const session::Stage& stage = *compile->stages[std::size_t(i)];
        if (stage.content != session::Stage::Content::Graph) continue;
        const auto graph = stage.graph();
        const ir::NodeIndex at = graph ? (*graph)->find(node) : ir::npos;
        if (at == ir::npos) continue;
        return workspace().showNode(i, at);
    }
}

/// The stage of the subject, where it is generated code or ended in some; else null.
session::StagePtr OutputCodePanel::subjectStage() const {
    const Subject asked = workspace().subject();
    if (asked == d->led) return nullptr;
    if (asked.kind == Subject::Kind::Code) return workspace().stageAt(asked.stage);
    const CompileTrace* trace = workspace().trace().current();
    if (!trace || trace->answer.kernels.empty()) return nullptr;
    const auto stageOf = [this](const session::LinkedKernel& kernel) {
        return workspace().compile()->stages[kernel.stage];
    };
    for (const session::LinkedKernel& kernel : trace->answer.kernels)
        if (stageOf(kernel) == d->stage) return d->stage;
    return stageOf(trace->answer.kernels.front());
}

void OutputCodePanel::refresh() {
    if (showNothingOpen()) return;
    const session::Compile* compile = workspace().compile();
    std::vector<int> codes;
    for (std::size_t i = 0; compile && i < compile->stages.size(); ++i)
        if (compile->stages[i]->content == session::Stage::Content::Code) codes.push_back(int(i));
    if (!compile || codes.empty()) {
        d->stage.reset();
        d->ready = false;
        showMessage(compile ? whyNoCode(*compile) : tr("No compile is selected."));
        return;
    }
    session::StagePtr wanted = compile->stages[std::size_t(codes.front())];
    for (const int i : codes) {
        const session::StagePtr& stage = compile->stages[std::size_t(i)];
        if (stage == d->stage || (d->stage == nullptr && (stage == workspace().stage(Side::A).stage ||
                                                          stage == workspace().stage(Side::B).stage)))
            wanted = stage;
    }
    if (session::StagePtr asked = subjectStage()) {
        d->led = workspace().subject();
        wanted = std::move(asked);
    }
    if (wanted != d->stage || !d->ready) {
        d->stage = wanted;
        d->ready = false;
        {
            const QSignalBlocker block(d->stages);
            d->stages->clear();
            for (const int i : codes) {
                d->stages->addItem(toQString(compile->stages[std::size_t(i)]->label()), i);
                if (compile->stages[std::size_t(i)] == wanted)
                    d->stages->setCurrentIndex(d->stages->count() - 1);
            }
            d->stages->setVisible(codes.size() > 1);
        }
        setLoading(true);
        workspace().tasks().run<OutputCode>(
            QStringLiteral("outputcode"), this,
            [wanted](const TaskContext&) { return readOutputCode(toQString(wanted->payload.text())); },
            [this](OutputCode code) {
                setLoading(false);
                d->code = std::move(code);
                d->ready = true;
                QStringList names;
                for (const Kernel& kernel : d->code.kernels)
                    names << kernel.name;
                d->names->setStringList(names);
                d->title->setText(countText(qulonglong(names.size()), tr("kernel or function"),
                                            tr("kernels and functions")));
                d->view->setDocument(d->code.document, {});
                invalidate();
            });
        return;
    }
    showContent();
    mark();
}

void OutputCodePanel::mark() {
    std::set<int> selected, related;
    const int lines = int(d->code.document->lines.size());
    const auto add = [lines](std::set<int>& to, const session::LineRange& range) {
        if (range.first == 0) return;
        for (int line = int(range.first) - 1; line < std::min(int(range.last), lines); ++line)
            to.insert(line);
    };
    const Subject asked = workspace().subject();
    const int shown = workspace().indexOf(d->stage.get());
    if (const CompileTrace* trace = workspace().trace().current()) {
        for (std::size_t i = 0; i < trace->kernels.size(); ++i) {
            if (int(trace->answer.kernels[i].stage) != shown) continue;
            add(related, trace->kernels[i].definition);
            for (const session::KernelCall& call : trace->kernels[i].calls)
                add(related, call.lines);
        }
        // Of a kernel, the comments that name what was asked about.
        for (const session::LinkedNode& linked : trace->answer.nodes) {
            const auto graph = workspace().compile()->stages[linked.stage]->graph();
            if (!graph || asked.kind == Subject::Kind::Code) continue;
            for (const int line : d->code.linesOfNode.value(toQString((*graph)->node(linked.node).name)))
                if (related.contains(line)) selected.insert(line);
        }
    }
    if (asked.kind == Subject::Kind::Code && asked.stage == shown) add(selected, {asked.line, asked.line});
    for (const int line : selected)
        related.erase(line);
    const std::set<int>& first = selected.empty() ? related : selected;
    if (!first.empty()) d->view->reveal(0, *first.begin());
    d->view->setHighlight(0, std::move(selected), std::move(related));
}

} // namespace dynascope::views
