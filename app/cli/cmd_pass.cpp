// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli pass NAME[,NAME] GRAPH [--inputs FILE] [--symbol s0=7] [--verify] [--steps] [--scoreboard]
// [--json]
#include "app/cli/computed_text.h"
#include "app/cli/engine_command.h"
#include "core/computed/program_text.h"
#include "core/engine/client/torch_release.h"
#include "core/ir/annotate.h"
#include "core/ir/text.h"
#include "core/passes/known_passes.h"
#include "core/passes/match_in_order.h"
#include "core/rederive/saved_hooks.h"
#include "core/session/input_sources.h"
#include "core/session/write_back.h"

#include <algorithm>
#include <memory>

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

std::string joined(const json& list, std::string_view separator) {
    std::string out;
    for (const json& item : list)
        (out += out.empty() ? std::string_view() : separator) += item.get<std::string>();
    return out;
}

std::string textOr(const json& value, const char* fallback) {
    return value.is_string() ? value.get<std::string>() : fallback;
}

std::string scoreLine(const json& row) {
    const std::string views = joined(row["views"], " > ");
    return "    " + row["value"].get<std::string>() + ": storage " + row["storage"].dump() + ", base " +
           textOr(row["base"], "none") + ", value " + textOr(row["current"], "none") +
           (views.empty() ? std::string() : ", views " + views) + ", generation " + row["generation"].dump() +
           " of " + row["storage_generation"].dump() + (row["stale"].get<bool>() ? " (stale)" : "") +
           ", pending " + row["pending_updates"].dump() + '\n';
}

std::string changeLine(const json& step, const char* kind, const char* node, const char* sign) {
    std::string out;
    for (const json& entry : step.value(kind, json::array()))
        out += std::string("    ") + sign + ' ' + entry[node].get<std::string>() + "  " +
               entry["why"].get<std::string>() + '\n';
    return out;
}

std::string stepText(const json& step) {
    std::string out = step["source"].get<std::string>() + " (" + step["target"].get<std::string>() + ")";
    if (step.contains("why")) out += ": " + step["why"].get<std::string>();
    out += '\n' + changeLine(step, "emitted", "node", "+") + changeLine(step, "changed", "after", "~") +
           changeLine(step, "removed", "node", "-");
    for (const json& row : step.value("scorecard", json::array()))
        out += scoreLine(row);
    return out;
}

/// What of the capture sees each changed input after the graph, as the write-backs' member "break".
void addBreaks(json& reply, const ChosenGraph& chosen) {
    const session::Session& session = *chosen.session;
    const session::BreakSummary breaks = session::summarizeBreaks(session);
    const auto compile = static_cast<std::size_t>(chosen.compile - session.compiles.data());
    const std::vector<std::string> sources = session::inputSources(*chosen.compile, *chosen.graph);
    for (json& pass : reply["passes"]) {
        if (!pass.contains("write_back")) continue;
        for (json& back : pass["write_back"]) {
            const auto position = back.value("position", std::size_t{0});
            const std::string source = position < sources.size() ? sources[position] : std::string();
            back["source"] = source;
            back["break"] = nullptr;
            const auto after = session::breakAfterWrite(session, breaks, compile, source);
            if (!after || after->group == SIZE_MAX) continue;
            const session::BreakGroup& group = breaks.groups[after->group];
            back["break"] = {{"reason", group.reason},
                             {"file", group.location.file},
                             {"line", group.location.line},
                             {"resumed", nullptr}};
            if (after->resumed == SIZE_MAX) continue;
            const session::Compile& resumed = session.compiles[after->resumed];
            back["break"]["resumed"] = {{"compile", resumed.id.toString()}, {"function", resumed.function}};
        }
    }
}

std::string breakText(const json& back) {
    const json after = back.value("break", json());
    if (!after.is_object()) return {};
    const auto file = after["file"].get<std::string>();
    std::string out = ", before the break at " + file.substr(file.rfind('/') + 1) + ':' +
                      after["line"].dump() + " (" + after["reason"].get<std::string>() + ')';
    if (after["resumed"].is_object())
        out += ": " + after["resumed"]["compile"].get<std::string>() + " reads it as " +
               back["source"].get<std::string>();
    return out;
}

/// Where it goes, if that is not the input alone.
std::string destinationText(const json& back) {
    std::string out;
    if (back.value("whole_storage", false)) out += " into its whole storage";
    if (const json shared = back.value("shared_with", json::array()); !shared.empty())
        out += (out.empty() ? " into its memory, in which " : ", in which ") + joined(shared, ", ") +
               (shared.size() == 1 ? " lies too" : " lie too");
    return out;
}

std::string writeBackText(const json& reply) {
    std::string out;
    for (const json& pass : reply["passes"]) {
        for (const json& back : pass.value("write_back", json::array()))
            out += "input " + back["input"].get<std::string>() + ": " + back["bytes"].dump() +
                   " bytes written back by " + joined(back["how"], ", ") + destinationText(back) +
                   (back["output"].is_null() ? std::string() : " of result " + back["output"].dump()) +
                   breakText(back) + '\n';
    }
    return out;
}

std::string warningText(const json& reply) {
    std::string out;
    for (const json& warning : reply["warnings"])
        out += "warning: " + warning.get<std::string>() + '\n';
    for (const json& note : reply.value("notes", json::array()))
        out += "note: " + note.get<std::string>() + '\n';
    return out;
}

int list(const PassOptions& options) {
    engine::Client client = makeClient(options.engine);
    const engine::CallResult reply = client.call("passes");
    if (!reply) return fail(reply.error(), {});
    if (options.json) {
        print(reply->dump() + '\n');
        return exitOk;
    }
    std::string out;
    for (const json& pass : (*reply)["passes"])
        out += pass["name"].get<std::string>() + "  " + pass["description"].get<std::string>() + "  (" +
               pass["origin"].get<std::string>() + ")\n";
    for (const json& problem : reply->value("problems", json::array()))
        out += "not loaded: " + problem.get<std::string>() + '\n';
    print(out);
    return exitOk;
}

std::string verdictText(const json& reply) {
    std::string apart = reply.value("versions", "");
    if (!apart.empty()) apart = " (" + apart + ')';
    if (reply["verified"] == true) return "verified: the same values as eager" + apart + '\n';
    std::string out = (reply["verified"].is_null() ? "not verified" : "verification failed") + apart + '\n';
    for (const json& difference : reply.value("differences", json::array()))
        out += "  " + difference["text"].get<std::string>() + '\n';
    for (const json& deviation : reply.value("deviations", json::array()))
        out += "  known deviation: " + deviation.get<std::string>() + '\n';
    const json verification = reply.value("verification", json::object());
    if (const std::string reason = textOr(verification.value("reason", json()), ""); !reason.empty())
        out += "  " + textOr(verification["verdict"], "") + ": " + reason + '\n';
    if (const json first = verification.value("first_difference", json()); first.is_object())
        out += "  first at '" + textOr(first["computed"], "?") + "', which stands for '" +
               textOr(first["source"], "no node") + "': " + textOr(first["text"], "") + " (" +
               textOr(first["how"], "") + "; " + first["runs"].dump() + " runs)\n";
    return out;
}

/// The result as print_readable writes it, with its shapes.
std::string readableText(const json& reply) {
    const auto text = reply["graph"].get<std::string>();
    const Result<ir::GraphPtr> graph = ir::readGraph(text);
    if (!graph) return text + '\n';
    const json& meta = reply["meta"];
    return ir::printReadable(
               *ir::withAnnotations(**graph,
                                    [&](const std::string& node) { return meta.value(node, std::string()); }))
        .text;
}

/// Whether the reply, verified, is a reported failure: a program without a defined result is none.
bool failedVerification(const json& reply) {
    const std::string verdict =
        textOr(reply.value("verification", json::object()).value("verdict", json()), "");
    return reply["verified"] != true && verdict != "order-dependent" && verdict != "random";
}

/// NAME=VALUE, or NAME=@FILE for what a file holds.
Result<json> settingsOf(const std::vector<std::string>& texts) {
    json out = json::object();
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
Result<void> fillHooks(const ChosenGraph& chosen, json& settings) {
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

/// The result held against what PyTorch captured: {"stage", "isomorphic", "nodes", "difference"}.
json twinOf(const ChosenGraph& chosen, const json& reply) {
    const session::StagePtr twin =
        chosen.compile && chosen.stage ? engine::hookedTwin(*chosen.compile, *chosen.stage) : nullptr;
    const auto captured = twin ? twin->graph() : Result<ir::GraphPtr>(nullptr);
    const auto made = ir::readGraph(reply["graph"].get<std::string>());
    if (!captured || !*captured || !made) return nullptr;
    const passes::OrderedMatch match = passes::matchInOrder(**captured, **made);
    return {{"stage", twin->label()},
            {"isomorphic", match.same},
            {"nodes", (*captured)->size()},
            {"difference", match.difference}};
}

std::string twinText(const json& twin) {
    const std::string stage = twin["stage"].get<std::string>();
    if (twin["isomorphic"].get<bool>())
        return "isomorphic to the captured " + stage + " (" +
               count(twin["nodes"].get<std::size_t>(), "node") + ")\n";
    return "differs from the captured " + stage + ": " + twin["difference"].get<std::string>() + '\n';
}

/// The functionalization that a reply tells, with the program's own words where the capture has them.
Result<computed::FunctionalRecording> recordingOf(const json& reply, const PassOptions& options,
                                                  const ChosenGraph& chosen) {
    const auto read = wire::decode<wire::PassReply>(reply, wire::Missing::NotSaid);
    if (!read) return tl::unexpected(read.error());
    computed::FunctionalRun run = computed::functionalRun(*read, chosen.graph);
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
    Result<json> settings = settingsOf(options.settings);
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
    Result<CaseFile> file = chosenInputs(options.inputs, *chosen);
    if (!file && inlinesHooks && names.size() == 1 && options.inputs.file.empty()) // it runs nothing
        file = CaseFile{{{"storages", json::array()}, {"inputs", json::array()}}, json()};
    if (!file) return fail(file.error());
    // Only that form has a place for shapes.
    const bool readable =
        options.format.empty() ? !names.empty() && names.back() == "shapes" : options.format == "readable";
    engine::Client client = makeClient(options.engine);
    json params{{"passes", names},
                {"remove", options.remove},
                {"write_back", options.writeBack},
                {"faithful", options.faithful},
                {"cells", options.cells || options.scoreboard},
                {"options", *settings},
                {"inputs", file->inputs},
                {"attrs", file->attributes},
                {"runs", options.json ? timedRuns : 1},
                {"scorecard", options.steps || options.scoreboard},
                {"verify", options.verify},
                {"shapes", readable}};
    engine::CallResult reply = client.callOnGraph("pass", text, params);
    if (!reply) return fail(reply.error(), options.graph.path);
    if (chosen->compile) addBreaks(*reply, *chosen);
    const json twin = options.verify && inlinesHooks && names.size() == 1 ? twinOf(*chosen, *reply) : json();
    if (!twin.is_null()) (*reply)["twin"] = twin;
    if (options.verify)
        if (const auto info = client.start())
            if (std::string apart = engine::releasesApart(info->torch, chosen->session->torchVersion);
                !apart.empty())
                (*reply)["versions"] = std::move(apart);
    if (options.verify && (*reply)["verified"] == false) {
        if (engine::CallResult where = client.callOnGraph("verify", text, params)) {
            where->erase("graph");
            (*reply)["verification"] = std::move(*where);
        }
    }
    std::string scoreboard;
    if (options.scoreboard) {
        const auto recording = recordingOf(*reply, options, *chosen);
        if (!recording) return fail(recording.error().message, options.graph.path);
        const computed::CallingConvention convention = conventionOf(*recording, *chosen);
        if (options.json) {
            (*reply)["scoreboard"] = scoreboardJson(*recording);
            (*reply)["convention"] = conventionJson(convention);
        } else {
            scoreboard = scoreboardReport(*recording) + conventionReport(convention);
        }
    }
    if (options.json) {
        print(reply->dump() + '\n');
    } else {
        std::string out = scoreboard;
        if (options.steps) {
            for (const json& step : (*reply)["steps"])
                out += stepText(step);
        }
        out += readable ? readableText(*reply) : (*reply)["graph"].get<std::string>() + '\n';
        if (options.steps) out += writeBackText(*reply);
        out += warningText(*reply);
        if (!twin.is_null())
            out += twinText(twin);
        else if (options.verify)
            out += verdictText(*reply);
        print(out);
    }
    if (!twin.is_null()) return twin["isomorphic"].get<bool>() ? exitOk : exitFailure;
    return options.verify && failedVerification(*reply) ? exitFailure : exitOk;
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
