// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli trace-node PATH ADDRESS | --line FILE:LINE [--passes] [--json]
#include "app/cli/command.h"
#include "app/cli/table.h"
#include "core/inductor/merged_stages.h"
#include "core/session/provenance.h"

#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>

namespace dynascope::cli {

namespace {

using nlohmann::json;
using session::Provenance;
using session::ProvenanceAnswer;

struct TraceNodeOptions {
    std::string path, address, line;
    bool passes = false, json = false;
};

std::optional<std::uint32_t> number(std::string_view text) {
    std::uint32_t out = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return out;
}

std::string rangeText(const session::LineRange& range) {
    std::string out = std::to_string(range.first);
    return range.first == range.last ? out : out + '-' + std::to_string(range.last);
}

std::string kernelPlaces(const session::GeneratedKernel& kernel) {
    std::string out;
    if (kernel.definition.first != 0) out = "lines " + rangeText(kernel.definition);
    for (const session::KernelCall& call : kernel.calls)
        out += (out.empty() ? "called at " : ", called at ") + rangeText(call.lines);
    return out;
}

std::string nodeName(const session::Compile& compile, const session::LinkedNode& linked) {
    const auto graph = compile.stages[linked.stage]->graph();
    return graph ? (*graph)->node(linked.node).name : std::string();
}

std::string report(const Provenance& provenance, const ProvenanceAnswer& answer) {
    const session::Compile& compile = provenance.compile();
    Table table({Table::Align::Left, Table::Align::Left, Table::Align::Left});
    for (const ir::SourceLocation& at : answer.lines)
        table.add({"source", std::string(baseName(at.file)) + ':' + std::to_string(at.line), at.code});
    for (const session::LinkedNode& linked : answer.nodes)
        table.add({compile.stages[linked.stage]->label(), nodeName(compile, linked),
                   std::string(session::linkEvidenceName(linked.evidence))});
    for (const session::LinkedKernel& linked : answer.kernels) {
        const session::GeneratedKernel& kernel = provenance.code(linked.stage).kernels[linked.kernel];
        table.add({compile.stages[linked.stage]->label(), kernel.name,
                   std::string(session::linkEvidenceName(linked.evidence)) + "; " + kernelPlaces(kernel)});
    }
    return compile.id.toString() + (compile.function.empty() ? "" : "  " + compile.function) + '\n' +
           table.toString("  ");
}

json rangeJson(const session::LineRange& range) {
    return {range.first, range.last};
}

json document(const Provenance& provenance, const ProvenanceAnswer& answer) {
    const session::Compile& compile = provenance.compile();
    json out = {{"compile_id", compile.id.toString()},
                {"rank", compile.rank},
                {"lines", json::array()},
                {"nodes", json::array()},
                {"kernels", json::array()}};
    for (const ir::SourceLocation& at : answer.lines)
        out["lines"].push_back({{"file", at.file}, {"line", at.line}, {"code", at.code}});
    for (const session::LinkedNode& linked : answer.nodes) {
        const session::Stage& stage = *compile.stages[linked.stage];
        out["nodes"].push_back({{"stage", stage.name},
                                {"k", stage.k},
                                {"attempt", stage.attempt},
                                {"node", nodeName(compile, linked)},
                                {"evidence", session::linkEvidenceName(linked.evidence)}});
    }
    for (const session::LinkedKernel& linked : answer.kernels) {
        const session::Stage& stage = *compile.stages[linked.stage];
        const session::GeneratedKernel& kernel = provenance.code(linked.stage).kernels[linked.kernel];
        json calls = json::array();
        for (const session::KernelCall& call : kernel.calls)
            calls.push_back(rangeJson(call.lines));
        out["kernels"].push_back({{"stage", stage.name},
                                  {"k", stage.k},
                                  {"kernel", kernel.name},
                                  {"evidence", session::linkEvidenceName(linked.evidence)},
                                  {"definition", rangeJson(kernel.definition)},
                                  {"calls", std::move(calls)}});
    }
    return out;
}

/// What the node part of an address names: a node of a graph; a kernel or a line of generated code.
ProvenanceAnswer ask(const Provenance& provenance, std::size_t stage, const std::string& name) {
    const session::Stage& of = *provenance.compile().stages[stage];
    if (of.content == session::Stage::Content::Graph) {
        const auto graph = of.graph();
        return graph ? provenance.ofNode(stage, (*graph)->find(name)) : ProvenanceAnswer();
    }
    if (const auto line = number(name)) return provenance.ofCode(stage, *line);
    const auto& kernels = provenance.code(stage).kernels;
    for (std::size_t i = 0; i < kernels.size(); ++i)
        if (kernels[i].name == name) return provenance.ofKernel(stage, i);
    return {};
}

struct Found {
    std::unique_ptr<Provenance> provenance;
    ProvenanceAnswer answer;
};

/// The session, with the graphs between passes among the stages of compile `c` where they are wanted.
Result<session::SessionPtr> withPasses(const session::SessionPtr& session, std::size_t c, bool wanted) {
    return wanted ? inductor::withPassStages(*session, c) : Result<session::SessionPtr>(session);
}

Result<std::vector<Found>> askAddress(const session::SessionPtr& opened, const TraceNodeOptions& options) {
    const std::optional<ir::Address> address = ir::Address::parse(options.address);
    if (!address || address->node.empty())
        return failure("not an address (rank:compile:attempt:stage:node): " + options.address);
    // "post_grad/remove_noop_ops": the graph that a pass left.
    const bool ofPass = options.passes || address->stage.find('/') != std::string::npos;
    for (std::size_t c = 0; c < opened->compiles.size(); ++c) {
        if (opened->compiles[c].rank != address->rank ||
            opened->compiles[c].id.toString() != address->compileId)
            continue;
        const auto merged = withPasses(opened, c, ofPass);
        if (!merged) return tl::unexpected(merged.error());
        const session::SessionPtr& session = *merged;
        const session::Compile& compile = session->compiles[c];
        for (std::size_t s = 0; s < compile.stages.size(); ++s) {
            const session::Stage& stage = *compile.stages[s];
            if (stage.name != address->stage || stage.k != address->k || stage.attempt != address->attempt)
                continue;
            std::vector<Found> out;
            out.push_back({std::make_unique<Provenance>(session, c), {}});
            out.front().answer = ask(*out.front().provenance, s, address->node);
            if (out.front().answer.empty())
                return failure(stage.label() + " has no node, kernel or line " + address->node, options.path);
            return out;
        }
    }
    return failure("no stage " + options.address, options.path);
}

Result<std::vector<Found>> askLine(const session::SessionPtr& opened, const TraceNodeOptions& options) {
    const std::size_t colon = options.line.rfind(':');
    const auto line =
        colon == std::string::npos ? std::nullopt : number(std::string_view(options.line).substr(colon + 1));
    if (!line) return failure("not a line (FILE:LINE): " + options.line);
    std::vector<Found> out;
    for (std::size_t c = 0; c < opened->compiles.size(); ++c) {
        const auto session = withPasses(opened, c, options.passes);
        if (!session) return tl::unexpected(session.error());
        auto provenance = std::make_unique<Provenance>(*session, c);
        ProvenanceAnswer answer =
            provenance->ofSource(std::string_view(options.line).substr(0, colon), *line);
        if (!answer.empty()) out.push_back({std::move(provenance), std::move(answer)});
    }
    if (out.empty()) return failure("no node comes from " + options.line, options.path);
    return out;
}

int run(const TraceNodeOptions& options) {
    if (options.address.empty() == options.line.empty())
        return fail("give an address or --line, one of them");
    const auto session = openInput(options.path);
    if (!session) return fail(session.error());
    const auto found = options.line.empty() ? askAddress(*session, options) : askLine(*session, options);
    if (!found) return fail(found.error());
    if (options.json) {
        json all = json::array();
        for (const Found& item : *found)
            all.push_back(document(*item.provenance, item.answer));
        print(json{{"compiles", std::move(all)}}.dump() + '\n');
        return exitOk;
    }
    std::string out;
    for (const Found& item : *found)
        out += (out.empty() ? "" : "\n") + report(*item.provenance, item.answer);
    print(out);
    return exitOk;
}

} // namespace

void addTraceNode(Parser& parser) {
    auto options = std::make_shared<TraceNodeOptions>();
    Command command = parser.command(
        "trace-node", "Follow a node, kernel or source line through every stage of its compile");
    command.add("path", options->path, "Capture; - for standard input").required();
    command.add(
        "address", options->address,
        "rank:compile:attempt:stage:node, such as 0:0/0:0:aot_inference_graph:add; in generated code a "
        "kernel or a line number");
    command.add("--line", options->line, "What became of this line: FILE:LINE");
    command.flag("--passes", options->passes,
                 "Through the graphs between passes as well, of a recording of passes; a stage such as "
                 "post_grad/remove_noop_ops#1 asks for it too");
    command.flag("--json", options->json, "One JSON document on stdout");
    command.run([options] { return run(*options); });
}

} // namespace dynascope::cli
