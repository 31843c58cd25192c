// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli pass NAME[,NAME] GRAPH [--inputs FILE] [--symbol s0=7] [--verify] [--steps] [--scoreboard]
// [--json]
#include "app/cli/computed_text.h"
#include "app/cli/engine_command.h"
#include "app/cli/pass_text.h"
#include "core/computed/program_text.h"
#include "core/engine/cases/run_on.h"
#include "core/engine/client/torch_release.h"
#include "core/engine/wire/methods.h"
#include "core/ir/text.h"
#include "core/passes/known_passes.h"
#include "core/passes/match_in_order.h"
#include "core/rederive/saved_hooks.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

namespace dynascope::cli {

namespace {

using nlohmann::json;

struct PassOptions {
    std::string passes; ///< separated by commas
    GraphOptions graph;
    EngineOptions engine;
    InputOptions inputs;
    std::string remove = "mutations";
    std::string writeBack = "graph";
    std::string format;                ///< empty: by the passes
    std::vector<std::string> settings; ///< NAME=VALUE
    bool faithful = false;
    bool cells = false;
    bool verify = false;
    bool steps = false;
    bool scoreboard = false;
    bool json = false;
};

/// With --json the time is a figure, so it is the median of several runs.
constexpr int timedRuns = 5;

std::vector<std::string> namesOf(std::string_view text) {
    std::vector<std::string> names;
    for (std::size_t end = 0; end != std::string_view::npos;
         text.remove_prefix(std::min(end + 1, text.size()))) {
        end = text.find(',');
        names.emplace_back(text.substr(0, end));
    }
    return names;
}

int list(const PassOptions& options) {
    engine::Client client = makeClient(options.engine);
    const auto reply = client.passes();
    if (!reply) return fail(reply.error(), {});
    if (options.json) {
        print(wire::encode(*reply).dump() + '\n');
        return exitOk;
    }
    std::string out;
    for (const wire::PassInfo& pass : reply->passes)
        out += pass.name + "  " + pass.description + "  (" + pass.origin + ")\n";
    for (const std::string& problem : reply->problems)
        out += "not loaded: " + problem + '\n';
    print(out);
    return exitOk;
}

/// The same passes on the same inputs, held against eager value by value.
wire::VerifyRequest verificationOf(const wire::PassRequest& request) {
    wire::VerifyRequest out;
    out.on = request.on;
    out.passes = request.passes;
    out.options = request.options;
    return out;
}

using Settings = std::map<std::string, std::string>;

/// NAME=VALUE, or NAME=@FILE for what a file holds.
Result<Settings> settingsOf(const std::vector<std::string>& texts) {
    Settings out;
    for (const std::string& text : texts) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos) return failure("--set takes NAME=VALUE, not '" + text + "'");
        std::string value = text.substr(equals + 1);
        if (value.starts_with('@')) {
            const Result<std::string> content = readFile(value.substr(1));
            if (!content) return tl::unexpected(content.error());
            value = *content;
        }
        out[text.substr(0, equals)] = std::move(value);
    }
    return out;
}

/// What a capture knows of the hooks; what is set by hand goes first.
Result<void> fillHooks(const ChosenGraph& chosen, Settings& settings) {
    if (!chosen.compile || !chosen.stage || chosen.session->kind != session::Kind::TorchTrace) return {};
    const auto known = engine::hookOptions(*chosen.session, *chosen.compile, *chosen.stage);
    if (!known) {
        if (settings.contains("partner")) return {}; // whoever gives the other half knows better
        return tl::unexpected(known.error());
    }
    const bool filterGiven = settings.contains("filter");
    for (const auto& [name, value] : *known) {
        if (settings.contains(name) || (name == "filter_source" && filterGiven)) continue;
        // A hook that is given for all goes before those that were traced on one.
        const std::string kind = name.substr(0, name.find(':'));
        if (kind == name || !settings.contains(kind)) settings[name] = value;
    }
    return {};
}

/// The result held against what PyTorch captured.
struct Twin {
    std::string stage;
    bool isomorphic = false;
    std::size_t nodes = 0;
    std::string difference;
};

std::optional<Twin> twinOf(const ChosenGraph& chosen, const wire::PassReply& reply) {
    const session::StagePtr twin =
        chosen.compile && chosen.stage ? engine::hookedTwin(*chosen.compile, *chosen.stage) : nullptr;
    const auto captured = twin ? twin->graph() : Result<ir::GraphPtr>(nullptr);
    const auto made = ir::readGraph(reply.graph);
    if (!captured || !*captured || !made) return std::nullopt;
    const passes::OrderedMatch match = passes::matchInOrder(**captured, **made);
    return Twin{twin->label(), match.same, (*captured)->size(), match.difference};
}

json twinJson(const Twin& twin) {
    return {{"stage", twin.stage},
            {"isomorphic", twin.isomorphic},
            {"nodes", twin.nodes},
            {"difference", twin.difference}};
}

std::string twinText(const Twin& twin) {
    if (twin.isomorphic)
        return "isomorphic to the captured " + twin.stage + " (" + count(twin.nodes, "node") + ")\n";
    return "differs from the captured " + twin.stage + ": " + twin.difference + '\n';
}

/// The functionalization that a reply tells, with the program's own words where the capture has them.
computed::FunctionalRecording recordingOf(const wire::PassReply& reply, const PassOptions& options,
                                          const ChosenGraph& chosen) {
    computed::FunctionalRun run = computed::functionalRun(reply, chosen.graph);
    run.mode = {options.remove == "mutations_and_views", options.writeBack == "caller"};
    if (chosen.compile) run.program = computed::programOf(*chosen.session, *chosen.compile, *chosen.graph);
    return computed::FunctionalRecording(std::move(run));
}

/// How the functionalized graph is called.
computed::CallingConvention conventionOf(const computed::FunctionalRecording& recording,
                                         const ChosenGraph& chosen) {
    computed::ForcingBreaks breaks;
    if (chosen.compile)
        breaks = computed::forcingBreaks(*chosen.session, session::summarizeBreaks(*chosen.session),
                                         std::size_t(chosen.compile - chosen.session->compiles.data()),
                                         recording.run());
    return computed::callingConvention(recording, breaks);
}

int run(const PassOptions& options) {
    Result<Settings> settings = settingsOf(options.settings);
    if (!settings) return fail(settings.error());
    const Result<ChosenGraph> chosen = chosenGraph(options.graph);
    if (!chosen) return fail(chosen.error());
    const std::string text = graphText(*chosen->graph);
    const std::vector<std::string> names = namesOf(options.passes);
    if (options.scoreboard && (names.size() != 1 || names.front() != "functionalize"))
        return fail("--scoreboard is of functionalize alone", options.passes);
    const bool inlinesHooks = !names.empty() && names.front() == passes::inlineHooksPass.name;
    if (inlinesHooks)
        if (auto filled = fillHooks(*chosen, *settings); !filled)
            return fail(filled.error().message, options.graph.path);
    Result<wire::RunOn> on = chosenInputs(options.inputs, *chosen);
    if (!on && inlinesHooks && names.size() == 1 && options.inputs.file.empty()) // it runs nothing
        on = engine::runOnOfText(R"({"storages": [], "inputs": []})", {});
    if (!on) return fail(on.error());
    // Only that form has a place for shapes.
    const bool readable =
        options.format.empty() ? !names.empty() && names.back() == "shapes" : options.format == "readable";
    engine::Client client = makeClient(options.engine);
    const wire::PassRequest request{.on = std::move(*on),
                                    .passes = names,
                                    .options = {.options = std::move(*settings),
                                                .remove = options.remove,
                                                .writeBack = options.writeBack,
                                                .faithful = options.faithful,
                                                .cells = options.cells || options.scoreboard},
                                    .runs = options.json ? timedRuns : 1,
                                    .scorecard = options.steps || options.scoreboard,
                                    .verify = options.verify,
                                    .shapes = readable};
    const auto reply = client.pass(text, request);
    if (!reply) return fail(reply.error(), options.graph.path);
    const std::optional<Twin> twin =
        options.verify && inlinesHooks && names.size() == 1 ? twinOf(*chosen, *reply) : std::nullopt;
    Verified verified;
    if (options.verify)
        if (const auto info = client.start())
            verified.versions = engine::releasesApart(info->torch, chosen->session->torchVersion);
    if (options.verify && reply->verified == false)
        if (auto where = client.verify(text, verificationOf(request))) {
            where->graph.reset(); // the reply has it
            verified.where = std::move(*where);
        }
    const InputReaders readers(*chosen);
    std::optional<computed::FunctionalRecording> recording;
    if (options.scoreboard) recording = recordingOf(*reply, options, *chosen);
    if (options.json) {
        json printed = wire::encode(*reply);
        addBreaks(printed, *reply, readers);
        if (twin) printed["twin"] = twinJson(*twin);
        if (!verified.versions.empty()) printed["versions"] = verified.versions;
        if (verified.where) printed["verification"] = wire::encode(*verified.where);
        if (recording) {
            printed["scoreboard"] = scoreboardJson(*recording);
            printed["convention"] = conventionJson(conventionOf(*recording, *chosen));
        }
        print(printed.dump() + '\n');
    } else {
        std::string out;
        if (recording)
            out += scoreboardReport(*recording) + conventionReport(conventionOf(*recording, *chosen));
        if (options.steps)
            for (const wire::PassStep& step : reply->steps)
                out += stepText(step);
        out += readable ? readableText(*reply) : reply->graph + '\n';
        if (options.steps) out += writeBackText(*reply, readers);
        out += warningText(*reply);
        if (twin)
            out += twinText(*twin);
        else if (options.verify)
            out += verdictText(*reply, verified);
        print(out);
    }
    if (twin) return twin->isomorphic ? exitOk : exitFailure;
    return options.verify && failedVerification(*reply, verified) ? exitFailure : exitOk;
}

} // namespace

constexpr const char* hooksNote =
    R"(inline_hooks runs on aot_forward_graph_pre_saved_tensors_hooks or its backward, and takes from the capture what it
needs; of a graph text, or to have it otherwise, by --set:
  partner=@FILE               the other half: a forward's backward, or a backward's forward
  pack=@FILE unpack=@FILE     the hooks as graphs of operators on one saved tensor; pack:NAME=@FILE of saved tensor NAME
  filter=donated              which saved tensors are packed: donated (PyTorch's default), no_static, all
  static=0,3                  parameters and buffers by their position among forward's inputs, for no_static
  symbols=s77=4,s27=6         what symbolic sizes count as, for bytes
  half=forward                which half the graph is, where its names do not tell
)";

void addPass(Parser& parser) {
    auto options = std::make_shared<PassOptions>();
    Command command = parser.command("pass", "Run passes over a graph; print the graph that they make");
    command.add("name", options->passes, "Passes, separated by commas").required();
    addGraphOptions(command, options->graph);
    addInputOptions(command, options->inputs);
    command.note(hooksNote);
    command.add("--remove", options->remove, "What functionalize removes")
        .oneOf({"mutations", "mutations_and_views"})
        .showDefault();
    command.add("--write-back", options->writeBack, "Who writes changed inputs back")
        .oneOf({"graph", "caller"})
        .showDefault();
    command.add("--format", options->format, "fx, or readable with shapes (default for the pass shapes)")
        .oneOf({"fx", "readable"});
    command.flag("--faithful", options->faithful, "PyTorch's exact graph, also where it differs from eager");
    command.flag("--cells", options->cells, "Record the values of small storages after each step");
    command.add("--set", options->settings,
                "NAME=VALUE for passes that take more options, NAME=@FILE for what a file holds");
    command.flag("--verify", options->verify,
                 "Compare with eager on the same inputs; exit status 1 when they differ. inline_hooks of a "
                 "capture: with the graph that PyTorch made");
    command.flag("--steps", options->steps, "What each node emitted, and the alias state after it");
    command.flag("--scoreboard", options->scoreboard,
                 "Of functionalize: storages and their views at each phase of each op, as the "
                 "page Functionalize shows them, and how the graph is called");
    command.flag("--json", options->json, "One JSON document on stdout");
    addEngineOption(command, options->engine);
    command.run([options] { return run(*options); });
}

void addPasses(Parser& parser) {
    auto options = std::make_shared<PassOptions>();
    Command command = parser.command("passes", "List the engine's passes, those of plugins included");
    command.flag("--json", options->json, "One JSON document on stdout");
    addEngineOption(command, options->engine);
    command.run([options] { return list(*options); });
}

} // namespace dynascope::cli
