// SPDX-License-Identifier: BSD-3-Clause
#include "core/replay/tree_log.h"

#include <algorithm>

namespace dynascope::replay {

namespace {

using Json = nlohmann::json;

/// A number below the last of an enumeration; throws where it is none of it.
template <typename Enum>
Enum enumOf(const Json& value, Enum last) {
    const auto number = value.get<unsigned>();
    if (number > static_cast<unsigned>(last))
        throw Json::other_error::create(501, "not of the kind", nullptr);
    return static_cast<Enum>(number);
}
template <typename Enum>
unsigned numberOf(Enum value) {
    return static_cast<unsigned>(value);
}

template <typename T, typename Write>
Json listOf(const std::vector<T>& items, Write&& write) {
    Json out = Json::array();
    for (const T& item : items)
        out.push_back(write(item));
    return out;
}
template <typename T, typename Read>
std::vector<T> listFrom(const Json& list, Read&& read) {
    std::vector<T> out;
    for (const Json& item : list)
        out.push_back(read(item));
    return out;
}

Json valueJson(const TreeValue& value) {
    return Json::array({numberOf(value.kind), value.address, value.storageAddress,
                        static_cast<std::uint64_t>(value.storage), value.onDevice});
}
TreeValue valueFrom(const Json& json) {
    return {enumOf(json.at(0), TreeValue::Kind::Opaque), json.at(1).get<Address>(), json.at(2).get<Address>(),
            StorageId{json.at(3).get<std::uint64_t>()}, json.at(4).get<bool>()};
}

Json outputAtJson(const OutputAt& output) {
    return Json::array({output.node, output.index});
}
OutputAt outputAtFrom(const Json& json) {
    return {json.at(0).get<NodeId>(), json.at(1).get<std::uint32_t>()};
}

Json overwrittenJson(const Overwritten& what) {
    return {{"message", what.message},
            {"made", what.madeAt},
            {"overwritten", what.overwrittenAt},
            {"made_stack", what.madeStack},
            {"overwritten_stack", what.overwrittenStack},
            {"raises", what.raises}};
}
Overwritten overwrittenFrom(const Json& json) {
    return {json.at("message").get<std::string>(),           json.at("made").get<std::size_t>(),
            json.at("overwritten").get<std::size_t>(),       json.at("made_stack").get<std::string>(),
            json.at("overwritten_stack").get<std::string>(), json.at("raises").get<bool>()};
}

Json checkJson(const InvariantCheck& check) {
    return {{"node", check.node},
            {"status", numberOf(check.status)},
            {"moved", listOf(check.moved,
                             [](const MovedInput& moved) {
                                 return Json::array({moved.input, moved.name, moved.recorded, moved.now});
                             })},
            {"alive", listOf(check.alive, outputAtJson)},
            {"message", check.message}};
}
InvariantCheck checkFrom(const Json& json) {
    return {json.at("node").get<NodeId>(), enumOf(json.at("status"), InvariantStatus::InputOutlivesRecording),
            listFrom<MovedInput>(json.at("moved"),
                                 [](const Json& moved) {
                                     return MovedInput{
                                         moved.at(0).get<std::size_t>(), moved.at(1).get<std::string>(),
                                         moved.at(2).get<Address>(), moved.at(3).get<Address>()};
                                 }),
            listFrom<OutputAt>(json.at("alive"), outputAtFrom), json.at("message").get<std::string>()};
}

Json mutationsJson(const MutationCheck& check) {
    Json out{{"category", numberOf(check.category)},
             {"inputs", listOf(check.inputs, [](const CategorizedInput& input) {
                  return Json::array({input.input, numberOf(input.category)});
              })}};
    if (check.message) out["message"] = *check.message;
    return out;
}
MutationCheck mutationsFrom(const Json& json) {
    MutationCheck out;
    out.category = enumOf(json.at("category"), MutationCategory::Other);
    out.inputs = listFrom<CategorizedInput>(json.at("inputs"), [](const Json& input) {
        return CategorizedInput{input.at(0).get<std::size_t>(), enumOf(input.at(1), MutationCategory::Other)};
    });
    if (json.contains("message")) out.message = json["message"].get<std::string>();
    return out;
}

Json stepJson(const TreeStep& step) {
    Json out{{"event", numberOf(step.event)},
             {"action", numberOf(step.action)},
             {"function", step.function},
             {"stack", step.stack},
             {"inputs", listOf(step.inputs, valueJson)},
             {"outputs", listOf(step.outputs, valueJson)},
             {"node", step.node},
             {"parent", step.parent},
             {"overwritten", listOf(step.overwrittenInputs, overwrittenJson)},
             {"path_end", numberOf(step.pathEnd)},
             {"invalidated", step.invalidated},
             {"mutation_path", numberOf(step.mutationPath)},
             {"checks", listOf(step.checks, checkJson)},
             {"counted", step.countedRerecord},
             {"eager", numberOf(step.eagerCause)},
             {"checkpoints", step.checkpoints},
             {"freed", step.freed},
             {"message", step.message},
             {"error", step.error}};
    if (step.mutations) out["mutations"] = mutationsJson(*step.mutations);
    return out;
}
TreeStep stepFrom(const Json& json) {
    TreeStep out;
    out.event = enumOf(json.at("event"), TreeStep::Event::Observe);
    out.action = enumOf(json.at("action"), TreeStep::Action::Failed);
    json.at("function").get_to(out.function);
    json.at("stack").get_to(out.stack);
    out.inputs = listFrom<TreeValue>(json.at("inputs"), valueFrom);
    out.outputs = listFrom<TreeValue>(json.at("outputs"), valueFrom);
    json.at("node").get_to(out.node);
    json.at("parent").get_to(out.parent);
    out.overwrittenInputs = listFrom<Overwritten>(json.at("overwritten"), overwrittenFrom);
    out.pathEnd = enumOf(json.at("path_end"), TreeStep::PathEnd::AllOutputsDead);
    json.at("invalidated").get_to(out.invalidated);
    out.mutationPath = enumOf(json.at("mutation_path"), TreeStep::MutationPath::Slow);
    if (json.contains("mutations")) out.mutations = mutationsFrom(json["mutations"]);
    out.checks = listFrom<InvariantCheck>(json.at("checks"), checkFrom);
    json.at("counted").get_to(out.countedRerecord);
    out.eagerCause = enumOf(json.at("eager"), TreeStep::EagerCause::RerecordLimit);
    json.at("checkpoints").get_to(out.checkpoints);
    json.at("freed").get_to(out.freed);
    json.at("message").get_to(out.message);
    json.at("error").get_to(out.error);
    return out;
}

Json treeNodeJson(const TreeNode& node) {
    return {{"id", node.id},
            {"parent", node.parent},
            {"function", node.function},
            {"depth", node.depth},
            {"step", node.step},
            {"outputs", listOf(node.outputs,
                               [](const TreeOutput& output) {
                                   return Json::array({numberOf(output.outputClass),
                                                       outputAtJson(output.alias), output.storageAddress,
                                                       static_cast<std::uint64_t>(output.storage),
                                                       output.cached});
                               })},
            {"live_after", listOf(node.liveAfter, outputAtJson)},
            {"managed", node.managed},
            {"fixed", node.fixed},
            {"copied", node.copied},
            {"addresses", node.addresses},
            {"aliases", listOf(node.aliases,
                               [](const std::optional<OutputAt>& alias) {
                                   return alias ? outputAtJson(*alias) : Json();
                               })},
            {"preserved", node.preserved},
            {"dead_before", listOf(node.deadBefore, outputAtJson)},
            {"dead_after", listOf(node.deadAfter, outputAtJson)}};
}
TreeNode treeNodeFrom(const Json& json) {
    TreeNode out;
    json.at("id").get_to(out.id);
    json.at("parent").get_to(out.parent);
    json.at("function").get_to(out.function);
    json.at("depth").get_to(out.depth);
    json.at("step").get_to(out.step);
    out.outputs = listFrom<TreeOutput>(json.at("outputs"), [](const Json& output) {
        return TreeOutput{enumOf(output.at(0), OutputClass::New), outputAtFrom(output.at(1)),
                          output.at(2).get<Address>(), StorageId{output.at(3).get<std::uint64_t>()},
                          output.at(4).get<bool>()};
    });
    out.liveAfter = listFrom<OutputAt>(json.at("live_after"), outputAtFrom);
    json.at("managed").get_to(out.managed);
    json.at("fixed").get_to(out.fixed);
    json.at("copied").get_to(out.copied);
    json.at("addresses").get_to(out.addresses);
    out.aliases = listFrom<std::optional<OutputAt>>(json.at("aliases"), [](const Json& alias) {
        return alias.is_null() ? std::nullopt : std::optional(outputAtFrom(alias));
    });
    json.at("preserved").get_to(out.preserved);
    out.deadBefore = listFrom<OutputAt>(json.at("dead_before"), outputAtFrom);
    out.deadAfter = listFrom<OutputAt>(json.at("dead_after"), outputAtFrom);
    return out;
}

Json changeJson(const TreeChange& change) {
    return Json::array({numberOf(change.field), change.node, change.key, change.before, change.after});
}
TreeChange changeFrom(const Json& json) {
    return {enumOf(json.at(0), TreeChange::Field::Checkpoints), json.at(1).get<NodeId>(),
            json.at(2).get<std::uint32_t>(), json.at(3).get<std::int64_t>(), json.at(4).get<std::int64_t>()};
}

Json measureJson(const StepMeasure& measure) {
    return {{"us", measure.us},
            {"verified", measure.verified},
            {"difference", measure.difference},
            {"pool_bytes", measure.poolBytes},
            {"blocks", listOf(measure.blocks, [](const PoolBlock& block) {
                 return Json::array({block.address, block.bytes});
             })}};
}
StepMeasure measureFrom(const Json& json) {
    StepMeasure out;
    json.at("us").get_to(out.us);
    json.at("verified").get_to(out.verified);
    json.at("difference").get_to(out.difference);
    json.at("pool_bytes").get_to(out.poolBytes);
    out.blocks = listFrom<PoolBlock>(json.at("blocks"), [](const Json& block) {
        return PoolBlock{block.at(0).get<Address>(), block.at(1).get<std::uint64_t>()};
    });
    return out;
}

} // namespace

TreeLog::TreeLog(const TreeManager& manager)
    : TreeLog(std::vector<TreeFunction>(manager.functions().begin(), manager.functions().end())) {
    TreeLogWriter writer(manager);
    (void)append(writer.next());
}

Result<void> TreeLog::append(TreeLogPart part) {
    if (part.firstStep != m_steps.size() || part.firstNode != m_nodes.size() ||
        part.changes.size() != part.steps.size() ||
        (!part.measures.empty() && part.measures.size() != part.steps.size()) ||
        m_measures.size() != (part.measures.empty() ? 0 : m_steps.size()))
        return failure("a part of a tree's run is missing");
    const std::size_t steps = m_steps.size() + part.steps.size();
    std::unordered_map<NodeId, std::size_t> positions = m_positions;
    for (std::size_t i = 0; i < part.nodes.size(); ++i) {
        const TreeNode& node = part.nodes[i];
        if ((node.parent != noNode && !positions.contains(node.parent)) || node.step >= steps ||
            node.function >= m_functions.size() || !positions.emplace(node.id, m_nodes.size() + i).second)
            return failure("a node of a tree's run has no place in it");
    }
    for (const TreeStep& step : part.steps)
        if (step.event == TreeStep::Event::Call && step.function >= m_functions.size())
            return failure("a step of a tree's run calls no function");
    m_positions = std::move(positions);
    for (TreeNode& node : part.nodes) {
        if (node.parent != noNode && !node.isWarmup())
            m_nodes[m_positions.at(node.parent)].children.push_back(node.id);
        m_nodes.push_back(std::move(node));
    }
    std::move(part.steps.begin(), part.steps.end(), std::back_inserter(m_steps));
    std::move(part.changes.begin(), part.changes.end(), std::back_inserter(m_changes));
    std::move(part.measures.begin(), part.measures.end(), std::back_inserter(m_measures));
    m_overwritten.insert(part.overwritten.begin(), part.overwritten.end());
    return {};
}

const TreeNode* TreeLog::find(NodeId node) const {
    const auto found = m_positions.find(node);
    return found == m_positions.end() ? nullptr : &m_nodes[found->second];
}

std::vector<NodeId> TreeLog::path(NodeId node) const {
    std::vector<NodeId> out;
    for (const TreeNode* at = find(node); at; at = find(at->parent))
        out.push_back(at->id);
    std::reverse(out.begin(), out.end());
    return out;
}

TreeLogPart TreeLogWriter::next() {
    TreeLogPart out;
    out.firstStep = m_steps;
    out.firstNode = m_nodes;
    out.steps.assign(m_manager.steps().begin() + static_cast<std::ptrdiff_t>(m_steps),
                     m_manager.steps().end());
    const auto changes = m_manager.changes().subspan(m_steps);
    out.changes.assign(changes.begin(), changes.end());
    const auto nodes = m_manager.nodes().subspan(m_nodes);
    out.nodes.assign(nodes.begin(), nodes.end());
    for (TreeNode& node : out.nodes)
        node.children.clear();
    for (const auto& [output, what] : m_manager.overwrittenOutputs())
        if (m_overwritten.insert(output).second) out.overwritten.push_back(output);
    m_steps = m_manager.steps().size();
    m_nodes = m_manager.nodes().size();
    return out;
}

Json toJson(const TreeLogPart& part) {
    return {{"first_step", part.firstStep},
            {"first_node", part.firstNode},
            {"steps", listOf(part.steps, stepJson)},
            {"changes",
             listOf(part.changes,
                    [](const std::vector<TreeChange>& changes) { return listOf(changes, changeJson); })},
            {"nodes", listOf(part.nodes, treeNodeJson)},
            {"measures", listOf(part.measures, measureJson)},
            {"overwritten", part.overwritten},
            {"end", part.end}};
}

Result<TreeLogPart> treeLogPartFromJson(const Json& document) {
    try {
        TreeLogPart out;
        document.at("first_step").get_to(out.firstStep);
        document.at("first_node").get_to(out.firstNode);
        out.steps = listFrom<TreeStep>(document.at("steps"), stepFrom);
        out.changes = listFrom<std::vector<TreeChange>>(document.at("changes"), [](const Json& changes) {
            return listFrom<TreeChange>(changes, changeFrom);
        });
        out.nodes = listFrom<TreeNode>(document.at("nodes"), treeNodeFrom);
        out.measures = listFrom<StepMeasure>(document.at("measures"), measureFrom);
        document.at("overwritten").get_to(out.overwritten);
        document.at("end").get_to(out.end);
        return out;
    } catch (const Json::exception& error) {
        return failure(std::string("not a part of a tree's run: ") + error.what());
    }
}

} // namespace dynascope::replay
