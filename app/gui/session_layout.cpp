// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/session_layout.h"

#include "app/gui/pages.h"
#include "core/base/json_fields.h"
#include "views/notes/note_places.h"

#include <algorithm>
#include <climits>
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

/// -1 where there is none.
int numberAt(const json& object, const char* key) {
    const auto at = object.find(key);
    const bool fits = at != object.end() && at->is_number_integer() && at->get<std::int64_t>() >= 0 &&
                      at->get<std::int64_t>() <= INT_MAX;
    return fits ? at->get<int>() : -1;
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
    if (place.page == Page::Dynamo && place.recording >= 0)
        out["dynamo"] = {{"recording", place.recording}, {"step", place.step}};
    const session::Compile* compile = workspace.compile();
    if (!compile) return out;
    if (const PageSpec* page = pageSpec(place.page); page && page->isRestored) out["page"] = page->name;
    out["compile"] = addressOf(*compile).toString();
    for (const auto& [key, index] : {std::pair("a", place.stageA), std::pair("b", place.stageB)})
        if (const session::StagePtr stage = workspace.stageAt(index))
            out[key] = addressOf(*compile, *stage).toString();
    if (const ir::Node* node = workspace.selectedNode()) {
        out["side"] = place.node.side == Side::A ? "a" : "b";
        out["node"] = node->name;
    }
    if (place.page == Page::Breaks)
        if (const auto here = addressesHere(workspace); !here.empty()) out["break"] = here.front().toString();
    return out;
}

bool goToPlace(Workspace& workspace, int capture, const json& saved) {
    if (!saved.is_object()) return false;
    const auto inRecording = [&](Place place) {
        const auto dynamo = saved.find("dynamo");
        if (dynamo == saved.end() || !dynamo->is_object()) return place;
        place.page = Page::Dynamo;
        place.recording = numberAt(*dynamo, "recording");
        place.step = numberAt(*dynamo, "step");
        return place;
    };
    const auto compileAt = addressAt(saved, "compile");
    if (!compileAt) { // a folder of recordings has no compiles
        Place place;
        place.capture = capture;
        place = inRecording(place);
        if (place.recording < 0) return false;
        workspace.go(place, false);
        return true;
    }
    const session::Session& session = *workspace.captures()[std::size_t(capture)].session;
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
        if (page.isRestored && pageName == page.name) place.page = page.page;
    if (place.page == Page::Breaks) {
        const auto broken = addressAt(saved, "break");
        place.page = Page::Stages;
        workspace.go(place, false);
        if (broken) goToAddress(workspace, capture, *broken);
        return true;
    }
    workspace.go(inRecording(place), false);
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
