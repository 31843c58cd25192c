// SPDX-License-Identifier: BSD-3-Clause
#include "core/replay/tree_manager.h"

#include <algorithm>

namespace dynascope::replay {

std::string_view actionName(TreeStep::Action action) {
    switch (action) {
    case TreeStep::Action::None:
        return "none";
    case TreeStep::Action::Warmup:
        return "warmup";
    case TreeStep::Action::WarmupAgain:
        return "warmup_again";
    case TreeStep::Action::Record:
        return "record";
    case TreeStep::Action::Replay:
        return "replay";
    case TreeStep::Action::Eager:
        return "eager";
    case TreeStep::Action::Failed:
        break;
    }
    return "failed";
}

FunctionId TreeManager::addFunction(TreeFunction function) {
    m_functions.push_back(std::move(function));
    return static_cast<FunctionId>(m_functions.size() - 1);
}

const TreeStep& TreeManager::call(FunctionId function, std::vector<TreeValue> inputs, std::string stack) {
    TreeStep& step = begin(TreeStep::Event::Call);
    step.function = function;
    step.inputs = std::move(inputs);
    step.stack = std::move(stack);
    if (function >= m_functions.size()) {
        fail({"no such function", {}, 0, 0});
        return finish();
    }
    if (!readsOverwritten()) run(function);
    if (const CompilationMode mode = m_functions[function].mode; mode != CompilationMode::Inference)
        set(Field::PendingBackward, mode == CompilationMode::Forward ? 1 : 0);
    return finish();
}

const TreeStep& TreeManager::userMark() {
    begin(TreeStep::Event::UserMark);
    set(Field::UserMarks, m_state.userMarks - 1);
    return finish();
}

const TreeStep& TreeManager::invocation() {
    begin(TreeStep::Event::Invocation);
    set(Field::Invocations, m_state.invocations + 1);
    return finish();
}

const TreeStep& TreeManager::eagerBackward() {
    begin(TreeStep::Event::EagerBackward);
    set(Field::PendingBackward, 0);
    return finish();
}

const TreeStep& TreeManager::observe() {
    begin(TreeStep::Event::Observe);
    return finish();
}

/// Whether an input lies in memory that has been taken away, which PyTorch refuses to read. Memory that was
/// only overwritten it reads.
bool TreeManager::readsOverwritten() {
    const Overwritten* refused = nullptr;
    for (const TreeValue& input : inputs()) {
        const auto made = m_madeAt.find(input.storage);
        if (!input.isTensor() || made == m_madeAt.end()) continue;
        const auto found = m_overwritten.find(made->second);
        if (found == m_overwritten.end()) continue;
        step().overwrittenInputs.push_back(found->second);
        if (found->second.raises && !refused) refused = &found->second;
    }
    if (refused) fail({refused->message, {}, 0, 0});
    return refused != nullptr;
}

TreeStep& TreeManager::begin(TreeStep::Event event) {
    m_changes.emplace_back();
    m_steps.emplace_back().event = event;
    return m_steps.back();
}

const TreeStep& TreeManager::finish() {
    observeLife();
    return m_steps.back();
}

void TreeManager::fail(const Error& error) {
    step().action = Action::Failed;
    step().error = error.message;
}

// The order of questions is PyTorch's; SPEC section 13.2 counts them from 1 to 9.
void TreeManager::run(FunctionId function) {
    const auto warmingUp = [&] {
        return (!m_options.skipWarmup && !m_state.warm.contains(function)) ||
               m_state.path == PathState::Warmup || m_options.forceWarmup;
    };
    for (;;) {
        tryEndWarmupOrRecording();
        if (step().invalidated && readsOverwritten()) return;
        if (skipsForMutation(function)) return runEagerly(function, TreeStep::EagerCause::Mutation);
        const auto rerecords = m_state.rerecords.find({m_state.current, function});
        if (rerecords != m_state.rerecords.end() && rerecords->second > m_options.rerecordLimit)
            return runEagerly(function, TreeStep::EagerCause::RerecordLimit);
        if (warmingUp()) {
            if (m_state.path == PathState::Execution)
                if (const auto restored = restoreCheckpoint(); !restored) return fail(restored.error());
            return warmUp(function);
        }
        if (m_state.path == PathState::Recording) return record(function);

        bool unexpected = false;
        std::string reason;
        if (replayChild(function, unexpected, reason)) return;
        if (m_state.current != noNode && m_roots.contains(function)) {
            tryEndExecution();
            if (m_state.current == noNode) continue; // as a root it may fit
        }
        if (!m_functions[function].mutatedInputs.empty()) {
            // An input that was recorded when it was looked at may come from elsewhere now.
            if (writesForeignTensor(function)) return runEagerly(function, TreeStep::EagerCause::Mutation);
        }
        if (unexpected && skipsAfterRerecord(function, reason))
            return runEagerly(function, TreeStep::EagerCause::RerecordLimit);
        tryEndExecution();
        if (m_state.current != noNode)
            if (const auto restored = restoreCheckpoint(); !restored) return fail(restored.error());
        return record(function);
    }
}

/// Asks the recordings of the function that follow the current node. True if one was replayed, or refused in
/// a way that ends the call.
bool TreeManager::replayChild(FunctionId function, bool& unexpected, std::string& reason) {
    std::vector<NodeId> children;
    if (m_state.current != noNode) {
        for (const NodeId child : at(m_state.current).children)
            if (at(child).function == function) children.push_back(child);
    } else if (const auto roots = m_roots.find(function); roots != m_roots.end()) {
        children = roots->second;
    }
    for (const NodeId child : children) {
        step().checks.push_back(check(at(child)));
        const InvariantCheck& result = step().checks.back();
        if (result.status == InvariantStatus::Success) {
            replay(at(child));
            return true;
        }
        if (result.status == InvariantStatus::InputOutlivesRecording) {
            fail({result.message, {}, 0, 0});
            return true;
        }
        unexpected = unexpected || result.status != InvariantStatus::StaticAddressChanged;
        reason = result.message;
    }
    return false;
}

/// What was found for a node holds for good, so that the inputs are looked at once.
bool TreeManager::skipsForMutation(FunctionId function) {
    const auto hint = m_state.hints.find({m_state.current, function});
    if (hint == m_state.hints.end()) return writesForeignTensor(function);
    if (step().mutationPath == TreeStep::MutationPath::None)
        step().mutationPath = TreeStep::MutationPath::Fast;
    return hint->second;
}

/// Whether the function writes what is neither static nor recorded.
bool TreeManager::writesForeignTensor(FunctionId function) {
    const TreeFunction& about = m_functions[function];
    std::vector<std::string> uses;
    for (const TreeFunction::Input& input : about.inputs)
        uses.push_back(input.mutatingUse);
    MutationQuestion question;
    question.staticInputs = about.staticInputs;
    question.mutatedInputs = about.mutatedInputs;
    question.mutatingUses = uses;
    MutationCheck found = checkForMutation(
        question, [&](std::size_t input) { return input < inputs().size() && isRecorded(inputs()[input]); });
    const bool writes = found.message.has_value();
    set(Field::Hint, writes ? 1 : 0, m_state.current, function);
    if (writes && m_warned.insert(function).second) step().message = *found.message;
    step().mutationPath = TreeStep::MutationPath::Slow;
    step().mutations = std::move(found);
    return writes;
}

bool TreeManager::skipsAfterRerecord(FunctionId function, const std::string& reason) {
    const auto count = m_state.rerecords.find({m_state.current, function});
    const std::int64_t rerecords = count == m_state.rerecords.end() ? 1 : count->second + 1;
    set(Field::Rerecords, rerecords, m_state.current, function);
    step().countedRerecord = true;
    if (rerecords <= m_options.rerecordLimit) return false;
    step().message = "skipping cudagraph due to function " + std::to_string(function) +
                     " exceeding max re-recording limit (=" + std::to_string(m_options.rerecordLimit) +
                     ") on cudagraph node " +
                     (m_state.current == noNode ? "None" : std::to_string(m_state.current)) + " due to " +
                     reason + '.';
    return true;
}

void TreeManager::runEagerly(FunctionId function, TreeStep::EagerCause cause) {
    TreeBackend::Outputs outputs = m_backend.runEagerly(function, inputs());
    if (!outputs) return fail(outputs.error());
    step().action = Action::Eager;
    step().eagerCause = cause;
    step().outputs = std::move(*outputs);
}

TreeNode& TreeManager::addNode(NodeId id, FunctionId function) {
    TreeNode node;
    node.id = id;
    node.parent = m_state.current;
    node.function = function;
    node.depth = node.parent == noNode ? 0 : at(node.parent).depth + 1;
    node.step = m_steps.size() - 1;
    m_positions[id] = m_nodes.size();
    m_nodes.push_back(std::move(node));
    set(Field::Nodes, static_cast<std::int64_t>(m_nodes.size()));
    step().node = id;
    step().parent = m_state.current;
    return m_nodes.back();
}

void TreeManager::warmUp(FunctionId function) {
    const bool again = m_state.warm.contains(function);
    set(Field::Warm, 1, noNode, function);
    // Only storages that the run itself makes belong to the path.
    const std::vector<Address> before = addressesOf(liveOutputs(m_state.current));
    std::vector<StorageId> foreign;
    for (const TreeValue& input : inputs())
        if (input.isTensor() && !std::binary_search(before.begin(), before.end(), input.storageAddress))
            foreign.push_back(input.storage);
    const bool checked = m_options.checkPool && !again;
    if (checked)
        if (const auto same = checkPool(before); !same) return fail(same.error());
    TreeBackend::Outputs outputs = m_backend.warmUp(function, inputs());
    if (!outputs) return fail(outputs.error());
    TreeNode& node = addNode(m_nextWarmup--, function);
    trackWarmup(node, *outputs, foreign);
    step().action = again ? Action::WarmupAgain : Action::Warmup;
    step().outputs = std::move(*outputs);
    setCurrent(node.id, PathState::Warmup);
    set(Field::Generation, m_state.latestGeneration());
    noteOverwritten(node);
    if (checked)
        if (const auto same = checkPool(addressesOf(liveOutputs(node.id))); !same) fail(same.error());
}

void TreeManager::record(FunctionId function) {
    // Copies, since the backend gives up the originals.
    const std::vector<TreeValue> given = inputs();
    TreeNode& node = addNode(m_nextRecording++, function);
    describeInputs(node);
    std::vector<Address> expected = addressesOf(liveOutputs(node.parent));
    const auto copies = m_backend.copyInputs(given, node.copied);
    if (!copies) return fail(copies.error());
    expected.insert(expected.end(), copies->begin(), copies->end());
    if (m_options.checkPool)
        if (const auto same = checkPool(expected); !same) return fail(same.error());
    TreeBackend::Outputs outputs = m_backend.record(node.id, function, given);
    if (!outputs) return fail(outputs.error());
    for (std::size_t i = 0; i < outputs->size(); ++i) {
        if (!(*outputs)[i].isTensor() || (*outputs)[i].onDevice || (*outputs)[i].storageAddress == 0)
            continue;
        const std::vector<std::string>& stacks = m_functions[function].outputStacks;
        return fail({"Expected all cuda outputs in cuda graph recording. Non cuda output from " +
                         (i < stacks.size() ? stacks[i] : std::string("(unknown)")),
                     {},
                     0,
                     0});
    }
    classifyOutputs(node, *outputs, given);
    if (node.parent == noNode)
        m_roots[function].push_back(node.id);
    else
        at(node.parent).children.push_back(node.id);
    step().action = Action::Record;
    step().outputs = std::move(*outputs);
    setCurrent(node.id, PathState::Recording);
    set(Field::Generation, m_state.latestGeneration());
    noteOverwritten(node);
    if (m_options.checkPool)
        if (const auto same = checkPool(addressesOf(liveOutputs(node.id))); !same) fail(same.error());
}

void TreeManager::replay(TreeNode& node) {
    setCurrent(node.id, PathState::Execution);
    set(Field::Generation, m_state.latestGeneration());
    step().node = node.id;
    TreeBackend::Outputs outputs = m_backend.replay(node, inputs());
    if (!outputs) return fail(outputs.error());
    for (std::size_t i = 0; i < std::min(node.outputs.size(), outputs->size()); ++i)
        if (node.outputs[i].tracked()) node.outputs[i].storage = (*outputs)[i].storage;
    step().action = Action::Replay;
    step().outputs = std::move(*outputs);
    noteOverwritten(node);
}

} // namespace dynascope::replay
