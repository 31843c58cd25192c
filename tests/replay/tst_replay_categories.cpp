// SPDX-License-Identifier: BSD-3-Clause
//
// The category of every input of one graph, and what writes it.
#include "core/ir/text.h"
#include "core/replay/input_categories.h"

#include <QtTest>

using namespace dynascope;
using namespace dynascope::replay;

namespace {

InputCategories categories(const std::string& body, std::vector<std::size_t> fixed) {
    const auto graph = ir::readGraph("class GraphModule(torch.nn.Module):\n    def forward(self, " + body);
    return graph ? inputCategories(factsOf(*graph), fixed) : InputCategories{};
}

} // namespace

class TestReplayCategories : public QObject {
    Q_OBJECT

private slots:
    void everyInputHasOne() {
        const InputCategories got = categories(
            "x: \"f32[4]cuda:0\", w: \"f32[4]cuda:0\", k: \"f32[4]cuda:0\", n: \"f32[4]cuda:0\"):\n"
            "        add_: \"f32[4]cuda:0\" = torch.ops.aten.add_.Tensor(w, n)\n"
            "        view: \"f32[2, 2]cuda:0\" = torch.ops.aten.view.default(x, [2, 2])\n"
            "        mul_: \"f32[2, 2]cuda:0\" = torch.ops.aten.mul_.Tensor(view, 2)\n"
            "        copy_: \"f32[4]cuda:0\" = torch.ops.aten.copy_.default(x, k)\n"
            "        return (n,)\n",
            {1, 2});
        QCOMPARE(got.inputs.size(), std::size_t(4));
        QCOMPARE(got.inputs[0].category, MutationCategory::Other);
        QCOMPARE(got.inputs[0].writes.size(), std::size_t(2)); // through a view, and itself
        QVERIFY(!got.inputs[0].fixed);
        QCOMPARE(got.inputs[1].category, MutationCategory::Static);
        QCOMPARE(got.inputs[2].category, MutationCategory::None);
        QVERIFY(got.inputs[2].fixed && got.inputs[2].writes.empty());
        QCOMPARE(got.inputs[3].category, MutationCategory::None);
        QCOMPARE(got.check.category, MutationCategory::Other);
        QVERIFY(got.check.message &&
                got.check.message->starts_with("skipping cudagraphs due to mutated inputs (1 instances)"));
        QVERIFY(!got.error);
    }

    /// A write that no schema marks is in the list, though PyTorch does not see it.
    void unseenWrites() {
        const InputCategories got = categories(
            "x: \"f32[2, 3]cuda:0\", mean: \"f32[3]cuda:0\", var: \"f32[3]cuda:0\"):\n"
            "        native_batch_norm = torch.ops.aten.native_batch_norm.default(x, None, None, mean, var, "
            "True, 0.1, 1e-05)\n"
            "        return (native_batch_norm,)\n",
            {});
        QCOMPARE(got.inputs.size(), std::size_t(3));
        QCOMPARE(got.inputs[1].category, MutationCategory::None);
        QCOMPARE(got.inputs[1].writes.size(), std::size_t(1));
        QVERIFY(!got.inputs[1].writes[0].marked);
        QVERIFY(!got.check.message);
    }

    /// Fixed inputs beyond those of the graph, as metadata of another attempt may list them.
    void strayOrdinals() {
        const InputCategories got =
            categories("x: \"f32[4]cuda:0\"):\n"
                       "        add_: \"f32[4]cuda:0\" = torch.ops.aten.add_.Tensor(x, 1)\n"
                       "        return (add_,)\n",
                       {0, 7});
        QCOMPARE(got.inputs.size(), std::size_t(1));
        QCOMPARE(got.inputs[0].category, MutationCategory::Static);
    }
};

QTEST_APPLESS_MAIN(TestReplayCategories)
#include "tst_replay_categories.moc"
