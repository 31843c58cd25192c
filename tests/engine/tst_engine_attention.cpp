// SPDX-License-Identifier: BSD-3-Clause
//
// Fused attention as a GPU's captures have it: what its calls take and which of its results hold a value. None of its
// kernels runs here.
#include "core/engine/exec/program.h"
#include "core/engine/replay/unset_results.h"
#include "core/ir/text.h"

#include <QtTest>

using namespace dynascope;

namespace {

using Leaves = std::set<std::size_t>;

engine::Program programOf(const std::string& lines) {
    Result<ir::GraphPtr> graph = ir::readGraph("graph():\n" + lines);
    return engine::compile(graph.value());
}

std::string attention(const std::string& dropout, const std::string& result) {
    std::string out;
    for (const char* name : {"q", "k", "v"})
        out += std::string("    %") + name + " : [num_users=1] = placeholder[target=" + name + "]\n";
    out += "    %sdpa : [num_users=4] = "
           "call_function[target=torch.ops.aten._scaled_dot_product_efficient_attention.default]"
           "(args = (%q, %k, %v, None, True, " +
           dropout + ", True), kwargs = {})\n";
    for (int i = 0; i < 4; ++i)
        out += "    %part_" + std::to_string(i) +
               " : [num_users=1] = call_function[target=operator.getitem](args = (%sdpa, " +
               std::to_string(i) + "), kwargs = {})\n";
    return out + "    return " + result + "\n";
}

class TestEngineAttention : public QObject {
    Q_OBJECT
private slots:
    void stateWithoutDropoutHoldsNoValue() {
        QCOMPARE(engine::unsetResults(programOf(attention("0.0", "(part_0, q, part_1, part_2, part_3)"))),
                 (Leaves{3, 4}));
        QCOMPARE(engine::unsetResults(programOf(attention("0.1", "(part_0, q, part_1, part_2, part_3)"))),
                 Leaves());
    }

    /// Nobody knows how many leaves a whole call has: what stands after it is compared.
    void leavesAfterAListAreNotCounted() {
        QCOMPARE(engine::unsetResults(programOf(attention("0.0", "(part_2, sdpa, part_3)"))), Leaves{0});
    }

    void backwardTakesNoBias() {
        std::string lines;
        for (const char* name : {"g", "q", "k", "v", "out", "lse", "seed", "offset"})
            lines += std::string("    %") + name + " : [num_users=1] = placeholder[target=" + name + "]\n";
        const engine::Program program = programOf(
            lines +
            "    %back : [num_users=0] = "
            "call_function[target=torch.ops.aten._scaled_dot_product_efficient_attention_backward.default]"
            "(args = (%g, %q, %k, %v, None, %out, %lse, %seed, %offset, 0.0, [True, True, True, False], "
            "True), kwargs = {})\n"
            "    return (back,)\n");
        QVERIFY(program.unsupported.empty());
        const engine::Operand& bias = program.code.back().operands[4];
        QVERIFY(bias.constant.isTensor() && !bias.constant.toTensor().defined());
    }

    /// Any other kernel would read a tensor that is not there.
    void othersGetNothing() {
        const engine::Program program =
            programOf("    %x : [num_users=1] = placeholder[target=x]\n"
                      "    %y : [num_users=1] = call_function[target=torch.ops.aten.mm.default](args = (%x, "
                      "None), kwargs = {})\n"
                      "    return (y,)\n");
        QVERIFY(program.code.back().operands[1].constant.isNone());
    }
};

} // namespace

QTEST_GUILESS_MAIN(TestEngineAttention)
#include "tst_engine_attention.moc"
