// SPDX-License-Identifier: BSD-3-Clause
//
// Dynamo graphs of single functions against PyTorch's recorded answers (generate/record_torch_level.py).
#include "tests/engine/service_runner.h"
#include "tests/support/archive.h"

#include <QtTest>
#include <cmath>

using namespace dynascope;
using nlohmann::json;

class TestEngineRecorded : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        const auto files = test::readArchive(DYNASCOPE_SOURCE_DIR "/tests/engine/torch_level.tar.xz");
        QCOMPARE(files.size(), 1U);
        m_cases = json::parse(files.front().content);
        QVERIFY(m_cases.size() > 90);
    }

    void everyFunctionAnswersAsPyTorch_data() {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < m_cases.size(); ++i)
            QTest::newRow(m_cases[i]["name"].get<std::string>().c_str()) << static_cast<int>(i);
    }

    void everyFunctionAnswersAsPyTorch() {
        QFETCH(int, index);
        const json& one = m_cases[static_cast<std::size_t>(index)];
        test::ServiceRunner engine;
        const json reply = engine.execute(one["graph"].get<std::string>(), {{"inputs", one["inputs"]}});
        QVERIFY2(reply.is_object(), engine.lastError().c_str());
        QCOMPARE(reply["outputs"].size(), one["outputs"].size());
        for (std::size_t i = 0; i < one["outputs"].size(); ++i) {
            const json &got = reply["outputs"][i], &expected = one["outputs"][i];
            QCOMPARE(got["shape"], expected["shape"]);
            QCOMPARE(got["dtype"], expected["dtype"]);
            QCOMPARE(got["data"].size(), expected["data"].size());
            for (std::size_t j = 0; j < got["data"].size(); ++j) {
                const json &x = got["data"][j], &y = expected["data"][j];
                const bool same = x.is_number() && y.is_number()
                                      ? std::fabs(x.get<double>() - y.get<double>()) <=
                                            1e-5 * std::max(1.0, std::fabs(y.get<double>()))
                                      : x == y;
                QVERIFY2(same, (std::to_string(j) + ": " + x.dump() + " for " + y.dump()).c_str());
            }
        }
    }

    void tenThousandNodesRunQuickly() {
        std::string text = "graph():\n    %x : [num_users=1] = placeholder[target=x]\n";
        std::string last = "x";
        for (int i = 0; i < 10000; ++i) {
            const std::string name = "add_" + std::to_string(i);
            text += "    %" + name +
                    " : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%" + last +
                    ", 1), kwargs = {})\n";
            last = name;
        }
        text += "    return (" + last + ",)\n";
        test::ServiceRunner engine;
        const json inputs = test::CaseBuilder().tensor({2}, {0, 1}).json();
        QElapsedTimer timer;
        timer.start();
        const std::string hash = engine.load(text);
        const qint64 loaded = timer.restart();
        const json reply = engine.call("execute", {{"graph", hash}, {"inputs", inputs}});
        const qint64 ran = timer.elapsed();
        qInfo("10,000 nodes: read and resolved in %lld ms, run in %lld ms", loaded, ran);
        QCOMPARE(reply["outputs"][0]["data"], json({10000.0, 10001.0}));
    }

private:
    json m_cases;
};

QTEST_GUILESS_MAIN(TestEngineRecorded)
#include "tst_engine_recorded.moc"
