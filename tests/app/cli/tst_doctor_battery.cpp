// SPDX-License-Identifier: BSD-3-Clause
//
// The document of `dynascope-cli doctor --gpu` that was written on a real GPU (tests/data/gpu): read, written again, damaged.
#include "app/cli/battery.h"
#include "tests/support/archive.h"

#include <QtTest>

using namespace dynascope;
using namespace dynascope::cli;
using nlohmann::json;

namespace {

json document() {
    const auto files = test::readArchive(DYNASCOPE_TEST_DATA "/gpu/doctor.tar.xz");
    return files.empty() ? json() : json::parse(files.front().content, nullptr, false);
}

} // namespace

class TestDoctorBattery : public QObject {
    Q_OBJECT
private slots:
    void isWrittenAsItWasRead() {
        const json said = document();
        const auto read = doctorDocumentFromJson(said);
        QVERIFY(read && read->gpu);
        QCOMPARE(read->findings.size(), said.at("findings").size());
        QVERIFY(read->gpu->programs.size() >= 8);
        const json again = toJson(*read->gpu);
        for (const auto& [name, program] : said.at("gpu").at("programs").items())
            QVERIFY2(again.at("programs").at(name) == program, name.c_str());
        QVERIFY(again == said.at("gpu"));
        QVERIFY(summarise(*read->gpu).passed);
    }

    void aDamagedProgramIsNamed() {
        json said = document();
        said["gpu"]["programs"]["matmul"].erase("recordings");
        const auto read = doctorDocumentFromJson(said);
        QVERIFY(read && read->gpu);
        const BatterySummary summary = summarise(*read->gpu);
        QVERIFY(!summary.passed);
        QVERIFY2(summary.text.find("failed: matmul: the document is damaged") != std::string::npos,
                 summary.text.c_str());
    }

    void whatIsNoDocumentIsAnError() {
        for (const auto& [path, value] : std::vector<std::pair<std::string, json>>{
                 {"/findings/0", 3}, {"/gpu", 3}, {"/gpu/programs/matmul/left_out", 3}, {"/gpu/trees", 3}}) {
            json said = document();
            said[json::json_pointer(path)] = value;
            const auto read = doctorDocumentFromJson(said);
            QVERIFY2(!read, path.c_str());
            QVERIFY(read.error().message.starts_with("is damaged: "));
        }
    }

    void aPeerThatFailedIsARemark() {
        json said = document();
        said["gpu"]["peer"] = {{"error", "no CUDA"}};
        const BatterySummary summary = summarise(*doctorDocumentFromJson(said)->gpu);
        QVERIFY(summary.passed);
        QVERIFY(summary.text.find("PyTorch's own CUDA graphs: no CUDA") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestDoctorBattery)
#include "tst_doctor_battery.moc"
