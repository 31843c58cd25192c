// SPDX-License-Identifier: BSD-3-Clause
//
// The document of `dynascope-cli doctor --gpu` that was written on a real GPU (tests/data/gpu): read, written again, damaged.
#include "app/cli/doctor.h"
#include "core/doctor/document.h"
#include "tests/support/archive.h"

#include <QtTest>
#include <nlohmann/json.hpp>

using namespace dynascope;
using namespace dynascope::doctor;
using nlohmann::json;

namespace {

std::string text() {
    const auto files = test::readArchive(DYNASCOPE_TEST_DATA "/gpu/doctor.tar.xz");
    return files.empty() ? std::string() : files.front().content;
}

const json& document() {
    static const json said = json::parse(text(), nullptr, false);
    return said;
}

/// The document with another value there.
json with(const std::string& path, const json& value) {
    json said = document();
    said[json::json_pointer(path)] = value;
    return said;
}

json without(const std::string& object, const std::string& field) {
    json said = document();
    said[json::json_pointer(object)].erase(field);
    return said;
}

std::string errorOf(const json& said) {
    const auto read = documentFrom(said.dump());
    return read ? std::string() : read.error().message;
}

/// The fields of our own: what recordings and runs hold is core/replay's.
const std::vector<std::pair<std::string, std::vector<std::string>>>& fields() {
    static const std::vector<std::pair<std::string, std::vector<std::string>>> all{
        {"", {"dynascope_doctor", "version", "findings"}},
        {"/findings/1", {"what", "state", "text", "advice"}},
        {"/gpu", {"backend", "programs", "trees"}},
        {"/gpu/programs/matmul", {"run", "recordings", "recorded_again", "left_out"}},
        {"/gpu/programs/matmul/recorded_again/0", {"us", "updated", "why"}},
        {"/gpu/peer", {"torch", "device", "programs"}},
        {"/gpu/peer/programs/encoder", {"cudagraph_us", "eager_us", "pool_bytes"}},
    };
    return all;
}

/// "gpu.programs.matmul.recorded_again[0].us" of "/gpu/programs/matmul/recorded_again/0" and "us".
std::string placeOf(const std::string& object, const std::string& field) {
    QString out = QString::fromStdString(object + '/' + field).mid(1);
    static const QRegularExpression index("/(\\d+)");
    return out.replace(index, "[\\1]").replace('/', '.').toStdString();
}

} // namespace

class TestDoctorBattery : public QObject {
    Q_OBJECT
private slots:
    void isWrittenAsItWasRead_data() {
        QTest::addColumn<QString>("file");
        QTest::newRow("H100") << "doctor.tar.xz";
        QTest::newRow("H200") << "doctor_h200.tar.xz";
    }

    void isWrittenAsItWasRead() {
        QFETCH(QString, file);
        const auto files = test::readArchive((DYNASCOPE_TEST_DATA "/gpu/" + file).toStdString());
        QVERIFY(!files.empty());
        const auto read = documentFrom(files.front().content);
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        QVERIFY(read->gpu && read->gpu->programs.size() >= 8 && read->gpu->peer && read->gpu->trees.ran);
        QCOMPARE(textOf(*read) + '\n', files.front().content); // byte for byte
        QVERIFY(cli::summarise(*read->gpu).passed);
    }

    void whatIsMissingNullOrOddIsNamed() {
        for (const auto& [object, names] : fields())
            for (const std::string& name : names) {
                const std::string place = placeOf(object, name) + ": ";
                QVERIFY2(errorOf(without(object, name)).find(name) != std::string::npos, place.c_str());
                const bool isNumber = document().at(json::json_pointer(object + '/' + name)).is_number();
                for (const json& odd : {json(), isNumber ? json("odd") : json(-1.5)}) {
                    const std::string error = errorOf(with(object + '/' + name, odd));
                    QVERIFY2(error.find(place) != std::string::npos, (place + error).c_str());
                }
            }
    }

    void everyRecordingAndRunIsRead() {
        QVERIFY(errorOf(with("/gpu/programs/matmul/recordings/0", 3))
                    .starts_with("is no document of 'doctor -o': gpu.programs.matmul.recordings[0]: "));
        QVERIFY(errorOf(with("/gpu/programs/matmul/run", json::object()))
                    .starts_with("is no document of 'doctor -o': gpu.programs.matmul.run."));
        QCOMPARE(errorOf(without("/gpu/trees", "case")),
                 std::string("is no document of 'doctor -o': gpu.trees.case: expected this or 'error'"));
        QCOMPARE(errorOf(without("/gpu/trees", "report")),
                 std::string("is no document of 'doctor -o': gpu.trees.report: is missing"));
        QVERIFY(errorOf(with("/gpu/trees/report", json::object()))
                    .starts_with("is no document of 'doctor -o': gpu.trees.report."));
    }

    void whatIsNoDocumentIsAnError() {
        for (const std::string& other :
             {std::string(), std::string("null"), std::string("[]"), std::string("{"), std::string("3"),
              std::string(100'000, '['), std::string("\xff\xfe")})
            QVERIFY2(!documentFrom(other), other.substr(0, 9).c_str());
        QCOMPARE(errorOf(with("/dynascope_doctor", 2)),
                 std::string("is no document of 'doctor -o': dynascope_doctor: expected 1"));
        QCOMPARE(errorOf(with("/findings/0/state", "fine")),
                 std::string("is no document of 'doctor -o': findings[0].state: unknown word 'fine'"));
        QCOMPARE(errorOf(with("/system", json())),
                 std::string("is no document of 'doctor -o': system: expected a string, not null"));
    }

    void aProgramThatFailedSaysWhy() {
        const auto read = documentFrom(with("/gpu/programs/matmul", {{"error", "out of memory"}}).dump());
        QVERIFY(read && read->gpu);
        const cli::BatterySummary summary = cli::summarise(*read->gpu);
        QVERIFY(!summary.passed);
        QVERIFY2(summary.text.find("failed: matmul: out of memory") != std::string::npos,
                 summary.text.c_str());
        // One whose nodes could not be timed keeps the rest.
        const auto untimed = documentFrom(with("/gpu/programs/matmul/error", "no CUPTI").dump());
        QVERIFY(untimed && untimed->gpu->programs.at("matmul").ran);
        QCOMPARE(untimed->gpu->programs.at("matmul").error, std::string("no CUPTI"));
    }

    void recordingsThatAreMissingAreAFault() {
        const auto read = documentFrom(with("/gpu/programs/matmul/recordings", json::array()).dump());
        QVERIFY(read && read->gpu);
        QVERIFY(cli::summarise(*read->gpu).text.find("matmul: not every graph of it was recorded") !=
                std::string::npos);
    }

    void treesThatFailedSayWhy() {
        const auto read = documentFrom(with("/gpu/trees", {{"error", "no pool"}}).dump());
        QVERIFY(read && read->gpu);
        const cli::BatterySummary summary = cli::summarise(*read->gpu);
        QVERIFY(!summary.passed && summary.text.find("failed: trees: no pool") != std::string::npos);
    }

    void aPeerThatFailedIsARemark() {
        const auto read = documentFrom(with("/gpu/peer", {{"error", "no CUDA"}}).dump());
        QVERIFY(read && read->gpu);
        const cli::BatterySummary summary = cli::summarise(*read->gpu);
        QVERIFY(summary.passed);
        QVERIFY(summary.text.find("PyTorch's own CUDA graphs: no CUDA") != std::string::npos);
    }

    void whatThePeerPrintsIsRead() {
        const auto peer = peerFrom(R"({"torch": "2.11", "device": "GPU", "programs": {
            "a": {"cudagraph_us": 2.5, "eager_us": 9, "pool_bytes": 64}, "b": {"error": "no"}}})");
        QVERIFY(peer && peer->error.empty());
        QVERIFY(peer->replayUs("a") == 2.5 && !peer->replayUs("b") && !peer->replayUs("c"));
        QCOMPARE(peer->ran->programs.at("b").error, std::string("no"));
        for (const char* odd : {"", "{}", "[]", R"({"programs": {}})",
                                R"({"torch": "2.11", "device": "GPU", "programs": {"a": {}}})"})
            QVERIFY2(!peerFrom(odd), odd);
    }

    void whatProgramsAnswerIsRead() {
        const auto window =
            windowAnswerFrom(R"({"qt": "6.4", "platform": "xcb", "screen": "1x1 at scale 1"})");
        QVERIFY(window && window->qt == "6.4" && window->platform == "xcb");
        const auto python = pythonAnswerFrom(R"({"python": "3.11", "torch": ""})");
        QVERIFY(python && python->python == "3.11" && python->torch.empty());
        QCOMPARE(pythonAnswerFrom(R"({"python": "3.11", "torch": null})").error().message,
                 std::string("the interpreter: torch: expected a string, not null"));
        QVERIFY(!windowAnswerFrom("") && !windowAnswerFrom(R"({"qt": 6})") && !pythonAnswerFrom("3"));
    }
};

QTEST_GUILESS_MAIN(TestDoctorBattery)
#include "tst_doctor_battery.moc"
