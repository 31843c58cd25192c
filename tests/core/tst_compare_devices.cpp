// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks that compile the same on devices of their own.
#include "core/compare/compare.h"
#include "tests/support/trace_pairs.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace dynascope;
using test::TraceText;

namespace {

/// What rank `own` writes; `%` stands for the index of its device, `&` for that of one input's.
std::string filled(std::string text, int own, int other) {
    for (char& c : text)
        c = c == '%' ? char('0' + own) : c == '&' ? char('0' + other) : c;
    return text;
}

const char* graph =
    "class GraphModule(torch.nn.Module):\n"
    "    def forward(self, L_x_: \"f32[4][1]cuda:%\", L_y_: \"f32[4][1]cuda:&\"):\n"
    "        set_device = torch.cuda.set_device(%);  set_device = None\n"
    "        zeros: \"f32[4][1]cuda:%\" = torch.zeros(4, device = device(type='cuda', index=%))\n"
    "        full: \"f32[4][1]cuda:%\" = torch.full((4,), 1, device = 'cuda:%')\n"
    "        add: \"f32[4][1]cuda:%\" = L_x_ + zeros;  L_x_ = zeros = None\n"
    "        mul: \"f32[4][1]cuda:%\" = add * full;  add = full = None\n"
    "        return (mul, L_y_)\n";

const char* guards =
    "TREE_GUARD_MANAGER:\n"
    "+- RootGuardManager\n"
    "| +- GuardManager: source=L['x'], accessed_by=FrameLocalsGuardAccessor(key='x', framelocals_idx=0)\n"
    "| | +- TENSOR_MATCH: check_tensor(L['x'], Tensor, DispatchKeySet(CUDA, BackendSelect), torch.float32, "
    "device=%, requires_grad=False, size=[4], stride=[1])  # h = x + 1\n"
    "| | +- EQUALS_MATCH: L['device'] == device(type='cuda', index=%)\n";

const char* code = "with torch.cuda._DeviceGuard(%):\n"
                   "    torch.cuda.set_device(%)\n"
                   "    buf0 = empty_strided_cuda((4, ), (1, ), torch.float32)\n"
                   "    stream% = get_raw_stream(%)\n"
                   "    triton_poi_fused_0.run(arg0_1, buf0, 4, stream=stream%)\n"
                   "triton_meta={'device': DeviceProperties(type='cuda', index=%, cc=90)}\n"
                   "x = rand_strided((4, ), (1, ), device='cuda:%', dtype=torch.float32)\n"
                   "y = extern_kernels.mm(x, x, out=buf1)\n";

TraceText traceOf(int own, int other, const std::string& rightCode = code) {
    TraceText text = test::traceOf();
    text.at(0, 0).start("f", 6);
    text.add("\"dynamo_output_graph\": {}", filled(graph, own, other));
    text.add("\"dynamo_cpp_guards_str\": {}", filled(guards, own, other));
    text.artifact("inductor_output_code", filled(rightCode, own, other));
    text.metrics("\"fail_type\": null", "f", 6);
    return text;
}

class Ranks {
public:
    void add(const TraceText& text) {
        QFile file(m_folder.filePath(QStringLiteral("x_rank_%1_y.log").arg(m_count++)));
        if (!file.open(QIODevice::WriteOnly) || file.write(text.text().c_str()) <= 0) qFatal("cannot write");
    }
    compare::RankComparison compared() {
        const auto opened = capture::open(m_folder.path().toStdString());
        if (!opened) qFatal("%s", opened.error().toString().c_str());
        for (const session::StagePtr& stage : (*opened)->compiles.front().stages)
            if (stage->content == session::Stage::Content::Graph && !stage->graph())
                qFatal("%s", stage->graph().error().toString().c_str());
        auto out = compare::compareRanks(**opened);
        if (!out) qFatal("%s", out.error().toString().c_str());
        return *out;
    }

private:
    QTemporaryDir m_folder;
    int m_count = 0;
};

} // namespace

class TestCompareDevices : public QObject {
    Q_OBJECT
private slots:
    void aRanksOwnDeviceIsNoDifference() {
        Ranks ranks;
        for (int rank = 0; rank < 4; ++rank)
            ranks.add(traceOf(rank, rank));
        const compare::RankComparison result = ranks.compared();
        QCOMPARE(result.rows.size(), std::size_t(1));
        QVERIFY2(result.rows.front().alike(), result.rows.front().difference.c_str());
        QCOMPARE(result.rows.front().group, (std::vector<int>{0, 0, 0, 0}));
        QVERIFY(result.comparisons[1].compiles.front().inputs.empty());
    }

    /// cuda:0 on rank 1 is not what cuda:0 is on rank 0.
    void anotherRanksDeviceIs() {
        Ranks ranks;
        ranks.add(traceOf(0, 0));
        ranks.add(traceOf(1, 0));
        ranks.add(traceOf(2, 0));
        const compare::RankComparison result = ranks.compared();
        QVERIFY(!result.rows.front().alike());
        QCOMPARE(result.rows.front().difference,
                 std::string("dynamo_output_graph: L_y_: device cuda:0 on both, where another device is each "
                             "rank's own"));
        // Ranks 1 and 2 differ from rank 0, and not from each other.
        QCOMPARE(result.rows.front().group, (std::vector<int>{0, 1, 1}));
    }

    void otherCodeIsStillFound() {
        Ranks ranks;
        ranks.add(traceOf(0, 0));
        ranks.add(traceOf(1, 1, test::replaced(code, "mm(x, x", "mm(x, y")));
        const compare::RankComparison result = ranks.compared();
        QVERIFY(result.rows.front().difference.starts_with("inductor_output_code: line 8: "));
    }

    void numbersThatAreNoDevicesCount() {
        Ranks ranks;
        ranks.add(traceOf(0, 0, "call(0)\nbuf0 = f(device='cuda:%', n=0)\n"));
        ranks.add(traceOf(1, 1, "call(1)\nbuf0 = f(device='cuda:%', n=0)\n"));
        const compare::RankComparison result = ranks.compared();
        QCOMPARE(result.rows.front().difference,
                 std::string("inductor_output_code: line 1: call(0) / call(1)"));
    }
};

QTEST_GUILESS_MAIN(TestCompareDevices)
#include "tst_compare_devices.moc"
