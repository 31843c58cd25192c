// SPDX-License-Identifier: BSD-3-Clause
#include "views/capture/capture_panel.h"

#include "core/layout/fold.h"
#include "core/session/program_names.h"
#include "views/base/panel.h"
#include "views/capture/capture_delegate.h"
#include "views/capture/capture_menu.h"
#include "views/capture/capture_model.h"
#include "views/capture/filter_edit.h"
#include "views/workspace/labels.h"

#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTreeView>
#include <QVBoxLayout>

namespace dynascope::views {

namespace {
const QString taskTag = QStringLiteral("filter");
constexpr std::size_t decidedAtOnce = 1000; ///< compiles; a filter decides more of them on a worker
} // namespace

CapturePanel::CapturePanel(Workspace& workspace, Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_workspace(workspace)
    , m_theme(theme)
    , m_model(new CaptureModel(workspace, this))
    , m_proxy(new CaptureFilter(this))
    , m_edit(new FilterEdit(theme, this))
    , m_error(new QLabel(this))
    , m_stack(new QStackedWidget(this))
    , m_tree(new QTreeView(this))
    , m_empty(new QLabel(this)) {
    m_proxy->setSourceModel(m_model);
    m_tree->setModel(m_proxy);
    m_tree->setItemDelegate(new CaptureDelegate(theme, m_tree));
    m_tree->setHeaderHidden(true);
    m_tree->setUniformRowHeights(true);
    m_tree->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_tree->setIndentation(m_theme.scaled(12));
    m_tree->setMouseTracking(true);
    m_tree->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_tree->setExpandsOnDoubleClick(true);
    m_tree->setAccessibleName(tr("Capture tree"));
    m_tree->viewport()->installEventFilter(this);
    m_tree->installEventFilter(this); // with the key the menu is that of the current row
    m_tree->setObjectName(QStringLiteral("captureTree"));
    m_tree->setFrameShape(QFrame::NoFrame);
    m_empty->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    m_empty->setWordWrap(true);
    m_empty->setTextFormat(Qt::RichText); // words of this program, and what was typed, escaped
    m_empty->setMargin(12);
    m_empty->setProperty("role", "label");
    m_error->setObjectName(QStringLiteral("capture.filterError"));
    m_error->setWordWrap(true);
    m_error->setTextFormat(Qt::PlainText);
    m_error->setContentsMargins(10, 0, 10, 4);
    m_error->setProperty("role", "label");
    m_error->hide();
    m_stack->addWidget(m_tree);
    m_stack->addWidget(m_empty);

    auto* field = new QVBoxLayout;
    field->setContentsMargins(8, 8, 8, 6);
    field->addWidget(m_edit);
    auto* box = new QVBoxLayout(this);
    box->setContentsMargins(0, 0, 0, 0);
    box->setSpacing(0);
    box->addLayout(field);
    box->addWidget(m_error);
    box->addWidget(m_stack, 1);

    m_edit->setValueSource([this](const std::string& key) {
        std::vector<session::SessionPtr> sessions;
        for (const Workspace::Capture& capture : m_workspace.captures())
            sessions.push_back(capture.session);
        const ir::GraphPtr graphs[] = {m_workspace.stage(Side::B).graph};
        return key == "module" ? moduleValues() : session::filterValues(key, sessions, graphs);
    });
    connect(m_edit, &FilterEdit::filterChanged, this, &CapturePanel::applyFilter);
    connect(m_edit, &FilterEdit::errorChanged, this, [this](const QString& error) {
        m_error->setText(error);
        m_error->setVisible(!error.isEmpty());
    });
    new FilterKeys(m_tree, [this] { focusFilter(); });
    connect(m_edit, &FilterEdit::leaveDown, m_tree, qOverload<>(&QWidget::setFocus));
    connect(m_empty, &QLabel::linkActivated, this, &CapturePanel::clearFilter);
    connect(m_tree, &QTreeView::clicked, this, &CapturePanel::open);
    connect(m_tree, &QTreeView::activated, this, &CapturePanel::open);
    connect(&m_workspace, &Workspace::captureOpened, this, [this](int capture) {
        applyFilter();
        expandNew(capture);
    });
    connect(&m_workspace, &Workspace::captureClosed, this, &CapturePanel::applyFilter);
    connect(&m_workspace, &Workspace::captureReplacing, this, &CapturePanel::keepView);
    connect(&m_workspace, &Workspace::captureReplaced, this, &CapturePanel::restoreView);
    connect(m_proxy, &QAbstractItemModel::rowsInserted, this,
            [this](const QModelIndex& parent, int first, int last) {
                for (int row = first; m_kept.on && row <= last; ++row)
                    m_kept.added.emplace_back(m_proxy->index(row, 0, parent));
            });
    connect(&m_workspace, &Workspace::placeChanged, this, [this](const Place& now, const Place& before) {
        if (now.capture != before.capture || now.compile != before.compile || now.page != before.page)
            showCurrent();
    });
    connect(&m_theme, &Theme::changed, this, [this] {
        m_tree->setIndentation(m_theme.scaled(12));
        m_tree->doItemsLayout();
        updateState();
    });
    for (int i = 0; i < int(m_workspace.captures().size()); ++i)
        expandNew(i);
    showCurrent();
    updateState();
}

void CapturePanel::focusFilter() {
    m_edit->setFocus(Qt::ShortcutFocusReason);
}
void CapturePanel::clearFilter() {
    m_edit->clear();
}
void CapturePanel::expandAll() {
    m_tree->expandAll();
}

void CapturePanel::collapseAll() {
    m_tree->collapseAll();
    for (int i = 0; i < m_proxy->rowCount(); ++i)
        m_tree->expand(m_proxy->index(i, 0));
}

std::size_t CapturePanel::compileCount() const {
    std::size_t count = 0;
    for (const Workspace::Capture& capture : m_workspace.captures())
        count += capture.session->compiles.size();
    return count;
}

std::vector<session::FilterValue> CapturePanel::moduleValues() const {
    const ir::GraphPtr graph = m_workspace.stage(Side::B).graph;
    const session::Compile* compile = m_workspace.compile();
    if (!graph || !compile) return {};
    std::vector<session::FilterValue> out;
    for (layout::ModulePlace& place :
         layout::modulePlaces(*graph, session::parameterNames(session::namingOf(*compile), *graph)))
        out.push_back({std::move(place.path), place.tensors});
    return out;
}

void CapturePanel::applyFilter() {
    const session::Filter filter = m_edit->filter();
    m_workspace.tasks().cancel(taskTag);
    if (filter.isEmpty()) {
        setAccepted(std::nullopt);
        return;
    }
    std::vector<session::SessionPtr> sessions;
    for (const Workspace::Capture& capture : m_workspace.captures())
        sessions.push_back(capture.session);
    // Which nodes a module has is told by names that the graphs of one compile share.
    const session::ModulesOf modules = [](const session::Compile& compile, const ir::Graph& graph) {
        return layout::moduleNames(
            layout::groupNodes(graph, session::parameterNames(session::namingOf(compile), graph)));
    };
    const auto decide = [filter, sessions, modules](const TaskContext& task) {
        CompileSet accepted;
        for (std::size_t i = 0; i < sessions.size(); ++i)
            for (std::size_t j = 0; j < sessions[i]->compiles.size() && !task.cancelled(); ++j)
                if (filter.matchesCompile(*sessions[i], sessions[i]->compiles[j], nullptr, modules))
                    accepted.emplace(int(i), int(j));
        return accepted;
    };
    if (!filter.asksAboutNodes() && compileCount() <= decidedAtOnce) {
        setAccepted(decide({}));
        return;
    }
    m_edit->setSummary(filter.asksAboutNodes() ? tr("Reading graphs") : tr("Filtering"));
    m_workspace.tasks().run<CompileSet>(taskTag, this, decide,
                                        [this](CompileSet accepted) { setAccepted(std::move(accepted)); });
}

void CapturePanel::setAccepted(std::optional<CompileSet> accepted) {
    const std::size_t all = compileCount();
    m_edit->setSummary(
        accepted
            ? tr("%1 of %2").arg(numberText(accepted->size()), countText(all, tr("compile"), tr("compiles")))
            : countText(all, tr("compile"), tr("compiles")));
    const bool filtering = accepted.has_value();
    m_proxy->setAccepted(std::move(accepted));
    if (filtering) m_tree->expandAll();
    updateState();
    showCurrent();
}

void CapturePanel::updateState() {
    if (m_proxy->rowCount() > 0) {
        m_stack->setCurrentWidget(m_tree);
        return;
    }
    const QString accent = m_theme.colours().accent.name();
    if (m_proxy->isActive())
        m_empty->setText(tr("No compile matches %1<br><a href='clear' style='color:%2'>Clear the filter</a>")
                             .arg(m_edit->text().toHtmlEscaped(), accent));
    else
        m_empty->setText(tr("Open a trace or a graph text.<br>Drop it here, or Ctrl+O."));
    m_stack->setCurrentWidget(m_empty);
}

void CapturePanel::expandNew(int capture) {
    // Opens the rows down to the compiles, and the breaks with what resumed after them; a long list stays
    // closed below.
    const QModelIndex source = m_model->captureIndex(capture);
    const QModelIndex top = m_proxy->mapFromSource(source);
    m_tree->expand(top);
    std::vector<QModelIndex> open{top};
    int rows = 0;
    while (!open.empty() && rows < 400) {
        const QModelIndex at = open.back();
        open.pop_back();
        for (int i = 0; i < m_proxy->rowCount(at); ++i, ++rows) {
            const QModelIndex child = m_proxy->index(i, 0, at);
            const auto kind = CaptureModel::Kind(child.data(CaptureModel::KindRole).toInt());
            if (kind == CaptureModel::Kind::Artifacts || !m_proxy->hasChildren(child)) continue;
            m_tree->expand(child);
            open.push_back(child);
        }
    }
}

void CapturePanel::keepView() {
    const QModelIndex top = m_tree->indexAt(QPoint(0, 0));
    m_kept = {true, top, m_tree->visualRect(top).top(), m_tree->currentIndex(), {}};
}

void CapturePanel::restoreView() {
    m_kept.on = false;
    if (m_proxy->isActive()) applyFilter(); // decides about what came in
    // A frame that is new stands open, as those of a capture that was just opened.
    for (const QPersistentModelIndex& row : m_kept.added)
        if (row.isValid() &&
            CaptureModel::Kind(row.data(CaptureModel::KindRole).toInt()) != CaptureModel::Kind::Artifacts)
            m_tree->expand(row);
    if (m_kept.top.isValid()) {
        const int shift = m_tree->visualRect(m_kept.top).top() - m_kept.y;
        m_tree->verticalScrollBar()->setValue(m_tree->verticalScrollBar()->value() + shift);
    }
    if (!m_kept.current.isValid()) showCurrent();
    if (m_edit->filter().isEmpty())
        m_edit->setSummary(countText(compileCount(), tr("compile"), tr("compiles")));
    m_kept = {};
}

void CapturePanel::showCurrent() {
    const Place& place = m_workspace.place();
    QModelIndex source;
    if (place.page == Page::Breaks || place.page == Page::Recompiles) {
        const auto kind =
            place.page == Page::Breaks ? CaptureModel::Kind::Breaks : CaptureModel::Kind::Recompiles;
        const QModelIndex capture = m_model->captureIndex(place.capture);
        for (int i = 0; i < m_model->rowCount(capture) && !source.isValid(); ++i)
            if (m_model->index(i, 0, capture).data(CaptureModel::KindRole).toInt() == int(kind))
                source = m_model->index(i, 0, capture);
    }
    if (!source.isValid()) source = m_model->compileIndex(place.capture, place.compile);
    const QModelIndex index = m_proxy->mapFromSource(source);
    if (!index.isValid()) return;
    const QModelIndex current = m_tree->currentIndex();
    const bool inside = current.isValid() && current.parent() == index &&
                        current.data(CaptureModel::KindRole).toInt() == int(CaptureModel::Kind::Facet);
    m_tree->expand(index);
    if (inside) return;
    m_tree->setCurrentIndex(index);
    m_tree->scrollTo(index);
}

bool CapturePanel::eventFilter(QObject* watched, QEvent* event) {
    const bool isTree = watched == m_tree || watched == m_tree->viewport();
    if (!isTree || event->type() != QEvent::ContextMenu) return QWidget::eventFilter(watched, event);
    const auto* asked = static_cast<QContextMenuEvent*>(event);
    const bool byKey = asked->reason() == QContextMenuEvent::Keyboard;
    const QModelIndex row = byKey ? m_tree->currentIndex()
                                  : m_tree->indexAt(m_tree->viewport()->mapFromGlobal(asked->globalPos()));
    QMenu menu(m_tree);
    fillCaptureMenu(
        menu, row, m_workspace,
        {[this](const QModelIndex& at) { open(at); }, [this](int capture) { emit closeRequested(capture); }});
    if (!menu.isEmpty())
        menu.exec(byKey ? m_tree->viewport()->mapToGlobal(m_tree->visualRect(row).center())
                        : asked->globalPos());
    return true;
}

namespace {

/// The record of a compile's first miss, or of its first lookup where none missed.
void showLookup(Workspace& workspace, int capture, int compile) {
    const auto& caches =
        workspace.captures()[std::size_t(capture)].session->compiles[std::size_t(compile)].caches;
    const session::CacheEvent* shown = nullptr;
    for (const session::CacheEvent& event : caches) {
        if (event.record == SIZE_MAX) continue;
        if (!shown) shown = &event;
        if (event.outcome != session::CacheEvent::Outcome::Miss) continue;
        shown = &event;
        break;
    }
    if (shown) emit workspace.recordRequested(capture, int(shown->record));
}

} // namespace

void CapturePanel::open(const QModelIndex& index) {
    if (!index.isValid()) return;
    const int capture = index.data(CaptureModel::CaptureRole).toInt();
    const int compile = index.data(CaptureModel::CompileRole).toInt();
    // Rows come and go above the one that was clicked; it must stay under the pointer.
    const QPersistentModelIndex clicked(index);
    const int before = m_tree->visualRect(index).top();
    switch (CaptureModel::Kind(index.data(CaptureModel::KindRole).toInt())) {
    case CaptureModel::Kind::Capture: {
        Place place;
        place.capture = capture;
        if (m_workspace.place().capture == capture) place = m_workspace.place();
        place.page = Page::Stages;
        m_workspace.go(place);
        return;
    }
    case CaptureModel::Kind::Breaks:
    case CaptureModel::Kind::Recompiles: {
        Place place = m_workspace.place();
        if (place.capture != capture) {
            place = {};
            place.capture = capture;
        }
        const int kind = clicked.data(CaptureModel::KindRole).toInt();
        place.page = kind == int(CaptureModel::Kind::Breaks) ? Page::Breaks : Page::Recompiles;
        m_workspace.go(place);
        break;
    }
    case CaptureModel::Kind::Compile:
        m_workspace.selectCompile(capture, compile);
        break;
    case CaptureModel::Kind::Facet: {
        m_workspace.selectCompile(capture, compile);
        const QVariant panel = index.data(CaptureModel::PanelRole);
        if (panel.isValid()) emit m_workspace.panelRequested(panel.value<PanelId>());
        if (index.data(CaptureModel::RecordTypeRole).toString() == QLatin1String("cache"))
            showLookup(m_workspace, capture, compile);
        break;
    }
    case CaptureModel::Kind::ArtifactType: {
        const session::Session& session = *m_workspace.captures()[std::size_t(capture)].session;
        const std::string type = index.data(CaptureModel::RecordTypeRole).toString().toStdString();
        for (std::size_t i = 0; i < session.records.size(); ++i)
            if (session.records.type(i) == type) {
                emit m_workspace.recordRequested(capture, int(i));
                break;
            }
        break;
    }
    default:
        break;
    }
    if (clicked.isValid()) {
        m_tree->setCurrentIndex(clicked);
        const int shift = m_tree->visualRect(clicked).top() - before;
        m_tree->verticalScrollBar()->setValue(m_tree->verticalScrollBar()->value() + shift);
    }
}

} // namespace dynascope::views
