// SPDX-License-Identifier: BSD-3-Clause
//
// Graphviz dot behind the layout interface. nslimit and nslimit1 bound its network simplex, and straight
// edges spare the spline router, which is what takes minutes on graphs with long edges.
#include "core/layout/layout.h"

#include "core/layout/input_fault.h"

#include <gvc.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>

#ifdef DYNASCOPE_DOT_LINKED
extern "C" gvplugin_library_t gvplugin_dot_layout_LTX_library;
#endif

namespace dynascope::layout {

namespace {

constexpr double pointsPerInch = 72;
constexpr std::size_t maxCurvedBoxes = 200;

struct GraphCloser {
    GVC_t* context = nullptr;
    bool laidOut = false;
    void operator()(Agraph_t* graph) const {
        if (laidOut) gvFreeLayout(context, graph);
        agclose(graph);
    }
};
struct ContextFreer {
    void operator()(GVC_t* context) const { gvFreeContext(context); }
};

/// Graphviz with its layout engine dot: linked in a wheel, else a plugin that Graphviz finds in its folder.
GVC_t* startGraphviz() {
#ifdef DYNASCOPE_DOT_LINKED
    static const std::array<lt_symlist_t, 2> linked{
        lt_symlist_t{"gvplugin_dot_layout_LTX_library", &gvplugin_dot_layout_LTX_library},
        lt_symlist_t{nullptr, nullptr}};
    return gvContextPlugins(linked.data(), 0);
#else
    return gvContext();
#endif
}

// Graphviz declares its read-only strings as char*.
std::string spelled(double value) {
    std::string text = std::to_string(value);
    std::replace(text.begin(), text.end(), ',', '.');
    return text;
}

class DotGraph {
public:
    explicit DotGraph(const LayoutInput& input)
        : m_input(input) {}

    Result<LayoutResult> run() {
        if (auto fault = detail::inputFault(m_input)) return tl::unexpected(std::move(*fault));
        std::unique_ptr<GVC_t, ContextFreer> context(startGraphviz());
        if (!context) return failure("Graphviz did not start");
        std::string name = "g";
        std::unique_ptr<Agraph_t, GraphCloser> graph(agopen(name.data(), Agdirected, nullptr),
                                                     GraphCloser{context.get()});
        build(graph.get());
        if (gvLayout(context.get(), graph.get(), "dot") != 0)
            return failure("Graphviz dot did not lay the graph out");
        graph.get_deleter().laidOut = true;
        return collect(graph.get());
    }

private:
    static void set(void* object, std::string key, std::string value) {
        std::string none;
        agsafeset(object, key.data(), value.data(), none.data());
    }
    static void declare(Agraph_t* graph, int kind, std::string key, std::string value) {
        agattr(graph, kind, key.data(), value.data());
    }

    void build(Agraph_t* graph) {
        declare(graph, AGRAPH, "nslimit", "1");
        declare(graph, AGRAPH, "nslimit1", "1");
        declare(graph, AGRAPH, "splines", m_input.boxes.size() > maxCurvedBoxes ? "line" : "spline");
        declare(graph, AGRAPH, "ranksep", spelled(m_input.rankGap / pointsPerInch));
        declare(graph, AGRAPH, "nodesep", spelled(m_input.boxGap / pointsPerInch));
        declare(graph, AGRAPH, "margin", "0");
        declare(graph, AGNODE, "shape", "box");
        declare(graph, AGNODE, "fixedsize", "true");
        declare(graph, AGNODE, "label", "");
        declare(graph, AGEDGE, "arrowhead", "none");
        declare(graph, AGEDGE, "tailport", "s");
        declare(graph, AGEDGE, "headport", "n");

        std::vector<Agraph_t*> clusters(m_input.clusters.size(), nullptr);
        for (std::size_t c = 0; c < clusters.size(); ++c)
            clusterGraph(graph, clusters, c);
        for (std::size_t i = 0; i < m_input.boxes.size(); ++i) {
            const Box& box = m_input.boxes[i];
            Agraph_t* home = box.cluster < 0 ? graph : clusters[static_cast<std::size_t>(box.cluster)];
            std::string name = "n" + std::to_string(i);
            Agnode_t* node = agnode(home, name.data(), 1);
            set(node, "width", spelled(box.width / pointsPerInch));
            set(node, "height", spelled(box.height / pointsPerInch));
            m_nodes.push_back(node);
        }
        for (std::size_t i = 0; i < m_input.edges.size(); ++i) {
            const Edge& e = m_input.edges[i];
            std::string name = "e" + std::to_string(i);
            Agedge_t* edge = agedge(graph, m_nodes[e.from], m_nodes[e.to], name.data(), 1);
            const double weight = std::isfinite(e.weight) ? std::clamp(e.weight, 1.0, 1000.0) : 1;
            if (weight > 1) set(edge, "weight", std::to_string(static_cast<int>(weight)));
            m_edges.push_back(edge);
        }
        m_clusters = std::move(clusters);
    }

    /// Room for a cluster's title: a label that is an empty table of that height. A label with text would go
    /// through Graphviz's font cache, which keeps a freed font name from one call to the next (found by
    /// AddressSanitizer in 2.42).
    static void setTitleRow(Agraph_t* root, Agraph_t* cluster, double height) {
        const int points = static_cast<int>(std::clamp(height, 1.0, 1000.0));
        std::string table =
            "<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"0\" FIXEDSIZE=\"TRUE\" "
            "WIDTH=\"1\" HEIGHT=\"" +
            std::to_string(points) + "\"><TR><TD></TD></TR></TABLE>";
        set(cluster, "label", "");
        char* html = agstrdup_html(root, table.data());
        std::string key = "label";
        agset(cluster, key.data(), html);
        agstrfree(root, html);
    }

    /// Makes a cluster's subgraph after those it lies in.
    void clusterGraph(Agraph_t* root, std::vector<Agraph_t*>& made, std::size_t cluster) {
        std::vector<std::size_t> missing;
        for (int c = static_cast<int>(cluster); c >= 0 && made[static_cast<std::size_t>(c)] == nullptr;
             c = m_input.clusters[static_cast<std::size_t>(c)].parent)
            missing.push_back(static_cast<std::size_t>(c));
        for (auto it = missing.rbegin(); it != missing.rend(); ++it) {
            const Cluster& c = m_input.clusters[*it];
            Agraph_t* parent = c.parent < 0 ? root : made[static_cast<std::size_t>(c.parent)];
            std::string name = "cluster_" + std::to_string(*it);
            made[*it] = agsubg(parent, name.data(), 1);
            setTitleRow(root, made[*it], c.titleHeight);
            set(made[*it], "margin", spelled(c.padding));
        }
    }

    LayoutResult collect(Agraph_t* graph) {
        const boxf bounds = GD_bb(graph);
        LayoutResult result;
        result.engine = "dot";
        result.width = bounds.UR.x - bounds.LL.x;
        result.height = bounds.UR.y - bounds.LL.y;
        const auto place = [&](pointf p) { return Point{p.x - bounds.LL.x, bounds.UR.y - p.y}; };
        for (std::size_t i = 0; i < m_nodes.size(); ++i) {
            const Point centre = place(ND_coord(m_nodes[i]));
            result.boxes.push_back(
                {centre.x - m_input.boxes[i].width / 2, centre.y - m_input.boxes[i].height / 2});
        }
        for (std::size_t i = 0; i < m_edges.size(); ++i) {
            EdgePath& path = result.edges.emplace_back();
            if (const splines* s = ED_spl(m_edges[i]); s != nullptr && s->size > 0 && s->list[0].size >= 4) {
                const bezier& curve = s->list[0];
                for (int p = 0; p < curve.size - (curve.size - 1) % 3; ++p)
                    path.points.push_back(place(curve.list[p]));
            } else {
                path.points = straight(result, m_input.edges[i]);
            }
        }
        for (Agraph_t* cluster : m_clusters) {
            const boxf box = GD_bb(cluster);
            const Point corner = place({box.LL.x, box.UR.y});
            result.clusters.push_back({corner.x, corner.y, box.UR.x - box.LL.x, box.UR.y - box.LL.y});
        }
        return result;
    }

    [[nodiscard]] std::vector<Point> straight(const LayoutResult& result, const Edge& edge) const {
        const Point a{result.boxes[edge.from].x + m_input.boxes[edge.from].width / 2,
                      result.boxes[edge.from].y + m_input.boxes[edge.from].height};
        const Point b{result.boxes[edge.to].x + m_input.boxes[edge.to].width / 2, result.boxes[edge.to].y};
        const double third = (b.y - a.y) / 3;
        return {a, {a.x + (b.x - a.x) / 3, a.y + third}, {b.x - (b.x - a.x) / 3, b.y - third}, b};
    }

    const LayoutInput& m_input;
    std::vector<Agnode_t*> m_nodes;
    std::vector<Agedge_t*> m_edges;
    std::vector<Agraph_t*> m_clusters;
};

std::mutex& graphvizLock() {
    static std::mutex lock;
    return lock;
}

} // namespace

Result<LayoutResult> layoutDot(const LayoutInput& input) {
    const std::lock_guard lock(graphvizLock());
    const auto start = std::chrono::steady_clock::now();
    Result<LayoutResult> result = DotGraph(input).run();
    if (result)
        result->milliseconds =
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return result;
}

} // namespace dynascope::layout
