// SPDX-License-Identifier: BSD-3-Clause
//
// The docks of a session file. Not QMainWindow's own state: that is bytes for one version of Qt and one set
// of docks, and a session file may be anybody's.
#include "app/gui/window_docks.h"

#include <QMainWindow>
#include <algorithm>

namespace dynascope::app {

using views::Page;

namespace {

constexpr int smallestDock = 80, largestDock = 2000;

constexpr std::pair<Qt::DockWidgetArea, QLatin1String> areaNames[] = {
    {Qt::LeftDockWidgetArea, QLatin1String("left")},
    {Qt::RightDockWidgetArea, QLatin1String("right")},
    {Qt::TopDockWidgetArea, QLatin1String("top")},
    {Qt::BottomDockWidgetArea, QLatin1String("bottom")}};
constexpr QLatin1String docksKey("docks"), sizesKey("sizes"), openKey("open"), areaKey("area"),
    frontKey("front");

bool isUpright(Qt::DockWidgetArea area) {
    return area == Qt::LeftDockWidgetArea || area == Qt::RightDockWidgetArea;
}

} // namespace

QJsonObject WindowDocks::state() const {
    QJsonObject docks, sizes;
    for (const auto& [area, name] : areaNames) {
        // Docks behind others keep the size that they had when they were seen last: the largest is right.
        int size = 0;
        for (LazyDock* dock : m_docks)
            if (dock->isVisible() && !dock->isFloating() && m_window.dockWidgetArea(dock) == area)
                size = std::max(size, isUpright(area) ? dock->width() : dock->height());
        if (size > 0) sizes[name] = size;
    }
    for (LazyDock* dock : m_docks) {
        const bool hidden =
            std::find(m_hiddenRight.begin(), m_hiddenRight.end(), dock) != m_hiddenRight.end() ||
            (dock == m_capture && m_hiddenCapture && fillsWindow(m_page));
        QJsonObject entry{{openKey, dock->isOpen() || hidden}};
        for (const auto& [area, name] : areaNames)
            if (area == m_window.dockWidgetArea(dock)) entry[areaKey] = name;
        if (dock->isVisible() && !dock->visibleRegion().isEmpty()) entry[frontKey] = true;
        docks[dock->objectName()] = entry;
    }
    return {{docksKey, docks}, {sizesKey, sizes}};
}

void WindowDocks::restore(const QJsonObject& state) {
    if (state.isEmpty()) return;
    const QJsonObject docks = state.value(docksKey).toObject(), sizes = state.value(sizesKey).toObject();
    const Page page = m_page;
    setPage(Page::Stages); // on other pages some docks are hidden for the page's sake
    LazyDock* front = nullptr;
    for (LazyDock* dock : m_docks) {
        const QJsonObject entry = docks.value(dock->objectName()).toObject();
        if (entry.isEmpty()) continue;
        for (const auto& [area, name] : areaNames)
            if (entry.value(areaKey) == name && area != m_window.dockWidgetArea(dock))
                m_window.addDockWidget(area, dock);
        if (const QJsonValue open = entry.value(openKey); open.isBool()) dock->setVisible(open.toBool());
        if (entry.value(frontKey).toBool() && dock->isOpen() &&
            m_window.dockWidgetArea(dock) == Qt::RightDockWidgetArea)
            front = dock;
    }
    QList<QDockWidget*> wide, high;
    QList<int> widths, heights;
    for (const auto& [area, name] : areaNames) {
        const QJsonValue size = sizes.value(name);
        const auto dock = std::find_if(m_docks.begin(), m_docks.end(), [&, at = area](LazyDock* d) {
            return d->isOpen() && !d->isFloating() && m_window.dockWidgetArea(d) == at;
        });
        if (!size.isDouble() || dock == m_docks.end()) continue;
        const double pixels = std::clamp(size.toDouble(), double(smallestDock), double(largestDock));
        (isUpright(area) ? wide : high) << *dock;
        (isUpright(area) ? widths : heights) << int(pixels);
    }
    m_window.resizeDocks(wide, widths, Qt::Horizontal);
    m_window.resizeDocks(high, heights, Qt::Vertical);
    if (front) front->raise();
    setPage(page);
}

} // namespace dynascope::app
