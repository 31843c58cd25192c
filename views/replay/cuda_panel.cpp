// SPDX-License-Identifier: BSD-3-Clause
#include "views/replay/cuda_panel.h"

#include "views/base/page_parts.h"
#include "views/inspector/fact_view.h"
#include "views/theme/splitter.h"
#include "views/workspace/go_to.h"
#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

namespace dynascope::views {

namespace {

using replay::CudaNode;
using replay::CudaNodeKind;
using Look = TableCell::Look;

const CudaNode& nodeAt(const replay::ReplayRecording& recording, const CudaNodeAt& at) {
    return recording.cudaGraph->graphs[at.graph].nodes[at.node];
}

/// "3", and of inner graphs "2:3".
QString numberOf(std::size_t graph, std::size_t node) {
    return graph == 0 ? QString::number(node) : QStringLiteral("%1:%2").arg(graph).arg(node);
}

QString makerName(const replay::ReplayRecording& recording, const CudaNode& node) {
    return node.maker && *node.maker < recording.nodes.size() ? toQString(recording.nodes[*node.maker].name)
                                                              : QString();
}

Tone kindTone(CudaNodeKind kind) {
    switch (kind) {
    case CudaNodeKind::Kernel:
        return Tone::Temporary;
    case CudaNodeKind::Memcpy:
    case CudaNodeKind::Memset:
        return Tone::Write;
    case CudaNodeKind::Alloc:
    case CudaNodeKind::Free:
        return Tone::Output;
    default:
        return Tone::None;
    }
}

QString hex(std::uint64_t address) {
    return QStringLiteral("0x%1").arg(address, 0, 16);
}

QString threeOf(const std::array<std::uint32_t, 3>& of) {
    return QStringLiteral("%1 × %2 × %3").arg(of[0]).arg(of[1]).arg(of[2]);
}

} // namespace

std::vector<CudaNodeAt> cudaNodes(const replay::CudaGraph& graph) {
    std::vector<CudaNodeAt> out;
    for (std::size_t g = 0; g < graph.graphs.size(); ++g) {
        const std::size_t first = out.size();
        for (std::size_t node = 0; node < graph.graphs[g].nodes.size(); ++node)
            out.push_back({g, node, {}});
        for (const replay::CudaEdge& edge : graph.graphs[g].edges)
            if (edge.to < graph.graphs[g].nodes.size()) out[first + edge.to].after.push_back(edge.from);
        for (std::size_t i = first; i < out.size(); ++i)
            std::sort(out[i].after.begin(), out[i].after.end());
    }
    return out;
}

std::vector<TableColumn> cudaColumns() {
    return {{tr("#"), tr("In the order of the driver; 2:3 is node 3 of the inner graph 2"), 60, true},
            {tr("Kind"), {}, 110},
            {tr("What"), tr("The kernel with its grid and block, or what is copied"), 520},
            {tr("FX node"), tr("Which node was running when this was captured"), 220},
            {tr("After"), tr("Nodes that it waits for"), 160}};
}

std::vector<TableRow> cudaRows(const replay::ReplayRecording& recording,
                               const std::vector<CudaNodeAt>& nodes) {
    std::vector<TableRow> out;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const CudaNode& node = nodeAt(recording, nodes[i]);
        QStringList after;
        for (const std::uint32_t from : nodes[i].after)
            after << numberOf(nodes[i].graph, from);
        TableRow row{{numberOf(nodes[i].graph, nodes[i].node), Look::MonoQuiet},
                     {toQString(replay::cudaNodeKindName(node.kind)), Look::Chip, kindTone(node.kind)},
                     {toQString(replay::describe(node)), Look::Mono},
                     {makerName(recording, node), Look::Link},
                     {after.join(QStringLiteral(", ")), Look::MonoQuiet}};
        row[std::size_t(CudaColumn::Number)].sort = qulonglong(i);
        out.push_back(std::move(row));
    }
    return out;
}

std::vector<TableColumn> makerColumns() {
    return {{tr("FX node"), tr("Return shows it in its graph"), 220},
            {tr("Target"), {}, 260},
            {tr("CUDA nodes"), tr("What the driver recorded while it ran; 0 for views"), 100, true}};
}

std::vector<TableRow> makerRows(const replay::ReplayRecording& recording,
                                const std::vector<CudaNodeAt>& nodes) {
    std::vector<std::size_t> count(recording.nodes.size());
    for (const CudaNodeAt& at : nodes)
        if (const auto maker = nodeAt(recording, at).maker; maker && *maker < count.size()) ++count[*maker];
    std::vector<TableRow> out;
    for (std::size_t i = 0; i < recording.nodes.size(); ++i) {
        TableCell number{QString::number(count[i]), count[i] > 0 ? Look::Mono : Look::MonoQuiet};
        number.sort = qulonglong(count[i]);
        out.push_back({{toQString(recording.nodes[i].name), Look::Mono},
                       {toQString(recording.nodes[i].target), Look::MonoQuiet},
                       std::move(number)});
    }
    return out;
}

Facts cudaFacts(const replay::ReplayRecording& recording, const std::vector<CudaNodeAt>& nodes,
                std::size_t row) {
    const CudaNodeAt& at = nodes[row];
    const CudaNode& node = nodeAt(recording, at);
    Facts out;
    out.title = tr("%1 %2").arg(toQString(replay::cudaNodeKindName(node.kind)), numberOf(at.graph, at.node));
    out.subtitle = {mono(toQString(replay::describe(node)))};
    Section where;
    where.title = tr("Node");
    if (const QString maker = makerName(recording, node); !maker.isEmpty())
        where.facts.push_back(fact(tr("FX node"), {monoLink(maker, QStringLiteral("node:") + maker)}));
    const auto links = [&](const std::vector<std::size_t>& rows) {
        Tokens tokens;
        for (const std::size_t other : rows) {
            if (!tokens.empty()) tokens.push_back(text(QStringLiteral(", ")));
            tokens.push_back(monoLink(numberOf(nodes[other].graph, nodes[other].node),
                                      QStringLiteral("cuda:%1").arg(other)));
        }
        return tokens.empty() ? Tokens{quiet(QObject::tr("none"))} : tokens;
    };
    std::vector<std::size_t> before, behind;
    const std::size_t first = row - at.node;
    for (const std::uint32_t from : at.after)
        before.push_back(first + from);
    for (std::size_t i = first; i < nodes.size() && nodes[i].graph == at.graph; ++i)
        if (std::binary_search(nodes[i].after.begin(), nodes[i].after.end(), std::uint32_t(at.node)))
            behind.push_back(i);
    where.facts.push_back(fact(tr("Waits for"), links(before)));
    where.facts.push_back(fact(tr("Awaited by"), links(behind)));
    out.sections.push_back(std::move(where));
    Section detail;
    detail.title = tr("Parameters");
    if (const auto* kernel = std::get_if<replay::CudaKernel>(&node.detail)) {
        detail.facts = {fact(tr("Function"), {mono(toQString(kernel->function))}),
                        fact(tr("Grid"), {mono(threeOf(kernel->grid))}),
                        fact(tr("Block"), {mono(threeOf(kernel->block))}),
                        fact(tr("Shared"), {text(bytesText(kernel->sharedBytes))},
                             tr("Dynamic shared memory per block"))};
        for (std::size_t i = 0; i < kernel->params.size(); ++i) {
            const replay::CudaKernelParam& param = kernel->params[i];
            const auto number = param.number();
            detail.facts.push_back(
                fact(tr("Argument %1").arg(i),
                     {mono(number ? hex(*number) : toQString(param.bytes)),
                      quiet(tr("  %1 at %2").arg(bytesText(param.size)).arg(param.offset))}));
        }
        if (!kernel->paramsKnown)
            detail.facts.push_back(paragraph({quiet(tr("The driver did not tell its arguments."))}));
    } else if (const auto* copy = std::get_if<replay::CudaMemcpy>(&node.detail)) {
        detail.facts = {fact(tr("From"), {mono(hex(copy->source)), quiet(u' ' + toQString(copy->from))}),
                        fact(tr("To"), {mono(hex(copy->target)), quiet(u' ' + toQString(copy->to))}),
                        fact(tr("Extent"), {mono(QStringLiteral("%1 × %2 × %3")
                                                     .arg(copy->widthBytes)
                                                     .arg(copy->height)
                                                     .arg(copy->depth))})};
    } else if (const auto* set = std::get_if<replay::CudaMemset>(&node.detail)) {
        detail.facts = {fact(tr("To"), {mono(hex(set->target))}), fact(tr("Value"), {mono(hex(set->value))})};
    } else if (const auto* made = std::get_if<replay::CudaAlloc>(&node.detail)) {
        detail.facts = {fact(tr("Address"), {mono(hex(made->address))}),
                        fact(tr("Bytes"), {mono(numberText(made->bytes))})};
    } else if (const auto* freed = std::get_if<replay::CudaFree>(&node.detail)) {
        detail.facts = {fact(tr("Address"), {mono(hex(freed->address))})};
    } else if (const auto* inner = std::get_if<replay::CudaInner>(&node.detail)) {
        if (!inner->condition.empty())
            detail.facts.push_back(fact(tr("Condition"), {mono(toQString(inner->condition))}));
        for (const std::uint32_t graph : inner->graphs)
            detail.facts.push_back(fact(tr("Graph"), {mono(QString::number(graph))}));
        if (!inner->known)
            detail.facts.push_back(
                paragraph({quiet(tr("This driver has no call that reaches its bodies."))}));
    }
    if (!detail.facts.empty()) out.sections.push_back(std::move(detail));
    return out;
}

struct CudaPanel::Private {
    explicit Private(ReplayRuns& from)
        : runs(from) {}

    ReplayRuns& runs;
    QComboBox* graphs = nullptr;
    QLabel *note = nullptr, *warnings = nullptr;
    RowTable *makers = nullptr, *nodes = nullptr;
    FactView* detail = nullptr;
    ReplayedRunPtr run;
    std::vector<std::size_t> choices; ///< by entry of `graphs`: into run->graphs
    std::size_t graph = 0;
    std::vector<CudaNodeAt> all;

    [[nodiscard]] const ReplayedGraph& shown() const { return run->graphs[graph]; }
};

CudaPanel::CudaPanel(Workspace& workspace, ReplayRuns& runs, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
    , d(std::make_unique<Private>(runs)) {
    setObjectName(QStringLiteral("cudaGraph"));
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    QHBoxLayout* row = nullptr;
    column->addWidget(headerBar(row));
    row->addWidget(d->graphs = new QComboBox);
    d->graphs->setObjectName(QStringLiteral("cuda.graphs"));
    d->graphs->setAccessibleName(tr("Graph"));
    d->graphs->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    row->addStretch(1);
    row->addWidget(d->note = plainLabel({}, "hint"));
    column->addWidget(d->warnings = plainLabel({}, "label"));
    d->warnings->setWordWrap(true);
    d->warnings->setContentsMargins(12, 6, 12, 6);
    d->warnings->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto* split = new Splitter(Qt::Horizontal);
    d->makers = new RowTable(tr("FX nodes"), makerColumns(), theme);
    d->makers->setObjectName(QStringLiteral("cuda.makers"));
    d->nodes = new RowTable(tr("CUDA graph nodes"), cudaColumns(), theme);
    d->nodes->setObjectName(QStringLiteral("cuda.nodes"));
    for (RowTable* table : {d->makers, d->nodes})
        addCopyRows(table);
    split->addWidget(titledBox(tr("FX nodes"), d->makers).widget);
    split->addWidget(titledBox(tr("CUDA graph nodes"), d->nodes).widget);
    d->detail = new FactView(theme);
    d->detail->setObjectName(QStringLiteral("cuda.detail"));
    d->detail->setAccessibleName(tr("CUDA graph node"));
    split->addWidget(d->detail);
    split->setStretchFactor(1, 1);
    split->setSizes({theme.scaled(420), theme.scaled(700), theme.scaled(320)});
    column->addWidget(split, 1);
    setContent(page);
    setFocusProxy(d->nodes);

    connect(&runs, &ReplayRuns::finished, this, &Panel::invalidate);
    connect(d->graphs, &QComboBox::activated, this, &CudaPanel::showGraph);
    connect(d->nodes, &RowTable::rowSelected, this, &CudaPanel::showNode);
    connect(d->makers, &RowTable::rowSelected, this, &CudaPanel::showMaker);
    connect(d->makers, &RowTable::rowActivated, this,
            [this](int node) { goToNode(toQString(d->shown().recording.nodes[std::size_t(node)].name)); });
    const auto follow = [this](int index) {
        goToNode(makerName(d->shown().recording, nodeAt(d->shown().recording, d->all[std::size_t(index)])));
    };
    connect(d->nodes, &RowTable::rowActivated, this, follow);
    connect(d->nodes, &RowTable::linkActivated, this, follow);
    connect(d->detail, &FactView::followed, this, [this](const QString& target) {
        const QString what = target.section(u':', 1);
        if (target.startsWith(QLatin1String("node:"))) return goToNode(what);
        d->nodes->select(what.toInt());
        showNode(what.toInt());
    });
}

CudaPanel::~CudaPanel() = default;

void CudaPanel::refresh() {
    const ReplayedRunPtr run = showNothingOpen() ? nullptr : d->runs.newest(*workspace().session());
    if (run && run == d->run) return;
    d->run = run;
    d->choices.clear();
    d->graphs->clear();
    d->all.clear();
    if (!workspace().session()) return;
    if (run)
        for (std::size_t i = 0; i < run->graphs.size(); ++i)
            if (run->graphs[i].recording.cudaGraph) {
                d->choices.push_back(i);
                d->graphs->addItem(run->graphs[i].name);
            }
    if (d->choices.empty()) {
        showMessage(
            tr("No CUDA graph was recorded here. The CUDA plugin records one on a machine with a GPU; "
               "what it recorded can be read anywhere."));
        return;
    }
    showContent();
    showGraph(0);
}

void CudaPanel::showGraph(int index) {
    d->graph = d->choices[std::size_t(index)];
    const replay::ReplayRecording& recording = d->shown().recording;
    d->all = cudaNodes(*recording.cudaGraph);
    d->makers->setRows(makerRows(recording, d->all));
    d->nodes->setRows(cudaRows(recording, d->all));
    std::size_t edges = 0;
    for (const replay::CudaSubgraph& graph : recording.cudaGraph->graphs)
        edges += graph.edges.size();
    const int driver = recording.cudaGraph->driverVersion;
    QString note =
        tr("%1, %2 on %3")
            .arg(countText(d->all.size(), tr("node"), tr("nodes")), countText(edges, tr("edge"), tr("edges")),
                 toQString(recording.cudaGraph->device));
    if (driver > 0) note += tr(", CUDA %1.%2").arg(driver / 1000).arg(driver % 1000 / 10);
    d->note->setText(note);
    QStringList odd;
    for (const std::string& warning : recording.cudaGraph->warnings)
        odd << toQString(warning);
    d->warnings->setText(odd.join(u'\n'));
    d->warnings->setVisible(!odd.isEmpty());
    d->nodes->select(d->all.empty() ? -1 : 0);
    if (!d->all.empty()) showNode(0);
}

void CudaPanel::showNode(int row) {
    if (row < 0 || row >= int(d->all.size())) return;
    const replay::ReplayRecording& recording = d->shown().recording;
    const CudaNode& node = nodeAt(recording, d->all[std::size_t(row)]);
    d->makers->select(node.maker && *node.maker < recording.nodes.size() ? int(*node.maker) : -1);
    d->detail->setFacts(cudaFacts(recording, d->all, std::size_t(row)));
}

void CudaPanel::showMaker(int maker) {
    for (std::size_t i = 0; i < d->all.size(); ++i)
        if (nodeAt(d->shown().recording, d->all[i]).maker == std::uint32_t(maker)) {
            d->nodes->select(int(i));
            d->detail->setFacts(cudaFacts(d->shown().recording, d->all, i));
            return;
        }
    d->nodes->select(-1);
}

void CudaPanel::goToNode(const QString& name) {
    if (!name.isEmpty()) goToStage(workspace(), d->shown().compile, d->shown().stage, name.toStdString());
}

} // namespace dynascope::views
