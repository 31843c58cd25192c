// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/window_layout.h"

#include "app/gui/session_layout.h"
#include "app/gui/settings.h"
#include "app/gui/stages_page.h"
#include "app/gui/window_docks.h"
#include "app/gui/window_pages.h"
#include "views/canvas/compare_view.h"
#include "views/engine/passes.h"

#include <QLayout>
#include <QScreen>
#include <QTimer>
#include <QWindow>
#include <algorithm>

namespace dynascope::app {

using namespace views;

namespace {

constexpr QLatin1String docksPart("docks"), stagesPart("stages"), viewPart("view");

} // namespace

void WindowLayout::reset() {
    m_settings.clearLayout();
    m_docks->reset(m_window.width());
    m_pages->applyDefaultSizes();
}

QRect fittedInto(const QRect& screen, const QRect& inside, const QMargins& frame) {
    const QRect room = screen.marginsRemoved(frame);
    QRect out = inside;
    out.setSize(out.size().boundedTo(room.size()));
    out.moveLeft(std::clamp(out.left(), room.left(), room.left() + room.width() - out.width()));
    out.moveTop(std::clamp(out.top(), room.top(), room.top() + room.height() - out.height()));
    return out;
}

void WindowLayout::keepOnScreen() {
    if (!m_window.isVisible() || !m_window.windowHandle() ||
        (m_window.windowState() & (Qt::WindowMaximized | Qt::WindowFullScreen | Qt::WindowMinimized)) != 0)
        return;
    const QMargins frame = m_window.windowHandle()->frameMargins();
    const QRect now = m_window.geometry();
    const QRect fitted = fittedInto(m_window.screen()->availableGeometry(), now, frame);
    if (fitted != now) m_window.setGeometry(fitted);
}

void WindowLayout::save() {
    m_settings.setLayout(QStringLiteral("geometry"), m_window.saveGeometry());
    // On another page the right docks are hidden for its sake only.
    m_docks->setPage(Page::Stages);
    m_settings.setLayout(QStringLiteral("docks"), m_window.saveState(Settings::schema));
    m_docks->setPage(m_workspace.place().page);
    m_pages->saveStates();
}

void WindowLayout::restore() {
    const QByteArray geometry = m_settings.layout(QStringLiteral("geometry"));
    if (!geometry.isEmpty()) m_window.restoreGeometry(geometry);
    const QByteArray docks = m_settings.layout(QStringLiteral("docks"));
    const Page page = m_workspace.place().page;
    m_docks->setPage(Page::Stages);
    const bool restored = !docks.isEmpty() && m_window.restoreState(docks, Settings::schema);
    m_docks->setPage(page);
    if (!restored) m_docks->reset(m_window.width());
    if (auto* stages = m_pages->find<StagesPage>();
        stages && m_settings.layout(QLatin1String("stages")).isEmpty())
        stages->applyDefaultSizes(m_window.width());
}

std::map<std::string, std::string> WindowLayout::ofSession(int capture) const {
    std::map<std::string, std::string> out;
    if (capture != m_workspace.place().capture) return out;
    out["place"] = layoutText(placeToJson(m_workspace));
    if (const auto given = m_passes->inputsToSave(*m_workspace.capture()->session); !given.empty())
        out["inputs"] = engine::formsText(given);
    QJsonObject window{{docksPart, m_docks->state()}};
    if (const auto* stages = m_pages->find<StagesPage>()) {
        window[stagesPart] = stages->state();
        window[viewPart] = viewToJson(stages->compare()->view());
    }
    out["window"] = layoutText(window);
    return out;
}

/// Of the texts that were typed as inputs of graphs.
constexpr std::size_t longestInputs = 16U << 20U;

void WindowLayout::restoreSession(int capture, const store::SessionContents& saved) {
    if (const auto at = saved.layout.find("inputs");
        at != saved.layout.end() && at->second.size() <= longestInputs)
        m_passes->restoreInputs(*m_workspace.captures()[std::size_t(capture)].session,
                                engine::readForms(at->second));
    // Somebody who opens a second capture beside the first wants neither the window nor the place to change.
    if (m_workspace.place().capture != capture) return;
    const auto part = [&saved](const char* name) {
        const auto at = saved.layout.find(name);
        return at == saved.layout.end() ? QJsonObject() : readLayout(at->second);
    };
    goToPlace(m_workspace, capture, part("place"));
    const QJsonObject window = part("window");
    if (window.isEmpty() || m_workspace.captures().size() > 1) return;
    m_docks->restore(window.value(docksPart).toObject());
    if (m_workspace.place().page != Page::Stages) return;
    auto& stages = m_pages->get<StagesPage>();
    stages.restore(window.value(stagesPart).toObject());
    const auto view = viewFromJson(window.value(viewPart).toObject());
    if (!view) return;
    m_window.layout()->activate();
    // Once the graphs of this place have their layout; elsewhere it would mean nothing.
    const auto apply = [this, canvas = stages.compare(), view = *view, place = m_workspace.place()] {
        if (m_workspace.place() == place) canvas->setView(view);
    };
    if (stages.compare()->isSettled()) {
        apply();
        return;
    }
    auto* wait = new QObject(this);
    connect(stages.compare(), &CompareView::settled, wait, [canvas = stages.compare(), wait, apply] {
        QTimer::singleShot(0, wait, [wait, apply] { // docks take their sizes first
            apply();
            wait->deleteLater();
        });
        canvas->disconnect(wait);
    });
}

} // namespace dynascope::app
