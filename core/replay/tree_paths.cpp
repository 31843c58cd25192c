// SPDX-License-Identifier: BSD-3-Clause
//
// Paths of a tree: how they end, what lives on them, and setting the allocator back to one of their nodes.
#include "core/replay/tree_manager.h"

#include <algorithm>

namespace dynascope::replay {

const TreeNode* TreeManager::find(NodeId node) const {
    const auto found = m_positions.find(node);
    return found == m_positions.end() ? nullptr : &m_nodes[found->second];
}

std::vector<NodeId> TreeManager::path(NodeId node) const {
    std::vector<NodeId> out;
    for (const TreeNode* on = find(node); on; on = find(on->parent))
        out.push_back(on->id);
    std::reverse(out.begin(), out.end());
    return out;
}

std::optional<Overwritten> TreeManager::overwritten(std::size_t step, std::size_t output) const {
    const auto found = m_overwritten.find({step, output});
    return found == m_overwritten.end() ? std::nullopt : std::optional(found->second);
}

void TreeManager::set(Field field, std::int64_t after, NodeId node, std::uint32_t key) {
    TreeChange change{field, node, key, TreeChange::absent, after};
    change.before = valueOf(m_state, change);
    if (change.before == after) return;
    apply(m_state, change);
    m_changes.back().push_back(change);
}

void TreeManager::setCurrent(NodeId node, PathState path) {
    set(Field::Current, node);
    set(Field::Path, static_cast<std::int64_t>(path));
}

/// Outputs of an earlier generation are the user's to lose, unless a backward still needs them.
bool TreeManager::canStartGeneration() const {
    if (m_state.generation == m_state.latestGeneration()) return false;
    return m_state.userMarks != 0 || !m_state.pendingBackward;
}

void TreeManager::tryEndWarmupOrRecording() {
    if (m_state.path != PathState::Warmup && m_state.path != PathState::Recording) return;
    if (canStartGeneration()) {
        invalidatePath();
        step().pathEnd = TreeStep::PathEnd::NewGeneration;
        setCurrent(noNode, PathState::None);
    } else if (allOutputsDead()) {
        step().pathEnd = TreeStep::PathEnd::AllOutputsDead;
        setCurrent(noNode, PathState::None);
    }
}

/// Outputs are left as they are: the next replay overwrites them.
void TreeManager::tryEndExecution() {
    if (m_state.current == noNode) return;
    if (canStartGeneration())
        step().pathEnd = TreeStep::PathEnd::NewGeneration;
    else if (allOutputsDead())
        step().pathEnd = TreeStep::PathEnd::AllOutputsDead;
    else
        return;
    setCurrent(noNode, PathState::None);
}

bool TreeManager::isAlive(OutputAt output) const {
    const TreeOutput& about = at(output);
    return about.tracked() && m_backend.isAlive(about.storage);
}

/// Outputs of the path to the node whose storages count, sorted.
std::vector<OutputAt> TreeManager::trackedOutputs(NodeId node) const {
    std::vector<OutputAt> out;
    for (const TreeNode* on = find(node); on; on = find(on->parent))
        for (std::uint32_t i = 0; i < on->outputs.size(); ++i)
            if (on->outputs[i].tracked()) out.push_back({on->id, i});
    std::sort(out.begin(), out.end());
    return out;
}

std::vector<OutputAt> TreeManager::liveOutputs(NodeId node) const {
    std::vector<OutputAt> out = trackedOutputs(node);
    std::erase_if(out, [&](OutputAt output) { return !isAlive(output); });
    return out;
}

/// Sorted, each once.
std::vector<Address> TreeManager::addressesOf(const std::vector<OutputAt>& outputs) const {
    std::vector<Address> out;
    for (const OutputAt output : outputs)
        out.push_back(at(output).storageAddress);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

/// A recording looks at the outputs that were alive when it was made; what its path lost before is gone.
bool TreeManager::allOutputsDead() const {
    const TreeNode& node = at(m_state.current);
    if (node.isWarmup()) return liveOutputs(node.id).empty();
    return std::none_of(node.liveAfter.begin(), node.liveAfter.end(),
                        [&](OutputAt output) { return isAlive(output); });
}

/// After a warm-up only living outputs count: their memory is given back when they die. What a path of
/// recordings put into the pool stays there.
bool TreeManager::isRecorded(const TreeValue& value) const {
    if (m_state.current == noNode || !value.isTensor()) return false;
    const bool warmup = at(m_state.current).isWarmup();
    const std::vector<OutputAt> outputs =
        warmup ? liveOutputs(m_state.current) : trackedOutputs(m_state.current);
    return std::any_of(outputs.begin(), outputs.end(),
                       [&](OutputAt output) { return at(output).storageAddress == value.storageAddress; });
}

void TreeManager::invalidatePath() {
    step().invalidated = true;
    std::vector<Address> done;
    for (const OutputAt output : liveOutputs(m_state.current)) {
        const TreeOutput& about = at(output);
        const TreeFunction& function = m_functions[at(output.node).function];
        const std::string stack =
            output.index < function.outputStacks.size() ? function.outputStacks[output.index] : std::string();
        const std::string message = overwrittenMessage(stack, function.mode == CompilationMode::Backward);
        set(Field::Invalidated, 1, output.node, output.index);
        if (const auto last = m_lastAt.find(about.storageAddress);
            last != m_lastAt.end() && last->second.storage == about.storage)
            m_overwritten.insert_or_assign(
                {last->second.step, last->second.output},
                Overwritten{message, last->second.step, m_steps.size() - 1, stack, step().stack, true});
        if (std::find(done.begin(), done.end(), about.storageAddress) != done.end()) continue;
        done.push_back(about.storageAddress);
        m_backend.invalidate(about.storage, message);
    }
}

Result<void> TreeManager::restoreCheckpoint() {
    const TreeNode& node = at(m_state.current);
    set(Field::Checkpoints, m_state.checkpoints + 1);
    ++step().checkpoints;
    for (const NodeId on : path(node.id))
        m_backend.dropCachedOutputs(on);
    std::vector<StorageId> live;
    std::vector<Address> liveAt;
    std::vector<Address> freed;
    for (const OutputAt output : node.liveAfter) {
        if (isAlive(output)) {
            live.push_back(at(output).storage);
            liveAt.push_back(at(output).storageAddress);
        } else {
            freed.push_back(at(output).storageAddress);
        }
    }
    std::sort(liveAt.begin(), liveAt.end());
    std::sort(freed.begin(), freed.end());
    freed.erase(std::unique(freed.begin(), freed.end()), freed.end());
    // Of two outputs in one storage the other may live on.
    std::erase_if(freed,
                  [&](Address address) { return std::binary_search(liveAt.begin(), liveAt.end(), address); });
    step().freed = freed;
    if (auto restored = m_backend.restore(node.id, live, freed); !restored) return restored;
    return m_options.checkPool ? checkPool(std::move(liveAt)) : Result<void>();
}

void TreeManager::observeLife() {
    std::vector<OutputAt> dead;
    for (const OutputAt output : m_state.alive)
        if (!isAlive(output)) dead.push_back(output);
    for (const OutputAt output : dead)
        set(Field::Alive, 0, output.node, output.index);
    // Only the node of this step can have new ones.
    const TreeStep& last = m_steps.back();
    const TreeNode* node = last.action == Action::Failed ? nullptr : find(last.node);
    if (!node) return;
    for (std::uint32_t i = 0; i < node->outputs.size(); ++i)
        if (isAlive({node->id, i})) set(Field::Alive, 1, node->id, i);
}

/// By the step that just ran; PyTorch does not know of it.
void TreeManager::noteOverwritten(const Returned& output) {
    const TreeStep& made = m_steps[output.step];
    const std::vector<std::string>& stacks = m_functions[made.function].outputStacks;
    Overwritten about;
    about.madeAt = output.step;
    about.overwrittenAt = m_steps.size() - 1;
    about.madeStack = output.output < stacks.size() ? stacks[output.output] : std::string();
    about.overwrittenStack = step().stack;
    about.message =
        overwrittenMessage(about.madeStack, m_functions[made.function].mode == CompilationMode::Backward);
    about.raises = false;
    m_overwritten.try_emplace({output.step, output.output}, about);
}

/// Where the outputs of a node that just ran lie, and what it kept for itself, others may have lain before.
void TreeManager::noteOverwritten(const TreeNode& node) {
    const std::size_t now = m_steps.size() - 1;
    for (std::uint32_t i = 0; i < node.outputs.size(); ++i) {
        const TreeOutput& output = node.outputs[i];
        if (output.outputClass != OutputClass::New || !output.tracked()) continue;
        set(Field::Invalidated, 0, node.id, i);
        const auto last = m_lastAt.find(output.storageAddress);
        if (last != m_lastAt.end() && last->second.step != now && m_backend.isAlive(last->second.storage))
            noteOverwritten(last->second);
        m_lastAt[output.storageAddress] = {now, i, output.storage};
        m_madeAt[output.storage] = {now, i};
    }
    for (const auto& [address, last] : m_lastAt)
        if (last.step != now && m_backend.wroteOver(last.storage)) noteOverwritten(last);
}

} // namespace dynascope::replay
