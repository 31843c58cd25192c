// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli report PATH [--format md|html|sarif|junit] [-o FILE] [--max-... N] [--baseline CAPTURE]
#include "app/cli/command.h"
#include "app/cli/info.h"
#include "core/report/documents.h"
#include "core/report/html.h"
#include "core/session/byte_source.h"
#include "core/store/atomic_file.h"

#include <array>
#include <filesystem>
#include <memory>

namespace dynascope::cli {

namespace {

namespace fs = std::filesystem;
using report::Budgets;

constexpr const char* configName = "dynascope.toml";

struct ReportOptions {
    std::string path, format, output, sarif, junit, config, root, baseline;
    /// By limits below; empty where it is not given.
    std::array<std::string, 5> limits;
    bool requireCudagraph = false;
};

constexpr std::array<std::pair<const char*, const char*>, 5> limits = {{
    {"max-graph-breaks", "Graph breaks that are allowed"},
    {"max-recompiles", "Recompiles that are allowed"},
    {"max-compile-seconds", "Seconds that compiling may take, backward included"},
    {"max-peak-bytes", "Bytes that a graph may hold at its peak, without its inputs"},
    {"max-nodes-growth", "Percent that the nodes of compiled graphs may be more than the baseline's"},
}};

/// The file's budgets, and over them what the command line says.
Result<Budgets> budgetsOf(const ReportOptions& options) {
    Budgets out;
    std::error_code ignored;
    const std::string config =
        options.config.empty() && fs::exists(configName, ignored) ? configName : options.config;
    if (!config.empty()) {
        const Result<session::ByteSourcePtr> file = session::openByteSource(config);
        if (!file) return tl::unexpected(file.error());
        Result<Budgets> read = report::readBudgets(std::string((*file)->bytes()), config);
        if (!read) return read;
        out = std::move(*read);
    }
    for (std::size_t i = 0; i < limits.size(); ++i) {
        if (options.limits[i].empty()) continue;
        if (const auto set = report::setBudget(out, limits[i].first, options.limits[i]); !set)
            return failure("--" + set.error().message);
    }
    if (options.requireCudagraph) out.requireCudagraph = true;
    if (!options.baseline.empty()) out.baseline = options.baseline;
    return out;
}

/// As asked for, else by the name of the file to write.
std::string formatOf(const ReportOptions& options) {
    if (!options.format.empty()) return options.format;
    const std::string ending = lowered(fs::path(options.output).extension().string());
    return ending == ".html" || ending == ".htm" ? "html" : "md";
}

std::string documentOf(const report::Contents& contents, const session::SessionPtr& session,
                       const ReportOptions& options, std::string_view format) {
    if (format == "md") return report::markdown(contents);
    if (format == "html") return report::html(contents, session);
    if (format == "junit") return report::junit(contents);
    std::error_code ignored;
    return report::sarif(contents, options.root.empty() ? fs::current_path(ignored).string() : options.root);
}

int run(const ReportOptions& options) {
    const Result<Budgets> budgets = budgetsOf(options);
    if (!budgets) return fail(budgets.error());
    const auto session = openInput(options.path);
    if (!session) return fail(session.error());
    // A text that is missing would be taken for another one, and a report goes to others.
    if (const Result<void> all = session::needAll(**session); !all) return fail(all.error());
    report::Contents contents;
    contents.title = (*session)->title;
    contents.answers = infoAnswers(**session);
    contents.figures = report::figuresOf(**session);
    std::optional<report::Figures> before;
    if (!budgets->baseline.empty()) {
        const auto baseline = openInput(budgets->baseline);
        if (!baseline) return fail(baseline.error());
        before = report::figuresOf(**baseline);
    }
    contents.checks = report::check(*budgets, contents.figures, before ? &*before : nullptr);
    const std::string chosen = formatOf(options);
    const std::array<std::pair<std::string, const char*>, 3> files = {
        {{options.output, chosen.c_str()}, {options.sarif, "sarif"}, {options.junit, "junit"}}};
    for (const auto& [file, format] : files) {
        if (file.empty()) continue;
        if (const auto done = store::writeWhole(file, documentOf(contents, *session, options, format)); !done)
            return fail(done.error());
    }
    if (options.output.empty()) print(documentOf(contents, *session, options, chosen));
    bool holds = true;
    for (const report::BudgetCheck& check : contents.checks) {
        if (check.holds) continue;
        holds = false;
        const report::Part* first = check.parts.empty() ? nullptr : &check.parts.front();
        fail("--" + check.name + ": " + check.text + (first ? "; first: " + first->text : ""),
             first ? first->at.file.empty() ? "" : cli::placeText(first->at) : "");
    }
    return holds ? exitOk : exitFailure;
}

} // namespace

void addReport(Parser& parser) {
    auto options = std::make_shared<ReportOptions>();
    Command command = parser.command(
        "report",
        "What a capture says as a document for a pull request or a build job, and budgets that it must keep");
    command.add("path", options->path, "Trace log, folder, archive or session file; - for standard input")
        .required();
    command
        .add("--format", options->format,
             "md for a comment, html for one file to read, sarif for annotations, junit for a list of tests; "
             "where not given, html for a file that ends with .html, else md")
        .oneOf({"md", "html", "sarif", "junit"});
    command.add("-o,--output", options->output, "File to write in place of standard output");
    command.add("--sarif", options->sarif, "Also write SARIF 2.1.0 into this file");
    command.add("--junit", options->junit, "Also write JUnit's XML into this file");
    command.add("--root", options->root,
                "Folder that paths in SARIF are told from; the current one where not given");
    for (std::size_t i = 0; i < limits.size(); ++i)
        command.add(std::string("--") + limits[i].first, options->limits[i], limits[i].second);
    command.flag("--require-cudagraph", options->requireCudagraph,
                 "Every graph has to be a CUDA graph on one GPU");
    command.add("--baseline", options->baseline, "Capture that --max-nodes-growth compares with");
    command.add("--config", options->config,
                "File with a table [budgets]; dynascope.toml here where not given");
    command.note("Exit status: 0 every budget holds, 1 one does not or cannot be judged, 2 unreadable.");
    command.run([options] { return run(*options); });
}

} // namespace dynascope::cli
