// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/open.h"
#include "core/session/filter.h"
#include "tests/support/captures.h"

#include <QTest>
#include <algorithm>

using namespace dynascope;
using session::Filter;
using session::FilterVerdict;

namespace {

ir::Node selectNode() {
    ir::Node node;
    node.name = "select_1";
    node.op = ir::Op::CallFunction;
    node.target = "torch.ops.aten.select.int";
    ir::ValueMeta meta;
    meta.tensor = ir::TensorMeta{"f32", {"4", "5"}, std::nullopt, "cpu"};
    node.meta = meta;
    node.stack = std::make_shared<ir::StackTrace>(ir::StackTrace{{"/src/cap.py", 43, "f", "y[:,0]=x[:,0]"}});
    return node;
}

session::Compile brokenCompile() {
    session::Compile c;
    c.id = {1, 0, -1};
    c.status = session::Status::GraphBreak;
    c.function = "torch_dynamo_resume_in_f_at_30";
    c.userStack = {{"/src/cap.py", 30, "f", "print(h)"}};
    c.compileSeconds = 1.5;
    session::GraphBreak b;
    b.title = "Failed to trace builtin operator";
    c.breaks.push_back(b);
    return c;
}

} // namespace

class TestFilter : public QObject {
    Q_OBJECT
private slots:
    void decidesNodes_data();
    void decidesNodes();
    void decidesCompiles_data();
    void decidesCompiles();
    void leavesOpenWhatItCannotKnow();
    void namesTheErrorsPlace_data();
    void namesTheErrorsPlace();
    void shapes_data();
    void shapes();
    void findsKernelsAndFunctions();
    void findsTheTokenToComplete_data();
    void findsTheTokenToComplete();
    void findsModules_data();
    void findsModules();
    void countsValues();
    void quotesValues();
    void survivesDeepNesting();
};

void TestFilter::decidesNodes_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("holds");
    QTest::newRow("empty") << "" << true;
    QTest::newRow("target") << "target:aten.select" << true;
    QTest::newRow("other target") << "target:aten.view" << false;
    QTest::newRow("op") << "op:call_function" << true;
    QTest::newRow("op kind") << "op:view" << true;
    QTest::newRow("op is what it calls") << "op:aten.select" << true;
    QTest::newRow("op is another") << "op:aten.copy_" << false;
    QTest::newRow("dtype") << "dtype:f32" << true;
    QTest::newRow("dtype is whole") << "dtype:f3" << false;
    QTest::newRow("shape") << "shape:[4, *]" << true;
    QTest::newRow("shape rank") << "shape:[4]" << false;
    QTest::newRow("numel") << "numel>16" << true;
    QTest::newRow("numel not") << "numel>20" << false;
    QTest::newRow("numel at least") << "numel>=20" << true;
    QTest::newRow("device") << "device:cpu" << true;
    QTest::newRow("file") << "file:cap.py" << true;
    QTest::newRow("file and line") << "file:cap.py:43" << true;
    QTest::newRow("file and other line") << "file:cap.py:44" << false;
    QTest::newRow("not") << "-target:aten.view" << true;
    QTest::newRow("not not") << "--target:aten.view" << false;
    QTest::newRow("and") << "op:call_function dtype:f64" << false;
    QTest::newRow("or") << "dtype:f64 or target:select" << true;
    QTest::newRow("and binds closer than or") << "dtype:f64 name:zz or name:select" << true;
    QTest::newRow("group") << "name:zz (dtype:f64 or name:select)" << false;
    QTest::newRow("negated group") << "-(dtype:f64 or name:zz)" << true;
    QTest::newRow("word") << "SELECT" << true;
    QTest::newRow("quoted word") << "\"y[:,0]=x\"" << true;
    QTest::newRow("word with colons") << "aten::select" << false;
    QTest::newRow("word that begins with or") << "oral" << false;
}

void TestFilter::decidesNodes() {
    QFETCH(QString, text);
    QFETCH(bool, holds);
    const auto filter = Filter::parse(text.toStdString());
    QVERIFY2(filter.has_value(), filter ? "" : filter.error().toString().c_str());
    const ir::Node node = selectNode();
    QCOMPARE(filter->verdict({nullptr, nullptr, &node}), holds ? FilterVerdict::Yes : FilterVerdict::No);
}

void TestFilter::decidesCompiles_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("holds");
    QTest::newRow("status") << "status:break" << true;
    QTest::newRow("status other") << "status:compiled" << false;
    QTest::newRow("not recompiled") << "-status:recompile" << true;
    QTest::newRow("id") << "id:1/0" << true;
    QTest::newRow("rank") << "rank:1" << false;
    QTest::newRow("function") << "function:resume" << true;
    QTest::newRow("file") << "file:cap.py" << true;
    QTest::newRow("time") << "time>1" << true;
    QTest::newRow("time not") << "time<1" << false;
    QTest::newRow("word in the break") << "builtin" << true;
    QTest::newRow("word in the place") << "cap.py:30" << true;
    QTest::newRow("word") << "nowhere" << false;
}

void TestFilter::decidesCompiles() {
    QFETCH(QString, text);
    QFETCH(bool, holds);
    const auto filter = Filter::parse(text.toStdString());
    QVERIFY(filter.has_value());
    const session::Compile c = brokenCompile();
    QCOMPARE(filter->matches({nullptr, &c, nullptr}), holds);
}

void TestFilter::leavesOpenWhatItCannotKnow() {
    const session::Compile c = brokenCompile();
    const auto verdict = [&c](const char* text) {
        return Filter::parse(text)->verdict({nullptr, &c, nullptr});
    };
    QCOMPARE(verdict("target:mm"), FilterVerdict::Unknown);
    QCOMPARE(verdict("-target:mm"), FilterVerdict::Unknown);
    QCOMPARE(verdict("target:mm status:compiled"), FilterVerdict::No);
    QCOMPARE(verdict("target:mm or status:break"), FilterVerdict::Yes);
    QVERIFY(Filter::parse("target:mm status:break")->asksAboutNodes());
    QVERIFY(!Filter::parse("file:cap.py status:break word")->asksAboutNodes());
    // No stage, so no node can match.
    session::Session s;
    QVERIFY(!Filter::parse("target:mm")->matchesCompile(s, c));
    QVERIFY(Filter::parse("status:break")->matchesCompile(s, c));
}

void TestFilter::namesTheErrorsPlace_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("column");
    QTest::newRow("unknown key") << "op:view colour:red" << 9;
    QTest::newRow("no value") << "op:view target:" << 9;
    QTest::newRow("open group") << "a (b c" << 3;
    QTest::newRow("stray bracket") << "a ) b" << 3;
    QTest::newRow("open quotation") << "a \"b" << 3;
    QTest::newRow("open shape") << "shape:[4, 5" << 7;
    QTest::newRow("lonely minus") << "a - b" << 3;
    QTest::newRow("nothing behind or") << "a or" << 5;
    QTest::newRow("not a number") << "numel>many" << 1;
}

void TestFilter::namesTheErrorsPlace() {
    QFETCH(QString, text);
    QFETCH(int, column);
    const auto filter = Filter::parse(text.toStdString());
    QVERIFY(!filter.has_value());
    QCOMPARE(int(filter.error().column), column);
    QVERIFY(!filter.error().message.empty());
}

void TestFilter::shapes_data() {
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QStringList>("sizes");
    QTest::addColumn<bool>("matches");
    QTest::newRow("exact") << "[4, 5]" << QStringList{"4", "5"} << true;
    QTest::newRow("no brackets") << "4,5" << QStringList{"4", "5"} << true;
    QTest::newRow("star") << "[*, 5]" << QStringList{"s77", "5"} << true;
    QTest::newRow("symbol") << "[2*s77]" << QStringList{"2*s77"} << true;
    QTest::newRow("scalar") << "[]" << QStringList{} << true;
    QTest::newRow("dots") << "[4, ..., 5]" << QStringList{"4", "1", "2", "5"} << true;
    QTest::newRow("dots take none") << "[4, ..., 5]" << QStringList{"4", "5"} << true;
    QTest::newRow("dots need both ends") << "[4, ..., 5]" << QStringList{"4"} << false;
    QTest::newRow("rank") << "[4]" << QStringList{"4", "5"} << false;
}

void TestFilter::shapes() {
    QFETCH(QString, pattern);
    QFETCH(QStringList, sizes);
    QFETCH(bool, matches);
    std::vector<std::string> s;
    for (const QString& size : sizes)
        s.push_back(size.toStdString());
    QCOMPARE(session::matchesShape(pattern.toStdString(), s), matches);
}

void TestFilter::findsModules_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("holds");
    const QString projection = "model.layers.12.self_attn.q_proj";
    QTest::newRow("all") << "module:model.layers.12.self_attn.q_proj" << projection << true;
    QTest::newRow("some words") << "module:layers.12.q_proj" << projection << true;
    QTest::newRow("the beginning of a word") << "module:self_attn.q" << projection << true;
    QTest::newRow("a number is whole") << "module:layers.1" << projection << false;
    QTest::newRow("right behind its word") << "module:model.12" << projection << false;
    QTest::newRow("in order") << "module:q_proj.layers" << projection << false;
    QTest::newRow("a later word of that name") << "module:layers.3"
                                               << "decoder.layers.1.layers.3.fc" << true;
    QTest::newRow("in the middle of a word") << "module:proj" << projection << false;
    QTest::newRow("being typed") << "module:layers." << projection << true;
    QTest::newRow("no module") << "module:layers"
                               << "" << false;
    QTest::newRow("without a key") << "layers.12" << projection << true;
    QTest::newRow("any case") << "module:LAYERS.12" << projection << true;
}

void TestFilter::findsModules() {
    QFETCH(QString, text);
    QFETCH(QString, name);
    QFETCH(bool, holds);
    const auto filter = Filter::parse(text.toStdString());
    QVERIFY(filter.has_value());
    const ir::Node node = selectNode();
    const std::string module = name.toStdString();
    QCOMPARE(filter->verdict({nullptr, nullptr, &node, &module}),
             holds ? FilterVerdict::Yes : FilterVerdict::No);
    if (text.startsWith("module:")) {
        QCOMPARE(filter->verdict({nullptr, nullptr, &node}), FilterVerdict::Unknown);
        QVERIFY(filter->asksAboutNodes());
    }
}

void TestFilter::findsKernelsAndFunctions() {
    const auto opened = capture::open(test::capture("trace_inductor/view_mutation").toStdString());
    QVERIFY(opened.has_value());
    const session::Session& session = **opened;
    const session::Compile& compile = session.compiles.front();
    const auto holds = [&](const char* text) {
        const auto filter = Filter::parse(text);
        return filter && filter->matchesCompile(session, compile);
    };
    QVERIFY(holds("kernel:cpp_fused_add"));
    QVERIFY(!holds("kernel:triton_poi"));
    QVERIFY(holds("-kernel:triton_poi"));
    QVERIFY(holds("kernel:cpp_fused target:aten.select"));
    QVERIFY(!holds("kernel:triton_poi target:aten.select"));
    QVERIFY(Filter::parse("kernel:x")->asksAboutNodes()); // reads code, so not while somebody types
    const session::SessionPtr all[] = {*opened};
    const std::vector<session::FilterValue> values = session::filterValues("kernel", all, {});
    QVERIFY(std::any_of(values.begin(), values.end(), [](const session::FilterValue& value) {
        return value.value == "cpp_fused_add_select_0";
    }));

    ir::Node node = selectNode();
    node.stack = std::make_shared<ir::StackTrace>(
        ir::StackTrace{{"m.py", 3, "forward", ""}, {"m.py", 9, "rotary", ""}});
    const auto filter = Filter::parse("function:rotary");
    QCOMPARE(filter->verdict({nullptr, nullptr, &node}), FilterVerdict::Yes);
    QCOMPARE(Filter::parse("function:softmax")->verdict({nullptr, nullptr, &node}), FilterVerdict::No);
    QCOMPARE(filter->verdict({&session, &compile}), FilterVerdict::No); // the compiled function is another
}

void TestFilter::findsTheTokenToComplete_data() {
    QTest::addColumn<QString>("text"); // "|" is the cursor
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("prefix");
    QTest::addColumn<int>("begin");
    QTest::newRow("nothing") << "|"
                             << ""
                             << "" << 0;
    QTest::newRow("word") << "sta|"
                          << ""
                          << "sta" << 0;
    QTest::newRow("value") << "status:br|"
                           << "status"
                           << "br" << 7;
    QTest::newRow("empty value") << "op:view target:|"
                                 << "target"
                                 << "" << 15;
    QTest::newRow("middle") << "op:vi|ew target:x"
                            << "op"
                            << "vi" << 3;
    QTest::newRow("negated") << "-dtype:f|"
                             << "dtype"
                             << "f" << 7;
    QTest::newRow("group") << "(op:c|"
                           << "op"
                           << "c" << 4;
    QTest::newRow("after blank") << "op:view |"
                                 << ""
                                 << "" << 8;
    QTest::newRow("shape") << "shape:[4, |"
                           << "shape"
                           << "[4, " << 6;
    QTest::newRow("unknown key") << "colour:r|"
                                 << ""
                                 << "colour:r" << 0;
    QTest::newRow("key still typed") << "tar|get:x"
                                     << ""
                                     << "tar" << 0;
}

void TestFilter::findsTheTokenToComplete() {
    QFETCH(QString, text);
    QFETCH(QString, key);
    QFETCH(QString, prefix);
    QFETCH(int, begin);
    const auto cursor = text.indexOf('|');
    text.remove(cursor, 1);
    const session::FilterToken token = session::filterTokenAt(text.toStdString(), std::size_t(cursor));
    QCOMPARE(QString::fromStdString(token.key), key);
    QCOMPARE(QString::fromStdString(token.prefix), prefix);
    QCOMPARE(int(token.begin), begin);
    QVERIFY(token.end >= std::size_t(cursor));
}

void TestFilter::countsValues() {
    ir::GraphBuilder builder;
    builder.add(selectNode());
    ir::Node other = selectNode();
    other.name = "select_2";
    builder.add(other);
    ir::Node view = selectNode();
    view.name = "view";
    view.target = "torch.ops.aten.view.default";
    builder.add(view);
    const std::vector<ir::GraphPtr> graphs{builder.build()};
    const auto targets = session::filterValues("target", {}, graphs);
    QCOMPARE(targets.size(), 2U);
    QCOMPARE(targets[0].value, std::string("aten.select.int"));
    QCOMPARE(targets[0].count, 2U);
    QCOMPARE(session::filterValues("shape", {}, graphs).at(0).value, std::string("[4, 5]"));
    QCOMPARE(session::filterValues("target", {}, graphs, 1).size(), 1U);

    auto s = std::make_shared<session::Session>();
    s->compiles.push_back(brokenCompile());
    const std::vector<session::SessionPtr> sessions{s};
    QCOMPARE(session::filterValues("status", sessions, {}).at(0).value, std::string("break"));
}

void TestFilter::quotesValues() {
    QCOMPARE(session::quotedFilterValue("aten.add"), std::string("aten.add"));
    QCOMPARE(session::quotedFilterValue("[4, 5]"), std::string("[4, 5]"));
    QCOMPARE(session::quotedFilterValue("a b"), std::string("\"a b\""));
    for (const char* value : {"a \"b\" \\ c", "f(x)", "[4, 5]", "plain"}) {
        const auto filter = Filter::parse("name:" + session::quotedFilterValue(value));
        QVERIFY(filter.has_value());
        ir::Node node;
        node.name = value;
        QVERIFY(filter->verdict({nullptr, nullptr, &node}) == FilterVerdict::Yes);
    }
}

void TestFilter::survivesDeepNesting() {
    const auto deep = Filter::parse(std::string(100000, '('));
    QVERIFY(!deep.has_value());
    std::string negations(100000, '-');
    negations.push_back('a');
    const auto minus = Filter::parse(negations);
    QVERIFY(minus.has_value());
}

QTEST_APPLESS_MAIN(TestFilter)
#include "tst_filter.moc"
