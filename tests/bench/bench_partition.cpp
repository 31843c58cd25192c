// SPDX-License-Identifier: BSD-3-Clause
//
// Both partitioners on joint graphs of residual blocks: matrix products, pointwise chains, reductions, and
// values that are used again far away. Medians of 5 runs.
#include "core/passes/partition/joint.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

using namespace dynascope;
using namespace dynascope::passes::partition;

namespace {

constexpr int runs = 5;

/// Forward and backward of `layers` blocks h + gelu(norm(h) @ w.t()) @ v.
class Blocks {
public:
    explicit Blocks(int layers) {
        std::string hidden = placeholder("primals_1", 1 << 20);
        const std::string mask = placeholder("primals_2", 1 << 20);
        std::vector<std::string> weights;
        for (int i = 0; i < 2 * layers; ++i)
            weights.push_back(placeholder("primals_" + std::to_string(i + 3), 1 << 22));
        std::string gradient = placeholder("tangents_1", 1 << 20);
        m_region = Region::Forward;
        std::vector<std::vector<std::string>> kept;
        for (std::size_t i = 0; i < weights.size(); i += 2) {
            const std::string square = call("pow.Tensor_Scalar", {hidden});
            const std::string scale = call("rsqrt.default", {call("mean.dim", {square}, 1 << 10)}, 1 << 10);
            const std::string norm = call("mul.Tensor", {hidden, scale});
            const std::string masked = call("mul.Tensor", {norm, mask});
            const std::string first = call("t.default", {weights[i]}, 1 << 22);
            const std::string up = call("mm.default", {masked, first}, 1 << 22);
            const std::string gelu = call("gelu.default", {up}, 1 << 22);
            const std::string second = call("t.default", {weights[i + 1]}, 1 << 22);
            const std::string down = call("mm.default", {gelu, second});
            kept.push_back({hidden, scale, norm, masked, first, up, gelu, second});
            hidden = call("add.Tensor", {hidden, down});
        }
        m_region = Region::Backward;
        std::vector<std::string> gradients(weights.size() + 2, "None");
        for (std::size_t i = kept.size(); i-- > 0;) {
            const std::vector<std::string>& of = kept[i];
            gradients[2 * i + 3] = call("mm.default", {call("t.default", {gradient}), of[6]}, 1 << 22);
            const std::string down =
                call("mm.default", {gradient, call("t.default", {of[7]}, 1 << 22)}, 1 << 22);
            const std::string gelu = call("gelu_backward.default", {down, of[5]}, 1 << 22);
            gradients[2 * i + 2] = call("mm.default", {call("t.default", {gelu}, 1 << 22), of[3]}, 1 << 22);
            const std::string up = call("mm.default", {gelu, call("t.default", {of[4]}, 1 << 22)});
            const std::string norm = call("mul.Tensor", {call("mul.Tensor", {up, mask}), of[1]});
            const std::string scale = call("sum.dim_IntList", {call("mul.Tensor", {norm, of[2]})}, 1 << 10);
            gradient = call("add.Tensor",
                            {gradient, call("add.Tensor", {norm, call("mul.Tensor", {of[0], scale})})});
        }
        gradients[0] = gradient;
        ir::Node output;
        output.name = output.target = "output";
        output.op = ir::Op::Output;
        output.args = {ir::Argument::list({ir::Argument::node(hidden)})};
        for (const std::string& name : gradients)
            output.args.front().items.push_back(name == "None" ? ir::Argument::none()
                                                               : ir::Argument::node(name));
        m_builder.add(std::move(output));
        m_joint.facts.emplace_back();
        m_joint.graph = m_builder.build();
        m_joint.forwardOutputs = 1;
    }

    [[nodiscard]] const Joint& joint() const { return m_joint; }

private:
    void facts(std::int64_t bytes) {
        NodeFacts facts;
        facts.tensor = JointTensor{{bytes / 4}, bytes, m_joint.facts.size()};
        facts.region = m_region;
        m_joint.facts.push_back(std::move(facts));
    }

    std::string placeholder(const std::string& name, std::int64_t bytes) {
        ir::Node node;
        node.name = node.target = name;
        node.op = ir::Op::Placeholder;
        m_builder.add(std::move(node));
        facts(bytes);
        return name;
    }

    std::string call(const std::string& op, const std::vector<std::string>& inputs,
                     std::int64_t bytes = 1 << 20) {
        ir::Node node;
        node.name = "n" + std::to_string(m_builder.size());
        node.target = "torch.ops.aten." + op;
        for (const std::string& input : inputs)
            node.args.push_back(ir::Argument::node(input));
        std::string name = node.name;
        m_builder.add(std::move(node));
        facts(bytes);
        return name;
    }

    ir::GraphBuilder m_builder;
    Joint m_joint;
    Region m_region = Region::None;
};

double median(const std::function<bool()>& work) {
    std::vector<double> times;
    for (int i = 0; i < runs; ++i) {
        const auto start = std::chrono::steady_clock::now();
        if (!work()) return -1;
        times.push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
    return times[runs / 2];
}

} // namespace

int main() {
    for (const int layers : {24, 96, 384}) {
        const Blocks blocks(layers);
        const Joint& joint = blocks.joint();
        Config budget;
        budget.memoryBudget = 0.5;
        std::printf("%6zu nodes: default %7.1f ms, min-cut %7.1f ms, budget 0.5 %7.1f ms\n",
                    joint.graph->size(), median([&] { return defaultPartition(joint).has_value(); }),
                    median([&] { return minCutPartition(joint).has_value(); }),
                    median([&] { return minCutPartition(joint, budget).has_value(); }));
    }
    return 0;
}
