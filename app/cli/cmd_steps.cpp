// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli steps RECORDING [--list] [--at N] [--until CONDITION | --to WHAT | --line FILE:LINE | ...]
// [--back] [--ask CALL] [--json]
#include "app/cli/command.h"
#include "app/cli/steps_state.h"
#include "core/dynamo/console.h"
#include "core/dynamo/cursor.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

namespace dynascope::cli {

using namespace dynamo;

namespace {

constexpr std::array<std::pair<std::string_view, Happening>, 7> happeningNames{{
    {"node", Happening::Node},
    {"guard", Happening::Guard},
    {"side-effect", Happening::SideEffect},
    {"break", Happening::GraphBreak},
    {"exception", Happening::Exception},
    {"graph-end", Happening::GraphEnd},
    {"comptime", Happening::Comptime},
}};

struct StepsOptions {
    std::string path, other, until, to, line, instruction, node, guard, step;
    std::string ask;
    std::string at, from;
    std::size_t count = 40;
    bool list = false, back = false, json = false;
    bool effects = false, bytecode = false, cacheKeys = false, graphs = false;
};

/// A folder stands for the recording in it.
Result<std::string> recordingIn(const std::string& path) {
    namespace fs = std::filesystem;
    std::error_code status;
    if (!fs::is_directory(path, status)) return path;
    std::vector<std::string> found;
    for (auto entry = fs::directory_iterator(path, status); !status && entry != fs::directory_iterator();
         entry.increment(status))
        if (entry->path().extension() == ".dsteps") found.push_back(entry->path().string());
    if (found.empty())
        return failure(
            "no recording (*.dsteps) in this folder; dynascope-cli capture -- python script.py makes one",
            path);
    std::sort(found.begin(), found.end());
    if (found.size() > 1)
        return failure(
            count(found.size(), "recording") + " in this folder; name one, such as " + found.front(), path);
    return found.front();
}

Result<StepIndex> stepNumber(const std::string& text, const Recording& recording) {
    StepIndex out = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error != std::errc() || end != text.data() + text.size() || out >= recording.steps().size())
        return failure("no step " + text + "; there are " + count(recording.steps().size(), "step"));
    return out;
}

Result<StepIndex> byLine(const Recording& recording, const std::string& place, StepIndex from,
                         Direction direction) {
    const std::size_t colon = place.rfind(':');
    const std::string file = colon == std::string::npos ? std::string() : place.substr(0, colon);
    const std::string text = colon == std::string::npos ? place : place.substr(colon + 1);
    std::uint32_t line = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), line);
    if (error != std::errc() || end != text.data() + text.size()) return failure("not FILE:LINE: " + place);
    return runToLine(recording, from, file, line, direction);
}

/// An offset in bytes of the code of the step to begin at; "FUNCTION:OFFSET" of any function's.
Result<StepIndex> byInstruction(const Recording& recording, const std::string& place, StepIndex from,
                                Direction direction) {
    const std::size_t colon = place.rfind(':');
    const std::string text = colon == std::string::npos ? place : place.substr(colon + 1);
    std::int32_t offset = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), offset);
    if (error != std::errc() || end != text.data() + text.size())
        return failure("not an offset, nor FUNCTION:OFFSET: " + place);
    const std::string name = colon == std::string::npos ? std::string() : place.substr(0, colon);
    if (name.empty() && from == noStep) return failure("without --from, --instruction needs FUNCTION:OFFSET");
    StepIndex best = noStep;
    std::set<std::uint32_t> codes;
    for (const FrameInfo& frame : recording.frames())
        if (name.empty() ? frame.code == recording.frames()[recording.steps()[from].frame].code
                         : recording.codeOf(frame).name == name || recording.codeOf(frame).qualname == name)
            codes.insert(frame.code);
    for (const std::uint32_t id : codes) {
        const Code* code = recording.code(id);
        for (std::uint32_t i = 0; code != nullptr && i < code->instructions.size(); ++i) {
            if (code->instructions[i].offset != offset) continue;
            const StepIndex step = runToInstruction(recording, from, id, i, direction);
            const bool nearer = direction == Direction::Forward ? step < best : step > best;
            if (step != noStep && (best == noStep || nearer)) best = step;
        }
    }
    return best;
}

/// The step that the options ask to go to from `from`.
Result<StepIndex> target(const Recording& recording, const StepsOptions& options, StepIndex from) {
    const Direction direction = options.back ? Direction::Back : Direction::Forward;
    if (!options.until.empty()) {
        const Result<Condition> condition = Condition::parse(options.until);
        if (!condition) return tl::unexpected(condition.error());
        return runUntil(recording, from, *condition, direction);
    }
    if (!options.line.empty()) return byLine(recording, options.line, from, direction);
    if (!options.instruction.empty()) return byInstruction(recording, options.instruction, from, direction);
    if (!options.node.empty()) return runToNode(recording, from, options.node, direction);
    if (!options.guard.empty()) return runToGuard(recording, from, options.guard, direction);
    if (!options.step.empty()) {
        if (from == noStep) return failure("--step needs --from N");
        if (options.step == "in") return stepIn(recording, from, direction);
        if (options.step == "over") return stepOver(recording, from, direction);
        return options.step == "out" ? stepOut(recording, from, direction)
                                     : stepLine(recording, from, direction);
    }
    for (const auto& [name, what] : happeningNames)
        if (options.to == name) return runTo(recording, from, what, direction);
    return noStep;
}

bool asksToGo(const StepsOptions& options) {
    return !(options.until.empty() && options.to.empty() && options.line.empty() &&
             options.instruction.empty() && options.node.empty() && options.guard.empty() &&
             options.step.empty());
}

std::string document(const nlohmann::json& json) {
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

int show(const Recording& recording, const StepsOptions& options, StepIndex step) {
    const State* state = recording.stateAt(step);
    if (state == nullptr)
        return fail("the state at step " + std::to_string(step) + " cannot be read", options.path);
    if (!options.ask.empty()) {
        const Result<std::string> answer = answerComptime(recording, step, options.ask);
        if (!answer) return fail(answer.error());
        print(*answer + '\n');
        return exitOk;
    }
    print(options.json ? document(stateJson(recording, *state, step)) : stateText(recording, *state, step));
    return exitOk;
}

int run(const StepsOptions& options) {
    const Result<std::string> path = recordingIn(options.path);
    if (!path) return fail(path.error());
    const Result<RecordingPtr> opened = Recording::open(*path);
    if (!opened) return fail(opened.error());
    const Recording& recording = **opened;
    for (const std::string& warning : recording.warnings())
        static_cast<void>(fail(warning, *path));

    if (!options.other.empty()) {
        if (!options.cacheKeys) return fail("a second recording is for --cache-keys");
        const Result<std::string> second = recordingIn(options.other);
        if (!second) return fail(second.error());
        const Result<RecordingPtr> beside = Recording::open(*second);
        if (!beside) return fail(beside.error());
        for (const std::string& warning : (*beside)->warnings())
            static_cast<void>(fail(warning, *second));
        print(cacheComparisonText(recording, **beside));
        return exitOk;
    }
    if (options.effects || options.bytecode) {
        if (options.json)
            print(document(options.effects ? effectsJson(recording) : bytecodeJson(recording)));
        else
            print(options.effects ? effectsText(recording) : bytecodeText(recording));
        return exitOk;
    }
    if (options.cacheKeys || options.graphs) {
        print(options.cacheKeys ? cacheText(recording) : graphsText(recording));
        return exitOk;
    }
    StepIndex from = noStep;
    for (const std::string* text : {&options.from, &options.at}) {
        if (text->empty()) continue;
        const Result<StepIndex> found = stepNumber(*text, recording);
        if (!found) return fail(found.error());
        from = *found;
    }
    if (asksToGo(options)) {
        // From the very beginning, or back from the very end.
        const Result<StepIndex> found = target(recording, options, from);
        if (!found) return fail(found.error());
        if (*found == noStep) {
            std::string why = "no such step in that direction";
            if (const auto condition = Condition::parse(options.until); condition)
                for (const std::string& name : condition->unknown(recording))
                    why += "; the recording has no " + name;
            static_cast<void>(fail(why));
            return exitFailure;
        }
        return show(recording, options, *found);
    }
    if (!options.ask.empty() && options.at.empty()) return fail("--ask needs a step: --at N, or where to go");
    if (!options.at.empty()) return show(recording, options, from);
    const auto many = static_cast<StepIndex>(std::min<std::size_t>(options.count, UINT32_MAX));
    if (options.list || from != noStep) {
        const StepIndex first = from == noStep ? 0 : from;
        print(options.json ? document(stepsJson(recording, first, many)) : stepLines(recording, first, many));
    } else {
        print(options.json ? document(summaryJson(recording)) : summaryText(recording));
    }
    return exitOk;
}

} // namespace

void addSteps(Parser& parser) {
    auto options = std::make_shared<StepsOptions>();
    Command command =
        parser.command("steps", "Go through a recording of Dynamo: its steps, and the state at any of them");
    command.add("recording", options->path, "Recording (*.dsteps), or a folder with one").required();
    command.add("other", options->other,
                "A second recording, whose --cache-keys are set beside those of the first");
    command.flag("--list", options->list, "The steps, one a line; --from and --count say which");
    command.add("--at", options->at, "The state at this step");
    command.add("--from", options->from,
                "Where to begin; without it at the beginning, or at the end for --back");
    command.add("--count", options->count, "How many steps to list").showDefault();
    command
        .add("--to", options->to,
             "Go to the next step with: node, guard, side-effect, break, exception, graph-end, comptime")
        .oneOf({"node", "guard", "side-effect", "break", "exception", "graph-end", "comptime"});
    command.add(
        "--until", options->until,
        "Go to where a condition comes to hold: \"nodes > 10\", \"local x is tensor and x.dtype == f32\"");
    command.add("--line", options->line, "Go to a source line, FILE:LINE");
    command.add("--instruction", options->instruction,
                "Go to an instruction: OFFSET in the function of --from, or FUNCTION:OFFSET");
    command.add("--node", options->node, "Go to the step that made this graph node");
    command.add("--guard", options->guard,
                "Go to the step that added a guard on a source such as \"L['x']\"");
    command.add("--step", options->step, "One step from --from: in, over, out, or line")
        .oneOf({"in", "over", "out", "line"});
    command.add("--ask", options->ask,
                "What comptime would say there: \"print_locals()\", \"get_local('x', stacklevel=1)\", "
                "\"graph_break()\", \"help()\"");
    command.flag("--side-effects", options->effects,
                 "What each graph changes, and how generated code makes it real; changes that were refused");
    command.flag("--bytecode", options->bytecode,
                 "The bytecode of each frame and what was generated for it, and what its parts are for");
    command.flag("--cache-keys", options->cacheKeys,
                 "What was looked up in AOTAutograd's cache: keys, their ingredients, and where two of them "
                 "differ; of two recordings, what tells their keys apart");
    command.flag(
        "--graphs", options->graphs,
        "Storages of graphs' inputs, hooks, operators before functionalization, lookups of the cache, "
        "decisions of CUDA graph trees");
    command.flag("--back", options->back, "In the other direction");
    command.flag("--json", options->json, "One JSON document on stdout");
    command.run([options] { return run(*options); });
}

} // namespace dynascope::cli
