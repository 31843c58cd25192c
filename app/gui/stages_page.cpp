// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/stages_page.h"

#include "views/base/bytecode_panel.h"
#include "views/base/output_code_panel.h"
#include "views/base/source_panel.h"
#include "views/base/text_diff_panel.h"
#include "views/canvas/compare_view.h"
#include "views/theme/splitter.h"
#include "views/timeline/timeline_view.h"

#include <QDataStream>
#include <QIODevice>
#include <QTabBar>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace dynascope::app {

using namespace views;

namespace {
constexpr int wideWindow = 2200;
constexpr int narrowWindow = 1440;
constexpr int roomForTools = 920; ///< of this page: four tabs beside the tools of the text diff
constexpr int roomBeside = 840;   ///< of this page: a canvas and lines of code side by side

constexpr std::pair<CompareView::Mode, QLatin1String> modeNames[] = {
    {CompareView::Mode::SideBySide, QLatin1String("side_by_side")},
    {CompareView::Mode::Merged, QLatin1String("merged")},
    {CompareView::Mode::Single, QLatin1String("single")}};
constexpr QLatin1String panelKey("panel"), modeKey("mode"), canvasKey("canvas");
} // namespace

StagesPage::StagesPage(Workspace& workspace, Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_workspace(workspace)
    , m_theme(theme)
    , m_timeline(new TimelineView(workspace, theme, this))
    , m_split(new Splitter(Qt::Vertical, this))
    , m_compare(new CompareView(workspace, theme, m_split))
    , m_texts(new Splitter(Qt::Horizontal, m_split))
    , m_tabs(new QTabWidget(m_texts))
    , m_textDiff(new TextDiffPanel(workspace, theme)) {
    // Each has its parent from the start: whatever gets another is styled anew with all that is in it.
    setFocusProxy(m_timeline);
    m_tabs->setObjectName(QStringLiteral("stages.tabs"));
    m_tabs->setDocumentMode(true);
    m_tabs->tabBar()->setExpanding(false);
    m_tabs->tabBar()->setDrawBase(false);
    const auto add = [&](PanelId id, const QString& title, Panel* panel) {
        m_panels.emplace(id, panel);
        m_order.push_back(id);
        m_tabs->addTab(panel, title);
    };
    add(PanelId::TextDiff, tr("Text diff"), m_textDiff);
    add(PanelId::Source, tr("Source"), new SourcePanel(workspace, theme));
    add(PanelId::Bytecode, tr("Bytecode"), new BytecodePanel(workspace, theme));
    add(PanelId::OutputCode, tr("Output code"), new OutputCodePanel(workspace, theme));
    // What belongs to the text diff stands beside the tabs, which saves a row.
    moveTools(false);
    m_tools->setProperty("header", true);
    m_tools->setAttribute(Qt::WA_StyledBackground);
    connect(m_tabs, &QTabWidget::currentChanged, m_tools, [this] {
        if (!m_textsBeside) m_tools->setVisible(m_tabs->currentWidget() == m_textDiff);
    });
    m_texts->addWidget(m_tabs);
    m_split->addWidget(m_compare);
    m_split->addWidget(m_texts);
    auto* box = new QVBoxLayout(this);
    box->setContentsMargins(0, 0, 0, 0);
    box->setSpacing(0);
    box->addWidget(m_timeline);
    box->addWidget(m_split, 1);
    connect(&m_workspace, &Workspace::placeChanged, this, &StagesPage::followStages);
    connect(&m_workspace, &Workspace::stagesChanged, this, &StagesPage::arrangeTexts);
}

void StagesPage::moveTools(bool intoPanel) {
    if (intoPanel) {
        m_tabs->setCornerWidget(nullptr, Qt::TopRightCorner);
        m_textDiff->returnTools();
        return;
    }
    m_tools = m_textDiff->takeTools();
    m_tabs->setCornerWidget(m_tools, Qt::TopRightCorner);
    m_tools->setVisible(m_tabs->currentWidget() == m_textDiff);
}

void StagesPage::arrangeTexts() {
    const session::StagePtr& stage = m_workspace.stage(Side::B).stage;
    const bool alone = stage && stage == m_workspace.stage(Side::A).stage &&
                       stage->content == session::Stage::Content::Graph;
    const int tab = m_tabs->indexOf(m_textDiff);
    if (tab >= 0) m_tabs->setTabText(tab, alone ? tr("Text") : tr("Text diff"));
    const bool beside = alone && width() >= m_theme.scaled(roomBeside);
    if (beside == m_textsBeside) return;
    (m_textsBeside ? m_beside : m_below) = m_split->saveState();
    m_textsBeside = beside;
    moveTools(beside);
    m_split->setOrientation(beside ? Qt::Horizontal : Qt::Vertical);
    const QByteArray& before = beside ? m_beside : m_below;
    if (!before.isEmpty())
        m_split->restoreState(before);
    else
        m_split->setSizes(beside ? QList<int>{520, 480} : QList<int>{650, 350});
    // In a wide window the source stands beside the other texts, or below them where they are a column.
    m_texts->setOrientation(beside ? Qt::Vertical : Qt::Horizontal);
}

void StagesPage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    m_textDiff->setCompactTools(width() < m_theme.scaled(roomForTools));
    arrangeTexts();
}

void StagesPage::followStages() {
    // Code has no graph, so its text comes to the front: once, when the stage is first shown.
    const session::StagePtr& b = m_workspace.stage(Side::B).stage;
    const int code = b && b->content == session::Stage::Content::Code ? m_workspace.place().stageB : -1;
    if (code == m_lastCodeStage) return;
    if (code >= 0)
        raisePanel(PanelId::OutputCode);
    else if (m_tabs->currentWidget() == m_panels.at(PanelId::OutputCode))
        raisePanel(PanelId::TextDiff);
    m_lastCodeStage = code;
}

bool StagesPage::raisePanel(PanelId panel) {
    const auto at = m_panels.find(panel);
    if (at == m_panels.end()) return false;
    if (m_tabs->indexOf(at->second) >= 0) m_tabs->setCurrentWidget(at->second);
    return true;
}

void StagesPage::setWide(bool wide) {
    if (wide == m_wide) return;
    m_wide = wide;
    Panel* source = m_panels.at(PanelId::Source);
    if (wide) {
        m_tabs->removeTab(m_tabs->indexOf(source));
        m_texts->addWidget(source);
        source->show();
        m_texts->setSizes({2, 1});
    } else {
        m_tabs->insertTab(1, source, tr("Source"));
    }
}

void StagesPage::applyDefaultSizes(int windowWidth) {
    const bool narrow = windowWidth < narrowWindow, wide = windowWidth >= wideWindow;
    m_timeline->setCompact(narrow);
    setWide(wide);
    const int canvas = narrow ? 60 : wide ? 62 : 70;
    m_below.clear();
    m_beside.clear();
    m_split->setSizes(m_textsBeside ? QList<int>{520, 480} : QList<int>{canvas * 10, (100 - canvas) * 10});
    if (wide) m_texts->setSizes({680, 320});
    m_compare->setMode(narrow ? CompareView::Mode::Single : CompareView::Mode::SideBySide);
}

bool StagesPage::isSettled() const {
    return m_compare->isSettled() && m_timeline->isSettled();
}

QByteArray StagesPage::saveState() const {
    QByteArray bytes;
    QDataStream stream(&bytes, QIODevice::WriteOnly);
    const QByteArray now = m_split->saveState();
    stream << m_wide << (m_textsBeside ? m_below : now) << m_texts->saveState()
           << (m_textsBeside ? now : m_beside);
    return bytes;
}

QJsonObject StagesPage::state() const {
    QJsonObject out;
    for (const auto& [id, panel] : m_panels)
        if (panel == m_tabs->currentWidget()) out[panelKey] = panelName(id);
    for (const auto& [mode, name] : modeNames)
        if (mode == m_compare->mode()) out[modeKey] = name;
    const QList<int> sizes = m_split->sizes();
    const int all = std::accumulate(sizes.begin(), sizes.end(), 0);
    if (all > 0 && !m_textsBeside) out[canvasKey] = int(std::lround(100.0 * sizes.front() / all));
    return out;
}

void StagesPage::restore(const QJsonObject& state) {
    if (const QJsonValue panel = state.value(panelKey); panel.isString())
        if (const auto named = panelNamed(panel.toString())) raisePanel(*named);
    for (const auto& [mode, name] : modeNames)
        if (state.value(modeKey) == name) m_compare->setMode(mode);
    if (const QJsonValue share = state.value(canvasKey); share.isDouble()) {
        const int percent = int(std::clamp(share.toDouble(), 10.0, 95.0));
        if (!m_textsBeside) m_split->setSizes({percent * 10, (100 - percent) * 10});
    }
}

void StagesPage::restoreState(const QByteArray& state) {
    QDataStream stream(state);
    bool wide = false;
    QByteArray split, texts;
    stream >> wide >> split >> texts;
    if (stream.status() != QDataStream::Ok) return;
    setWide(wide);
    QByteArray beside;
    stream >> beside; // nothing where an earlier version wrote it
    m_below = split;
    m_beside = beside;
    if (const QByteArray& now = m_textsBeside ? m_beside : m_below; !now.isEmpty())
        m_split->restoreState(now);
    m_texts->restoreState(texts);
    m_texts->setOrientation(m_textsBeside ? Qt::Vertical : Qt::Horizontal);
}

PageSpec stagesPageSpec() {
    PageSpec spec;
    spec.page = Page::Stages;
    spec.name = "stages";
    spec.title = StagesPage::tr("Stages");
    spec.icon = "layers";
    spec.key = QKeySequence(StagesPage::tr("Ctrl+1"));
    spec.manual = "stages";
    spec.tip = StagesPage::tr("The stages of a compile");
    spec.lacks = [](const Workspace& workspace) {
        const session::Session& session = *workspace.capture()->session;
        const bool another = session.memory || session.tree || !session.recordings.empty();
        return session.compiles.empty() && another ? StagesPage::tr("needs a capture with compiles")
                                                   : QString();
    };
    spec.make = [](const PageServices& services) -> QWidget* {
        return new StagesPage(services.workspace, services.theme, services.parent);
    };
    spec.inPath = false; // the compile ends it
    return spec;
}

} // namespace dynascope::app
