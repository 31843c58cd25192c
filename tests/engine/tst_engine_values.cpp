// SPDX-License-Identifier: BSD-3-Clause
//
// Values node by node: statistics, storages, writes, runs that stop early.
#include "tests/engine/service_runner.h"

#include <QtTest>

using namespace dynascope;
using nlohmann::json;

namespace {

const std::string program = "class GraphModule(torch.nn.Module):\n"
                            "    def forward(self, x: \"f32[2, 3]\"):\n"
                            "        v = x.view(3, 2)\n"
                            "        add_ = v.add_(1)\n"
                            "        n = x.size(0)\n"
                            "        y = x * n\n"
                            "        s = torch.split(y, [1, 2], dim = 1)\n"
                            "        t = s[1]\n"
                            "        l = torch.log(t - 100)\n"
                            "        return (t,)\n";

json inputs() {
    return test::CaseBuilder().tensor({2, 3}, {-1, 1, 2, 3, 4, 5}).json();
}

} // namespace

class TestEngineValues : public QObject {
    Q_OBJECT

private slots:
    void everyNodeIsDescribed() {
        test::ServiceRunner engine;
        const std::string text =
            QString::fromStdString(program).replace("torch.log(t - 100)", "torch.log(t)").toStdString();
        const json reply = engine.execute(text, {{"inputs", inputs()}, {"values", true}});
        QVERIFY2(reply.is_object(), engine.lastError().c_str());
        std::map<std::string, json> values;
        std::vector<std::string> order;
        for (const json& value : reply["values"]) {
            values[value["node"]] = value;
            order.push_back(value["node"]);
        }
        QVERIFY((order == std::vector<std::string>{"x", "v", "add_", "n", "y", "s", "t", "l"}));
        QCOMPARE(values["x"]["is_input"], json(0));
        QCOMPARE(values["v"]["is_input"], json());
        QCOMPARE(values["v"]["storage"], values["x"]["storage"]);
        QVERIFY(values["y"]["storage"] != values["x"]["storage"]);
        QCOMPARE(values["t"]["storage"], values["y"]["storage"]);
        QCOMPARE(values["t"]["offset"], json(1));
        QCOMPARE(values["t"]["stride"], json({3, 1}));
        QCOMPARE(values["add_"]["version_bumped_by_node"], json({"v"}));
        QCOMPARE(values["y"]["version_bumped_by_node"], json::array());
        QCOMPARE(values["n"]["kind"], json("scalar"));
        QCOMPARE(values["n"]["text"], json("2"));
        QCOMPARE(values["s"]["kind"], json("list"));
        QCOMPARE(values["s"]["items"].size(), 2U);
        // x is described as it was when its node ran, before the write.
        const json& before = values["x"]["summary"];
        QCOMPARE(before["min"], json(-1.0));
        QCOMPARE(before["max"], json(5.0));
        QCOMPARE(before["zero"], json(0));
        const json& after = values["add_"]["summary"];
        QCOMPARE(after["min"], json(0.0));
        QCOMPARE(after["zero"], json(1));
        QVERIFY(std::abs(after["mean"].get<double>() - 20.0 / 6) < 1e-12);
        QCOMPARE(after["histogram"]["counts"].size(), 32U);
        QCOMPARE(after["histogram"]["counts"][0], json(1));
        QCOMPARE(after["histogram"]["counts"][31], json(1));
        QCOMPARE(values["t"]["corner"], json::parse("[[4.0,6.0],[10.0,12.0]]"));
        QCOMPARE(values["x"]["bytes"], json(24));
    }

    void nanAndInfinityAreCounted() {
        test::ServiceRunner engine;
        const json reply = engine.execute(
            "class M(torch.nn.Module):\n    def forward(self, x: \"f32[4]\"):\n"
            "        y = torch.log(x)\n        return (y,)\n",
            {{"inputs", test::CaseBuilder().tensor({4}, {-1, 0, 1, 1}).json()}, {"watch", {"y"}}});
        QVERIFY2(reply.is_object(), engine.lastError().c_str());
        QCOMPARE(reply["values"].size(), 1U);
        const json& summary = reply["values"][0]["summary"];
        QCOMPARE(summary["nan"], json(1));
        QCOMPARE(summary["inf"], json(1));
        QCOMPARE(summary["zero"], json(2));
        QCOMPARE(summary["max"], json(0.0));
        QCOMPARE(reply["values"][0]["corner"], json::parse("[[\"nan\",\"-inf\",0.0,0.0]]"));
    }

    void runsUpToANode() {
        test::ServiceRunner engine;
        const json reply =
            engine.execute(program, {{"inputs", inputs()}, {"until", "add_"}, {"data", false}});
        QVERIFY2(reply.is_object(), engine.lastError().c_str());
        QCOMPARE(reply["stopped_at"], json("add_"));
        QCOMPARE(reply["outputs"], json::array());
        QVERIFY(!reply["post"]["inputs"][0].contains("data"));
        const json full = engine.execute(program, {{"inputs", inputs()}, {"until", "v"}});
        QCOMPARE(full["post"]["storages"][0], json({-1.0, 1.0, 2.0, 3.0, 4.0, 5.0}));
        QVERIFY(engine.execute(program, {{"inputs", inputs()}, {"until", "nobody"}}).is_null());
        QVERIFY(engine.execute(program, {{"inputs", inputs()}, {"watch", {"nobody"}}}).is_null());
    }

    void lookingChangesNothing() {
        // A resize_ asks who else uses the storage.
        const std::string text = "class M(torch.nn.Module):\n    def forward(self, x: \"f32[2]\"):\n"
                                 "        y = x + 1\n        r = y.resize_([4])\n        z = r.fill_(3)\n"
                                 "        return (z,)\n";
        test::ServiceRunner engine;
        const json data = test::CaseBuilder().tensor({2}, {1, 2}).json();
        const json plain = engine.execute(text, {{"inputs", data}});
        json looked = engine.execute(text, {{"inputs", data}, {"values", true}});
        QVERIFY2(plain.is_object() && looked.is_object(), engine.lastError().c_str());
        looked.erase("values");
        QVERIFY(plain == looked);
    }
};

QTEST_GUILESS_MAIN(TestEngineValues)
#include "tst_engine_values.moc"
