// SPDX-License-Identifier: BSD-3-Clause
//
// compilation_metrics records as a table.
#include "core/capture/open.h"
#include "core/session/metrics.h"
#include "tests/support/captures.h"
#include "tests/support/trace_text.h"

#include <QtTest>

using namespace dynascope;
using session::Metric;
using session::MetricTable;
using test::TraceText;

namespace {

session::SessionPtr open(const TraceText& text) {
    const auto opened = capture::openText(text.text());
    if (!opened) qFatal("%s", opened.error().toString().c_str());
    return *opened;
}

std::size_t columnOf(const MetricTable& table, const std::string& name) {
    for (std::size_t i = 0; i < table.columns.size(); ++i)
        if (table.columns[i].name == name) return i;
    return SIZE_MAX;
}

/// "a / b": a column down the rows.
std::string valuesOf(const MetricTable& table, const std::string& name) {
    const std::size_t column = columnOf(table, name);
    if (column == SIZE_MAX) return "no column";
    std::string out;
    for (const session::MetricRow& row : table.rows) {
        if (!out.empty()) out += " / ";
        out += row.values[column].kind == Metric::Kind::Absent ? "-" : row.values[column].text;
    }
    return out;
}

std::string config(const std::string& name, const std::string& fields) {
    std::string text;
    for (const char c : fields)
        text += c == '"' ? std::string("\\\"") : std::string(1, c);
    return "\"" + name + "\": \"{" + text + "}\"";
}

} // namespace

class TestSessionMetrics : public QObject {
    Q_OBJECT

private slots:
    void aRowForEachRecord() {
        TraceText text;
        text.start().metrics("\"graph_node_count\": 7, \"has_guarded_code\": true, \"fail_type\": null");
        text.add("\"bwd_compilation_metrics\": {\"inductor_compile_time_s\": 1.5}");
        text.at(1, 0).start("g").metrics("\"graph_node_count\": 9, \"has_guarded_code\": true", "g");
        const session::SessionPtr session = open(text);
        const MetricTable table = session::readMetrics(*session);
        QCOMPARE(table.rows.size(), std::size_t(3));
        QCOMPARE(table.rows[0].part, std::string("forward"));
        QCOMPARE(table.rows[1].part, std::string("backward"));
        QCOMPARE(table.rows[0].compile, 0);
        QCOMPARE(table.rows[1].compile, 0);
        QCOMPARE(table.rows[2].compile, 1);
        QCOMPARE(valuesOf(table, "graph_node_count"), std::string("7 / - / 9"));
        QCOMPARE(valuesOf(table, "has_guarded_code"), std::string("True / - / True"));
        QCOMPARE(table.rows[0].values[columnOf(table, "graph_node_count")].number, 7.0);
        QVERIFY(table.columns[columnOf(table, "graph_node_count")].differs);
        QVERIFY(!table.columns[columnOf(table, "has_guarded_code")].differs);
        QVERIFY(table.columns[columnOf(table, "fail_type")].empty);
        QCOMPARE(table.rows[1].record, std::size_t(2));
    }

    void whatDiffersComesFirst() {
        TraceText text;
        text.start().metrics("\"same\": 1, \"start_time_us\": 5, \"nothing\": null, \"other\": \"x\"");
        text.at(1, 0).start().metrics(
            "\"same\": 1, \"start_time_us\": 6, \"nothing\": null, \"other\": \"y\"");
        const MetricTable table = session::readMetrics(*open(text));
        const auto at = [&](const char* name) { return columnOf(table, name); };
        QVERIFY(at("other") < at("start_time_us"));
        QVERIFY(at("start_time_us") < at("same"));
        QVERIFY(at("same") < at("nothing"));
        QVERIFY(table.columns[at("start_time_us")].moment);
    }

    void configurationsAreTakenApart() {
        TraceText text;
        text.start().metrics(
            config("inductor_config", "\"max_autotune\": false, \"cpp.threads\": 4, \"a\": null") + ", " +
            config("dynamo_config", "\"verbose\": false"));
        text.at(1, 0).start().metrics(
            config("inductor_config", "\"max_autotune\": true, \"cpp.threads\": 4, \"b\": [1]") + ", " +
            config("dynamo_config", "\"verbose\": false"));
        const MetricTable table = session::readMetrics(*open(text));
        QCOMPARE(valuesOf(table, "inductor_config.max_autotune"), std::string("False / True"));
        QCOMPARE(valuesOf(table, "inductor_config.b"), std::string("None / [1]"));
        QCOMPARE(valuesOf(table, "inductor_config.a"), std::string("None / None"));
        QCOMPARE(columnOf(table, "inductor_config.cpp.threads"), SIZE_MAX);
        QVERIFY(table.columns[columnOf(table, "inductor_config")].empty);
        QCOMPARE(columnOf(table, "dynamo_config.verbose"), SIZE_MAX); // the same everywhere: not taken apart
        QVERIFY(!table.columns[columnOf(table, "dynamo_config")].differs);
    }

    void damaged() {
        TraceText text;
        text.start().metrics("\"x_config\": \"{not json\", \"deep\": " + std::string(300, '[') +
                             std::string(300, ']'));
        text.at(1, 0).start().metrics("\"x_config\": \"{nor this\"");
        text.add("\"compilation_metrics\": 5").add("\"compilation_metrics\": []");
        const MetricTable table = session::readMetrics(*open(text));
        QCOMPARE(table.rows.size(), std::size_t(2));
        QCOMPARE(valuesOf(table, "x_config"), std::string("{not json / {nor this"));
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(session::readMetrics(*open(text), {stop.get_token(), {}}).rows.empty());
    }

    void longTextsAreCut() {
        TraceText text;
        const std::string longText(5000, 'x');
        text.start().metrics("\"long\": \"" + longText + "a\"");
        text.at(1, 0).start().metrics("\"long\": \"" + longText + "b\"");
        const MetricTable table = session::readMetrics(*open(text));
        const std::size_t column = columnOf(table, "long");
        QCOMPARE(table.rows[0].values[column].text.size(), std::size_t(2003));
        QVERIFY(table.columns[column].differs); // behind the cut
    }

    void kernels() {
        TraceText text;
        text.start().metrics("\"triton_kernel_compile_times_us\": \"[[\\\"triton_a\\\", 120], "
                             "[\\\"triton_b\\\", 900], 5, [\\\"c\\\"], [1, 2]]\"");
        text.add("\"inductor_output_code\": {}", "# Source node to ATen node mapping:\n"
                                                 "#   y => add_1, relu\n"
                                                 "triton_b = async_compile.triton('triton_b', '''\n''')\n");
        const session::SessionPtr session = open(text);
        const auto times = session::kernelTimes(*session, session::readMetrics(*session));
        QCOMPARE(times.size(), std::size_t(2));
        QCOMPARE(times[0].kernel, std::string("triton_b"));
        QCOMPARE(times[0].us, 900.0);
        QCOMPARE(times[0].nodes, std::vector<std::string>({"add_1", "relu"}));
        QCOMPARE(session->compiles[0].stages[std::size_t(times[0].stage)]->name,
                 std::string("inductor_output_code"));
        QCOMPARE(times[1].compile, 0);
        QVERIFY(times[1].nodes.empty()); // the code has no such kernel
    }

    void everyCapture() {
        std::size_t rows = 0;
        for (const QString& path : test::traceLogs()) {
            const auto session = capture::open(path.toStdString());
            if (!session) continue;
            const MetricTable table = session::readMetrics(**session);
            std::size_t records = 0;
            for (const auto& [type, count] : (*session)->recordCounts)
                if (type.find("compilation_metrics") != std::string::npos) records += count;
            QCOMPARE(table.rows.size(), records);
            for (const session::MetricRow& row : table.rows)
                QCOMPARE(row.values.size(), table.columns.size());
            rows += records;
        }
        QVERIFY(rows > 30);
    }
};

QTEST_APPLESS_MAIN(TestSessionMetrics)
#include "tst_session_metrics.moc"
