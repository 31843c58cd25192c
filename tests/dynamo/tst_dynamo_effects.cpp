// SPDX-License-Identifier: BSD-3-Clause
//
// Side effects as the rules have them, against bytecode that does as they say and bytecode that does not.
// What PyTorch generates for real programs: tests/capture/test_effects.py.
#include "core/dynamo/side_effects.h"
#include "core/session/byte_source.h"
#include "tests/support/recordings.h"

#include <QtTest>

using namespace dynascope;
using namespace dynascope::dynamo;

namespace {

constexpr std::string_view tracked = R"({"untouched":2,"objects":[
 {"value":1,"kind":"ListVariable","mutation":"ValueMutationExisting","flag":true,"source":"L['l']","stores":[],"live":true,
  "stack":[["/p.py",7,"f"]]},
 {"value":2,"kind":"UserDefinedDictVariable","mutation":"AttributeMutationExisting","source":"L['d']","class":"D","user":true,
  "base":"ConstDictVariable","base_flag":true,"stores":[["k",5,"GENERIC_SETATTR",false],["gone",5,"GENERIC_SETATTR",true]],"live":true},
 {"value":3,"kind":"CellVariable","mutation":"AttributeMutationNew","cell":"n","stores":[["cell_contents",5,"",false]],"live":true},
 {"value":4,"kind":"UserDefinedObjectVariable","mutation":"AttributeMutationNew","class":"P","user":true,"stores":[],"live":false}]})";

constexpr std::string_view generated =
    R"({"built":[{"value":1,"code":[]},{"value":2,"code":[]},{"value":3,"code":[]}],
 "loads":[{"value":1,"code":["LOAD_FAST x","BUILD_LIST 1","LOAD_FAST l","BUILD_SLICE 2"]},
  {"value":2,"code":["LOAD_FAST d","BUILD_MAP 1"]},{"value":3,"code":["LOAD_CONST 1"]}],
 "stores":[{"value":1,"code":["STORE_SUBSCR"]},{"value":2,"code":["LOAD_METHOD clear","LOAD_ATTR __setitem__","POP_TOP"]},
  {"value":2,"code":["DELETE_ATTR gone"]},{"value":2,"code":["STORE_ATTR k"]},{"value":3,"code":["STORE_DEREF n"]}],
 "emitted":["STORE_DEREF n","STORE_ATTR k","DELETE_ATTR gone","LOAD_METHOD clear","LOAD_ATTR __setitem__","POP_TOP","STORE_SUBSCR"]})";

RecordingPtr recordingWith(std::string_view replayed, std::string_view table = tracked) {
    test::RecordingWriter writer;
    writer.record('H', R"({"format":1})");
    writer.record(
        'c', R"({"id":1,"name":"f","file":"p.py","first_line":1,"instructions":{"op":["NOP"],"line":[1]}})");
    writer.record('A', R"({"id":1,"compile_id":"0/0","attempt":0,"code":1})");
    writer.numbers('f', {1, 0, 1, 0, 0}).step(1, {1});
    writer.record('T', table).record('U', replayed).endBlock();
    const auto out = Recording::read(session::makeByteSource(writer.file()), nullptr);
    return out ? *out : nullptr;
}

std::string changed(std::string_view text, std::string_view from, std::string_view to) {
    std::string out(text);
    return out.replace(out.find(from), from.size(), to);
}

} // namespace

class TestDynamoEffects : public QObject {
    Q_OBJECT

private slots:
    void rules_data() {
        QTest::addColumn<QString>("mutation");
        QTest::addColumn<bool>("flag");
        QTest::addColumn<int>("stores");
        QTest::addColumn<bool>("user");
        QTest::addColumn<bool>("base");
        QTest::addColumn<bool>("modified");
        QTest::newRow("immutable") << "" << false << 0 << false << false << false;
        QTest::newRow("new object") << "AttributeMutationNew" << false << 0 << false << false << true;
        QTest::newRow("new list") << "ValueMutationNew" << false << 0 << false << false << true;
        QTest::newRow("list as it was") << "ValueMutationExisting" << false << 0 << false << false << false;
        QTest::newRow("list") << "ValueMutationExisting" << true << 0 << false << false << true;
        QTest::newRow("object as it was")
            << "AttributeMutationExisting" << false << 0 << true << false << false;
        QTest::newRow("object") << "AttributeMutationExisting" << false << 1 << true << false << true;
        QTest::newRow("list subclass") << "AttributeMutationExisting" << false << 0 << true << true << true;
        QTest::newRow("cell") << "AttributeMutationExisting" << false << 1 << false << false << true;
    }

    void rules() {
        QFETCH(QString, mutation);
        QFETCH(bool, flag);
        QFETCH(int, stores);
        QFETCH(bool, user);
        QFETCH(bool, base);
        TrackedObject object;
        object.mutation = mutation.toStdString();
        object.flag = flag;
        object.stores.resize(static_cast<std::size_t>(stores));
        object.user = user;
        object.baseChanged = base;
        judge(object);
        QTEST(object.modified, "modified");
        QVERIFY(!object.why.empty());
    }

    void stepsInTheirOrder() {
        const RecordingPtr recording = recordingWith(generated);
        QVERIFY(recording);
        const auto reports = sideEffects(*recording);
        QCOMPARE(reports.size(), std::size_t(1));
        const SideEffectReport& report = reports.front();
        QCOMPARE(report.untouched, std::size_t(2));
        QCOMPARE(report.step, 0U);
        QCOMPARE(report.objects.front().changedAt.back().line, 7U);
        QVERIFY(!report.objects.back().live);
        for (const std::string& fault : report.faults)
            QWARN(fault.c_str());
        QVERIFY(report.faults.empty());
        QStringList texts;
        for (const ReplayStep& step : report.steps)
            if (step.phase == ReplayStep::Phase::Store) texts += QString::fromStdString(step.text);
        QCOMPARE(texts,
                 (QStringList{"cell n", "L['d'].k", "del L['d'].gone",
                              "L['d']: dict.clear, dict.__setitem__ for each item; never D's own methods",
                              "L['l'][:] = its new items"}));
        QVERIFY(report.steps.front().phase == ReplayStep::Phase::Load);
    }

    void differences_data() {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::newRow("another store") << "\"STORE_SUBSCR\"]},{\"value\":2"
                                       << "\"STORE_ATTR l\"]},{\"value\":2";
        QTest::newRow("own method") << "[\"LOAD_METHOD clear\",\"LOAD_ATTR __setitem__\""
                                    << "[\"LOAD_METHOD update\"";
        QTest::newRow("another order") << "\"STORE_DEREF n\",\"STORE_ATTR k\""
                                       << "\"STORE_ATTR k\",\"STORE_DEREF n\"";
        QTest::newRow("one is missing") << ",{\"value\":2,\"code\":[\"STORE_ATTR k\"]}"
                                        << "";
        QTest::newRow("other objects") << "{\"value\":3,\"code\":[]}"
                                       << "{\"value\":4,\"code\":[]}";
    }

    void differences() {
        QFETCH(QString, from);
        QFETCH(QString, to);
        const RecordingPtr recording =
            recordingWith(changed(generated, from.toStdString(), to.toStdString()));
        QVERIFY(recording);
        QVERIFY(!sideEffects(*recording).front().faults.empty());
    }

    void nonsense() {
        for (const char* text : {"{}", "[]", R"({"objects":7})",
                                 R"({"objects":[7,{"stores":[1,[],["a",-1,"",0]],"stack":3}]})"}) {
            const RecordingPtr recording = recordingWith(generated, text);
            QVERIFY(recording);
            QCOMPARE(sideEffects(*recording).size(), std::size_t(1));
        }
        QVERIFY(sideEffects(*recordingWith("{\"loads\":{}}")).front().steps.empty());
    }

    /// Two branches of torch.cond with side effects: a list from outside is changed, which Dynamo refuses at
    /// once; an attribute is not set back, which it notices when the branch has ended.
    void refusedInABranch() {
        const auto read = Recording::open(DYNASCOPE_TEST_DATA "/dynamo/cond_refusals.dsteps");
        QVERIFY(read);
        const std::vector<RefusedEffect> refused = refusedEffects(**read);
        QCOMPARE(refused.size(), std::size_t(2));
        QCOMPARE(refused[0].object, std::string("ListVariable G['log']"));
        QCOMPARE(refused[0].place.line, 9U);
        QVERIFY(refused[0].called.starts_with("cond called by f cond_refusals.py:"));
        QCOMPARE(refused[1].object, std::string("attribute 'n' of an object from outside"));
        QCOMPARE(refused[1].place.line, 17U);
        QCOMPARE(refused[1].place.name, std::string("yes"));
        QVERIFY((*read)->steps()[refused[1].step].has(Happening::SideEffect));
        QVERIFY2(refused[1].text.ends_with("It was changed from 0 to 4."), refused[1].text.c_str());
        QCOMPARE(refused[1].waysOut.front(), std::string("set the attribute back before the body ends"));
    }
};

QTEST_GUILESS_MAIN(TestDynamoEffects)
#include "tst_dynamo_effects.moc"
