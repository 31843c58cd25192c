// SPDX-License-Identifier: BSD-3-Clause
//
// How often Graphviz dot, within the time that the canvas gave it, beats the layered layout: over the first
// pictures of every graph of the captures that are named, by layoutCost().
//
//   bench_dot CAPTURE...
#include "core/capture/open.h"
#include "core/session/program_names.h"
#include "views/canvas/picture.h"

#include <QApplication>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <set>
#include <vector>

using namespace dynascope;
using namespace dynascope::views;

namespace {

constexpr std::size_t largestForDot = 400; ///< boxes
constexpr double budgetMs = 2000;

struct Row {
    std::size_t boxes = 0;
    double gain = 0; ///< cost of the layered layout over dot's; 0 where dot took too long or failed
    double layeredMs = 0, dotMs = 0;
};

double since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

std::optional<Row> measured(const session::Compile& compile, const session::StagePtr& stage, QSizeF room) {
    const auto graph = stage->graph();
    if (!graph) return std::nullopt;
    canvas::PictureRequest request;
    request.b = canvas::PaneSource{*graph, nullptr, {}, session::namingOf(compile), room};
    const canvas::Picture picture = canvas::makePicture(std::move(request), {});
    if (!picture.b) return std::nullopt;
    const layout::LayoutInput& input = picture.b->pane->input;
    if (input.boxes.size() < 3 || input.boxes.size() > largestForDot) return std::nullopt;
    Row row;
    row.boxes = input.boxes.size();
    auto start = std::chrono::steady_clock::now();
    if (!layout::layoutLayered(input)) return std::nullopt;
    row.layeredMs = since(start);
    start = std::chrono::steady_clock::now();
    const auto dot = layout::layoutDot(input);
    row.dotMs = since(start);
    if (!dot || row.dotMs > budgetMs) return row;
    // As the canvas holds them against each other, after both were put in place.
    const canvas::Picture other = canvas::withLayouts(picture, std::nullopt, *dot, std::nullopt);
    const double before = canvas::layoutCost(input, picture.b->result),
                 after = canvas::layoutCost(input, other.b->result);
    row.gain = after < before ? before / after : 1;
    return row;
}

void print(const char* what, const std::vector<Row>& rows, std::size_t from, std::size_t to) {
    std::size_t count = 0, better = 0, much = 0, late = 0;
    double layered = 0, dot = 0;
    for (const Row& row : rows) {
        if (row.boxes < from || row.boxes > to) continue;
        ++count;
        late += row.gain == 0;
        better += row.gain > 1;
        much += row.gain > 1.25;
        layered += row.layeredMs;
        dot += row.dotMs;
    }
    if (count == 0) return;
    std::printf("%-16s %5zu pictures: dot is better in %4zu (%.0f %%), by a quarter or more in %4zu (%.0f "
                "%%), too late in "
                "%zu; layered %.2f ms each, dot %.1f ms\n",
                what, count, better, 100.0 * double(better) / double(count), much,
                100.0 * double(much) / double(count), late, layered / double(count), dot / double(count));
}

} // namespace

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    std::vector<Row> rows;
    std::set<std::string> seen; // a graph that several captures have counts once
    for (int i = 1; i < argc; ++i) {
        const auto session = capture::open(argv[i]);
        if (!session) {
            std::fprintf(stderr, "%s: %s\n", argv[i], session.error().toString().c_str());
            continue;
        }
        for (const session::Compile& compile : (*session)->compiles)
            for (const session::StagePtr& stage : compile.stages) {
                if (stage->content != session::Stage::Content::Graph) continue;
                if (!seen.insert(stage->payload.text()).second) continue;
                if (const auto row = measured(compile, stage, {700, 800})) rows.push_back(*row);
            }
    }
    print("up to 10 boxes", rows, 0, 10);
    print("11 to 30", rows, 11, 30);
    print("31 to 100", rows, 31, 100);
    print("101 to 400", rows, 101, largestForDot);
    print("all", rows, 0, largestForDot);
    return rows.empty() ? 2 : 0;
}
