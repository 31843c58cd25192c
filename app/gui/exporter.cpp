// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/exporter.h"

#include "app/cli/info.h"
#include "app/gui/main_window.h"
#include "app/gui/pages.h"
#include "app/gui/stages_page.h"
#include "app/gui/window_docks.h"
#include "core/session/stage_order.h"
#include "views/canvas/compare_view.h"
#include "views/palette/palette.h"
#include "views/workspace/labels.h"

#include <QApplication>
#include <QBuffer>
#include <QElapsedTimer>
#include <QFile>
#include <QPixmap>
#include <QRegularExpression>
#include <QThread>
#include <algorithm>
#include <cstdio>
#include <iterator>

namespace dynascope::app {

using namespace views;

namespace {

constexpr qint64 patienceMs = 30000;

bool g_unfinished = false;

/// Shows what the engine computed or the reader wrote, which a capture alone does not have.
bool needsMore(PanelId panel) {
    return panel == PanelId::Values || panel == PanelId::PassSteps || panel == PanelId::Notes;
}

/// The panels to take a picture of, area by area. Where one hides the others of its area, the first comes last, so that
/// it is in front again.
std::vector<PanelId> picturedPanels(const StagesPage& stages, const WindowDocks& docks) {
    std::vector<PanelId> texts = stages.panels(), right, bottom;
    for (const LazyDock* dock : docks.right())
        right.push_back(dock->id());
    for (const LazyDock* dock : docks.bottom())
        bottom.push_back(dock->id());
    for (std::vector<PanelId>* area : {&texts, &right})
        std::ranges::rotate(*area, area->begin() + 1);
    std::vector<PanelId> out;
    for (const std::vector<PanelId>& area : {texts, right, bottom})
        std::ranges::copy_if(area, std::back_inserter(out), [](PanelId panel) { return !needsMore(panel); });
    return out;
}

} // namespace

void settle(const MainWindow& window) {
    QElapsedTimer timer;
    timer.start();
    int calm = 0;
    while (calm < 3 && timer.elapsed() < patienceMs) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QThread::msleep(2);
        calm = window.isSettled() ? calm + 1 : 0;
    }
    if (calm >= 3) return;
    g_unfinished = true;
    std::fprintf(stderr,
                 "dynascope: a picture is taken before all that it shows is there: half a minute is over\n");
}

bool anyUnfinished() {
    return g_unfinished;
}

void Exporter::capture(int index) {
    const session::Session& session = *m_workspace.captures()[std::size_t(index)].session;
    m_name = uniqueName(toQString(session.title));
    writeText(m_name + QStringLiteral(".txt"), QByteArray::fromStdString(cli::infoText(session)));
    for (const QSize& size : m_options.sizes) {
        m_suffix = suffixOf(size);
        m_window.resize(size);
        settle(m_window);
        m_window.resetLayout();
        pictures(index);
    }
}

void Exporter::comparison() {
    m_name = uniqueName(QStringLiteral("compare"));
    for (const QSize& size : m_options.sizes) {
        m_suffix = suffixOf(size);
        m_window.resize(size);
        settle(m_window);
        m_window.resetLayout();
        const ColourScheme scheme = m_options.scheme.value_or(ColourScheme::Dark);
        for (const ColourScheme look : {ColourScheme::Light, ColourScheme::Dark}) {
            m_theme.setScheme(look);
            comparisonPictures(look == ColourScheme::Dark ? QStringLiteral("dark") : QStringLiteral("light"));
        }
        m_theme.setScheme(scheme);
    }
}

void Exporter::welcome() {
    m_name = uniqueName(QStringLiteral("welcome"));
    grab({});
}

QString Exporter::suffixOf(const QSize& size) const {
    if (m_options.sizes.size() < 2) return {};
    return QStringLiteral("-%1x%2").arg(size.width()).arg(size.height());
}

void Exporter::pictures(int index) {
    const ColourScheme scheme = m_options.scheme.value_or(ColourScheme::Dark);
    Place place;
    place.capture = index;
    place.page = Page::Stages;
    const session::Session& session = *m_workspace.captures()[std::size_t(index)].session;
    if (session.memory && session.compiles.empty()) return page(*pageSpec(Page::Memory), place);
    if (session.tree) return page(*pageSpec(Page::Replay), place);
    if (session.compiles.empty() && !session.recordings.empty()) return page(*pageSpec(Page::Dynamo), place);
    m_window.page<StagesPage>().compare()->setMotion(false); // else a picture may be taken on the way
    m_workspace.go(place);
    selectTelling();
    for (const ColourScheme look : {ColourScheme::Dark, ColourScheme::Light}) {
        m_theme.setScheme(look);
        grab(look == ColourScheme::Dark ? QStringLiteral("inspect-dark") : QStringLiteral("inspect-light"));
    }
    m_theme.setScheme(scheme);
    m_window.palette().open(QStringLiteral("sel"));
    grab(QStringLiteral("palette"));
    m_window.palette().dismiss();
    auto& stages = m_window.page<StagesPage>();
    const CompareView::Mode mode = stages.compare()->mode();
    stages.compare()->setMode(CompareView::Mode::Merged);
    grab(QStringLiteral("merged"));
    stages.compare()->setMode(mode);
    for (const PanelId panel : picturedPanels(stages, m_window.docks())) {
        emit m_workspace.panelRequested(panel);
        grab(QStringLiteral("panel-") + panelName(panel));
    }
    if (m_workspace.traceLine()) {
        emit m_workspace.panelRequested(PanelId::Provenance);
        grab(QStringLiteral("panel-provenance-line"));
    }
    m_window.docks().find(PanelId::Provenance)->close();
    compileTime();
    notes(index);
    functionalization(place);
    if (selectBiggest(index)) grab(QStringLiteral("folded"));
    for (const PageSpec& spec : pageSpecs())
        page(spec, place);
    comparisons(index);
}

/// Hands the exporter's pictures to a page.
class Exporter::Pictures : public PagePictures {
public:
    Pictures(Exporter& exporter, const PageSpec& spec)
        : m_exporter(exporter)
        , m_spec(spec) {}
    Workspace& workspace() override { return m_exporter.m_workspace; }
    QWidget& page() override { return m_exporter.m_window.pages().get(m_spec.page); }
    void take(const QString& name) override { m_exporter.grab(name); }
    void takeInBothLooks(const QString& name) override { m_exporter.grabInBothLooks(name); }

private:
    Exporter& m_exporter;
    const PageSpec& m_spec;
};

void Exporter::page(const PageSpec& spec, Place place) {
    if (!spec.pictures) return;
    place.page = spec.page;
    Pictures pictures(*this, spec);
    spec.pictures(pictures, place);
}

void Exporter::grabInBothLooks(const QString& name) {
    const ColourScheme scheme = m_options.scheme.value_or(ColourScheme::Dark);
    for (const ColourScheme look : {ColourScheme::Dark, ColourScheme::Light}) {
        m_theme.setScheme(look);
        grab(name + (look == ColourScheme::Dark ? QStringLiteral("-dark") : QStringLiteral("-light")));
    }
    m_theme.setScheme(scheme);
}

void Exporter::selectTelling() {
    settle(m_window);
    const auto diff = m_workspace.diff();
    if (!diff) return;
    for (ir::NodeIndex i = 0; i < diff->a.size(); ++i)
        if (diff->a[i] == diff::Change::Removed && diff->linksFromA(i).size() > 1) {
            m_workspace.selectNode({Side::A, i});
            return;
        }
    for (ir::NodeIndex i = 0; i < diff->b.size(); ++i)
        if (diff->b[i] == diff::Change::Added) {
            m_workspace.selectNode({Side::B, i});
            return;
        }
    const ir::GraphPtr& graph = m_workspace.stage(Side::B).graph;
    for (ir::NodeIndex i = 0; graph && i < graph->size(); ++i)
        if (graph->node(i).op == ir::Op::CallFunction) {
            m_workspace.selectNode({Side::B, i});
            return;
        }
}

bool Exporter::selectBiggest(int index) {
    const session::Session& session = *m_workspace.captures()[std::size_t(index)].session;
    Place best;
    std::size_t most = 0;
    for (std::size_t c = 0; c < session.compiles.size(); ++c)
        for (std::size_t s = 0; s < session.compiles[c].stages.size(); ++s)
            if (const std::size_t nodes = session.compiles[c].stages[s]->nodeCount(); nodes > most) {
                most = nodes;
                best.capture = index;
                best.compile = int(c);
                best.stageB = int(s);
                best.stageA = std::max(0, predecessor(session.compiles[c], int(s)));
                best.page = Page::Stages;
            }
    if (most == 0) return false;
    m_workspace.go(best);
    return true;
}

QString Exporter::uniqueName(const QString& title) {
    static const QRegularExpression unsafe(QStringLiteral("[^A-Za-z0-9._-]+"));
    QString base = QString(title).replace(unsafe, QStringLiteral("_"));
    if (base.isEmpty() || base.startsWith(u'.')) base.prepend(u'_');
    QString name = base;
    for (int n = 2; m_used.contains(name); ++n)
        name = QStringLiteral("%1-%2").arg(base).arg(n);
    m_used.insert(name);
    return name;
}

void Exporter::grab(const QString& what) {
    settle(m_window);
    const QString part = what.isEmpty() ? QString() : u'-' + what;
    const QString file = m_folder.filePath(m_name + part + m_suffix + QStringLiteral(".png"));
    QBuffer picture; // libpng, where it writes a file itself, adds a line of its own to each error
    picture.open(QIODevice::WriteOnly);
    m_window.grab().save(&picture, "PNG");
    write(file, picture.data());
}

void Exporter::writeText(const QString& name, const QByteArray& text) {
    write(m_folder.filePath(name), text);
}

void Exporter::write(const QString& path, const QByteArray& content) {
    QFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(content) == content.size() && file.flush()) {
        std::printf("%s\n", qPrintable(path));
        return;
    }
    std::fprintf(stderr, "dynascope: %s: %s\n", qPrintable(path), qPrintable(file.errorString()));
    m_failed = true;
}

} // namespace dynascope::app
