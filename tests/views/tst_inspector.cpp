// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/open.h"
#include "core/ir/text.h"
#include "tests/support/trace_text.h"
#include "tests/views/panel_test.h"
#include "views/inspector/fact_section.h"
#include "views/inspector/fact_text.h"
#include "views/inspector/fact_view.h"
#include "views/inspector/inspector_panel.h"
#include "views/workspace/labels.h"

#include <QLayout>
#include <QTextBlock>
#include <QTextFragment>
#include <QThread>
#include <QToolButton>
#include <algorithm>

using namespace dynascope;
using namespace dynascope::views;

class TestInspector : public QObject {
    Q_OBJECT
private slots:
    void tellsANode();
    void tellsWhyAFunctionalGraphCopies();
    void parametersHaveTheirNames();
    void tellsWhatIsHeldAtThePeak();
    void linksGoToNodes();
    void tellsACompile();
    void aFailureLeadsToItsRecord();
    void sourcesOfSymbolsAreShort();
    void tellsARecompile();
    void aRestartIsNamedByItsClass();
    void tellsGradientsApart();
    void refreshesOnlyWhenShown();
    void slowPanelsRefreshInTurns();
    void textIsNeverMarkup();
    void foldsSections();
    void foldedSectionsMakeNoWidgets();
    void equalFactsKeepTheirWidgets();
    void whatIsShownAgainIsLikeNew();
    void anotherLookIsWrittenAnew();
    void longLabelsAreCutBeforeTheyAreMeasured();
    void nothingIsCutOff_data();
    void nothingIsCutOff();
};

/// The badge of a section; a line that no badge is, where there is no such section.
QString diffChip(const Facts& facts, const char* title) {
    for (const Section& section : facts.sections)
        if (section.title == QLatin1String(title)) return section.chip;
    return QStringLiteral("no section ") + QLatin1String(title);
}

/// A backward node of the same line is no part of what a forward node became.
void TestInspector::tellsGradientsApart() {
    const auto read = [](const std::string& text) {
        const auto graph = ir::readGraph(text);
        if (!graph) qFatal("%s", graph.error().toString().c_str());
        return *graph;
    };
    const ir::GraphPtr a = read("class m(torch.nn.Module):\n"
                                "    def forward(self, x):\n"
                                "        # File: m.py:3 in forward, code: y = silu(x)\n"
                                "        y = torch.nn.functional.silu(x)\n"
                                "        return (y,)\n");
    const ir::GraphPtr b = read("class m(torch.nn.Module):\n"
                                "    def forward(self, primals_1, tangents_1):\n"
                                "        # File: m.py:3 in forward, code: y = silu(x)\n"
                                "        sigmoid = torch.ops.aten.sigmoid.default(primals_1)\n"
                                "        mul = torch.ops.aten.mul.Tensor(primals_1, sigmoid)\n"
                                "        sub = torch.ops.aten.sub.Tensor(sigmoid, 1)\n"
                                "        mul_1 = torch.ops.aten.mul.Tensor(tangents_1, sub)\n"
                                "        rsub = torch.ops.aten.sub.Tensor(1, sigmoid)\n"
                                "        neg = torch.ops.aten.neg.default(primals_1)\n"
                                "        mul_2 = torch.ops.aten.mul.Tensor(mul_1, rsub)\n"
                                "        return (mul, neg, mul_2)\n");
    const diff::GraphDiff diff = diff::diffGraphs(*a, *b);
    QCOMPARE(diff.gradientB.size(), b->size());
    QVERIFY(diff.gradientB[b->find("mul_2")] && !diff.gradientB[b->find("mul")]);
    // Behind the first gradient: of saved values, for gradients alone, or for a result too.
    QVERIFY(diff.gradientB[b->find("rsub")] && !diff.gradientB[b->find("neg")]);
    QVERIFY(!diff.gradientB[b->find("sub")]); // before it: may be a part of forward
    // In a backward graph a node after a gradient may be a part of forward, computed again.
    const ir::GraphPtr backward = read("class m(torch.nn.Module):\n"
                                       "    def forward(self, primals_1, tangents_1):\n"
                                       "        neg = torch.ops.aten.neg.default(tangents_1)\n"
                                       "        sigmoid = torch.ops.aten.sigmoid.default(primals_1)\n"
                                       "        mul = torch.ops.aten.mul.Tensor(neg, sigmoid)\n"
                                       "        return (mul,)\n");
    const diff::GraphDiff recomputed = diff::diffGraphs(*a, *backward);
    QVERIFY(recomputed.gradientB[backward->find("mul")] && !recomputed.gradientB[backward->find("sigmoid")]);
    NodeFactsInput in;
    in.graph = a.get();
    in.other = b.get();
    in.diff = &diff;
    in.side = Side::A;
    in.node = a->find("y");
    in.otherStage = QStringLiteral("joint");
    const Theme theme;
    const Facts facts = nodeFacts(in, theme.colours());
    // A stage beside itself has no section on what its nodes came from.
    const diff::GraphDiff none = diff::diffGraphs(*a, *a);
    NodeFactsInput itself = in;
    itself.other = a.get();
    itself.diff = &none;
    itself.side = Side::B;
    for (const Section& section : nodeFacts(itself, theme.colours()).sections)
        QVERIFY2(!section.title.contains("Came from"), qPrintable(section.title));
    const auto names = [&facts](const char* title) {
        QStringList out;
        for (const Section& section : facts.sections)
            if (section.title == QLatin1String(title))
                for (const Fact& fact : section.facts)
                    if (fact.kind == Fact::Kind::Card) out << fact.tokens.front().text;
        return out;
    };
    QVERIFY(names("Became in B").contains("mul"));
    QVERIFY(!names("Became in B").contains("mul_1") && !names("Became in B").contains("mul_2"));
    QVERIFY(names("Its gradient in B").contains("mul_2"));
    in.graph = b.get();
    in.other = a.get();
    in.side = Side::B;
    in.node = b->find("mul_2");
    const Facts back = nodeFacts(in, theme.colours());
    QCOMPARE(diffChip(back, "Gradient of"), QString());
    QVERIFY(diffChip(back, "Came from A").startsWith("no section"));
}

void TestInspector::tellsANode() {
    test::Fixture f;
    test::addSample(f.workspace, "view_mutation");
    auto panel = f.show<InspectorPanel>(312, 700);
    f.select(Side::A, "setitem");
    const Facts& facts = panel->facts();
    QCOMPARE(facts.title, QStringLiteral("setitem"));
    QCOMPARE(facts.chip, QStringLiteral("writes in place"));
    const QString text = panel->plainText();
    QVERIFY(text.contains("Args: y, (slice(None, None, None), 0), getitem"));
    QVERIFY(text.contains("Writes: y"));
    QVERIFY(text.contains("none (kept for its write)"));
    QVERIFY(text.contains("Became in B"));
    QVERIFY(text.contains("select_scatter"));
    // It has no partner, and yet is not gone: the badge does not say that it was removed.
    QCOMPARE(diffChip(facts, "Became in B"), QStringLiteral("replaced"));
    QVERIFY(text.contains("cap.py:"));
    f.select(Side::B, "select_scatter");
    QVERIFY(panel->plainText().contains("Came from A"));
    QVERIFY(panel->plainText().contains("setitem"));
    QVERIFY(panel->plainText().contains("Stride: (5, 1)"));
    QVERIFY(panel->plainText().contains("Written by: copy  −1, functional form"));
    QVERIFY(panel->plainText().contains("Next write: none on this storage"));
    QVERIFY(panel->plainText().contains("Through all stages"));
    f.select(Side::B, "select");
    QVERIFY(!panel->plainText().contains("Next write")); // x is only read
    f.select(Side::A, "setitem");
    QVERIFY(panel->plainText().contains("Written by: y  −2, makes it"));
    QVERIFY(panel->plainText().contains("Next write: none on this storage"));
    f.select(Side::A, "y");
    QVERIFY(panel->plainText().contains("Written by: none, this makes the storage"));
    QVERIFY(panel->plainText().contains("Next write: setitem  +2"));
}

void TestInspector::tellsWhyAFunctionalGraphCopies() {
    const auto text = [](const std::string& body) {
        test::Fixture f;
        const auto session = capture::openText(body, "g");
        f.workspace.addCapture({*session, session::summarizeBreaks(**session)});
        auto panel = f.show<InspectorPanel>(312, 700);
        f.select(Side::A, "copy_");
        return panel->plainText();
    };
    const auto call = [](const char* name, const char* op, const char* arguments) {
        return std::string("    %") + name + " : [num_users=1] = call_function[target=torch.ops.aten." + op +
               "](args = (" + arguments + "), kwargs = {})\n";
    };
    const std::string begin =
        "graph():\n    %a : [num_users=2] = placeholder[target=a]\n" + call("add", "add.Tensor", "%a, 1");
    const std::string copy = call("copy_", "copy_.default", "%a, %add");
    const QString plain = text(begin + copy + "    return (add,)");
    QVERIFY2(plain.contains("Why here: puts add into input a, so that the caller's tensor holds it"),
             qPrintable(plain));
    const QString whole = text(begin + call("s", "as_strided.default", "%a, [5], [1], 0") +
                               call("copy_", "copy_.default", "%s, %add") + "    return (add,)");
    QVERIFY2(whole.contains("puts add into the memory that lies under input a"), qPrintable(whole));
    // The program's own copy_, after which it goes on, or into something else, is no write-back.
    QVERIFY(!text(begin + copy + call("neg", "neg.default", "%copy_,") + "    return (neg,)")
                 .contains("Why here"));
    QVERIFY(
        !text(begin + call("copy_", "copy_.default", "%add, %a") + "    return (add,)").contains("Why here"));
}

/// Of a training step: the AOT graph numbers what the Dynamo graph of the same compile names.
void TestInspector::parametersHaveTheirNames() {
    test::Fixture f;
    test::addSample(f.workspace, "encoder_train");
    auto panel = f.show<InspectorPanel>(312, 700);
    QStringList names;
    for (const Side side : {Side::A, Side::B}) {
        const ir::GraphPtr graph = f.workspace.stage(side).graph;
        QVERIFY(graph);
        for (ir::NodeIndex i = 0; i < graph->size(); ++i) {
            if (graph->node(i).op != ir::Op::Placeholder) continue;
            f.workspace.selectNode({side, i});
            f.settle();
            for (const Fact& fact : panel->facts().sections.front().facts)
                if (fact.label == "Holds") names << fact.tokens.front().text;
        }
    }
    QVERIFY2(names.contains("layers.0.self_attn.in_proj_weight"), qPrintable(names.join(u' ')));
    QVERIFY2(names.count("layers.0.self_attn.in_proj_weight") == 2, qPrintable(names.join(u' ')));
    f.select(Side::A, "relu");
    QVERIFY(!panel->plainText().contains("Holds:"));
}

/// Every node that is alive then says so, the largest first; what is said adds up to the planners' peak.
void TestInspector::tellsWhatIsHeldAtThePeak() {
    test::Fixture f;
    test::addSample(f.workspace, "encoder_train");
    auto panel = f.show<InspectorPanel>(312, 700);
    const ir::GraphPtr graph = f.workspace.stage(Side::B).graph;
    QVERIFY(graph);
    const replay::GraphBlocks blocks = replay::blocksOf(*graph);
    const replay::GraphPeak peak = replay::peakOf(blocks, graph->size());
    QCOMPARE(peak.bytes, replay::planGreedyBySize(blocks.blocks).peakBytes);
    std::uint64_t rounded = 0;
    for (const replay::GraphPeak::Held& held : peak.held)
        rounded +=
            (held.bytes + replay::defaultAlignment - 1) / replay::defaultAlignment * replay::defaultAlignment;
    QCOMPARE(rounded, peak.bytes);
    QVERIFY(peak.held.size() > 1);

    const auto section = [&panel]() -> const Section* {
        const auto& all = panel->facts().sections;
        const auto found = std::ranges::find(all, QString("Held at the peak"), &Section::title);
        return found == all.end() ? nullptr : &*found;
    };
    const ir::NodeIndex largest = peak.held.front().maker;
    f.workspace.selectNode({Side::B, largest});
    f.settle();
    QVERIFY(section());
    QCOMPARE(section()->chip, bytesText(peak.bytes));
    QCOMPARE(section()->facts[1].label, bytesText(peak.held.front().bytes));
    QCOMPARE(section()->facts[1].tokens.front().text, toQString(graph->node(largest).name));
    panel->follow(section()->facts[2].tokens.front().link);
    f.settle();
    QCOMPARE(f.workspace.selectedNode(), &graph->node(peak.held[1].maker));
    QVERIFY(section());
    // An input is the caller's.
    f.workspace.selectNode({Side::B, 0});
    f.settle();
    QCOMPARE(graph->node(0).op, ir::Op::Placeholder);
    QVERIFY(!section());
}

void TestInspector::linksGoToNodes() {
    test::Fixture f;
    test::addSample(f.workspace, "view_mutation");
    auto panel = f.show<InspectorPanel>(312, 700);
    f.select(Side::A, "setitem");
    QString target;
    for (const Section& section : panel->facts().sections)
        for (const Fact& fact : section.facts)
            for (const Token& token : fact.tokens)
                if (token.text == "getitem" && !token.link.isEmpty()) target = token.link;
    QCOMPARE(target, QStringLiteral("node:A:%1").arg(f.workspace.stage(Side::A).graph->find("getitem")));
    panel->follow(target);
    QCOMPARE(f.workspace.selectedNode()->name, std::string("getitem"));
    QSignalSpy source(&f.workspace, &Workspace::sourceRequested);
    panel->follow("source:/a/b:c.py:43");
    QCOMPARE(source.size(), 1);
    QCOMPARE(source[0][0].toString(), QStringLiteral("/a/b:c.py"));
    QCOMPARE(source[0][1].toInt(), 43);
    QSignalSpy record(&f.workspace, &Workspace::recordRequested);
    panel->follow("record:7");
    QCOMPARE(record[0][1].toInt(), 7);
    const NodeSelection before = f.workspace.place().node;
    panel->follow("node:A:999999");
    QVERIFY(f.workspace.place().node == before || f.workspace.selectedNode() == nullptr);
}

void TestInspector::tellsACompile() {
    test::Fixture f;
    test::addSample(f.workspace, "graph_breaks");
    auto panel = f.show<InspectorPanel>(312, 700);
    f.workspace.selectCompile(0, f.compileIndex("1/0"));
    f.workspace.clearSelection();
    f.settle();
    const QString text = panel->plainText();
    QCOMPARE(panel->facts().title, QStringLiteral("1/0"));
    QVERIFY(text.contains("Graph break"));
    QVERIFY(text.contains("Way out"));
    QVERIFY(text.contains("Compile time: "));
    QVERIFY(text.contains("Caches"));
    QVERIFY(text.contains("No entry has this key (full_miss)."));
    panel->follow("break:0");
    QCOMPARE(f.workspace.place().page, Page::Breaks);
}

/// Before the guards that failed: that nothing came of it matters more than why it was tried.
void TestInspector::aFailureLeadsToItsRecord() {
    test::TraceText text;
    text.start().add("\"dynamo_error\": {}",
                     "Traceback (most recent call last):\n  File \"/a/b.py\", line 3, in f\n"
                     "    g()\nTypeError: odd\n");
    text.metrics("\"fail_type\": \"TypeError\", \"fail_reason\": \"odd\"");
    const auto opened = capture::openText(text.text());
    QVERIFY2(opened, opened ? "" : opened.error().message.c_str());
    auto session = std::make_shared<session::Session>(**opened);
    session->compiles[0].isRecompile = true;
    session->compiles[0].recompileReasons = {"0/0: x == 3"};
    const Facts facts = compileFacts({session, session::summarizeBreaks(*session)}, 0);
    QStringList titles;
    QString record;
    for (const Section& section : facts.sections) {
        titles << section.title;
        for (const Fact& fact : section.facts)
            if (section.title == "Failure" && fact.label == "Record") record = fact.tokens.front().link;
    }
    QVERIFY2(titles.contains("Failure") && titles.indexOf("Failure") < titles.indexOf("Why it recompiled"),
             qPrintable(titles.join(u' ')));
    const QString number = record.section(u':', 1);
    QVERIFY2(record.startsWith("record:"), qPrintable(record));
    QCOMPARE(session->records.type(number.toULong()), std::string("dynamo_error"));
}

/// A number read from a buffer is named as the model names the buffer; the tooltip has Dynamo's spelling.
void TestInspector::sourcesOfSymbolsAreShort() {
    test::Fixture f;
    test::addSample(f.workspace, "graph_breaks");
    auto changed = std::make_shared<session::Session>(*f.workspace.captures()[0].session);
    const char* const spelled =
        "L['s']._modules['stem']._modules['1']._buffers['num_batches_tracked'].item()";
    session::SymbolInfo symbol;
    symbol.symbol = "s84";
    symbol.value = "0";
    symbol.source = spelled;
    changed->compiles[0].symbols = {symbol};
    const Facts facts = compileFacts({changed, session::summarizeBreaks(*changed)}, 0);
    bool found = false;
    for (const Section& section : facts.sections)
        for (const Fact& fact : section.facts) {
            if (fact.label != "s84") continue;
            found = true;
            QVERIFY2(fact.tokens.back().text.endsWith("stem.1.num_batches_tracked.item()"),
                     qPrintable(fact.tokens.back().text));
            QVERIFY(!fact.tokens.back().text.contains("_modules"));
            QVERIFY2(fact.toolTip.contains(spelled), qPrintable(fact.toolTip));
        }
    QVERIFY(found);
}

void TestInspector::aRestartIsNamedByItsClass() {
    session::Session session;
    session.compiles.resize(1);
    session.compiles[0].id = {0, 0, -1};
    session.compiles[0].attempts = 2;
    session.compiles[0].restartReasons = {"<class 'torch._dynamo.exc.TensorifyScalarRestartAnalysis'>"};
    test::Fixture f;
    f.workspace.addCapture(test::captureOf(std::move(session)), true);
    auto panel = f.show<InspectorPanel>(312, 700);
    const QString text = panel->plainText();
    QVERIFY2(text.contains("TensorifyScalarRestartAnalysis") && !text.contains("<class"), qPrintable(text));
}

void TestInspector::tellsARecompile() {
    test::Fixture f;
    test::addSample(f.workspace, "graph_breaks");
    auto panel = f.show<InspectorPanel>(312, 700);
    f.workspace.selectCompile(0, f.compileIndex("0/1"));
    f.workspace.clearSelection();
    f.settle();
    QVERIFY(panel->plainText().contains("Why it recompiled"));
    const QString text = panel->plainText();
    QVERIFY(text.contains("tensor 'x' size mismatch at index 0"));
    QVERIFY(text.contains("8, the call had 4"));
    QVERIFY(text.contains("torch._dynamo.mark_dynamic(x, 0)"));
    QVERIFY(text.contains("guards of 0/0"));
}

void TestInspector::refreshesOnlyWhenShown() {
    test::Fixture f;
    InspectorPanel panel(f.workspace, f.theme);
    test::addSample(f.workspace, "view_mutation");
    f.select(Side::A, "setitem");
    QVERIFY(panel.facts().title.isEmpty());
    panel.resize(300, 400);
    panel.show();
    f.settle();
    QCOMPARE(panel.facts().title, QStringLiteral("setitem"));
    panel.hide();
    f.select(Side::A, "getitem");
    QCOMPARE(panel.facts().title, QStringLiteral("setitem"));
    panel.show();
    f.settle();
    QCOMPARE(panel.facts().title, QStringLiteral("getitem"));
}

namespace {

/// Takes longer than a turn may.
class SlowPanel : public Panel {
public:
    SlowPanel(test::Fixture& f, QString name, QStringList& log)
        : Panel(f.workspace, f.theme)
        , m_name(std::move(name))
        , m_log(log) {}

protected:
    void refresh() override {
        m_log << m_name;
        QMetaObject::invokeMethod(
            this, [this] { m_log << QStringLiteral("turn"); }, Qt::QueuedConnection);
        QThread::msleep(30);
    }

private:
    QString m_name;
    QStringList& m_log;
};

} // namespace

void TestInspector::slowPanelsRefreshInTurns() {
    test::Fixture f;
    QStringList log;
    SlowPanel a(f, "a", log), b(f, "b", log), hidden(f, "hidden", log);
    auto gone = std::make_unique<SlowPanel>(f, "gone", log);
    for (SlowPanel* panel : {&a, &b, &hidden, gone.get()})
        panel->show();
    f.settle();
    log.clear();
    for (SlowPanel* panel : {&a, &hidden, gone.get(), &b, &a})
        panel->invalidate();
    QVERIFY(!PanelTurns::of(f.workspace).isIdle());
    hidden.hide();
    gone.reset();
    f.settle();
    QVERIFY(PanelTurns::of(f.workspace).isIdle());
    QCOMPARE(log, QStringList({"a", "turn", "b", "turn"}));
    hidden.show(); // what it was asked for meanwhile
    QVERIFY(log.contains("hidden"));
}

void TestInspector::textIsNeverMarkup() {
    Theme theme;
    FactText text(
        {views::mono("<b>x</b> & <img src='http://example.org'>"), views::link("<i>go</i>", "node:A:1")},
        theme);
    QCOMPARE(text.toPlainText(), QStringLiteral("<b>x</b> & <img src='http://example.org'><i>go</i>"));
    QSignalSpy followed(&text, &FactText::followed);
    text.resize(400, 40);
    text.show();
    QTextCursor cursor(text.document());
    cursor.movePosition(QTextCursor::End);
    QTest::mouseClick(text.viewport(), Qt::LeftButton, {}, text.cursorRect(cursor).center() - QPoint(10, 0));
    QCOMPARE(followed.size(), 1);
    QCOMPARE(followed[0][0].toString(), QStringLiteral("node:A:1"));
}

void TestInspector::foldsSections() {
    test::Fixture f;
    test::addSample(f.workspace, "view_mutation");
    auto panel = f.show<InspectorPanel>(312, 700);
    f.select(Side::A, "setitem");
    const auto origin = [&] {
        QToolButton* found = nullptr;
        for (QToolButton* button : panel->findChildren<QToolButton*>())
            if (button->text() == "Origin" && button->isVisible()) found = button;
        return found;
    };
    QVERIFY(origin());
    QVERIFY(origin()->isChecked());
    QTest::mouseClick(origin(), Qt::LeftButton);
    f.select(Side::A, "getitem");
    QVERIFY(origin());
    QVERIFY(!origin()->isChecked());
}

namespace {

Section section(const QString& title, std::vector<Fact> facts, bool open = true) {
    Section out;
    out.title = title;
    out.facts = std::move(facts);
    out.open = open;
    return out;
}

std::vector<FactText*> texts(const QWidget& view) {
    std::vector<FactText*> out;
    for (FactText* text : view.findChildren<FactText*>())
        if (!text->isHidden()) out.push_back(text);
    return out;
}

FactText* textNamed(const QWidget& view, const QString& name) {
    for (FactText* text : texts(view))
        if (text->accessibleName() == name) return text;
    return nullptr;
}

QToolButton* titleOf(const QWidget& view, const QString& title) {
    for (QToolButton* button : view.findChildren<QToolButton*>())
        if (button->text() == title) return button;
    return nullptr;
}

} // namespace

void TestInspector::foldedSectionsMakeNoWidgets() {
    Theme theme;
    FactView view(theme);
    view.resize(300, 400);
    view.show();
    Facts facts;
    facts.sections = {section("Open", {fact("one", {views::text("1")})}),
                      section("Folded", {fact("two", {views::text("2")}), fact("three", {})}, false)};
    view.setFacts(facts);
    QCOMPARE(texts(view).size(), std::size_t(1));
    QVERIFY(!textNamed(view, "two"));
    titleOf(view, "Folded")->click();
    QVERIFY(textNamed(view, "two"));
    QCOMPARE(textNamed(view, "two")->toPlainText(), QStringLiteral("2"));
    QTRY_VERIFY(textNamed(view, "two")->isVisible());
    // What it was while it was folded is not what it is when it is unfolded again.
    titleOf(view, "Folded")->click();
    QVERIFY(!textNamed(view, "two")->isVisible());
    facts.sections[1].facts = {fact("two", {views::text("22")})};
    view.setFacts(facts);
    titleOf(view, "Folded")->click();
    QCOMPARE(textNamed(view, "two")->toPlainText(), QStringLiteral("22"));
    QVERIFY(!textNamed(view, "three"));
    QCOMPARE(texts(view).size(), std::size_t(2));
}

void TestInspector::equalFactsKeepTheirWidgets() {
    Theme theme;
    FactView view(theme);
    Facts facts;
    facts.sections = {section("A", {fact("one", {views::text("1")}), fact("two", {views::text("2")})}),
                      section("B", {fact("three", {views::text("3")})})};
    view.setFacts(facts);
    FactText* const one = textNamed(view, "one");
    FactText* const three = textNamed(view, "three");
    QTextCursor selection(one->document());
    selection.select(QTextCursor::Document);
    one->setTextCursor(selection);
    facts.sections[0].facts[1].tokens = {views::text("other")};
    std::swap(facts.sections[0], facts.sections[1]);
    view.setFacts(facts);
    QCOMPARE(textNamed(view, "one"), one);
    QCOMPARE(textNamed(view, "three"), three);
    QCOMPARE(one->textCursor().selectedText(), QStringLiteral("1"));
    QCOMPARE(textNamed(view, "two")->toPlainText(), QStringLiteral("other"));
    // A selection is of the text that it was made in.
    facts.sections[1].facts[0].tokens = {views::text("11")};
    view.setFacts(facts);
    QVERIFY(!textNamed(view, "one")->textCursor().hasSelection());
    view.setFacts({});
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    QVERIFY(texts(view).empty());
}

void TestInspector::whatIsShownAgainIsLikeNew() {
    test::Fixture f;
    f.theme.apply(*qApp);
    test::addSample(f.workspace, "view_mutation");
    std::vector<Facts> all;
    const auto diff = f.workspace.diff();
    for (const Side side : {Side::A, Side::B}) {
        const StageView& own = f.workspace.stage(side);
        const StageView& other = f.workspace.stage(side == Side::A ? Side::B : Side::A);
        for (ir::NodeIndex i = 0; i < own.graph->size(); ++i)
            all.push_back(nodeFacts({side, i, own.graph.get(), other.graph.get(), diff.get(), "a", "b"},
                                    f.theme.colours()));
    }
    test::addSample(f.workspace, "graph_breaks");
    for (std::size_t i = 0; i < f.workspace.captures()[1].session->compiles.size(); ++i)
        all.push_back(compileFacts(f.workspace.captures()[1], i));
    Facts odd; // every kind of fact, in places where there was another
    odd.title = QStringLiteral("odd");
    for (const auto change : {diff::Change::Same, diff::Change::Added, diff::Change::Changed}) {
        Fact card = paragraph({views::mono("card")}), code = paragraph({views::mono("code")});
        card.kind = Fact::Kind::Card;
        card.change = change;
        code.kind = Fact::Kind::Code;
        code.number = 12;
        code.marked = change == diff::Change::Added;
        odd.sections.push_back(section("Origin", {code, card, fact("label", {}, "tip"), card}));
    }
    odd.sections[1].chip = QStringLiteral("chip");
    all.insert(all.begin() + 5, odd);
    all.push_back(odd);
    all.push_back(all.front());
    FactView again(f.theme);
    const auto picture = [](FactView& view) {
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        for (int i = 0; i < 10; ++i) // a layout tells the one above it
            QCoreApplication::processEvents();
        view.setFocus(); // not a title, which shows it
        return view.widget()->grab().toImage();
    };
    again.resize(312, 3000); // without a scroll bar, which comes and goes at different heights
    again.show();
    for (std::size_t i = 0; i < all.size(); ++i) {
        FactView fresh(f.theme);
        fresh.resize(312, 3000);
        fresh.show();
        fresh.setFacts(all[i]);
        again.setFacts(all[i]);
        const QImage seen = picture(again), wanted = picture(fresh);
        QCOMPARE(seen.size(), wanted.size());
        QVERIFY2(seen == wanted, qPrintable(QStringLiteral("%1: %2").arg(i).arg(all[i].title)));
        const auto a = texts(again), b = texts(fresh);
        QCOMPARE(a.size(), b.size());
    }
}

/// Facts that nobody sets again, such as how a recorded graph ends, can be read in the other look too.
void TestInspector::anotherLookIsWrittenAnew() {
    Theme theme;
    theme.setScheme(ColourScheme::Dark);
    FactView view(theme);
    Section section;
    section.title = QStringLiteral("Stack");
    section.facts = {paragraph({mono(QStringLiteral("cap.py:3"))})};
    Facts facts;
    facts.sections = {section};
    view.setFacts(facts);
    view.show();
    const auto colour = [&view] {
        const auto texts = view.findChildren<FactText*>();
        for (const FactText* text : texts)
            if (text->isVisible() && text->toPlainText() == "cap.py:3")
                return text->document()->begin().begin().fragment().charFormat().foreground().color();
        return QColor();
    };
    QCOMPARE(colour(), theme.colours().text);
    const QColor before = theme.colours().text;
    theme.setScheme(ColourScheme::Light);
    QTRY_COMPARE(colour(), theme.colours().text);
    QVERIFY(theme.colours().text != before);
}

void TestInspector::longLabelsAreCutBeforeTheyAreMeasured() {
    Theme theme;
    ElidedLabel label(nullptr);
    const QString name(100000, u'x');
    label.setWhole(name, QStringLiteral("tip"));
    QVERIFY(label.text().size() < 1000);
    label.setFixedWidth(80);
    label.show();
    QVERIFY(label.text().size() < 100);
    QVERIFY(label.text().endsWith(QChar(0x2026)));
    QVERIFY(label.toolTip().startsWith(name));
    label.hide();
    label.setWhole(QStringLiteral("short"), QStringLiteral("tip"));
    QCOMPARE(label.text(), QStringLiteral("short"));
    QCOMPARE(label.toolTip(), QStringLiteral("tip"));
}

void TestInspector::nothingIsCutOff_data() {
    QTest::addColumn<int>("width");
    for (const int width : {264, 312, 440})
        QTest::newRow(qPrintable(QString::number(width))) << width;
}

void TestInspector::nothingIsCutOff() {
    QFETCH(int, width);
    test::Fixture f;
    test::addSample(f.workspace, "graph_breaks");
    auto panel = f.show<InspectorPanel>(width, 900);
    f.workspace.selectCompile(0, f.compileIndex("1/0"));
    f.workspace.clearSelection();
    f.settle();
    QTest::qWait(20);
    for (const FactText* text : panel->findChildren<FactText*>()) {
        if (!text->isVisible()) continue;
        QVERIFY2(text->height() + 1 >= text->heightForWidth(text->width()), qPrintable(text->toPlainText()));
        QVERIFY(text->mapTo(panel.get(), QPoint(text->width(), 0)).x() <= width);
    }
}

QTEST_MAIN(TestInspector)
#include "tst_inspector.moc"
