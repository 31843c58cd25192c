// SPDX-License-Identifier: BSD-3-Clause
#include "core/layout/layout.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace dynascope::layout {

namespace {

using nlohmann::json;

struct FormatError {
    std::string message;
};

double number(const json& value) {
    if (!value.is_number()) throw FormatError{"a number is missing"};
    const auto v = value.get<double>();
    if (!std::isfinite(v) || std::abs(v) > 1e9) throw FormatError{"a number is out of range"};
    return v;
}

double numberOr(const json& object, const char* key, double otherwise) {
    const auto it = object.find(key);
    return it == object.end() ? otherwise : number(*it);
}

std::int64_t integer(const json& value) {
    if (!value.is_number_integer()) throw FormatError{"a whole number is missing"};
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT32_MAX)
        throw FormatError{"a number is out of range"};
    return value.get<std::int64_t>();
}

/// An index below `count`, or -1 where that is allowed.
int clusterIndex(const json& object, const char* key, std::size_t count) {
    const auto it = object.find(key);
    if (it == object.end()) return -1;
    const std::int64_t v = integer(*it);
    if (v < -1 || v >= static_cast<std::int64_t>(count)) throw FormatError{"a cluster index is out of range"};
    return static_cast<int>(v);
}

const json& arrayAt(const json& object, const char* key) {
    static const json empty = json::array();
    const auto it = object.find(key);
    if (it == object.end()) return empty;
    if (!it->is_array()) throw FormatError{std::string("\"") + key + "\" is not a list"};
    return *it;
}

const json& objectIn(const json& value) {
    if (!value.is_object()) throw FormatError{"an object is missing"};
    return value;
}

/// Runs `read` on the parsed document; every failure becomes an Error.
template <typename T, typename Read>
Result<T> parsed(std::string_view text, Read&& read) {
    try {
        // The parser callback keeps hostile nesting from building a deep tree.
        const json document = json::parse(text, [](int depth, json::parse_event_t, json&) {
            if (depth > 16) throw FormatError{"the document is nested too deeply"};
            return true;
        });
        return read(objectIn(document));
    } catch (const FormatError& e) {
        return failure(e.message);
    } catch (const json::exception& e) {
        return failure(std::string("not a layout document: ") + e.what());
    }
}

json pointJson(const Point& p) {
    return json::array({p.x, p.y});
}

} // namespace

std::string toJson(const LayoutInput& input) {
    json boxes = json::array();
    for (const Box& b : input.boxes)
        boxes.push_back({{"width", b.width}, {"height", b.height}, {"cluster", b.cluster}});
    json edges = json::array();
    for (const Edge& e : input.edges)
        edges.push_back({{"from", e.from}, {"to", e.to}, {"weight", e.weight}});
    json clusters = json::array();
    for (const Cluster& c : input.clusters)
        clusters.push_back({{"parent", c.parent}, {"title", c.titleHeight}, {"padding", c.padding}});
    return json{{"boxes", std::move(boxes)},
                {"edges", std::move(edges)},
                {"clusters", std::move(clusters)},
                {"rankGap", input.rankGap},
                {"boxGap", input.boxGap}}
        .dump();
}

std::string toJson(const LayoutResult& result) {
    json boxes = json::array();
    for (const Point& p : result.boxes)
        boxes.push_back(pointJson(p));
    json edges = json::array();
    for (const EdgePath& e : result.edges) {
        json points = json::array();
        for (const Point& p : e.points)
            points.push_back(pointJson(p));
        edges.push_back(std::move(points));
    }
    json clusters = json::array();
    for (const Rect& r : result.clusters)
        clusters.push_back(json::array({r.x, r.y, r.width, r.height}));
    return json{{"boxes", std::move(boxes)},
                {"edges", std::move(edges)},
                {"clusters", std::move(clusters)},
                {"width", result.width},
                {"height", result.height},
                {"engine", result.engine},
                {"milliseconds", result.milliseconds}}
        .dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<LayoutInput> inputFromJson(std::string_view text) {
    return parsed<LayoutInput>(text, [](const json& document) {
        LayoutInput input;
        const json& clusters = arrayAt(document, "clusters");
        const json& boxes = arrayAt(document, "boxes");
        input.rankGap = numberOr(document, "rankGap", input.rankGap);
        input.boxGap = numberOr(document, "boxGap", input.boxGap);
        for (const json& c : clusters) {
            Cluster cluster;
            cluster.parent = clusterIndex(objectIn(c), "parent", clusters.size());
            cluster.titleHeight = numberOr(c, "title", cluster.titleHeight);
            cluster.padding = numberOr(c, "padding", cluster.padding);
            input.clusters.push_back(cluster);
        }
        for (const json& b : boxes) {
            Box box;
            box.width = numberOr(objectIn(b), "width", box.width);
            box.height = numberOr(b, "height", box.height);
            box.cluster = clusterIndex(b, "cluster", clusters.size());
            input.boxes.push_back(box);
        }
        for (const json& e : arrayAt(document, "edges")) {
            const std::int64_t from = integer(objectIn(e).at("from"));
            const std::int64_t to = integer(e.at("to"));
            const auto count = static_cast<std::int64_t>(boxes.size());
            if (from < 0 || to < 0 || from >= count || to >= count)
                throw FormatError{"an edge names a box that does not exist"};
            input.edges.push_back(
                {static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to), numberOr(e, "weight", 1)});
        }
        return input;
    });
}

Result<LayoutResult> resultFromJson(std::string_view text) {
    return parsed<LayoutResult>(text, [](const json& document) {
        const auto point = [](const json& p) {
            if (!p.is_array() || p.size() != 2) throw FormatError{"a point is not a pair of numbers"};
            return Point{number(p[0]), number(p[1])};
        };
        LayoutResult result;
        for (const json& b : arrayAt(document, "boxes"))
            result.boxes.push_back(point(b));
        for (const json& e : arrayAt(document, "edges")) {
            if (!e.is_array() || e.size() < 4 || e.size() % 3 != 1)
                throw FormatError{"an edge is not a cubic Bezier path"};
            EdgePath& path = result.edges.emplace_back();
            for (const json& p : e)
                path.points.push_back(point(p));
        }
        for (const json& c : arrayAt(document, "clusters")) {
            if (!c.is_array() || c.size() != 4) throw FormatError{"a cluster is not a rectangle"};
            result.clusters.push_back({number(c[0]), number(c[1]), number(c[2]), number(c[3])});
        }
        result.width = numberOr(document, "width", 0);
        result.height = numberOr(document, "height", 0);
        result.milliseconds = numberOr(document, "milliseconds", 0);
        if (const auto it = document.find("engine"); it != document.end() && it->is_string())
            result.engine = it->get<std::string>();
        return result;
    });
}

} // namespace dynascope::layout
