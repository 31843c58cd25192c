// SPDX-License-Identifier: BSD-3-Clause
//
// Profiles as they are written, and as they arrive: order, nesting, self times, devices, steps, damage.
#include "core/profile/figures.h"
#include "core/profile/json_cursor.h"
#include "core/profile/profile.h"

#include <QtTest>
#include <numeric>

using namespace dynascope;
using namespace dynascope::profile;

namespace {

/// {"ph":"X",...} with what a test is about.
std::string written(std::string_view category, std::string_view name, double start, double duration,
                    const std::string& arguments = {}, int thread = 1) {
    std::ostringstream out;
    out << std::fixed << std::setprecision(3) << R"({"ph": "X", "cat": ")" << category << R"(", "name": ")"
        << name << R"(", "pid": 7, "tid": )" << thread << R"(, "ts": )" << start << R"(, "dur": )" << duration
        << R"(, "args": {)" << arguments << "}}";
    return out.str();
}

std::string document(const std::vector<std::string>& events) {
    std::string out = R"({"schemaVersion": 1, "deviceProperties": [], "traceEvents": [)";
    for (std::size_t i = 0; i < events.size(); ++i)
        out += (i == 0 ? "\n" : ",\n") + events[i];
    return out + "\n], \"traceName\": \"x\"}";
}

ProfilePtr readAll(const std::string& text) {
    const auto out = read(text, "test.json");
    if (!out) qWarning("%s", out.error().toString().c_str());
    return out ? *out : nullptr;
}

const Event& named(const Profile& profile, std::string_view name) {
    const auto at = std::ranges::find_if(profile.events,
                                         [&](const Event& event) { return profile.nameOf(event) == name; });
    if (at == profile.events.end()) qFatal("no such event");
    return *at;
}

/// What a device's events have for themselves.
double selfSum(const Profile& profile, std::size_t device) {
    double out = 0;
    for (const Event& event : profile.events)
        if (event.device == device) out += event.self;
    return out;
}

} // namespace

class TestProfileRead : public QObject {
    Q_OBJECT

private slots:
    /// What is not nothing is not said to be 0, and what is not all not 100 %.
    void sharesAndRates() {
        for (const auto& [share, text] : std::vector<std::pair<double, std::string>>{{0, "0.0 %"},
                                                                                     {1e-9, "under 0.1 %"},
                                                                                     {0.0004, "under 0.1 %"},
                                                                                     {0.0006, "0.1 %"},
                                                                                     {0.883, "88.3 %"},
                                                                                     {0.9994, "99.9 %"},
                                                                                     {0.99999, "over 99.9 %"},
                                                                                     {1, "100.0 %"}})
            QCOMPARE(shareText(share), text);
        for (const auto& [rate, text] : std::vector<std::pair<double, std::string>>{{0, "0.00 B/s"},
                                                                                    {4.2, "4.20 B/s"},
                                                                                    {999.4, "999 B/s"},
                                                                                    {999.6, "1.00 kB/s"},
                                                                                    {9996, "10.0 kB/s"},
                                                                                    {12.34e6, "12.3 MB/s"},
                                                                                    {1.2e9, "1.20 GB/s"},
                                                                                    {3.35e12, "3.35 TB/s"},
                                                                                    {2e15, "2000 TB/s"}})
            QCOMPARE(rateText(rate, "B/s"), text);
    }
    void numbers_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<qint64>("expected");
        QTest::newRow("whole") << "12" << qint64(12000);
        QTest::newRow("fraction") << "4482689266436.285" << qint64(4482689266436285);
        QTest::newRow("short fraction") << "0.5" << qint64(500);
        QTest::newRow("rounded") << "0.0016" << qint64(2);
        QTest::newRow("negative") << "-1.25" << qint64(-1250);
        QTest::newRow("exponent") << "1.5e3" << qint64(1500000);
    }
    void numbers() {
        QFETCH(QString, text);
        QFETCH(qint64, expected);
        const auto read = thousandths(text.toStdString());
        QVERIFY(read);
        QCOMPARE(qint64(*read), expected);
    }
    void noNumbers() {
        for (const char* const text : {"", "-", "x", "1x", "1.", "1e999", "99999999999999999999", "nan"})
            QVERIFY2(!thousandths(text) || std::string_view(text) == "1.", text);
    }

    void escapes() {
        QCOMPARE(unescaped(R"(a\"b\\c\né😀\q)"), std::string("a\"b\\c\n\xC3\xA9\xF0\x9F\x98\x80q"));
        QCOMPARE(unescaped(R"(\ud83d\u12)"), std::string("\xEF\xBF\xBDu12"));
        QCOMPARE(unescaped("end\\"), std::string("end\\"));
    }

    void nestsOutOfOrder() {
        const auto profile =
            readAll(document({written("cpu_op", "inner", 2, 3), written("cpu_op", "leaf", 3, 1),
                              written("cpu_op", "outer", 0, 10), written("cpu_op", "next", 20, 5)}));
        QVERIFY(profile);
        QVERIFY(profile->warnings.empty());
        QCOMPARE(named(*profile, "outer").self, 7000.0);
        QCOMPARE(named(*profile, "inner").self, 2000.0);
        QCOMPARE(named(*profile, "leaf").depth, 2U);
        QCOMPARE(profile->nameOf(profile->events[named(*profile, "leaf").parent]), std::string("inner"));
        QCOMPARE(profile->busy[0], 15000.0);
        QCOMPARE(selfSum(*profile, 0), profile->busy[0]);
        QCOMPARE(qint64(profile->duration), qint64(25000));
    }

    void whatOutlastsItsParentKeepsTheSum() {
        const auto profile = readAll(document({written("cpu_op", "a", 0, 10), written("cpu_op", "b", 5, 10),
                                               written("cpu_op", "c", 12, 1), written("cpu_op", "d", 5, 0)}));
        QVERIFY(profile);
        QCOMPARE(profile->busy[0], 15000.0);
        QCOMPARE(selfSum(*profile, 0), 15000.0);
        QCOMPARE(named(*profile, "b").self, 9000.0);
        QCOMPARE(named(*profile, "a").self, 5000.0);
    }

    void framesOfPythonTakeNoTime() {
        const auto profile = readAll(document(
            {written("python_function", "f.py(1): f", 0, 100), written("cpu_op", "aten::mm", 10, 20),
             written("python_function", "f.py(2): g", 40, 10), written("overhead", "Buffer", 70, 5)}));
        QVERIFY(profile);
        QCOMPARE(profile->busy[0], 20000.0);
        QCOMPARE(named(*profile, "f.py(2): g").depth, 1U);
        QCOMPARE(named(*profile, "aten::mm").depth, 0U);
        QVERIFY(named(*profile, "aten::mm").parent == none);
    }

    void threadsAddUp() {
        const auto profile =
            readAll(document({written("cpu_op", "a", 0, 10, {}, 1), written("cpu_op", "b", 5, 10, {}, 2)}));
        QVERIFY(profile);
        QCOMPARE(profile->tracks.size(), std::size_t(2));
        QCOMPARE(profile->busy[0], 20000.0);
    }

    void kernelsAtOneTimeShareIt() {
        const auto profile = readAll(document(
            {written("cuda_runtime", "cudaLaunchKernel", 0, 2, R"("correlation": 3, "External id": 9)"),
             written("kernel", "k1", 10, 10, R"("device": 1, "stream": 7, "correlation": 3)", 7),
             written("kernel", "k2", 15, 10, R"("device": 1, "stream": 8, "correlation": 4)", 8),
             written("gpu_memcpy", "copy", 40, 1, R"("device": 1, "stream": 8)", 8)}));
        QVERIFY(profile);
        QCOMPARE(profile->devices.size(), std::size_t(2));
        QCOMPARE(profile->devices[1], std::string("cuda:1"));
        QCOMPARE(profile->busy[1], 16000.0);
        QCOMPARE(named(*profile, "k1").self, 7500.0);
        QCOMPARE(named(*profile, "k2").self, 7500.0);
        QCOMPARE(selfSum(*profile, 1), profile->busy[1]);
        const Launch& launch = profile->launches[named(*profile, "k1").launch];
        QVERIFY(launch.link == LaunchLink::Correlation);
        QCOMPARE(profile->nameOf(profile->events[launch.event]), std::string("cudaLaunchKernel"));
        QVERIFY(profile->launches[named(*profile, "k2").launch].link == LaunchLink::None);
    }

    void launchesByArrowAndExternalId() {
        const auto profile = readAll(document(
            {written("cpu_op", "aten::mm", 0, 5, R"("External id": 9)"),
             R"({"ph": "s", "id": 4, "pid": 7, "tid": 1, "ts": 0, "cat": "ac2g", "name": "ac2g"})",
             R"({"ph": "f", "id": 4, "pid": 0, "tid": 7, "ts": 10, "cat": "ac2g", "name": "ac2g", "bp": "e"})",
             R"({"ph": "X", "cat": "kernel", "name": "k1", "pid": 0, "tid": 7, "ts": 10, "dur": 1, "args": {"device": 0}})",
             written("kernel", "k2", 20, 1, R"("device": 0, "External id": 9)", 8)}));
        QVERIFY(profile);
        QVERIFY(profile->launches[named(*profile, "k1").launch].link == LaunchLink::Flow);
        QVERIFY(profile->launches[named(*profile, "k2").launch].link == LaunchLink::ExternalId);
        QCOMPARE(profile->devices[1], std::string("gpu:0")); // nothing says whose device it is
    }

    void steps() {
        const auto profile = readAll(document({written("user_annotation", "ProfilerStep#1", 0, 10),
                                               written("user_annotation", "ProfilerStep#2", 10, 20),
                                               written("user_annotation", "other", 0, 30, {}, 2)}));
        QVERIFY(profile);
        QCOMPARE(profile->steps.size(), std::size_t(2));
        QCOMPARE(profile->stepAt(9999), 0);
        QCOMPARE(profile->stepAt(10000), 1);
        QCOMPARE(profile->stepAt(30000), -1);
        const auto turns = readAll(
            document({written("user_annotation", "step", 0, 10), written("user_annotation", "step", 15, 10),
                      written("user_annotation", "small", 12, 1)}));
        QVERIFY(turns);
        QCOMPARE(turns->steps.size(), std::size_t(2));
    }

    void beginsAndEnds() {
        const auto profile = readAll(
            R"([ {"ph": "B", "name": "a", "pid": "p", "tid": "t", "ts": 0},
                {"ph": "B", "name": "b", "pid": "p", "tid": "t", "ts": 2}, {"ph": "E", "pid": "p", "tid": "t", "ts": 5},
                {"ph": "B", "name": "open", "pid": "p", "tid": "t", "ts": 6},
                {"ph": "E", "pid": "p", "tid": "u", "ts": 7}, {"ph": "X", "name": "c", "pid": "p", "tid": "u", "ts": 9, "dur": 1})");
        QVERIFY(profile);
        QCOMPARE(qint64(named(*profile, "b").duration), qint64(3000));
        QVERIFY(named(*profile, "open").open && named(*profile, "a").open);
        QCOMPARE(profile->devices.at(named(*profile, "a").device), std::string("other"));
        QVERIFY(profile->warnings.size() >= 2);
    }

    void otherProducers() {
        const auto profile =
            readAll(document({written("mtia_ccp_events", "run", 0, 5, R"("device": 2)"),
                              written("mtia_runtime", "launch", 0, 1), written("never seen", "x", 3, 4),
                              R"({"ph": "Q", "name": "q", "pid": 1, "tid": 1, "ts": 1})"}));
        QVERIFY(profile);
        QVERIFY(std::ranges::find(profile->devices, "mtia:2") != profile->devices.end());
        QVERIFY(std::ranges::find(profile->devices, "other") != profile->devices.end());
        QCOMPARE(profile->warnings,
                 (std::vector<std::string>{
                     "1 event of phase Q, which are not known, left out",
                     "1 event of categories that are not known (never seen): their time is told as other"}));
    }

    void cutOff() {
        const std::string whole = document({written("cpu_op", "a", 0, 10), written("cpu_op", "b", 20, 10)});
        std::size_t opened = 0;
        for (std::size_t size = 0; size < whole.size(); ++size) {
            const auto read = profile::read(whole.substr(0, size), "cut.json");
            if (!read) continue;
            ++opened;
            QVERIFY(size + 16 > whole.size() || !(*read)->warnings.empty());
        }
        QVERIFY(opened > 100);
    }

    void damagedInTheMiddle() {
        const auto profile =
            readAll(document({written("cpu_op", "a", 0, 1), R"({"ph": "X", "name": "bad", "args": {]}})",
                              R"({"ph": "X", "cat": "cpu_op", "name": "untimed", "pid": 1, "tid": 1})",
                              written("cpu_op", "b", 2, 1)}));
        QVERIFY(profile);
        QCOMPARE(profile->events.size(), std::size_t(2));
        QVERIFY(!profile->warnings.empty());
    }

    void hostileSizes() {
        std::string deep = R"({"traceEvents": [{"ph": "X", "name": "x", "ts": 1, "dur": 1, "args": )";
        deep += std::string(2000000, '[');
        QVERIFY(!profile::read(deep, "deep.json"));
        std::vector<std::string> nested;
        for (int i = 0; i < 50000; ++i)
            nested.push_back(written("cpu_op", "n", i, 200000 - 2 * i));
        const auto profile = readAll(document(nested));
        QVERIFY(profile);
        QCOMPARE(profile->events.back().depth, 49999U);
        std::string objects = R"({"traceEvents": [)";
        for (int i = 0; i < 200000; ++i)
            objects += "{\"a\":{";
        QVERIFY(!profile::read(objects, "objects.json"));
        QVERIFY(readAll(
            document({written("cpu_op", "long", -1e18, 1e15), written("cpu_op", "late", 1e15, 1e15)})));
    }

    void noProfile() {
        for (const char* const text :
             {"", "{", "[", "{}", "[]", R"({"traceEvents": []})", R"({"traceEvents": 1})", "null"})
            QVERIFY2(!profile::read(text, "none.json"), text);
        QVERIFY(!looksLikeProfile("V1122 09:27:24.609000 1 x.py:1] {\"chromium_event\": {}}"));
        QVERIFY(!looksLikeProfile("[rank0]:V1122 09:27:24 x] {\"ph\": \"B\", \"ts\": 1}"));
        QVERIFY(looksLikeProfile("{\n \"schemaVersion\": 1,\n \"deviceProperties\": ["));
    }

    void cancels() {
        std::stop_source stop;
        stop.request_stop();
        const auto read =
            profile::read(document({written("cpu_op", "a", 0, 1)}), "x.json", {stop.get_token(), {}});
        QVERIFY(!read && read.error().isCancelled());
    }
};

QTEST_GUILESS_MAIN(TestProfileRead)
#include "tst_profile_read.moc"
