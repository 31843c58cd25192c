// SPDX-License-Identifier: BSD-3-Clause
//
// docs/trace-records.md against what the reader knows.
#include "core/capture/open.h"
#include "core/capture/record_types.h"
#include "tests/support/trace_text.h"

#include <QFile>
#include <QTest>

using namespace dynascope;
using capture::StagePlace;
using test::TraceText;

namespace {

struct Row {
    QString kind, name, what;
};

std::vector<Row> table() {
    QFile file(DYNASCOPE_SOURCE_DIR "/docs/trace-records.md");
    std::vector<Row> rows;
    if (!file.open(QIODevice::ReadOnly)) return rows;
    for (const QString& line : QString::fromUtf8(file.readAll()).split('\n')) {
        const QStringList cells = line.split('|');
        if (cells.size() != 6 || cells[1].trimmed() == "Kind" || cells[1].contains("---")) continue;
        QString name = cells[2].trimmed();
        rows.push_back({cells[1].trimmed(), name.remove('`'), cells[4].trimmed()});
    }
    return rows;
}

QString placeName(StagePlace place) {
    switch (place) {
    case StagePlace::Dynamo:
        return "Dynamo";
    case StagePlace::Export:
        return "export";
    case StagePlace::PreGrad:
        return "pre-grad";
    case StagePlace::Joint:
        return "joint";
    case StagePlace::JointOrInference:
        return "joint or inference";
    case StagePlace::Inference:
        return "inference";
    case StagePlace::Forward:
        return "forward";
    case StagePlace::Backward:
        return "backward";
    case StagePlace::PostGrad:
        return "post-grad";
    case StagePlace::PreOrPostGrad:
        return "pre-grad or post-grad";
    case StagePlace::Traced:
        return "of what was under way";
    case StagePlace::Code:
        return "code";
    }
    return {};
}

} // namespace

class TestRecordTypes : public QObject {
    Q_OBJECT
private slots:
    void theTableSaysWhatIsDone() {
        const std::vector<Row> rows = table();
        QVERIFY(rows.size() > 150);
        for (const Row& row : rows) {
            QString name = row.name;
            const std::string filled = name.replace('*', "something").toStdString();
            const QByteArray told = row.name.toUtf8();
            QVERIFY2(row.kind == "type" ? capture::isKnownType(filled) : capture::isKnownArtifact(filled),
                     told.constData());
            const auto place = capture::stagePlace(filled);
            if (row.what == "stages: hooks") {
                QVERIFY2(!place, told.constData()); // it holds several
                continue;
            }
            QVERIFY2(row.what.startsWith("stage: ") == place.has_value(), told.constData());
            if (place) QCOMPARE(row.what, "stage: " + placeName(*place));
        }
        QVERIFY(!capture::isKnownArtifact("what_nobody_writes"));
        QVERIFY(!capture::isKnownType("what_nobody_writes"));
        QVERIFY(!capture::isKnownArtifact("_fused"));
    }

    /// A trace by make_fx that failed is of whatever was under way.
    void failedTracesStandWhereTheyFailed() {
        const auto event = [](const char* name, const char* phase) {
            return QStringLiteral("{\"name\": \"%1\", \"ph\": \"%2\", \"ts\": 1, \"pid\": 0, \"tid\": 0}")
                .arg(QLatin1String(name), QLatin1String(phase))
                .toStdString();
        };
        TraceText text;
        text.start().artifact("make_fx_fail_partial", test::readableGraph());
        text.add("\"chromium_event\": {}", event("create_aot_dispatcher_function", "B"));
        text.artifact("make_fx_fail_partial", test::readableGraph(2));
        text.add("\"chromium_event\": {}", event("aot_trace_joint_graph", "B"));
        text.artifact("make_fx_fail_partial", test::readableGraph(3));
        text.add("\"chromium_event\": {}", event("aot_trace_joint_graph", "E"));
        text.add("\"chromium_event\": {}", event("inductor_compile", "B"));
        text.artifact("make_fx_fail_partial", test::readableGraph(4));
        const auto opened = capture::openText(text.metrics().text());
        QVERIFY(opened);
        QStringList phases;
        for (const session::StagePtr& stage : (*opened)->compiles.front().stages)
            phases << QString::fromUtf8(session::phaseName(stage->phase).data());
        QCOMPARE(phases, QStringList({"Dynamo", "joint", "inference", "post-grad, forward"}));
    }

    void graphsOfPassesStandWhereTheyWereMade() {
        TraceText text;
        text.start().add("\"dynamo_output_graph\": {}", test::readableGraph());
        text.artifact("normalization_pass_pre_grad", test::readableGraph(2));
        text.artifact("optimus_BatchLinear", test::readableGraph(3));
        text.artifact("what_nobody_knows", test::readableGraph(4));
        text.add("\"aot_inference_graph\": {}", test::readableGraph(5));
        text.artifact("optimus_BatchAdd", test::readableGraph(6));
        text.artifact("decompose_mm_pass_post_grad", test::readableGraph(7));
        text.metrics();
        const auto opened = capture::openText(text.text());
        QVERIFY(opened);
        QStringList phases;
        for (const session::StagePtr& stage : (*opened)->compiles.front().stages)
            phases << QString::fromStdString(stage->name) + ' ' +
                          QString::fromUtf8(session::phaseName(stage->phase).data());
        QCOMPARE(phases, QStringList({"dynamo_output_graph Dynamo", "normalization_pass_pre_grad pre-grad",
                                      "optimus_BatchLinear pre-grad", "what_nobody_knows pre-grad",
                                      "aot_inference_graph inference", "optimus_BatchAdd post-grad, forward",
                                      "decompose_mm_pass_post_grad post-grad, forward"}));
    }
};

QTEST_GUILESS_MAIN(TestRecordTypes)
#include "tst_record_types.moc"
