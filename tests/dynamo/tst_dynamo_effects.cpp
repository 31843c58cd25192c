// SPDX-License-Identifier: BSD-3-Clause
//
// Side effects as the rules have them, against bytecode that does as they say and bytecode that does not.
// What PyTorch generates for real programs: tests/capture/test_effects.py.
#include "core/dynamo/side_effects.h"
#include "core/session/byte_source.h"
#include "tests/support/recordings.h"

#include <QtTest>

#include <map>

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
            qWarning("%s", fault.c_str());
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

    void missingStores_data() {
        QTest::addColumn<QString>("object");
        QTest::addColumn<QString>("loads");
        QTest::addColumn<QString>("stores");
        QTest::addColumn<QString>("outcome");
        QTest::addColumn<QString>("kept");
        QTest::addColumn<QString>("verdict");
        const QString all = "the generated bytecode stores every change";
        const QString partly = all + " that could be checked; not checked: 1 step";
        const QString ownSet = R"("kind":"UserDefinedSetVariable","mutation":"AttributeMutationExisting",
            "source":"L['s']","class":"S","user":true,"base":"SetVariable","base_flag":true)";
        const QString dict =
            R"("kind":"ConstDictVariable","mutation":"ValueMutationExisting","flag":true,"source":"L['d']")";
        QTest::newRow("subclass of set") << ownSet + R"(,"contents":"more","stores":[])"
                                         << ""
                                         << ""
                                         << "lost"
                                         << "not stored: what its SetVariable holds"
                                         << "";
        QTest::newRow("and an attribute")
            << ownSet + R"(,"contents":"other","stores":[["n",5,"GENERIC_SETATTR",false]])"
            << R"("LOAD_CONST 3")"
            << R"({"value":1,"code":["STORE_ATTR n"]})"
            << "lost"
            << "not stored: what its SetVariable holds"
            << "";
        QTest::newRow("what was there already")
            << ownSet + R"(,"contents":"same","stores":[])"
            << ""
            << ""
            << "nothing"
            << "it holds the same items as before: nothing has to be stored" << all;
        QTest::newRow("older recording")
            << ownSet + R"(,"stores":[])"
            << ""
            << ""
            << "unchecked"
            << "not checked: the rules do not cover it, or the recording says too little" << partly;
        QTest::newRow("dict that moved") << dict + R"(,"contents":"other","stores":[])"
                                         << R"("LOAD_METHOD update","BUILD_MAP 1")"
                                         << R"({"value":1,"code":["CALL 1","POP_TOP"]})"
                                         << "lost"
                                         << "not stored: what went from it or moved in it"
                                         << "";
        QTest::newRow("dict that grew") << dict + R"(,"contents":"more","stores":[])"
                                        << R"("LOAD_METHOD update","BUILD_MAP 1")"
                                        << R"({"value":1,"code":["CALL 1","POP_TOP"]})"
                                        << "done"
                                        << "stored in step 2" << all;
        const QString plain = R"("kind":"UserDefinedObjectVariable","mutation":"AttributeMutationExisting",
            "source":"L['p']","class":"P","user":true)";
        QTest::newRow("attribute of the frame's own")
            << plain + R"(,"stores":[["t",5,"INSTANCE_DICT",true,false]])"
            << ""
            << ""
            << "nothing"
            << "t was not there before the graph: nothing has to be deleted" << all;
        QTest::newRow("attribute") << plain + R"(,"stores":[["t",5,"INSTANCE_DICT",true,true]])"
                                   << ""
                                   << ""
                                   << "lost"
                                   << "not stored: the deletion of t"
                                   << "";
        QTest::newRow("one of two attributes")
            << plain + R"(,"stores":[["a",5,"INSTANCE_DICT",false],["b",5,"INSTANCE_DICT",false]])"
            << R"("LOAD_CONST 'b'")"
            << R"({"value":1,"code":["CALL 3","POP_TOP"]})"
            << "lost"
            << "not stored: the new value of a"
            << "";
        QTest::newRow("kind without rules, stored")
            << R"("kind":"NewVariable","mutation":"ValueMutationExisting","flag":true,"stores":[])"
            << ""
            << R"({"value":1,"code":["CALL 3"]})"
            << "unchecked"
            << "not checked: the rules do not cover it, or the recording says too little" << partly;
        QTest::newRow("kind without rules")
            << R"("kind":"NewVariable","mutation":"ValueMutationExisting","flag":true,"stores":[])"
            << ""
            << ""
            << "lost"
            << "not stored: what was changed of it"
            << "";
        QTest::newRow("iterator")
            << R"("kind":"ListIteratorVariable","mutation":"ValueMutationExisting","flag":true,"stores":[])"
            << ""
            << ""
            << "lost"
            << "not stored: how far it has come"
            << "";
        QTest::newRow("named tuple")
            << R"("kind":"NamedTupleVariable","mutation":"AttributeMutationNew","class":"T",
            "user":true,"base":"TupleVariable","base_new":true,"stores":[])"
            << ""
            << ""
            << "nothing"
            << "built where it is used" << all;
    }

    void missingStores() {
        QFETCH(QString, object);
        QFETCH(QString, loads);
        QFETCH(QString, stores);
        QFETCH(QString, outcome);
        const QString table = QStringLiteral(R"({"objects":[{"value":1,"live":true,%1}]})").arg(object);
        QString code = stores.mid(stores.indexOf(u'[') + 1);
        code.chop(2);
        const QString replay =
            QStringLiteral(
                R"({"built":[{"value":1,"code":[]}],"loads":[{"value":1,"code":[%1]}],"stores":[%2],"emitted":[%3]})")
                .arg(loads, stores, code);
        const auto report = sideEffects(*recordingWith(replay.toStdString(), table.toStdString())).front();
        using enum TrackedObject::Outcome;
        const std::map<QString, TrackedObject::Outcome> outcomes{
            {"lost", Lost}, {"nothing", Nothing}, {"unchecked", NotChecked}, {"done", Done}};
        QVERIFY2(report.objects.front().outcome == outcomes.at(outcome), report.objects.front().kept.c_str());
        QTEST(QString::fromStdString(report.objects.front().kept), "kept");
        QTEST(QString::fromStdString(verdictOf(report)), "verdict");
        QCOMPARE(report.faults.empty(), outcome != "lost");
        for (const std::string& fault : report.faults)
            QVERIFY2(QString::fromStdString(fault).contains("Python does not see that change"),
                     fault.c_str());
    }

    void withoutBytecode() {
        test::RecordingWriter writer;
        writer.record('H', R"({"format":1})");
        writer.record(
            'c',
            R"({"id":1,"name":"f","file":"p.py","first_line":1,"instructions":{"op":["NOP"],"line":[1]}})");
        writer.record('A', R"({"id":1,"compile_id":"0/0","attempt":0,"code":1})");
        writer.numbers('f', {1, 0, 1, 0, 0}).step(1, {1});
        writer.record('T', tracked).endBlock();
        const auto read = Recording::read(session::makeByteSource(writer.file()), nullptr);
        QVERIFY(read);
        const auto report = sideEffects(**read).front();
        QVERIFY(!report.generated);
        QVERIFY(verdictOf(report).starts_with("no bytecode was recorded"));
        QVERIFY(report.objects.front().kept.empty());
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
