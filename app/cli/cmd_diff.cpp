// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli diff A B  |  diff PATH --frame ID --from S --to S
#include "app/cli/command.h"
#include "core/diff/graph_diff.h"

#include <memory>

namespace dynascope::cli {

namespace {

struct DiffOptions {
    std::string a, b, frame, from, to;
    bool json = false;
};

Result<ir::GraphPtr> choose(const session::Session& session, const std::string& frame,
                            const std::string& stage) {
    const Result<StageChoice> choice = chooseStage(session, frame, stage);
    if (!choice) return tl::unexpected(choice.error());
    return graphOf(session, *choice->stage);
}

int run(const DiffOptions& options) {
    const bool twoFiles = !options.b.empty();
    if (!twoFiles && (options.from.empty() || options.to.empty()))
        return fail("diff takes two files, or one capture with --from and --to");
    const Result<session::SessionPtr> first = openInput(options.a);
    if (!first) return fail(first.error());
    const Result<session::SessionPtr> second = twoFiles ? openInput(options.b) : first;
    if (!second) return fail(second.error());
    const auto a = choose(**first, options.frame, options.from);
    if (!a) return fail(a.error());
    const auto b =
        choose(**second, options.frame, twoFiles && options.to.empty() ? options.from : options.to);
    if (!b) return fail(b.error());

    const diff::GraphDiff result = diff::diffGraphs(**a, **b);
    std::string text =
        options.json ? diff::printDiffJson(**a, **b, result) : diff::printDiff(**a, **b, result);
    if (!text.ends_with('\n')) text += '\n';
    print(text);
    return result.identical() ? exitOk : exitFailure;
}

} // namespace

void addDiff(Parser& parser) {
    auto options = std::make_shared<DiffOptions>();
    Command command =
        parser.command("diff", "Compare two graphs node by node; exit status 1 when they differ");
    command.add("a", options->a, "Graph text or capture; - for standard input").required();
    command.add("b", options->b, "The other graph text or capture");
    command.add("--frame", options->frame, "Compile id, such as 0/0, or RANK:0/0");
    command.add("--from", options->from, "Stage A");
    command.add("--to", options->to, "Stage B");
    command.flag("--json", options->json, "One JSON document on stdout");
    command.run([options] { return run(*options); });
}

} // namespace dynascope::cli
