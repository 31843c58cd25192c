// SPDX-License-Identifier: BSD-3-Clause
#include "views/replay/tree_facts.h"

#include "views/replay/coverage_rows.h"
#include "views/replay/tree_rows.h"
#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

namespace dynascope::views {

namespace {

using replay::InvariantCheck;
using replay::InvariantStatus;
using replay::NodeId;
using replay::OutputAt;
using replay::TreeNode;
using replay::TreeStep;
using replay::TreeValue;

constexpr std::size_t mostListed = 40; ///< values of one call; the others are counted
constexpr std::size_t mostChecks = 12; ///< sections of one step

Token nodeLink(NodeId node) {
    return link(treeNodeName(node), QStringLiteral("node:%1").arg(node));
}
Token stepLink(std::size_t step) {
    return link(tr("event %1").arg(step + 1), QStringLiteral("step:%1").arg(step + 1));
}

QString addressText(replay::Address address) {
    return QString::number(address);
}

template <typename List, typename Text>
QString joined(const List& list, const Text& textOf) {
    QStringList out;
    for (const auto& item : list) {
        if (std::size_t(out.size()) == mostListed) {
            out << tr("%1 more").arg(list.size() - mostListed);
            break;
        }
        out << textOf(item);
    }
    return out.isEmpty() ? tr("none") : out.join(QStringLiteral(", "));
}

QString ordinals(const std::vector<std::size_t>& list) {
    return joined(list, [](std::size_t i) { return QString::number(i); });
}

QString outputs(const std::vector<OutputAt>& list) {
    return joined(list, treeOutputName);
}

QString chipTone(Tone tone) {
    return tone == Tone::Good                         ? QStringLiteral("added")
           : tone == Tone::Bad || tone == Tone::Other ? QStringLiteral("removed")
           : tone == Tone::Warn                       ? QStringLiteral("changed")
           : tone == Tone::Accent                     ? QStringLiteral("accent")
                                                      : QString();
}

QString modeName(replay::CompilationMode mode) {
    return mode == replay::CompilationMode::Forward    ? tr("forward")
           : mode == replay::CompilationMode::Backward ? tr("backward")
                                                       : tr("inference");
}

Section functionSection(const replay::TreeRun& run, const TreeStep& step) {
    const replay::TreeFunction& function = run.log().functions()[step.function];
    Section section;
    section.title = tr("Function");
    section.chip = treeFunctionName(run, step.function);
    section.facts = {
        fact(tr("Mode"), {text(modeName(function.mode))}),
        fact(tr("Static inputs"), {mono(ordinals(function.staticInputs))},
             tr("Parameters, buffers and saved tensors: a recording relies on their addresses")),
        fact(tr("Writes inputs"), {mono(ordinals(function.mutatedInputs))},
             tr("Whether they may be written decides whether the function can be a CUDA graph"))};
    if (!step.stack.empty()) section.facts.push_back(fact(tr("Called at"), {mono(toQString(step.stack))}));
    return section;
}

/// One recording that was asked: what it relied on, and what it got.
Section checkSection(const replay::TreeRun& run, const TreeStep& step, const InvariantCheck& check) {
    Section section;
    const bool fits = check.status == InvariantStatus::Success;
    section.title = tr("Check of %1").arg(treeNodeName(check.node));
    section.chip = fits ? tr("fits") : tr("does not fit");
    section.chipTone = fits                                                    ? QStringLiteral("added")
                       : check.status == InvariantStatus::StaticAddressChanged ? QStringLiteral("changed")
                                                                               : QStringLiteral("removed");
    if (fits) {
        section.facts.push_back(
            paragraph({nodeLink(check.node),
                       text(tr(": every address is as it was recorded, and what must be dead is."))}));
        return section;
    }
    section.facts.push_back(paragraph({nodeLink(check.node), text(QStringLiteral(": ")),
                                       mono(toQString(replay::invariantStatusText(check.status)))}));
    for (const replay::MovedInput& moved : check.moved) {
        const QString name =
            moved.name.empty() ? treeInputName(run, step.function, moved.input) : toQString(moved.name);
        section.facts.push_back(fact(
            name,
            {mono(addressText(moved.recorded)), quiet(QStringLiteral(" → ")), mono(addressText(moved.now))},
            tr("Address when it was recorded, and address now")));
    }
    for (const OutputAt& alive : check.alive)
        section.facts.push_back(
            fact(tr("Still alive"), {text(treeOutputName(alive))},
                 tr("It was dead when the recording was made, so its memory was used again")));
    return section;
}

Section writesSection(const replay::TreeRun& run, const TreeStep& step) {
    Section section;
    section.title = tr("Writes to inputs");
    section.chip = mutationPathName(step.mutationPath);
    if (step.mutationPath == TreeStep::MutationPath::Fast) {
        section.facts.push_back(paragraph(
            {text(tr("Fast: what was found for this node and function is kept, and the inputs were not "
                     "looked at."))}));
        return section;
    }
    section.facts.push_back(paragraph({text(tr("Slow: the inputs that it writes were looked at."))}));
    if (step.mutations)
        for (const replay::CategorizedInput& input : step.mutations->inputs)
            section.facts.push_back(fact(treeInputName(run, step.function, input.input),
                                         {text(categoryName(input.category))},
                                         categoryMeaning(input.category)));
    return section;
}

QString argumentText(const replay::TreeRun& run, const replay::TreeArgument& argument) {
    switch (argument.kind) {
    case replay::TreeArgument::Kind::Parameter:
        return tr("a tensor of the program's own");
    case replay::TreeArgument::Kind::Output: {
        const std::size_t step = run.stepOfCall(argument.call);
        return step == SIZE_MAX ? tr("an output that was never made")
                                : tr("output %1 of event %2").arg(argument.output).arg(step + 1);
    }
    case replay::TreeArgument::Kind::Number:
        return tr("a number");
    case replay::TreeArgument::Kind::Fresh:
        break;
    }
    return tr("a fresh tensor");
}

Section valuesSection(const replay::TreeRun& run, std::size_t index) {
    const TreeStep& step = run.step(index);
    const replay::TreeEvent& event = run.program().events[index];
    const TreeNode* node = run.log().find(step.node);
    Section section;
    section.title = tr("Inputs and outputs");
    section.open = step.inputs.size() + step.outputs.size() <= 8;
    for (std::size_t i = 0; i < std::min(step.inputs.size(), mostListed); ++i) {
        Tokens tokens;
        if (step.inputs[i].isTensor()) tokens.push_back(mono(addressText(step.inputs[i].address)));
        if (i < event.inputs.size())
            tokens.push_back(quiet(QStringLiteral("  ") + argumentText(run, event.inputs[i])));
        section.facts.push_back(fact(treeInputName(run, step.function, i), std::move(tokens)));
    }
    for (std::size_t i = 0; i < std::min(step.outputs.size(), mostListed); ++i) {
        Tokens tokens{mono(addressText(step.outputs[i].address))};
        if (node && i < node->outputs.size())
            tokens.push_back(quiet(QStringLiteral("  ") +
                                   toQString(replay::outputClassName(node->outputs[i].outputClass))));
        if (run.log().isOverwritten(index, i)) tokens.push_back(quiet(tr(", overwritten later")));
        section.facts.push_back(fact(tr("output %1").arg(i), std::move(tokens)));
    }
    const std::size_t left = step.inputs.size() + step.outputs.size() -
                             std::min(step.inputs.size(), mostListed) -
                             std::min(step.outputs.size(), mostListed);
    if (left > 0) section.facts.push_back(paragraph({quiet(tr("and %1 more").arg(left))}));
    return section;
}

Section overwrittenSection(const replay::Overwritten& what) {
    Section section;
    section.title = tr("Reads an overwritten output");
    section.chip = what.raises ? tr("raises") : tr("silent");
    section.chipTone = QStringLiteral("removed");
    section.facts = {paragraph({text(tr("Made by ")), stepLink(what.madeAt), text(tr(", overwritten by ")),
                                stepLink(what.overwrittenAt), text(QStringLiteral("."))}),
                     paragraph({mono(toQString(what.message))})};
    if (!what.madeStack.empty())
        section.facts.push_back(fact(tr("Made at"), {mono(toQString(what.madeStack))}));
    if (!what.overwrittenStack.empty())
        section.facts.push_back(fact(tr("Overwritten at"), {mono(toQString(what.overwrittenStack))}));
    return section;
}

Section stateSection(const TreeWalk& walk) {
    const replay::TreeState& state = walk.state();
    Section section;
    section.title = tr("State");
    section.chip = toQString(replay::pathStateName(state.path));
    QStringList path;
    for (const NodeId node : walk.path())
        path << treeNodeName(node);
    section.facts = {
        fact(tr("Path"),
             {text(path.isEmpty() ? tr("none: the next call starts one") : path.join(QStringLiteral(" → ")))},
             tr("The recordings that ran since the last start, from the root")),
        fact(
            tr("Generation"),
            {mono(QString::number(state.generation)), quiet(tr("  latest %1").arg(state.latestGeneration()))},
            tr("Of the last run, and the one the program is in. Where they differ the path ends with the "
               "next call")),
        fact(tr("Backward"),
             {text(state.pendingBackward ? tr("pending: a forward ran, its backward did not")
                                         : tr("none pending"))},
             tr("While one is pending a new generation does not end the path")),
        fact(tr("Alive outputs"), {text(joined(state.alive, treeOutputName))}),
        fact(tr("Taken away"), {text(joined(state.invalidated, treeOutputName))},
             tr("Outputs whose memory was freed; whoever reads them gets an error")),
        fact(tr("Checkpoints"), {mono(QString::number(state.checkpoints))},
             tr("How often the pool's allocator was set back to its state after a recording"))};
    for (const auto& [key, count] : state.rerecords)
        section.facts.push_back(
            fact(tr("Counted re-records"),
                 {mono(QString::number(count)),
                  quiet(tr("  of %1 after %2")
                            .arg(treeFunctionName(*walk.run(), key.second), treeNodeName(key.first)))},
                 tr("Beyond %1 the function runs eagerly there")
                     .arg(walk.run()->program().options.rerecordLimit)));
    for (const auto& [key, writes] : state.hints)
        if (writes)
            section.facts.push_back(
                fact(tr("Runs eagerly"),
                     {text(tr("%1 after %2")
                               .arg(treeFunctionName(*walk.run(), key.second), treeNodeName(key.first)))},
                     tr("It was found to write what is neither static nor recorded")));
    return section;
}

Section nodeSection(const TreeWalk& walk, const TreeNode& node) {
    const replay::TreeRun& run = *walk.run();
    Section section;
    section.title = node.isWarmup() ? tr("Warm-up %1").arg(-node.id) : tr("Recording #%1").arg(node.id);
    section.chip = treeFunctionName(run, node.function);
    section.chipTone = QStringLiteral("accent");
    section.facts = {fact(tr("Made by"), {stepLink(node.step)}),
                     node.parent == replay::noNode ? fact(tr("After"), {text(tr("nothing: a root"))})
                                                   : fact(tr("After"), {nodeLink(node.parent)})};
    QString places;
    for (std::size_t i = 0; i < std::min(node.outputs.size(), mostListed); ++i) {
        const replay::TreeOutput& output = node.outputs[i];
        places += (i == 0 ? QString() : QStringLiteral("\n")) +
                  tr("%1: %2 at %3")
                      .arg(i)
                      .arg(toQString(replay::outputClassName(output.outputClass)),
                           addressText(output.storageAddress));
    }
    section.facts.push_back(fact(tr("Outputs"), {mono(places)}));
    if (node.isWarmup()) return section;
    section.facts.push_back(fact(
        tr("Replayed"), {text(countText(run.replays(node.id, walk.position()), tr("time"), tr("times")))}));
    section.facts.push_back(fact(tr("From the path"), {mono(ordinals(node.managed))},
                                 tr("Inputs that are outputs of earlier recordings on its path")));
    section.facts.push_back(
        fact(tr("Copied"), {mono(ordinals(node.copied))},
             tr("Inputs that are copied to their recorded addresses before each replay")));
    section.facts.push_back(
        fact(tr("Addresses"), {mono(joined(node.addresses, addressText))}, tr("Of its inputs, as recorded")));
    section.facts.push_back(fact(tr("Must be dead"), {text(outputs(node.deadBefore))},
                                 tr("Outputs of the path whose memory the recording uses again")));
    return section;
}

} // namespace

Facts treeFacts(const TreeWalk& walk) {
    Facts facts;
    if (!walk.run()) return facts;
    const replay::TreeRun& run = *walk.run();
    if (const TreeNode* node = run.log().find(walk.selected()))
        facts.sections.push_back(nodeSection(walk, *node));
    if (const TreeStep* step = walk.step()) {
        const std::size_t index = walk.position() - 1;
        facts.title = treeEventName(run, index);
        facts.chip = treeActionName(*step);
        facts.chipTone = chipTone(treeActionTone(*step));
        facts.subtitle = {quiet(tr("event %1 of %2").arg(walk.position()).arg(run.size()))};
        if (step->node != replay::noNode) {
            facts.subtitle.push_back(quiet(QStringLiteral(", ")));
            facts.subtitle.push_back(nodeLink(step->node));
            if (step->parent != replay::noNode) {
                facts.subtitle.push_back(quiet(tr(" after ")));
                facts.subtitle.push_back(nodeLink(step->parent));
            }
        }
        Section why;
        why.title = tr("Why");
        why.facts.push_back(paragraph({text(treeWhy(run, index))}));
        for (const std::string& message : {step->message, step->error})
            if (!message.empty()) why.facts.push_back(fact(tr("PyTorch says"), {mono(toQString(message))}));
        if (step->checkpoints > 0)
            why.facts.push_back(fact(
                tr("Pool"), {text(tr("set back to its state after the path; %1 freed")
                                      .arg(countText(step->freed.size(), tr("address"), tr("addresses"))))}));
        facts.sections.push_back(std::move(why));
        for (std::size_t i = 0; i < std::min(step->checks.size(), mostChecks); ++i)
            facts.sections.push_back(checkSection(run, *step, step->checks[i]));
        if (step->checks.size() > mostChecks)
            facts.sections.push_back({tr("%1 more checks").arg(step->checks.size() - mostChecks),
                                      {paragraph({quiet(tr("Recordings of the same function that do not fit "
                                                           "either"))})},
                                      {},
                                      {},
                                      true});
        for (const replay::Overwritten& what : step->overwrittenInputs)
            facts.sections.push_back(overwrittenSection(what));
        if (step->event == TreeStep::Event::Call) {
            if (step->mutationPath != TreeStep::MutationPath::None)
                facts.sections.push_back(writesSection(run, *step));
            facts.sections.push_back(valuesSection(run, index));
            if (step->function < run.log().functions().size())
                facts.sections.push_back(functionSection(run, *step));
        }
    } else {
        facts.title = tr("Before the first event");
        facts.subtitle = {quiet(tr("0 of %1").arg(run.size()))};
    }
    facts.sections.push_back(stateSection(walk));
    return facts;
}

} // namespace dynascope::views
