// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/view_places.h"

#include <QAbstractItemView>
#include <QScrollBar>
#include <QTreeView>
#include <algorithm>

namespace dynascope::views {

namespace {

constexpr std::size_t mostOpen = 2000; ///< rows of a tree that are opened again
constexpr int searchedRows = 5000;     ///< for one that has moved

} // namespace

ViewPlaces::ViewPlaces(QWidget& root) {
    QList<QAbstractScrollArea*> areas = root.findChildren<QAbstractScrollArea*>();
    if (auto* own = qobject_cast<QAbstractScrollArea*>(&root)) areas << own;
    for (QAbstractScrollArea* area : areas) {
        View view{area, area->horizontalScrollBar()->value(), area->verticalScrollBar()->value(), {}, {}};
        if (auto* items = qobject_cast<QAbstractItemView*>(area); items && items->model()) {
            for (QModelIndex at = items->currentIndex(); at.isValid(); at = at.parent())
                view.current.insert(view.current.begin(),
                                    {at.row(), at.siblingAtColumn(0).data().toString()});
            takeOpen(*items, view);
        }
        m_views.push_back(std::move(view));
    }
}

void ViewPlaces::takeOpen(const QAbstractItemView& view, View& out) {
    const auto* tree = qobject_cast<const QTreeView*>(&view);
    if (!tree) return;
    std::vector<std::pair<QModelIndex, Way>> todo{{tree->rootIndex(), {}}};
    while (!todo.empty() && out.open.size() < mostOpen) {
        const auto [parent, way] = std::move(todo.back());
        todo.pop_back();
        const int rows = std::min(view.model()->rowCount(parent), searchedRows);
        for (int row = 0; row < rows; ++row) {
            const QModelIndex at = view.model()->index(row, 0, parent);
            if (!tree->isExpanded(at)) continue;
            Way here = way;
            here.push_back({row, at.data().toString()});
            out.open.push_back(here);
            todo.emplace_back(at, std::move(here));
        }
    }
}

void ViewPlaces::restore() const {
    for (const View& view : m_views) {
        if (!view.area) continue;
        if (auto* items = qobject_cast<QAbstractItemView*>(view.area.data()); items && items->model()) {
            const QAbstractItemModel& model = *items->model();
            const auto find = [&](const Way& way) {
                QModelIndex at = items->rootIndex();
                for (const Step& step : way) {
                    const QModelIndex parent = at;
                    at = model.index(step.row, 0, parent);
                    if (at.isValid() && at.data().toString() == step.text) continue;
                    const int rows = std::min(model.rowCount(parent), searchedRows);
                    at = {};
                    for (int row = 0; row < rows && !at.isValid(); ++row)
                        if (const QModelIndex other = model.index(row, 0, parent);
                            other.data().toString() == step.text)
                            at = other;
                    if (!at.isValid()) break;
                }
                return at;
            };
            if (auto* tree = qobject_cast<QTreeView*>(items))
                for (const Way& way : view.open)
                    if (const QModelIndex at = find(way); at.isValid()) tree->expand(at);
            if (!view.current.empty())
                if (const QModelIndex at = find(view.current);
                    at.isValid() && at.row() != items->currentIndex().row())
                    items->setCurrentIndex(at);
            // Rows take their places before the bars know how far they go.
            items->doItemsLayout();
        }
    }
    // Behind the rows, since a row that becomes current may fill another view.
    for (const View& view : m_views) {
        if (!view.area) continue;
        view.area->horizontalScrollBar()->setValue(view.x);
        view.area->verticalScrollBar()->setValue(view.y);
    }
}

} // namespace dynascope::views
