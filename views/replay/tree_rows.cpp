// SPDX-License-Identifier: BSD-3-Clause
#include "views/replay/tree_rows.h"

#include "core/base/text.h"
#include "views/replay/coverage_rows.h"
#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

namespace dynascope::views {

namespace {

using replay::FunctionId;
using replay::MutationCategory;
using replay::NodeId;
using replay::TreeStep;
using Action = TreeStep::Action;
using Event = TreeStep::Event;
using Look = TableCell::Look;

constexpr std::size_t mostInputs = 5000; ///< rows that anybody reads; an input has one

QString endText(const TreeStep& step) {
    if (step.pathEnd == TreeStep::PathEnd::None) return {};
    const QString why = step.pathEnd == TreeStep::PathEnd::NewGeneration
                            ? tr("A new generation began, so the path ended")
                            : tr("All outputs of the path were dead, so it ended");
    return why + (step.invalidated ? tr("; its outputs were taken away. ") : QStringLiteral(". "));
}

QString droppedText(const replay::TreeRun& run, std::size_t step) {
    const replay::TreeEvent& event = run.program().events[step];
    return tr("%1 of event %2 given up by the program")
        .arg(countText(event.outputs.size(), tr("output"), tr("outputs")))
        .arg(run.stepOfCall(event.call) + 1);
}

QString callWhy(const TreeStep& step) {
    switch (step.action) {
    case Action::Warmup:
        return tr("The function's first run: a warm-up in the pool.");
    case Action::WarmupAgain:
        return tr("The path is a warm-up, so what follows on it is one too.");
    case Action::Record: {
        const replay::InvariantCheck* cause = rerecordCause(step);
        return cause ? tr("%1 does not fit: %2.")
                           .arg(treeNodeName(cause->node),
                                toQString(replay::invariantStatusText(cause->status)))
                     : tr("No recording follows this node yet.");
    }
    case Action::Replay:
        return tr("%1 fits.").arg(treeNodeName(step.node));
    case Action::Eager:
        if (!step.message.empty()) return toQString(firstLine(step.message));
        return step.eagerCause == TreeStep::EagerCause::Mutation
                   ? tr("It writes a tensor that is neither static nor recorded.")
                   : tr("It was re-recorded too often.");
    case Action::Failed:
        return toQString(firstLine(step.error));
    case Action::None:
        break;
    }
    return {};
}

} // namespace

QString treeNodeName(NodeId node) {
    if (node == replay::noNode) return tr("the root");
    return node >= 0 ? QStringLiteral("#%1").arg(node) : tr("warm-up %1").arg(-node);
}

QString treeFunctionName(const replay::TreeRun& run, FunctionId function) {
    const auto& functions = run.log().functions();
    if (function >= functions.size() || functions[function].name.empty())
        return QStringLiteral("f%1").arg(function);
    return toQString(functions[function].name);
}

QString treeInputName(const replay::TreeRun& run, FunctionId function, std::size_t input) {
    const auto& functions = run.log().functions();
    if (function < functions.size() && input < functions[function].inputs.size() &&
        !functions[function].inputs[input].name.empty())
        return toQString(functions[function].inputs[input].name);
    return tr("input %1").arg(input);
}

QString treeOutputName(replay::OutputAt output) {
    return tr("output %1 of %2").arg(output.index).arg(treeNodeName(output.node));
}

QString treeEventName(const replay::TreeRun& run, std::size_t step) {
    switch (run.step(step).event) {
    case Event::Call:
        return tr("call %1").arg(treeFunctionName(run, run.step(step).function));
    case Event::UserMark:
        return tr("mark_step_begin");
    case Event::Invocation:
        return tr("new generation");
    case Event::EagerBackward:
        return tr("eager backward");
    case Event::Observe:
        break;
    }
    return tr("drop outputs");
}

QString treeActionName(const TreeStep& step) {
    if (step.event != Event::Call) return {};
    if (rerecordCause(step)) return tr("re-record");
    if (step.action == Action::WarmupAgain) return tr("warm-up again");
    if (step.action == Action::Warmup) return tr("warm-up");
    return toQString(replay::actionName(step.action));
}

Tone treeActionTone(const TreeStep& step) {
    if (rerecordCause(step)) return step.countedRerecord ? Tone::Bad : Tone::Warn;
    switch (step.action) {
    case Action::Record:
        return Tone::Accent;
    case Action::Replay:
        return Tone::Good;
    case Action::Eager:
        return Tone::Other;
    case Action::Failed:
        return Tone::Bad;
    case Action::Warmup:
    case Action::WarmupAgain:
    case Action::None:
        break;
    }
    return Tone::None;
}

QString treeWhy(const replay::TreeRun& run, std::size_t index) {
    const TreeStep& step = run.step(index);
    switch (step.event) {
    case Event::Call: {
        QString out = endText(step) + callWhy(step);
        if (!step.overwrittenInputs.empty())
            out += tr(" It reads %1 that no longer holds its values.")
                       .arg(countText(step.overwrittenInputs.size(), tr("input"), tr("inputs")));
        return out;
    }
    case Event::UserMark:
        return tr("torch.compiler.cudagraph_mark_step_begin(): outputs of earlier steps may be overwritten");
    case Event::Invocation:
        return tr("Compiled code is entered from outside: outputs of earlier calls may be overwritten");
    case Event::EagerBackward:
        return tr("A backward that is no CUDA graph is about to run");
    case Event::Observe:
        break;
    }
    return droppedText(run, index);
}

QString mutationPathName(TreeStep::MutationPath path) {
    return path == TreeStep::MutationPath::Fast   ? tr("fast")
           : path == TreeStep::MutationPath::Slow ? tr("slow")
                                                  : QString();
}

std::vector<TableColumn> eventColumns() {
    return {{tr("No."), tr("Events in the order of the program"), 60, true},
            {tr("Event"), {}, 160},
            {tr("What came of it"),
             tr("warm-up: runs in the pool; record: becomes a node of the tree; replay: a recording that "
                "fits runs; "
                "eager: no CUDA graph"),
             130},
            {tr("Node"), tr("The recording or warm-up that ran"), 120},
            {tr("Check"),
             tr("Whether the function writes what it must not. slow: its inputs were looked at; fast: by "
                "what is kept "
                "for the node and the function"),
             70},
            {tr("Why"), {}, 520}};
}

std::vector<TableRow> eventRows(const replay::TreeRun& run) {
    std::vector<TableRow> rows;
    rows.reserve(run.size());
    for (std::size_t i = 0; i < run.size(); ++i) {
        const TreeStep& step = run.step(i);
        const bool call = step.event == Event::Call;
        const bool ran = call && step.node != replay::noNode;
        rows.push_back({{QString::number(i + 1), Look::Mono, Tone::None, {}, qulonglong(i)},
                        {treeEventName(run, i), call ? Look::Text : Look::Quiet},
                        {treeActionName(step), Look::Chip, treeActionTone(step)},
                        {ran ? treeNodeName(step.node) : QString(),
                         Look::Mono,
                         Tone::None,
                         {},
                         ran ? QVariant(qlonglong(step.node)) : QVariant()},
                        {mutationPathName(step.mutationPath), Look::Quiet},
                        {treeWhy(run, i), Look::Quiet}});
    }
    return rows;
}

std::vector<Rerecord> rerecordsOf(const replay::TreeRun& run, std::size_t position) {
    std::vector<Rerecord> out;
    for (std::size_t i = 0; i < std::min(position, run.size()); ++i) {
        if (!rerecordCause(run.step(i))) continue;
        for (const replay::InvariantCheck& cause : run.step(i).checks) {
            if (cause.status == replay::InvariantStatus::Success) continue;
            for (std::size_t k = 0; k < cause.moved.size(); ++k)
                out.push_back({i, &cause, k, SIZE_MAX});
            for (std::size_t k = 0; k < cause.alive.size(); ++k)
                out.push_back({i, &cause, SIZE_MAX, k});
            if (cause.moved.empty() && cause.alive.empty()) out.push_back({i, &cause});
        }
    }
    return out;
}

std::vector<TableColumn> rerecordColumns() {
    return {{tr("Event"), tr("A link to the call that re-recorded"), 70},
            {tr("Function"), {}, 110},
            {tr("Recording"), tr("The one that did not fit, and the new one"), 120},
            {tr("Invariant"), tr("The first that did not hold, in PyTorch's words and order"), 330},
            {tr("Input or output"), tr("Which stood elsewhere, or was alive where it had to be dead"), 190},
            {tr("Recorded at"), tr("Its address when the recording was made"), 120, true},
            {tr("Now at"), tr("Its address in this call"), 120, true},
            {tr("Counts"), tr("Whether it counts against the limit of re-records"), 90}};
}

std::vector<TableRow> rerecordRows(const replay::TreeRun& run, const std::vector<Rerecord>& list) {
    std::vector<TableRow> rows;
    for (const Rerecord& at : list) {
        const TreeStep& step = run.step(at.step);
        const bool counts = step.countedRerecord;
        QString what, recorded, now;
        if (at.moved != SIZE_MAX) {
            const replay::MovedInput& moved = at.cause->moved[at.moved];
            what =
                moved.name.empty() ? treeInputName(run, step.function, moved.input) : toQString(moved.name);
            recorded = QString::number(moved.recorded);
            now = QString::number(moved.now);
        } else if (at.alive != SIZE_MAX) {
            what = treeOutputName(at.cause->alive[at.alive]);
            recorded = tr("dead");
            now = tr("alive");
        }
        rows.push_back({{QString::number(at.step + 1), Look::Link, Tone::None, {}, qulonglong(at.step)},
                        {treeFunctionName(run, step.function), Look::Mono},
                        {QStringLiteral("%1 → %2").arg(treeNodeName(at.cause->node), treeNodeName(step.node)),
                         Look::Mono},
                        {toQString(replay::invariantStatusText(at.cause->status)), Look::Text},
                        {what, Look::Mono},
                        {recorded, Look::Mono},
                        {now, Look::Mono},
                        {counts ? tr("yes") : tr("no"), Look::Chip, counts ? Tone::Bad : Tone::Warn,
                         counts ? tr("Beyond %1 at one node the function runs eagerly there")
                                      .arg(run.program().options.rerecordLimit)
                                : tr("Only parameters or buffers moved: re-recorded as often as "
                                     "that happens")}});
    }
    return rows;
}

RunCategories runCategories(const replay::TreeRun& run, std::size_t position) {
    RunCategories out;
    const auto& functions = run.log().functions();
    std::vector<std::size_t> first; ///< by function: its first row
    for (std::size_t f = 0; f < functions.size(); ++f) {
        first.push_back(out.inputs.size());
        out.functions.emplace_back();
        for (std::size_t i = 0; i < functions[f].inputs.size() && out.inputs.size() < mostInputs; ++i)
            out.inputs.push_back({FunctionId(f), i});
    }
    const auto row = [&](FunctionId function, std::size_t input) -> RunInput* {
        const std::size_t at = first[function] + input;
        return at < out.inputs.size() && out.inputs[at].function == function ? &out.inputs[at] : nullptr;
    };
    for (std::size_t f = 0; f < functions.size(); ++f) {
        for (const std::size_t input : functions[f].staticInputs)
            if (RunInput* at = row(FunctionId(f), input)) at->fixed = true;
        for (const std::size_t input : functions[f].mutatedInputs)
            if (RunInput* at = row(FunctionId(f), input)) at->written = true;
    }
    for (std::size_t i = 0; i < std::min(position, run.size()); ++i) {
        const TreeStep& step = run.step(i);
        if (step.event != Event::Call || step.function >= functions.size()) continue;
        RunFunction& function = out.functions[step.function];
        if (step.mutationPath == TreeStep::MutationPath::Fast) ++function.fast;
        if (step.mutationPath == TreeStep::MutationPath::Slow) ++function.slow;
        if (!step.mutations) continue;
        for (const replay::CategorizedInput& input : step.mutations->inputs)
            if (RunInput* at = row(step.function, input.input)) {
                ++at->found[std::size_t(input.category)];
                if (at->last == MutationCategory::Recorded && input.category == MutationCategory::Other)
                    ++at->lost;
                at->last = input.category;
                at->lookedAt = i;
            }
    }
    return out;
}

std::vector<TableColumn> runInputColumns() {
    return {
        {tr("Function"), {}, 110},
        {tr("Input"), {}, 150},
        {tr("Category"), tr("As the last look at it found. Only other tensors forbid a CUDA graph"), 190},
        {tr("Slow"),
         tr("How often the function's inputs were looked at: once for each node that it follows, and "
            "before it is "
            "re-recorded"),
         60, true},
        {tr("Fast"), tr("How often what was kept for the node and the function answered"), 60, true},
        {tr("Found as"), tr("By the looks so far"), 220},
        {tr("Lost"),
         tr("How often it was any other tensor at a look after it had been one of a recording: from then on "
            "the function runs eagerly there"),
         60, true},
        {tr("Event"), tr("Of the last look; a link"), 80},
        {tr("Written by"), tr("The op and the line that write it, as far as the case tells"), 240},
        {tr("Why"), {}, 420}};
}

std::vector<TableRow> runInputRows(const replay::TreeRun& run, const RunCategories& categories) {
    std::vector<TableRow> rows;
    const auto& functions = run.log().functions();
    for (const RunInput& input : categories.inputs) {
        const replay::TreeFunction& function = functions[input.function];
        const RunFunction& counts = categories.functions[input.function];
        QStringList found;
        for (std::size_t c = 0; c < input.found.size(); ++c)
            if (input.found[c] > 0)
                found << QStringLiteral("%1 %2").arg(input.found[c]).arg(categoryName(MutationCategory(c)));
        const bool looked = input.lookedAt != SIZE_MAX;
        const QString why = !input.written ? tr("not written")
                            : !looked      ? tr("written, and not looked at yet")
                                           : categoryMeaning(input.last);
        // A use is known of every input, and writes only where there is one.
        const QString writer =
            input.written ? toQString(function.inputs[input.input].mutatingUse) : QString();
        TableCell category{tr("not looked at"), Look::Quiet};
        if (!input.written || looked)
            category = {categoryName(input.last), Look::Chip, categoryTone(input.last),
                        categoryMeaning(input.last), int(input.last)};
        rows.push_back(
            {{treeFunctionName(run, input.function), Look::Mono},
             {toQString(function.inputs[input.input].name) + (input.fixed ? tr(", static") : QString()),
              Look::Mono,
              Tone::None,
              {},
              qulonglong(input.input)},
             category,
             {input.written ? QString::number(counts.slow) : QString(),
              Look::Mono,
              Tone::None,
              {},
              qulonglong(counts.slow)},
             {input.written ? QString::number(counts.fast) : QString(),
              Look::Mono,
              Tone::None,
              {},
              qulonglong(counts.fast)},
             {found.join(QStringLiteral(", ")), Look::Quiet},
             {input.written ? QString::number(input.lost) : QString(),
              Look::Mono,
              input.lost > 0 ? Tone::Other : Tone::None,
              {},
              qulonglong(input.lost)},
             {looked ? QString::number(input.lookedAt + 1) : QString(),
              Look::Link,
              Tone::None,
              {},
              looked ? qulonglong(input.lookedAt) : 0},
             {writer.simplified(), Look::MonoQuiet, Tone::None, writer},
             {why, Look::Quiet}});
    }
    return rows;
}

} // namespace dynascope::views
