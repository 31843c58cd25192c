// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/session_layout.h"

#include "app/gui/pages.h"
#include "core/base/json_fields.h"
#include "views/notes/note_places.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <algorithm>
#include <cmath>

namespace dynascope::app {

using namespace views;
using nlohmann::json;

namespace {

constexpr double farthest = 1e7; ///< of a canvas, in pixels at 100 %

std::optional<ir::Address> addressAt(const json& object, const char* key) {
    const std::string text = stringField(object, key);
    return text.empty() ? std::nullopt : ir::Address::parse(text);
}

json toJson(const QJsonValue& value) {
    const json list = json::parse(QJsonDocument(QJsonArray{value}).toJson().toStdString(), nullptr, false);
    return list.is_array() ? list.front() : json();
}

QJsonValue toQt(const json& value) {
    const std::string list = json::array({value}).dump(-1, ' ', false, json::error_handler_t::replace);
    return QJsonDocument::fromJson(QByteArray::fromStdString(list)).array().first();
}

json pointToJson(QPointF point) {
    return json::array({point.x(), point.y()});
}

std::optional<QPointF> pointFromJson(const json& object, const char* key) {
    const auto at = object.find(key);
    if (at == object.end() || !at->is_array() || at->size() != 2) return std::nullopt;
    double xy[2]{};
    for (std::size_t i = 0; i < 2; ++i) {
        if (!(*at)[i].is_number()) return std::nullopt;
        xy[i] = (*at)[i].get<double>();
        if (!std::isfinite(xy[i]) || std::abs(xy[i]) > farthest) return std::nullopt;
    }
    return QPointF(xy[0], xy[1]);
}

} // namespace

json readLayout(const std::string& text) {
    // A stack of brackets as deep as the text is long is no deeper than a stack can bear at this length.
    if (text.empty() || text.size() > longestLayout) return {};
    json read = json::parse(text, nullptr, false);
    return read.is_object() ? read : json();
}

json placeToJson(const Workspace& workspace) {
    json out = json::object();
    const Place& place = workspace.place();
    const PageSpec* page = pageSpec(place.page);
    if (page && page->savePlace)
        if (const QJsonValue own = page->savePlace(workspace); !own.isNull())
            out[page->placeName] = toJson(own);
    const session::Compile* compile = workspace.compile();
    if (!compile) return out;
    if (page && page->isRestored) out["page"] = page->name;
    out["compile"] = addressOf(*compile).toString();
    for (const auto& [key, index] : {std::pair("a", place.stageA), std::pair("b", place.stageB)})
        if (const session::StagePtr stage = workspace.stageAt(index))
            out[key] = addressOf(*compile, *stage).toString();
    if (const ir::Node* node = workspace.selectedNode()) {
        out["side"] = place.node.side == Side::A ? "a" : "b";
        out["node"] = node->name;
    }
    return out;
}

bool goToPlace(Workspace& workspace, int capture, const json& saved) {
    if (!saved.is_object()) return false;
    const Workspace::Capture& open = workspace.captures()[std::size_t(capture)];
    const auto lead = [&](const PageSpec& page, Place& place) {
        place.page = page.page;
        const auto own = saved.find(page.placeName);
        if (page.restorePlace) page.restorePlace(open, own == saved.end() ? QJsonValue() : toQt(*own), place);
    };
    const auto compileAt = addressAt(saved, "compile");
    if (!compileAt) { // a folder of recordings has no compiles
        for (const PageSpec& page : pageSpecs()) {
            if (!page.restorePlace || !saved.contains(page.placeName)) continue;
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
    for (const auto& [key, index] : {std::pair("a", &place.stageA), std::pair("b", &place.stageB)})
        if (const auto address = addressAt(saved, key))
            if (const int found = stageIndex(workspace, *address); found >= 0) *index = found;
    const std::string node = stringField(saved, "node");
    const Side side = stringField(saved, "side") == "a" ? Side::A : Side::B;
    place.node = {};
    if (const session::StagePtr stage = workspace.stageAt(side == Side::A ? place.stageA : place.stageB);
        stage && !node.empty())
        if (const auto graph = stage->graph()) place.node = {side, (*graph)->find(node)};
    const std::string pageName = stringField(saved, "page");
    for (const PageSpec& page : pageSpecs())
        if (page.isRestored && pageName == page.name) lead(page, place);
    workspace.go(place, false);
    return true;
}

json viewToJson(const CompareView::View& view) {
    return {{"zoom", view.zoom}, {"a", pointToJson(view.a)}, {"b", pointToJson(view.b)}};
}

std::optional<CompareView::View> viewFromJson(const json& saved) {
    if (!saved.is_object()) return std::nullopt;
    const auto zoom = saved.find("zoom");
    const auto a = pointFromJson(saved, "a"), b = pointFromJson(saved, "b");
    if (zoom == saved.end() || !zoom->is_number() || !a || !b) return std::nullopt;
    const auto factor = zoom->get<double>();
    if (!std::isfinite(factor) || factor <= 0) return std::nullopt;
    return CompareView::View{factor, *a, *b};
}

} // namespace dynascope::app
