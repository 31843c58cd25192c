// SPDX-License-Identifier: BSD-3-Clause
//
// The docks of a session file. Not QMainWindow's own state: that is bytes for one version of Qt and one set
// of docks, and a session file may be anybody's.
#include "app/gui/window_docks.h"

#include <QMainWindow>
#include <algorithm>

namespace dynascope::app {

using nlohmann::json;
using views::Page;

namespace {

constexpr int smallestDock = 80, largestDock = 2000;

constexpr std::pair<Qt::DockWidgetArea, const char*> areaNames[] = {{Qt::LeftDockWidgetArea, "left"},
                                                                    {Qt::RightDockWidgetArea, "right"},
                                                                    {Qt::TopDockWidgetArea, "top"},
                                                                    {Qt::BottomDockWidgetArea, "bottom"}};

bool isUpright(Qt::DockWidgetArea area) {
    return area == Qt::LeftDockWidgetArea || area == Qt::RightDockWidgetArea;
}

} // namespace

json WindowDocks::state() const {
    json docks = json::object(), sizes = json::object();
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
        json entry{{"open", dock->isOpen() || hidden}};
        for (const auto& [area, name] : areaNames)
            if (area == m_window.dockWidgetArea(dock)) entry["area"] = name;
        if (dock->isVisible() && !dock->visibleRegion().isEmpty()) entry["front"] = true;
        docks[dock->objectName().toStdString()] = std::move(entry);
    }
    return {{"docks", std::move(docks)}, {"sizes", std::move(sizes)}};
}

void WindowDocks::restore(const json& state) {
    if (!state.is_object()) return;
    const auto docks = state.find("docks"), sizes = state.find("sizes");
    const Page page = m_page;
    setPage(Page::Stages); // on other pages some docks are hidden for the page's sake
    LazyDock* front = nullptr;
    for (LazyDock* dock : m_docks) {
        if (docks == state.end() || !docks->is_object()) break;
        const auto entry = docks->find(dock->objectName().toStdString());
        if (entry == docks->end() || !entry->is_object()) continue;
        const auto text = entry->find("area");
        for (const auto& [area, name] : areaNames)
            if (text != entry->end() && *text == name && area != m_window.dockWidgetArea(dock))
                m_window.addDockWidget(area, dock);
        if (const auto open = entry->find("open"); open != entry->end() && open->is_boolean())
            dock->setVisible(open->get<bool>());
        const auto is = entry->find("front");
        if (is != entry->end() && *is == true && dock->isOpen() &&
            m_window.dockWidgetArea(dock) == Qt::RightDockWidgetArea)
            front = dock;
    }
    QList<QDockWidget*> wide, high;
    QList<int> widths, heights;
    for (const auto& [area, name] : areaNames) {
        if (sizes == state.end() || !sizes->is_object()) break;
        const auto size = sizes->find(name);
        const auto dock = std::find_if(m_docks.begin(), m_docks.end(), [&, at = area](LazyDock* d) {
            return d->isOpen() && !d->isFloating() && m_window.dockWidgetArea(d) == at;
        });
        if (size == sizes->end() || !size->is_number_integer() || dock == m_docks.end()) continue;
        const auto pixels = std::clamp<std::int64_t>(size->get<std::int64_t>(), smallestDock, largestDock);
        (isUpright(area) ? wide : high) << *dock;
        (isUpright(area) ? widths : heights) << int(pixels);
    }
    m_window.resizeDocks(wide, widths, Qt::Horizontal);
    m_window.resizeDocks(high, heights, Qt::Vertical);
    if (front) front->raise();
    setPage(page);
}

} // namespace dynascope::app
