// SPDX-License-Identifier: BSD-3-Clause
//
// ViewAndMutationMeta as captures print it.
#include "core/capture/open.h"
#include "core/passes/aot/metadata_text.h"
#include "tests/support/captures.h"

#include <QtTest>

using namespace dynascope;
using namespace dynascope::passes::aot;

namespace {

const std::string input = "InputAliasInfo(is_leaf=True, mutates_data=%1, mutates_metadata=False, "
                          "mutations_hidden_from_autograd=False, mutates_storage_metadata=False, "
                          "requires_grad=%2, keep_input_mutations=True)";

std::string inputText(bool writes, bool gradient) {
    return QString::fromStdString(input)
        .arg(writes ? "True" : "False", gradient ? "True" : "False")
        .toStdString();
}

std::string text(const std::string& inputs, const std::string& outputs, const std::string& rest = {}) {
    return "ViewAndMutationMeta(input_info=[" + inputs + "],\n   output_info=[" + outputs +
           "],\n num_intermediate_bases=1, keep_input_mutations=True" + rest + ")\n";
}

std::string outputText(const std::string& type, const std::string& base) {
    return "OutputAliasInfo(output_type=<OutputType." + type +
           ": 2>, raw_type=<class 'torch._subclasses.functional_tensor.FunctionalTensor'>, base_idx=" + base +
           ", dynamic_dims={0, 1}, requires_grad=True, requires_grad_for_backward=False, "
           "view_meta_sequence=[f(a, 'b)'), None])";
}

} // namespace

class TestAotMetadataText : public QObject {
    Q_OBJECT

private slots:
    void readsEveryField() {
        const auto read = readMetadataText(
            text(inputText(true, false) + ", " + inputText(true, true),
                 outputText("alias_of_input", "1") + ", " + outputText("alias_of_intermediate", "0"),
                 ", static_input_indices=[1, 0, 9], traced_tangents_descs=[TangentAOTInput(output=X(idx=0)), "
                 "'a, b'], tokens={}"));
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        QCOMPARE(read->meta.inputs.size(), std::size_t(2));
        QVERIFY(read->meta.inputs[0].isLeaf && read->meta.inputs[0].mutatesData);
        QCOMPARE(*read->meta.inputs[0].mutationType(), MutationType::InGraph);
        QCOMPARE(*read->meta.inputs[1].mutationType(), MutationType::OutGraph);
        QCOMPARE(read->meta.outputs.size(), std::size_t(2));
        QCOMPARE(read->meta.outputs[0].type, OutputType::AliasOfInput);
        QCOMPARE(read->meta.outputs[0].input->value, std::size_t(1));
        QCOMPARE(read->meta.outputs[0].rawType, std::string("FunctionalTensor"));
        QVERIFY(read->meta.outputs[0].requiresGrad && !read->meta.outputs[0].requiresGradForBackward);
        QCOMPARE(*read->meta.outputs[1].base, std::size_t(0));
        QCOMPARE(read->meta.intermediateBases, std::size_t(1));
        QVERIFY(read->keepInputMutations);
        QCOMPARE(read->staticInputs, (std::vector<InnerIndex>{{0}, {1}})); // and none beyond the inputs
        QCOMPARE(read->tangents, (std::vector<std::string>{"TangentAOTInput(output=X(idx=0))", "'a, b'"}));
    }

    /// PyTorch 2.8 describes no tangents; the list of them is there all the same.
    void countsTangentsThatAreNotDescribed() {
        const auto tangents = [](const std::string& rest) {
            const auto read = readMetadataText(text("", "", rest));
            return read ? read->tangents : std::vector<std::string>{"unread"};
        };
        const std::string tensors =
            ", traced_tangents=[FakeTensor(..., size=(2, 5)), FakeTensor(..., size=())]";
        QCOMPARE(tangents(tensors),
                 (std::vector<std::string>{"FakeTensor(..., size=(2, 5))", "FakeTensor(..., size=())"}));
        QCOMPARE(tangents(tensors + ", traced_tangents_descs=[A(idx=0), A(idx=1)]"),
                 (std::vector<std::string>{"A(idx=0)", "A(idx=1)"}));
        QCOMPARE(tangents({}), std::vector<std::string>());
    }

    void refusesWhatItCannotMean() {
        const auto message = [](const std::string& given) {
            const auto read = readMetadataText(given);
            return read ? std::string() : read.error().message;
        };
        QCOMPARE(message(""), std::string("no ViewAndMutationMeta"));
        QCOMPARE(message("ViewAndMutationMeta("), std::string("no ViewAndMutationMeta"));
        QCOMPARE(message("ViewAndMutationMeta(a=1)"),
                 std::string("ViewAndMutationMeta without input_info or output_info"));
        QCOMPARE(message(text("Other()", "")), std::string("an input without InputAliasInfo"));
        QCOMPARE(message(text("", "Other()")), std::string("an output without OutputAliasInfo"));
        QCOMPARE(message(text("", outputText("novel", "None"))),
                 std::string("an output of a kind that is not known"));
        QCOMPARE(message(text("", outputText("is_input", "3"))),
                 std::string("an output aliases input 3 of 0"));
        QVERIFY(readMetadataText(text("", "")));
        // Brackets that never close, and many of them.
        QVERIFY(!readMetadataText("ViewAndMutationMeta(input_info=" + std::string(200'000, '[')));
        QVERIFY(!readMetadataText("ViewAndMutationMeta(input_info=" + std::string(200'000, ']') + ")"));
    }

    /// Every capture with metadata: as many outputs as the function has, and mutations where it writes.
    void captures() {
        int count = 0, written = 0;
        for (const QString& path : test::traceLogs()) {
            const auto session = capture::open(path.toStdString());
            if (!session) continue;
            for (const session::Record& record : (*session)->records) {
                if (record.type != "artifact:aot_forward_graph_fw_metadata") continue;
                const auto read = readMetadataText(record.payload.text());
                QVERIFY2(read,
                         qPrintable(path + ": " + QString::fromStdString(read ? "" : read.error().message)));
                QVERIFY(!read->meta.inputs.empty());
                ++count;
                for (const InputAliasInfo& info : read->meta.inputs)
                    written += info.mutatesData;
            }
        }
        QVERIFY2(count >= 20, qPrintable(QString::number(count)));
        QVERIFY(written >= 5);
    }
};

QTEST_APPLESS_MAIN(TestAotMetadataText)
#include "tst_aot_metadata_text.moc"
