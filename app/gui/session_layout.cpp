// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/session_layout.h"

#include "app/gui/pages.h"
#include "views/notes/note_places.h"
#include "views/workspace/labels.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <algorithm>
#include <cmath>

namespace dynascope::app {

using namespace views;

namespace {

constexpr double farthest = 1e7; ///< of a canvas, in pixels at 100 %

constexpr QLatin1String pageKey("page"), compileKey("compile"), aKey("a"), bKey("b"), sideKey("side"),
    nodeKey("node"), zoomKey("zoom");

std::string textAt(const QJsonObject& object, QLatin1String key) {
    return object.value(key).toString().toStdString();
}

std::optional<ir::Address> addressAt(const QJsonObject& object, QLatin1String key) {
    const std::string text = textAt(object, key);
    return text.empty() ? std::nullopt : ir::Address::parse(text);
}

QJsonArray pointToJson(QPointF point) {
    return {point.x(), point.y()};
}

std::optional<QPointF> pointFromJson(const QJsonObject& object, QLatin1String key) {
    const QJsonArray point = object.value(key).toArray();
    if (point.size() != 2) return std::nullopt;
    double xy[2]{};
    for (int i = 0; i < 2; ++i) {
        if (!point[i].isDouble()) return std::nullopt;
        xy[i] = point[i].toDouble();
        if (!std::isfinite(xy[i]) || std::abs(xy[i]) > farthest) return std::nullopt;
    }
    return QPointF(xy[0], xy[1]);
}

} // namespace

QJsonObject readLayout(const std::string& text) {
    if (text.empty() || text.size() > longestLayout) return {};
    return QJsonDocument::fromJson(QByteArray::fromStdString(text)).object();
}

std::string layoutText(const QJsonObject& layout) {
    return QJsonDocument(layout).toJson(QJsonDocument::Compact).toStdString();
}

QJsonObject placeToJson(const Workspace& workspace) {
    QJsonObject out;
    const Place& place = workspace.place();
    const PageSpec* page = pageSpec(place.page);
    if (page && page->savePlace)
        if (const QJsonValue own = page->savePlace(workspace); !own.isNull())
            out[QLatin1String(page->placeName)] = own;
    const session::Compile* compile = workspace.compile();
    if (!compile) return out;
    if (page && page->isRestored) out[pageKey] = QLatin1String(page->name);
    out[compileKey] = toQString(addressOf(*compile).toString());
    for (const auto& [key, index] : {std::pair(aKey, place.stageA), std::pair(bKey, place.stageB)})
        if (const session::StagePtr stage = workspace.stageAt(index))
            out[key] = toQString(addressOf(*compile, *stage).toString());
    if (const ir::Node* node = workspace.selectedNode()) {
        out[sideKey] = place.node.side == Side::A ? aKey : bKey;
        out[nodeKey] = toQString(node->name);
    }
    return out;
}

bool goToPlace(Workspace& workspace, int capture, const QJsonObject& saved) {
    const Workspace::Capture& open = workspace.captures()[std::size_t(capture)];
    const auto lead = [&](const PageSpec& page, Place& place) {
        place.page = page.page;
        if (page.restorePlace) {
            const QJsonValue own = saved.value(QLatin1String(page.placeName));
            page.restorePlace(open, own.isUndefined() ? QJsonValue() : own, place);
        }
    };
    const auto compileAt = addressAt(saved, compileKey);
    if (!compileAt) { // a folder of recordings has no compiles
        for (const PageSpec& page : pageSpecs()) {
            if (!page.restorePlace || !saved.contains(QLatin1String(page.placeName))) continue;
            Place place;
            place.capture = capture;
            lead(page, place);
            place.own.complete(place, open);
            if (place.own.isEmpty()) continue;
            workspace.go(place, false);
            return true;
        }
        return false;
    }
    const session::Session& session = *open.session;
    const session::Compile* compile = session.find(compileAt->rank, compileAt->compileId);
    if (!compile) return false;
    Place place;
    place.capture = capture;
    place.compile = int(compile - session.compiles.data());
    place.page = Page::Stages;
    workspace.go(place, false); // stages are counted in the current compile
    place = workspace.place();
    for (const auto& [key, index] : {std::pair(aKey, &place.stageA), std::pair(bKey, &place.stageB)})
        if (const auto address = addressAt(saved, key))
            if (const int found = stageIndex(workspace, *address); found >= 0) *index = found;
    const std::string node = textAt(saved, nodeKey);
    const Side side = saved.value(sideKey) == aKey ? Side::A : Side::B;
    place.node = {};
    if (const session::StagePtr stage = workspace.stageAt(side == Side::A ? place.stageA : place.stageB);
        stage && !node.empty())
        if (const auto graph = stage->graph()) place.node = {side, (*graph)->find(node)};
    const std::string pageName = textAt(saved, pageKey);
    for (const PageSpec& page : pageSpecs())
        if (page.isRestored && pageName == page.name) lead(page, place);
    workspace.go(place, false);
    return true;
}

QJsonObject viewToJson(const CompareView::View& view) {
    return {{zoomKey, view.zoom}, {aKey, pointToJson(view.a)}, {bKey, pointToJson(view.b)}};
}

std::optional<CompareView::View> viewFromJson(const QJsonObject& saved) {
    const auto a = pointFromJson(saved, aKey), b = pointFromJson(saved, bKey);
    const double factor = saved.value(zoomKey).toDouble();
    if (!a || !b || !std::isfinite(factor) || factor <= 0) return std::nullopt;
    return CompareView::View{factor, *a, *b};
}

} // namespace dynascope::app
