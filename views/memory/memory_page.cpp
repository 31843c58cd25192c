// SPDX-License-Identifier: BSD-3-Clause
#include "views/memory/memory_page.h"

#include "core/session/memory_timeline.h"
#include "views/base/page_parts.h"
#include "views/inspector/fact_view.h"
#include "views/memory/memory_chart.h"
#include "views/memory/memory_lines_model.h"
#include "views/theme/splitter.h"
#include "views/workspace/labels.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QVBoxLayout>
#include <map>
#include <tuple>

namespace dynascope::views {

namespace {

using session::MemoryGroup;
using session::MemoryLife;
using session::MemorySnapshot;
using session::MemoryTimeline;
using SnapshotPtr = std::shared_ptr<const MemorySnapshot>;
using LineKey = std::tuple<std::string, std::uint32_t, std::string>;

LineKey keyOf(const ir::SourceLocation& at) {
    return {at.file, at.line, at.function};
}

QString hexText(std::uint64_t address) {
    return QStringLiteral("0x%1").arg(address, 0, 16);
}

} // namespace

/// What one device's trace comes to, made on a worker.
struct MemoryPage::Picture {
    SnapshotPtr snapshot;
    std::shared_ptr<const MemoryTimeline> timeline;
    std::vector<MemoryChart::Look> looks; ///< of each life
    std::map<LineKey, int> ofLine;        ///< colours of the lines that have one
};

struct MemoryPage::DeviceOf {
    session::DeviceMemory memory;
    SnapshotPtr snapshot;
    int rank = -1; ///< -1 where there is no other
};

struct MemoryPage::Private {
    FigureRow* figures = nullptr;
    QComboBox* devices = nullptr;
    MemoryChart* chart = nullptr;
    QLabel *title = nullptr, *total = nullptr;
    QTableView* table = nullptr;
    MemoryLinesModel* model = nullptr;
    FactView* detail = nullptr;
    std::vector<session::FoundMemory> all;
    std::vector<DeviceOf> summary;
    Picture picture;
    int device = -1; ///< index into summary
};

MemoryPage::MemoryPage(Workspace& workspace, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
    , d(std::make_unique<Private>()) {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    d->figures = new FigureRow;
    d->devices = new QComboBox;
    d->devices->setAccessibleName(tr("Device"));
    d->figures->row()->addWidget(d->devices);
    column->addWidget(d->figures);
    auto* split = new Splitter(Qt::Horizontal);
    d->chart = new MemoryChart(theme);
    split->addWidget(d->chart);
    auto* halves = new Splitter(Qt::Vertical);
    d->table = new QTableView;
    d->table->setObjectName(QStringLiteral("memory.table"));
    d->model = new MemoryLinesModel(theme, this);
    d->table->setModel(d->model);
    d->table->setAccessibleName(tr("Alive, by line"));
    d->table->setShowGrid(false);
    d->table->setWordWrap(false);
    d->table->setSelectionBehavior(QAbstractItemView::SelectRows);
    d->table->verticalHeader()->hide();
    d->table->horizontalHeader()->setStretchLastSection(true);
    d->table->horizontalHeader()->setHighlightSections(false);
    addCopyRows(d->table);
    halves->addWidget(d->table);
    d->detail = new FactView(theme);
    d->detail->setAccessibleName(tr("Block"));
    halves->addWidget(d->detail);
    halves->setSizes({300, 200});
    const TitledBox side = titledBox({}, halves);
    d->title = side.title;
    d->total = side.note;
    split->addWidget(side.widget);
    split->setStretchFactor(0, 1);
    split->setSizes({1000, theme.scaled(380)});
    split->setCollapsible(0, false);
    column->addWidget(split, 1);
    setContent(page);
    setFocusProxy(d->chart);

    connect(d->devices, &QComboBox::activated, this, &MemoryPage::showDevice);
    connect(d->chart, &MemoryChart::momentChanged, this, &MemoryPage::showMoment);
    connect(d->chart, &MemoryChart::selectionChanged, this, [this](std::size_t life) {
        if (life != SIZE_MAX) d->table->clearSelection();
        showDetail();
    });
    connect(d->table->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (!d->table->selectionModel()->selectedRows().isEmpty()) d->chart->select(SIZE_MAX);
        showDetail();
    });
    restyle();
}

MemoryPage::~MemoryPage() = default;

void MemoryPage::restyle() {
    d->table->verticalHeader()->setDefaultSectionSize(theme().scaled(24));
    d->table->setColumnWidth(MemoryLinesModel::Bytes, theme().scaled(104));
    d->table->setColumnWidth(MemoryLinesModel::Blocks, theme().scaled(64));
}

// What is shown refers to the snapshot: both go together, and with them what is under way.
void MemoryPage::forget() {
    for (const char* tag : {"memory", "memory.alive"})
        workspace().tasks().cancel(QLatin1String(tag));
    d->chart->setContent({});
    d->model->setRows({});
    d->picture = {};
    d->all.clear();
    d->device = -1;
}

void MemoryPage::refresh() {
    if (showNothingOpen()) {
        forget();
        return;
    }
    const session::Session& session = *workspace().session();
    if (!session.memory) {
        forget();
        showMessage(
            tr("This capture has no memory snapshot. dynascope-cli run --what trace,memory keeps one beside "
               "the trace, and torch.cuda.memory._dump_snapshot() writes one: open that file."));
        return;
    }
    showContent();
    if (!d->all.empty() && d->all.front().snapshot == session.memory) {
        if (d->device >= 0) showFigures();
        return;
    }
    forget();
    d->all = session.memories;
    if (d->all.empty()) d->all.push_back({-1, {}, session.memory});
    setLoading(true);
    workspace().tasks().run<std::vector<DeviceOf>>(
        QStringLiteral("memory"), this,
        [all = d->all](const TaskContext&) {
            std::vector<DeviceOf> out;
            for (const session::FoundMemory& found : all)
                for (session::DeviceMemory& device : session::summarizeMemory(*found.snapshot))
                    out.push_back({std::move(device), found.snapshot, all.size() > 1 ? found.rank : -1});
            return out;
        },
        [this](std::vector<DeviceOf> summary) { showSummary(std::move(summary)); });
}

void MemoryPage::showSummary(std::vector<DeviceOf> summary) {
    d->summary = std::move(summary);
    d->devices->clear();
    for (const DeviceOf& of : d->summary)
        d->devices->addItem(of.rank < 0 ? tr("device %1").arg(of.memory.device)
                                        : tr("rank %1, device %2").arg(of.rank).arg(of.memory.device));
    d->devices->setVisible(d->summary.size() > 1);
    if (d->summary.empty()) {
        setLoading(false);
        return showMessage(tr("The snapshot holds no segment and no event."));
    }
    const auto largest =
        std::max_element(d->summary.begin(), d->summary.end(), [](const auto& a, const auto& b) {
            return std::pair(a.memory.events, a.memory.reserved) <
                   std::pair(b.memory.events, b.memory.reserved);
        });
    showDevice(int(largest - d->summary.begin()));
}

void MemoryPage::showDevice(int index) {
    d->device = index;
    d->devices->setCurrentIndex(index);
    showFigures();
    setLoading(true);
    workspace().tasks().run<Picture>(
        QStringLiteral("memory"), this,
        [snapshot = d->summary[std::size_t(index)].snapshot,
         device = d->summary[std::size_t(index)].memory.device](const TaskContext&) {
            Picture out;
            auto timeline = std::make_shared<MemoryTimeline>(session::memoryTimeline(*snapshot, device));
            const session::MemoryLines lines = session::memoryLines(*snapshot, *timeline);
            const std::vector<MemoryGroup> most =
                session::memoryAlive(*snapshot, *timeline, timeline->peak());
            for (std::size_t i = 0; i < std::min(most.size(), Colours::memoryCount); ++i)
                out.ofLine.emplace(keyOf(most[i].at), int(i));
            std::vector<int> ofLine;
            for (const MemoryGroup& line : lines.lines) {
                const auto colour = out.ofLine.find(keyOf(line.at));
                ofLine.push_back(colour == out.ofLine.end() ? -1 : colour->second);
            }
            out.looks.reserve(lines.ofLife.size());
            for (const std::size_t line : lines.ofLife)
                out.looks.push_back({ofLine[line]});
            out.snapshot = snapshot;
            out.timeline = std::move(timeline);
            return out;
        },
        [this](Picture picture) { showPicture(std::move(picture)); });
}

void MemoryPage::showPicture(Picture picture) {
    setLoading(false);
    d->picture = std::move(picture);
    MemoryChart::Content content;
    content.timeline = d->picture.timeline;
    content.looks = d->picture.looks;
    content.heading = tr("Address against event");
    content.unit = tr("event");
    content.reservedName = tr("reserved");
    content.momentName = [](std::size_t moment) { return tr("event %1").arg(numberText(moment)); };
    content.tip = [this](std::size_t index) {
        const MemoryLife& life = d->picture.timeline->lives[index];
        const ir::SourceLocation* at = session::userFrame(d->picture.snapshot->stacks[life.stack]);
        const QString from = life.older ? tr("before the trace") : numberText(life.begin);
        const QString to = life.lasts ? tr("the end") : numberText(life.end);
        const QString text = bytesText(life.bytes) + u'\n' + tr("events %1 to %2").arg(from, to) + u'\n' +
                             memoryLineText(at ? *at : ir::SourceLocation());
        return plainToolTip(text);
    };
    d->chart->setContent(std::move(content));
    showMoment(d->chart->moment());
    showDetail();
}

void MemoryPage::showFigures() {
    const session::DeviceMemory& device = d->summary[std::size_t(d->device)].memory;
    const Colours& c = theme().colours();
    std::vector<FigureRow::Figure> figures{
        {bytesText(device.allocated), tr("allocated at the end"), {}, tr("By tensors that are alive")},
        {device.events > 0 ? bytesText(device.peak) : tr("not recorded"), tr("peak"), c.removed,
         tr("The most that was allocated while the trace ran")},
        {bytesText(device.reserved), tr("reserved"), {}, tr("By segments that the allocator holds")},
        {bytesText(device.allocated - std::min(device.requested, device.allocated)),
         tr("lost to rounding"),
         {},
         tr("Allocated, less what was asked for")},
        {bytesText(device.largestFree),
         tr("largest free block"),
         {},
         tr("What is reserved and free, in one piece: less than the sum of all where memory is fragmented")},
        {numberText(device.events), tr("events")}};
    if (device.outOfMemory > 0)
        figures.push_back({numberText(device.outOfMemory), tr("out of memory"), c.removed});
    d->figures->setFigures(figures);
}

void MemoryPage::showMoment(std::size_t moment) {
    const bool atPeak = moment == d->picture.timeline->peak();
    d->title->setText(atPeak ? tr("Alive at the peak, event %1").arg(numberText(moment))
                             : tr("Alive at event %1").arg(numberText(moment)));
    workspace().tasks().run<std::vector<MemoryGroup>>(
        QStringLiteral("memory.alive"), this,
        [snapshot = d->picture.snapshot, timeline = d->picture.timeline, moment](const TaskContext&) {
            return session::memoryAlive(*snapshot, *timeline, moment);
        },
        [this](std::vector<MemoryGroup> groups) {
            std::vector<MemoryLinesModel::Row> rows;
            std::size_t blocks = 0;
            for (MemoryGroup& group : groups) {
                blocks += group.blocks;
                const auto colour = d->picture.ofLine.find(keyOf(group.at));
                rows.push_back({std::move(group), colour == d->picture.ofLine.end() ? -1 : colour->second});
            }
            d->total->setText(countText(blocks, tr("block"), tr("blocks")));
            d->model->setRows(std::move(rows));
        });
}

void MemoryPage::showDetail() {
    Facts facts;
    const std::size_t selected = d->chart->selected();
    const QModelIndexList rows = d->table->selectionModel()->selectedRows();
    if (selected != SIZE_MAX) {
        const MemoryLife& life = d->picture.timeline->lives[selected];
        facts.title = bytesText(life.bytes);
        facts.subtitle = {quiet(tr("one allocation"))};
        Section section;
        section.title = tr("Block");
        section.facts = {
            fact(tr("Address"), {mono(hexText(life.address))}),
            fact(tr("Bytes"), {mono(numberText(life.bytes))}),
            fact(tr("Allocated"),
                 {text(life.older ? tr("before the trace began") : tr("event %1").arg(life.begin))}),
            fact(tr("Freed"),
                 {text(life.lasts ? tr("not: alive at the end") : tr("event %1").arg(life.end))})};
        facts.sections.push_back(std::move(section));
        Section stack;
        stack.title = tr("Allocated at");
        stack.facts = stackFacts(d->picture.snapshot->stacks[life.stack]);
        if (stack.facts.empty()) stack.facts = {paragraph({quiet(tr("The snapshot has no stack of it."))})};
        facts.sections.push_back(std::move(stack));
    } else if (!rows.isEmpty()) {
        const MemoryGroup& group = d->model->row(rows.front().row()).group;
        facts.title = memoryLineText(group.at);
        facts.subtitle = {quiet(
            tr("%1 in %2").arg(bytesText(group.bytes), countText(group.blocks, tr("block"), tr("blocks"))))};
        Section stack;
        stack.title = tr("Stack of its largest block");
        stack.facts = stackFacts(group.stack);
        if (stack.facts.empty()) stack.facts = {paragraph({quiet(tr("The snapshot has no stack of it."))})};
        facts.sections.push_back(std::move(stack));
    } else {
        facts.title = tr("Nothing selected");
        facts.sections.push_back(
            {{},
             {paragraph(
                 {quiet(tr("Select a block or a line to see its stack. Left and Right step through the "
                           "events, P goes to the peak, the wheel zooms."))})},
             {},
             {},
             true});
    }
    d->detail->setFacts(facts);
}

} // namespace dynascope::views
