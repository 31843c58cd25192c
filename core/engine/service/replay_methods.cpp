// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/service/replay_methods.h"

#include "core/engine/exec/case_values.h"
#include "core/engine/exec/thread_count.h"
#include "core/engine/replay/cuda_backend.h"
#include "core/engine/replay/cuda_loader.h"
#include "core/engine/replay/cuda_pool.h"
#include "core/engine/replay/replay_run.h"
#include "core/engine/replay/wired_input.h"
#include "core/engine/service/execute.h"

#include <algorithm>

namespace dynascope::engine {

namespace {

using nlohmann::json;

constexpr std::size_t maxPlans = 4096;
constexpr int maxThreads = 1024;

std::vector<wire::ReplayedResult> outputsOf(const RecordedGraph& graph) {
    std::vector<wire::ReplayedResult> out;
    for (const c10::IValue& value : graph.outputs()) {
        wire::ReplayedResult& result = out.emplace_back();
        if (isDefinedTensor(value)) result.tensor = describedTensor(value.toTensor());
    }
    return out;
}

/// How much replays have added to a recording so far; they take nothing away.
std::size_t remarksOn(const RecordedGraph& graph) {
    const std::optional<replay::CudaGraph>& cuda = graph.recording().cudaGraph;
    return graph.divergences().size() + (cuda ? cuda->warnings.size() : 0);
}

std::optional<TimesOf> timesOf(std::string_view name) {
    if (name == "nodes") return TimesOf::Nodes;
    if (name == "launch") return TimesOf::Launches;
    return name == "both" ? std::optional(TimesOf::Both) : std::nullopt;
}

tl::unexpected<Failure> noBackend(const std::string& name) {
    return tl::unexpected(
        Failure{ErrorCode::NoBackend, "there is no backend '" + name + "': cpu, cuda or cuda:N", {}});
}

} // namespace

ReplayPlans::ReplayPlans() = default;
ReplayPlans::~ReplayPlans() = default;

tl::expected<std::shared_ptr<CudaDevice>, Failure> ReplayPlans::cudaDevice(int index) {
    if (const auto found = m_cudaDevices.find(index); found != m_cudaDevices.end()) return found->second;
    auto device = loadCudaDevice(cudaPluginPath(), index);
    if (!device) return tl::unexpected(Failure{ErrorCode::NoBackend, device.error().message, {}});
    return m_cudaDevices.emplace(index, std::move(*device)).first->second;
}

tl::expected<ReplayBackend*, Failure> ReplayPlans::backend(const std::string& name) {
    if (const auto found = m_backends.find(name); found != m_backends.end()) return found->second.get();
    std::unique_ptr<ReplayBackend> made;
    if (name == "cpu") {
        made = makeCpuBackend();
    } else if (const std::optional<int> index = cudaDeviceIndex(name)) {
        auto device = cudaDevice(*index);
        if (!device) return tl::unexpected(device.error());
        made = makeCudaBackend(std::move(*device));
    } else {
        return noBackend(name);
    }
    return m_backends.emplace(name, std::move(made)).first->second.get();
}

tl::expected<std::shared_ptr<ReplayPlans::Plan>, Failure> ReplayPlans::find(const std::string& name) const {
    const auto found = m_plans.find(name);
    if (found == m_plans.end())
        return tl::unexpected(Failure{ErrorCode::UnknownPlan, "there is no recording '" + name + "'", {}});
    return found->second;
}

tl::expected<void, Failure> ReplayPlans::connect(const std::vector<wire::InputWire>& wires,
                                                 std::vector<c10::IValue>& inputs, Plan& plan) const {
    for (const wire::InputWire& row : wires) {
        const auto source = find(row.plan);
        if (!source) return tl::unexpected(source.error());
        if (std::string fault = wireInput(inputs, row.input, *(*source)->graph, row.output, row.source);
            !fault.empty())
            return invalid(std::move(fault));
        plan.sources.push_back(*source);
    }
    return {};
}

tl::expected<wire::RecordReply, Failure> ReplayPlans::record(const wire::RecordRequest& said,
                                                             const std::shared_ptr<const Program>& program,
                                                             const json& inputs, const TaskContext& task) {
    const auto backend = this->backend(said.backend);
    if (!backend) return tl::unexpected(backend.error());
    if (m_plans.size() >= maxPlans) return invalid("there are too many recordings: drop some");
    Result<CaseInputs> made = makeInputs(inputs, {});
    if (!made) return invalid(made.error().message);
    Result<Attributes> attributes = makeAttributes(said.on.attributes);
    if (!attributes) return invalid(attributes.error().message);
    seedAttributes(*program, *attributes);
    auto plan = std::make_shared<Plan>();
    if (const auto wired = connect(said.wires, made->values, *plan); !wired)
        return tl::unexpected(wired.error());

    RecordRequest request{program,
                          std::move(made->values),
                          std::move(*attributes),
                          std::clamp(said.threads, 0, maxThreads),
                          said.oneDnn,
                          {said.kept.begin(), said.kept.end()}};
    const ThreadCount threads; // plans set the number that they want
    std::shared_ptr<Plan> before;
    if (said.again) {
        const auto found = find(*said.again);
        if (!found) return tl::unexpected(found.error());
        before = *found;
        if (before->graph->program().graph->size() != program->graph->size())
            return invalid("the recording before is of another graph");
        m_plans.erase(*said.again);
    }
    auto graph = before ? (*backend)->recordAgain(*before->graph, std::move(request), task)
                        : (*backend)->record(std::move(request), task);
    if (!graph) return tl::unexpected(runFailure(*program, graph.error()));
    plan->graph = std::move(*graph);
    plan->remarks = remarksOn(*plan->graph);
    plan->title = said.title;
    std::string name = "plan" + std::to_string(m_next++);
    m_plans.emplace(name, plan);
    return wire::RecordReply{std::move(name), plan->graph->recording()};
}

tl::expected<wire::ReplayReply, Failure> ReplayPlans::replay(const wire::ReplayRequest& said,
                                                             const RequestContext& task) {
    RunRequest request;
    std::vector<std::shared_ptr<Plan>> plans;
    for (const std::string& name : said.plans) {
        const auto plan = find(name);
        if (!plan) return tl::unexpected(plan.error());
        plans.push_back(*plan);
        request.plans.push_back({name, (*plan)->graph.get(), (*plan)->title});
    }
    request.iterations = std::max<std::uint64_t>(said.iterations.value_or(request.iterations), 1);
    request.nodeIterations = said.nodeIterations.value_or(request.nodeIterations);
    request.verifyEvery = said.verifyEvery.value_or(request.verifyEvery);
    request.eager = said.eager;
    const auto times = timesOf(said.times);
    if (!times) return invalid("times are of nodes, launch or both");
    request.times = *times;
    constexpr std::uint64_t most = 10'000'000;
    if (request.iterations > most || request.nodeIterations > most)
        return invalid("more than " + std::to_string(most) + " iterations");

    const ThreadCount threads;
    std::optional<replay::LiveFeed> feed;
    if (said.live && task.onData) request.feed = &feed.emplace(task.onData);
    const auto run = replayMany(request, task);
    const std::uint64_t events = feed ? feed->finish() : 0;
    if (run && feed && feed->broken())
        return tl::unexpected(Failure{task.cancelled() ? ErrorCode::Cancelled : ErrorCode::Failed,
                                      "nobody takes the live events any more",
                                      {}});
    if (!run) return tl::unexpected(runFailure(plans[run.error().plan]->graph->program(), run.error().error));
    wire::ReplayReply answer;
    answer.run = *run;
    if (feed) answer.liveEvents = events;
    for (std::size_t i = 0; i < plans.size(); ++i) {
        const std::size_t remarks = remarksOn(*plans[i]->graph);
        if (remarks == plans[i]->remarks) continue;
        plans[i]->remarks = remarks;
        answer.recordings[request.plans[i].name] = plans[i]->graph->recording();
    }
    if (said.outputs)
        for (const auto& plan : plans) {
            if (!answer.outputs) answer.outputs.emplace();
            answer.outputs->push_back(outputsOf(*plan->graph));
        }
    return answer;
}

wire::DropReply ReplayPlans::drop(const wire::DropRequest& said) {
    for (const std::string& name : said.plans)
        m_plans.erase(name);
    wire::DropReply left;
    for (const auto& [name, plan] : m_plans)
        left.plans.push_back(name);
    return left;
}

tl::expected<std::unique_ptr<GraphPool>, Failure> ReplayPlans::pool(const std::string& backend) {
    if (backend == "cpu") return makeCpuPool();
    const std::optional<int> index = cudaDeviceIndex(backend);
    if (!index) return noBackend(backend);
    auto device = cudaDevice(*index);
    if (!device) return tl::unexpected(device.error());
    return makeCudaPool(std::move(*device));
}

tl::expected<wire::TreeFunctionReply, Failure>
ReplayPlans::treeFunction(const wire::TreeFunctionRequest& said, std::shared_ptr<const Program> program,
                          const json& inputs) {
    return m_trees.addFunction(said, std::move(program), inputs);
}

tl::expected<wire::TreeReply, Failure> ReplayPlans::tree(const wire::TreeRequest& said,
                                                         const TaskContext& task) {
    const OneThread threads;
    return m_trees.run(
        said, [this](const std::string& backend) { return pool(backend); }, task);
}

tl::expected<wire::TreeBeginReply, Failure> ReplayPlans::treeBegin(const wire::TreeRequest& said) {
    const OneThread threads;
    return m_trees.begin(said, [this](const std::string& backend) { return pool(backend); });
}

tl::expected<wire::TreeNextReply, Failure> ReplayPlans::treeNext(const wire::TreeNextRequest& said,
                                                                 const TaskContext& task) {
    const OneThread threads;
    return m_trees.next(said, task);
}

void ReplayPlans::treeDrop(const wire::TreeDropRequest& said) {
    const OneThread threads;
    m_trees.drop(said);
}

} // namespace dynascope::engine
