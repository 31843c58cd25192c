// SPDX-License-Identifier: BSD-3-Clause
#include "views/provenance/provenance_panel.h"

#include "views/provenance/provenance_delegate.h"
#include "views/provenance/provenance_model.h"
#include "views/workspace/labels.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QScrollBar>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <utility>

namespace dynascope::views {

namespace {

constexpr int rowHeight = 24;

/// Shares its width among the levels by what they hold: line ranges are short, kernel names long.
class LevelTable final : public QTableView {
public:
    using QTableView::QTableView;

protected:
    void resizeEvent(QResizeEvent* event) override {
        QTableView::resizeEvent(event);
        static constexpr std::array<int, levelCount> shares = {16, 18, 20, 18, 17, 11};
        const int width = viewport()->width();
        int left = 0, sum = 0;
        for (std::size_t c = 0; c < levelCount; ++c) {
            sum += shares[c];
            const int right = width * sum / 100;
            horizontalHeader()->resizeSection(int(c), right - left);
            left = right;
        }
    }
};

/// A sign of the legend with its words.
class Legend final : public QWidget {
public:
    Legend(const Theme& theme, bool recorded)
        : m_theme(theme)
        , m_recorded(recorded) {}

    void setText(const QString& text) {
        m_text = text;
        setAccessibleName(text);
        updateGeometry();
        update();
    }
    [[nodiscard]] QSize sizeHint() const override {
        return {QFontMetrics(m_theme.font(FontRole::Text)).horizontalAdvance(m_text) + left(),
                m_theme.scaled(20)};
    }
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        const double disc = m_theme.scaled(7);
        paintEvidence(painter, {1, height() / 2.0 - disc / 2, disc, disc}, m_theme.colours(), m_recorded);
        painter.setFont(m_theme.font(FontRole::Text));
        painter.setPen(m_theme.colours().text2);
        painter.drawText(rect().adjusted(left(), 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, m_text);
    }

private:
    [[nodiscard]] int left() const { return m_theme.scaled(13); }

    const Theme& m_theme;
    bool m_recorded;
    QString m_text;
};

} // namespace

struct ProvenancePanel::Private {
    ProvenanceModel* model = nullptr;
    QTableView* table = nullptr;
    QLabel* title = nullptr;
    QToolButton *one = nullptr, *every = nullptr;
    Legend *recorded = nullptr, *aligned = nullptr;
    Subject shown;     ///< what the rows are about
    bool stale = true; ///< another answer came since
};

ProvenancePanel::ProvenancePanel(Workspace& workspace, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
    , d(std::make_unique<Private>()) {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(12, 4, 12, 4);
    bar->setSpacing(10);
    d->title = new QLabel;
    d->title->setTextFormat(Qt::PlainText);
    d->title->setObjectName(QStringLiteral("provenance.title"));
    d->title->setMinimumWidth(0);
    bar->addWidget(d->title);
    const auto chip = [&](const QString& text, const QString& tip, bool every) {
        auto* button = new QToolButton;
        button->setText(text);
        button->setToolTip(tip);
        button->setCheckable(true);
        button->setProperty("chip", true);
        connect(button, &QToolButton::clicked, this, [this, every] {
            const Subject& asked = this->workspace().trace().subject();
            if (asked.kind == Subject::Kind::Line)
                this->workspace().selectLine(asked.file, asked.line, this->workspace().place().node, every);
            invalidate();
        });
        bar->addWidget(button);
        return button;
    };
    d->one = chip(tr("This compile"), tr("What became of the line in the compile that is selected"), false);
    d->every =
        chip(tr("Every compile"), tr("What became of the line in all frames, recompiles and ranks"), true);
    bar->addStretch(1);
    d->recorded = new Legend(theme, true);
    d->recorded->setToolTip(tr("Links that PyTorch wrote down: Inductor's provenance record, stack traces of "
                               "nodes, comments of the generated code"));
    d->aligned = new Legend(theme, false);
    d->aligned->setToolTip(tr("Links that Dynascope found by aligning neighbouring stages. The tooltip of a "
                              "cell says how."));
    bar->addWidget(d->recorded);
    bar->addWidget(d->aligned);
    column->addLayout(bar);

    d->model = new ProvenanceModel(this);
    d->table = new LevelTable;
    d->table->setObjectName(QStringLiteral("provenance.table"));
    d->table->setModel(d->model);
    d->table->setItemDelegate(new ProvenanceDelegate(theme, d->table));
    d->table->setAccessibleName(tr("Provenance"));
    d->table->setFrameShape(QFrame::NoFrame);
    d->table->setShowGrid(false);
    d->table->setWordWrap(false);
    d->table->setMouseTracking(true);
    d->table->setTabKeyNavigation(false);
    d->table->setSelectionMode(QAbstractItemView::NoSelection);
    d->table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    d->table->verticalHeader()->hide();
    d->table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    d->table->horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    d->table->horizontalHeader()->setMinimumSectionSize(40);
    d->table->horizontalHeader()->setHighlightSections(false);
    column->addWidget(d->table, 1);
    setContent(page);
    setFocusProxy(d->table);

    auto* copy = new QAction(tr("Copy the table"), d->table);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    d->table->addAction(copy);
    d->table->setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(copy, &QAction::triggered, this,
            [this] { QApplication::clipboard()->setText(d->model->plainText()); });
    connect(d->table, &QTableView::clicked, this, &ProvenancePanel::choose);
    connect(d->table, &QTableView::activated, this, &ProvenancePanel::choose);
    connect(&workspace.trace(), &Trace::changed, this, [this] {
        d->stale = true;
        invalidate();
    });
    restyle();
}

ProvenancePanel::~ProvenancePanel() = default;

const ProvenanceModel& ProvenancePanel::model() const {
    return *d->model;
}

void ProvenancePanel::restyle() {
    d->title->setFont(theme().font(FontRole::NodeName));
    d->table->verticalHeader()->setDefaultSectionSize(theme().scaled(rowHeight));
    d->recorded->updateGeometry();
    d->aligned->updateGeometry();
}

void ProvenancePanel::refresh() {
    if (showNothingOpen()) return;
    const Trace& trace = workspace().trace();
    const Subject& subject = trace.subject();
    setLoading(trace.isLoading());
    if (subject.isEmpty())
        return showMessage(tr("Nothing is selected. Select a node, a line of the program or a line of output "
                              "code: here is what it comes from and what became of it."));
    if (trace.isLoading()) return; // what was there stays until the answer comes
    const QString what = trace.subjectText();
    if (trace.compiles().empty()) {
        switch (subject.kind) {
        case Subject::Kind::Line:
            if (subject.everyCompile)
                return showMessage(
                    tr("No node of this capture comes from %1: the line ran while no graph was "
                       "traced, or it only steers Python.")
                        .arg(what));
            return showMessage(tr("No node of this compile comes from %1.").arg(what),
                               tr("Look in every compile"), [this] {
                                   const Subject asked = workspace().subject();
                                   workspace().selectLine(asked.file, asked.line, {}, true);
                               });
        case Subject::Kind::Code:
            return showMessage(
                tr("The %1 belongs to no kernel: it is of the wrapper around them.").arg(what));
        default:
            return showMessage(tr("Nothing is known of this node's origin."));
        }
    }
    if (std::exchange(d->stale, false)) fill();
    showContent();
}

void ProvenancePanel::fill() {
    const Trace& trace = workspace().trace();
    const Subject& subject = trace.subject();
    const session::Session& session = *workspace().session();
    const bool isLine = subject.kind == Subject::Kind::Line;
    const bool banded = subject.everyCompile || trace.compiles().size() > 1;
    QString title = trace.subjectText();
    if (subject.everyCompile)
        title += QStringLiteral("  ") +
                 tr("in %1 of %2")
                     .arg(trace.compiles().size())
                     .arg(countText(session.compiles.size(), tr("compile"), tr("compiles")));
    else
        title += QStringLiteral("  ") + toQString(workspace().compile()->id.toString());
    d->title->setText(title);
    for (QToolButton* button : {d->one, d->every})
        button->setVisible(isLine && session.compiles.size() > 1);
    d->one->setChecked(!subject.everyCompile);
    d->every->setChecked(subject.everyCompile);

    std::vector<ProvenanceRow> rows = provenanceRows(session, trace.compiles(), subject, banded);
    const EvidenceCounts counts = countEvidence(rows);
    d->recorded->setText(tr("%1 recorded by PyTorch").arg(numberText(counts.recorded)));
    d->aligned->setText(tr("%1 aligned").arg(numberText(counts.aligned)));
    const QPoint scrolled(d->table->horizontalScrollBar()->value(), d->table->verticalScrollBar()->value());
    const bool same = subject == d->shown;
    d->shown = subject;
    d->table->clearSpans();
    d->model->setRows(std::move(rows));
    for (int row = 0; row < d->model->rowCount(); ++row)
        if (!d->model->rows()[std::size_t(row)].band.isEmpty()) d->table->setSpan(row, 0, 1, int(levelCount));
    if (same) {
        d->table->horizontalScrollBar()->setValue(scrolled.x());
        d->table->verticalScrollBar()->setValue(scrolled.y());
    } else if (const QModelIndex asked = d->model->askedIndex(); asked.isValid()) {
        // From the top, with the headings, unless what was asked about would be out of sight.
        d->table->setCurrentIndex(asked);
        d->table->scrollToTop();
        const int shown = d->table->viewport()->height() / d->table->verticalHeader()->defaultSectionSize();
        if (asked.row() >= std::max(shown, 4)) d->table->scrollTo(asked);
    }
}

void ProvenancePanel::choose(const QModelIndex& index) {
    const ProvenanceItem* found = d->model->itemAt(index);
    if (!found || d->stale) return; // rows of an older question may be of a capture that is gone
    // By value: going there fills the table anew.
    const ProvenanceItem item = *found;
    const int compile = d->model->rows()[std::size_t(index.row())].compile;
    Workspace& ws = workspace();
    if (item.kind == ProvenanceItem::Kind::Line) {
        ws.selectLine(item.file, item.line, {}, ws.subject().everyCompile);
        emit ws.panelRequested(PanelId::Source);
        return;
    }
    if (item.stages.empty() || item.kind == ProvenanceItem::Kind::Heading) return;
    if (item.kind != ProvenanceItem::Kind::Node) {
        ws.selectCode(item.stages.front(), item.line, compile);
        emit ws.panelRequested(PanelId::OutputCode);
        return;
    }
    int stage = item.stages.front();
    if (compile == ws.place().compile)
        for (const int shown : {ws.place().stageA, ws.place().stageB})
            if (std::find(item.stages.begin(), item.stages.end(), shown) != item.stages.end()) stage = shown;
    const session::Compile& of = ws.session()->compiles[std::size_t(compile)];
    const auto graph = of.stages[std::size_t(stage)]->graph();
    if (const ir::NodeIndex node = graph ? (*graph)->find(item.name) : ir::npos; node != ir::npos)
        ws.showNode(stage, node, compile);
}

} // namespace dynascope::views
