// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/window_docks.h"

#include "app/gui/pages.h"
#include "views/capture/capture_panel.h"
#include "views/compile_time/compile_time_panel.h"
#include "views/compile_time/records_panel.h"
#include "views/engine/passes.h"
#include "views/guards/guards_panel.h"
#include "views/inputs/inputs_panel.h"
#include "views/inspector/inspector_panel.h"
#include "views/lessons/lesson_panel.h"
#include "views/modules/modules_panel.h"
#include "views/notes/notebook.h"
#include "views/notes/notes_panel.h"
#include "views/passes/pass_steps_panel.h"
#include "views/problems/problem_model.h"
#include "views/problems/problems_panel.h"
#include "views/provenance/provenance_panel.h"
#include "views/values/values_panel.h"
#include "views/workspace/labels.h"

#include <QAction>
#include <QLayout>
#include <QMainWindow>
#include <QMenu>
#include <QToolBar>
#include <algorithm>

namespace dynascope::app {

using namespace views;

namespace {

constexpr int narrowUnder = 1440; ///< a narrow window below this

struct DockSizes {
    int left, right, bottom;
    bool bottomOpen;
};

DockSizes sizesFor(int windowWidth) {
    if (windowWidth < narrowUnder) return {232, 264, 220, false};
    if (windowWidth < 2200) return {286, 312, 240, false};
    return {360, 440, 260, true};
}

constexpr int rightHiddenUnder = 1200;
QString bottomIcon(PanelId panel) {
    switch (panel) {
    case PanelId::Provenance:
        return QStringLiteral("link");
    case PanelId::Problems:
        return QStringLiteral("warning");
    case PanelId::Notes:
        return QStringLiteral("note");
    case PanelId::PassSteps:
        return QStringLiteral("next");
    case PanelId::CompileTime:
        return QStringLiteral("clock");
    default:
        return QStringLiteral("list");
    }
}

constexpr int lessonWidth = 350;
constexpr int chartExtra = 80; ///< a flame chart is a dozen rows high

/// Takes no room. A dock asks its title for a size hint, which a plain widget does not have.
class NoTitle : public QWidget {
public:
    using QWidget::QWidget;
    [[nodiscard]] QSize sizeHint() const override { return {0, 0}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {0, 0}; }
};

} // namespace

bool WindowDocks::fillsWindow(Page page) {
    const PageSpec* spec = pageSpec(page);
    return spec && spec->fillsWindow;
}

LazyDock::LazyDock(PanelId id, const QString& title, std::function<QWidget*()> make, QWidget* parent)
    : QDockWidget(title, parent)
    , m_id(id)
    , m_make(std::move(make)) {
    setObjectName(panelName(id));
    setFeatures(DockWidgetClosable | DockWidgetMovable | DockWidgetFloatable);
}

QWidget* LazyDock::content() {
    if (!m_made) {
        m_made = true;
        setWidget(m_make());
    }
    return widget();
}

void LazyDock::showEvent(QShowEvent* event) {
    content();
    QDockWidget::showEvent(event);
}

WindowDocks::WindowDocks(QMainWindow& window, Workspace& workspace, Passes& passes, Notebook& notebook,
                         LessonRun& lesson, Theme& theme)
    : QObject(&window)
    , m_window(window)
    , m_workspace(workspace)
    , m_notebook(notebook)
    , m_theme(theme)
    , m_problems(new ProblemModel(workspace, this)) {
    m_window.setDockOptions(QMainWindow::AllowNestedDocks | QMainWindow::AllowTabbedDocks |
                            QMainWindow::GroupedDragging);
    m_window.setTabPosition(Qt::LeftDockWidgetArea, QTabWidget::North);
    m_window.setTabPosition(Qt::RightDockWidgetArea, QTabWidget::North);
    m_window.setDocumentMode(true);

    m_capture = add(PanelId::Capture, tr("Capture"), Qt::LeftDockWidgetArea,
                    [this] { return new CapturePanel(m_workspace, m_theme); });
    auto* title = new DockTitle(m_theme, tr("Capture"), m_capture);
    auto* menu = new QMenu(title);
    menu->addAction(tr("Expand all"), this, [this] { capturePanel().expandAll(); });
    menu->addAction(tr("Collapse all"), this, [this] { capturePanel().collapseAll(); });
    menu->addSeparator();
    menu->addAction(tr("Clear the filter"), this, [this] { capturePanel().clearFilter(); });
    title->setMenu(menu);
    m_capture->setTitleBarWidget(title);

    m_lesson = add(PanelId::Lesson, tr("Lesson"), Qt::LeftDockWidgetArea,
                   [this, &lesson] { return new LessonPanel(m_workspace, lesson, m_theme); });
    auto* lessonTitle = new DockTitle(m_theme, tr("Lesson"), m_lesson);
    lessonTitle->addCloseButton([this] { m_lesson->close(); });
    m_lesson->setTitleBarWidget(lessonTitle);
    m_window.tabifyDockWidget(m_capture, m_lesson);
    m_lesson->hide();

    m_right = {add(PanelId::Inspector, tr("Inspector"), Qt::RightDockWidgetArea,
                   [this] { return new InspectorPanel(m_workspace, m_theme); }),
               add(PanelId::Guards, tr("Guards"), Qt::RightDockWidgetArea,
                   [this] { return new GuardsPanel(m_workspace, m_theme); }),
               add(PanelId::Inputs, tr("Inputs"), Qt::RightDockWidgetArea,
                   [this] { return new InputsPanel(m_workspace, m_theme); }),
               add(PanelId::Modules, tr("Modules"), Qt::RightDockWidgetArea,
                   [this] { return new ModulesPanel(m_workspace, m_theme); }),
               add(PanelId::Values, tr("Values"), Qt::RightDockWidgetArea,
                   [this, &passes] { return new ValuesPanel(m_workspace, passes, m_theme); })};
    for (LazyDock* dock : m_right) {
        // The tab is the title while docked; a floating dock needs a bar to be dragged back by.
        auto* none = new NoTitle(dock);
        dock->setTitleBarWidget(none);
        connect(dock, &QDockWidget::topLevelChanged, dock,
                [dock, none](bool floating) { dock->setTitleBarWidget(floating ? nullptr : none); });
    }
    LazyDock* provenance = add(PanelId::Provenance, tr("Provenance"), Qt::BottomDockWidgetArea,
                               [this] { return new ProvenancePanel(m_workspace, m_theme); });
    m_problemsDock = add(PanelId::Problems, tr("Problems"), Qt::BottomDockWidgetArea,
                         [this] { return new ProblemsPanel(m_workspace, m_theme, *m_problems); });
    m_records = add(PanelId::Records, tr("Records"), Qt::BottomDockWidgetArea,
                    [this] { return new RecordsPanel(m_workspace, m_theme); });
    m_notes = add(PanelId::Notes, tr("Notes"), Qt::BottomDockWidgetArea, [this] {
        auto* panel = new NotesPanel(m_workspace, m_notebook, m_theme);
        connect(panel, &NotesPanel::placeMissing, this, &WindowDocks::placeMissing);
        return panel;
    });
    LazyDock* time = add(PanelId::CompileTime, tr("Compile time"), Qt::BottomDockWidgetArea,
                         [this] { return new CompileTimePanel(m_workspace, m_theme); });
    LazyDock* steps = add(PanelId::PassSteps, tr("Pass steps"), Qt::BottomDockWidgetArea,
                          [this, &passes] { return new PassStepsPanel(m_workspace, passes, m_theme); });
    m_bottom = {provenance, m_problemsDock, m_records, m_notes, steps, time};
    for (LazyDock* dock : m_bottom) {
        auto* bar = new DockTitle(m_theme, dock->windowTitle(), dock);
        bar->addCloseButton([dock] { dock->close(); });
        dock->setTitleBarWidget(bar);
    }
    makeBottomBar();

    const auto problemsChanged = [this] {
        refreshChips();
        emit this->problemsChanged();
    };
    connect(m_problems, &QAbstractItemModel::modelReset, this, problemsChanged);
    connect(m_problems, &QAbstractItemModel::rowsInserted, this, problemsChanged);
    connect(m_problems, &QAbstractItemModel::rowsRemoved, this, problemsChanged);
    connect(&m_notebook, &Notebook::changed, this, &WindowDocks::refreshChips);
    connect(&m_workspace, &Workspace::placeChanged, this, &WindowDocks::refreshChips);
    connect(&m_theme, &Theme::changed, this, &WindowDocks::refreshChips);
    refreshChips();
}

LazyDock* WindowDocks::add(PanelId id, const QString& title, Qt::DockWidgetArea area,
                           std::function<QWidget*()> make) {
    auto* dock = new LazyDock(id, title, std::move(make), &m_window);
    m_window.addDockWidget(area, dock);
    m_docks.push_back(dock);
    return dock;
}

void WindowDocks::makeBottomBar() {
    auto* bar = new QToolBar(tr("Panels"), &m_window);
    bar->setObjectName(QStringLiteral("bottomBar"));
    bar->setMovable(false);
    bar->setFloatable(false);
    bar->setContextMenuPolicy(Qt::PreventContextMenu);
    bar->toggleViewAction()->setEnabled(false);
    for (LazyDock* dock : m_bottom) {
        auto* tab = new DockTab(m_theme, bottomIcon(dock->id()), dock->windowTitle(), bar);
        tab->setToolTip(tr("Open or close %1").arg(dock->windowTitle()));
        tab->setObjectName(dock->objectName() + QStringLiteral("Tab"));
        bar->addWidget(tab);
        m_tabs.insert(dock, tab);
        connect(tab, &QAbstractButton::clicked, this, [this, dock] { toggleBottom(dock); });
        connect(dock->toggleViewAction(), &QAction::toggled, tab, &QAbstractButton::setChecked);
    }
    m_window.addToolBar(Qt::BottomToolBarArea, bar);
    const auto style = [this, bar] {
        const Colours& c = m_theme.colours();
        bar->setStyleSheet(QStringLiteral("QToolBar { background: %1; border: 0; border-top: 1px solid %2; "
                                          "padding: 0; spacing: 0; min-height: %3px; max-height: %3px; }")
                               .arg(c.bg2.name(), c.line.name())
                               .arg(m_theme.scaled(27)));
        bar->layout()->setContentsMargins(0, 0, 0, 0); // those of the style take half of a tab's height
    };
    connect(&m_theme, &Theme::changed, bar, style);
    style();
}

void WindowDocks::toggleBottom(LazyDock* dock) {
    const bool open = !dock->isOpen();
    if (!open) {
        dock->close();
        return;
    }
    raise(dock->id());
}

LazyDock* WindowDocks::find(PanelId id) const {
    const auto at = std::find_if(m_docks.begin(), m_docks.end(), [&](LazyDock* d) { return d->id() == id; });
    return at == m_docks.end() ? nullptr : *at;
}

bool WindowDocks::raise(PanelId id) {
    LazyDock* dock = find(id);
    if (!dock) return false;
    // The bottom bar is a row of tabs: one at a time, unless somebody moved a dock elsewhere.
    const bool atBottom = std::find(m_bottom.begin(), m_bottom.end(), dock) != m_bottom.end();
    const bool first = atBottom && !dock->isOpen();
    if (atBottom)
        for (LazyDock* other : m_bottom)
            if (other != dock && !other->isFloating() &&
                m_window.dockWidgetArea(other) == Qt::BottomDockWidgetArea)
                other->close();
    const bool wasOpen = dock->isOpen();
    dock->show();
    dock->raise();
    if (dock == m_lesson && !wasOpen && !dock->isFloating())
        m_window.resizeDocks({dock}, {m_theme.scaled(lessonWidth)}, Qt::Horizontal);
    if (first && !dock->isFloating() && dock->height() < m_theme.scaled(160)) {
        const int height = sizesFor(m_window.width()).bottom + (dock == m_bottom.back() ? chartExtra : 0);
        m_window.resizeDocks({dock}, {m_theme.scaled(height)}, Qt::Vertical);
    }
    if (std::find(m_right.begin(), m_right.end(), dock) != m_right.end()) std::erase(m_hiddenRight, dock);
    return true;
}

CapturePanel& WindowDocks::capturePanel() {
    return *qobject_cast<CapturePanel*>(m_capture->content());
}
RecordsPanel& WindowDocks::recordsPanel() {
    return *qobject_cast<RecordsPanel*>(m_records->content());
}
NotesPanel& WindowDocks::notesPanel() {
    return *qobject_cast<NotesPanel*>(m_notes->content());
}
void WindowDocks::stepProblem(int direction) {
    qobject_cast<ProblemsPanel*>(m_problemsDock->content())->step(direction);
}
std::size_t WindowDocks::problemCount() const {
    return m_problems->problems().size();
}
QString WindowDocks::problemsText() const {
    return views::problemsText(m_problems->problems(), m_workspace.captures());
}

void WindowDocks::refreshChips() {
    const Colours& c = m_theme.colours();
    const auto& problems = m_problems->problems();
    const bool severe = std::any_of(problems.begin(), problems.end(),
                                    [](const Problem& p) { return p.severity == Problem::Severity::Error; });
    m_tabs[m_problemsDock]->setChip(problems.empty() ? QString() : numberText(problems.size()),
                                    severe ? c.removed : QColor());
    const session::Session* session = m_workspace.session();
    m_tabs[m_records]->setChip(session && !session->records.empty() ? numberText(session->records.size())
                                                                    : QString());
    const int current = m_workspace.place().capture;
    const std::size_t written = m_notebook.notes(current).size();
    m_tabs[m_notes]->setChip(written > 0 ? numberText(written) : QString());
    const Workspace::Capture* capture = m_workspace.capture();
    const double seconds = capture ? capture->breaks.compileSeconds : 0;
    m_tabs[m_bottom.back()]->setChip(seconds > 0 ? secondsText(seconds) : QString());
}

void WindowDocks::setPage(Page page) {
    const bool before = m_page == Page::Stages, now = page == Page::Stages;
    if (fillsWindow(page) && !fillsWindow(m_page)) {
        m_hiddenCapture = m_capture->isOpen() && !m_capture->isFloating();
        if (m_hiddenCapture) m_capture->hide();
    } else if (fillsWindow(m_page) && !fillsWindow(page) && m_hiddenCapture) {
        m_capture->show();
    }
    m_page = page;
    if (before && !now) {
        m_hiddenRight.clear();
        for (LazyDock* dock : m_right)
            if (dock->isOpen() && !dock->isFloating()) {
                m_hiddenRight.push_back(dock);
                dock->hide();
            }
    } else if (!before && now) {
        LazyDock* front = m_hiddenRight.empty() ? nullptr : m_hiddenRight.front();
        // Each that is shown would lay out the whole window.
        m_window.layout()->setEnabled(false);
        for (LazyDock* dock : std::exchange(m_hiddenRight, {}))
            dock->show();
        m_window.layout()->setEnabled(true);
        m_window.layout()->activate();
        if (front) front->raise();
        if (m_defaultWidth > 0) applyDefaultSizes(m_defaultWidth);
    }
}

void WindowDocks::reset(int windowWidth) {
    const DockSizes sizes = sizesFor(windowWidth);
    for (LazyDock* dock : m_docks)
        dock->setFloating(false);
    m_window.addDockWidget(Qt::LeftDockWidgetArea, m_capture);
    if (!m_window.tabifiedDockWidgets(m_capture).contains(m_lesson)) {
        const bool open = m_lesson->isOpen();
        m_window.addDockWidget(Qt::LeftDockWidgetArea, m_lesson);
        m_window.tabifyDockWidget(m_capture, m_lesson);
        m_lesson->setVisible(open);
    }
    // Docks that are tabbed already stay: taking tabs apart and together again leaves their bar empty until a
    // relayout.
    const QList<QDockWidget*> tabbed = m_window.tabifiedDockWidgets(m_right[0]);
    const bool inPlace =
        m_window.dockWidgetArea(m_right[0]) == Qt::RightDockWidgetArea &&
        std::all_of(m_right.begin() + 1, m_right.end(), [&](LazyDock* d) { return tabbed.contains(d); });
    if (!inPlace) {
        for (LazyDock* dock : m_right)
            m_window.addDockWidget(Qt::RightDockWidgetArea, dock);
        for (std::size_t i = 1; i < m_right.size(); ++i)
            m_window.tabifyDockWidget(m_right[i - 1], m_right[i]);
    }
    for (LazyDock* dock : m_bottom) {
        m_window.addDockWidget(Qt::BottomDockWidgetArea, dock);
        dock->hide();
    }
    m_capture->setVisible(!fillsWindow(m_page));
    m_hiddenCapture = fillsWindow(m_page);
    const bool showRight = windowWidth >= rightHiddenUnder;
    m_hiddenRight.clear();
    for (LazyDock* dock : m_right) {
        // In a narrow window five names do not fit; Window > Values opens it.
        const bool fits = dock != m_right.back() || windowWidth >= narrowUnder;
        dock->setVisible(showRight && fits && m_page == Page::Stages);
        if (showRight && fits && m_page != Page::Stages) m_hiddenRight.push_back(dock);
    }
    if (m_page == Page::Stages) m_right.front()->raise();
    if (sizes.bottomOpen && m_page != Page::Welcome) m_bottom.back()->show();
    applyDefaultSizes(windowWidth);
}

void WindowDocks::applyDefaultSizes(int windowWidth) {
    const DockSizes sizes = sizesFor(windowWidth);
    m_window.resizeDocks({m_capture}, {sizes.left}, Qt::Horizontal);
    if (m_page == Page::Stages) {
        m_window.resizeDocks({m_capture, m_right.front()}, {sizes.left, sizes.right}, Qt::Horizontal);
        if (sizes.bottomOpen) m_window.resizeDocks({m_bottom.back()}, {sizes.bottom}, Qt::Vertical);
        m_defaultWidth = 0;
    } else {
        m_defaultWidth = windowWidth;
    }
}

} // namespace dynascope::app
