// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/open.h"
#include "core/profile/line_times.h"
#include "tests/support/profiles.h"
#include "tests/views/panel_test.h"
#include "views/base/bytecode_panel.h"
#include "views/base/code_view.h"
#include "views/base/source_panel.h"
#include "views/base/source_text.h"

#include <QLabel>
#include <QTemporaryDir>
#include <cmath>

using namespace dynascope;
using namespace dynascope::views;

class TestSourcePanel : public QObject {
    Q_OBJECT
private slots:
    void showsOnlyQuotedLines();
    void showsTheFileWhereItMatches();
    void selectedNodeLightsItsLine();
    void clicksCycleThroughTheNodes();
    void showsRequestedLines();
    void bytecodeSideBySide();
    void saysWhatIsMissing();
    void timesBesideLines();
};

namespace {
session::Session sessionQuoting(const std::string& path, std::map<std::uint32_t, std::string> lines) {
    session::Session out;
    out.sources[path] = {path, std::move(lines)};
    return out;
}
} // namespace

void TestSourcePanel::showsOnlyQuotedLines() {
    const SourceText text = loadSource(
        sessionQuoting("/no/such/file.py", {{3, "a = 1"}, {4, "b = 2"}, {9, "c = 3"}}), "/no/such/file.py");
    QVERIFY(!text.whole);
    QVERIFY(text.notice.contains("not on this machine"));
    QCOMPARE(text.document->lines.size(), std::size_t(4)); // a gap between 4 and 9
    QCOMPARE(text.document->lines[2].number, 0);
    QCOMPARE(text.indexOfLine.value(9), 3);
    QVERIFY(loadSource({}, "other.py").document->lines.empty());
}

void TestSourcePanel::showsTheFileWhereItMatches() {
    QTemporaryDir folder;
    const QString path = folder.filePath("cap.py");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("import torch\ndef f(x):\n    y = x + 1\n    return y\n");
    file.close();
    const std::string name = path.toStdString();
    const SourceText whole = loadSource(sessionQuoting(name, {{3, "y = x + 1"}}), name);
    QVERIFY(whole.whole);
    QVERIFY(whole.notice.isEmpty());
    QCOMPARE(whole.document->lines[2].text, QStringLiteral("    y = x + 1"));
    const SourceText changed = loadSource(sessionQuoting(name, {{3, "y = x + 2"}}), name);
    QVERIFY(!changed.whole);
    QVERIFY(changed.notice.contains("changed since"));
    const SourceText device = loadSource(sessionQuoting("/dev/zero", {{1, "x"}}), "/dev/zero");
    QVERIFY(!device.whole);
}

void TestSourcePanel::selectedNodeLightsItsLine() {
    test::Fixture f;
    test::addSample(f.workspace, "view_mutation");
    auto panel = f.show<SourcePanel>();
    f.select(Side::A, "setitem");
    const ir::SourceLocation* at = f.workspace.selectedNode()->location();
    QVERIFY(at);
    const auto& lines = panel->view()->document(0)->lines;
    const auto line = std::find_if(lines.begin(), lines.end(),
                                   [&](const CodeLine& l) { return l.number == int(at->line); });
    QVERIFY(line != lines.end());
    const int index = int(line - lines.begin());
    const QImage picture = panel->view()->viewport()->grab().toImage();
    const QRect rect = panel->view()->lineRect(0, index);
    QVERIFY(!rect.isEmpty());
    QCOMPARE(picture.pixelColor(rect.right() - 3, rect.center().y()), f.theme.colours().accentBg);
}

void TestSourcePanel::clicksCycleThroughTheNodes() {
    test::Fixture f;
    test::addSample(f.workspace, "view_mutation");
    auto panel = f.show<SourcePanel>();
    f.select(Side::A, "setitem");
    const int number = int(f.workspace.selectedNode()->location()->line);
    const auto& lines = panel->view()->document(0)->lines;
    int index = 0;
    while (lines[std::size_t(index)].number != number)
        ++index;
    std::set<std::pair<int, ir::NodeIndex>> seen;
    for (int i = 0; i < 4; ++i) {
        const QRect rect = panel->view()->lineRect(0, index);
        QTest::mouseClick(panel->view()->viewport(), Qt::LeftButton, {},
                          QPoint(rect.left() + 60, rect.center().y()));
        f.settle();
        seen.emplace(int(f.workspace.place().node.side), f.workspace.place().node.node);
        QCOMPARE(int(f.workspace.selectedNode()->location()->line), number);
    }
    QCOMPARE(seen.size(), std::size_t(4));
}

void TestSourcePanel::showsRequestedLines() {
    test::Fixture f;
    test::addSample(f.workspace, "graph_breaks");
    auto panel = f.show<SourcePanel>();
    const session::BreakGroup& group = f.workspace.capture()->breaks.groups.front();
    emit f.workspace.sourceRequested(QString::fromStdString(group.location.file), int(group.location.line));
    f.settle();
    const auto& lines = panel->view()->document(0)->lines;
    const auto line = std::find_if(lines.begin(), lines.end(),
                                   [&](const CodeLine& l) { return l.number == int(group.location.line); });
    QVERIFY(line != lines.end());
    QVERIFY(!panel->view()->lineRect(0, int(line - lines.begin())).isEmpty());
    const SourceText text = loadSource(*f.workspace.session(), group.location.file);
    const auto marks = breakMarks(f.workspace.capture()->breaks, text);
    QVERIFY(marks.contains(text.indexOfLine.value(int(group.location.line))));
    QCOMPARE(marks.value(text.indexOfLine.value(int(group.location.line))).icon, QStringLiteral("scissors"));
}

void TestSourcePanel::bytecodeSideBySide() {
    test::Fixture f;
    test::addSample(f.workspace, "graph_breaks");
    const auto& compiles = f.workspace.session()->compiles;
    const auto recorded = std::find_if(compiles.begin(), compiles.end(),
                                       [](const session::Compile& c) { return !c.bytecode.empty(); });
    QVERIFY(recorded != compiles.end());
    f.workspace.selectCompile(0, int(recorded - compiles.begin()));
    auto panel = f.show<BytecodePanel>();
    QVERIFY(panel->message().isEmpty());
    QCOMPARE(panel->view()->paneCount(), 2);
    QVERIFY(panel->view()->document(0)->text().contains("RETURN_VALUE"));
    QVERIFY(panel->view()->document(1)->text().contains("RETURN_VALUE"));
    QVERIFY(panel->view()->nextDifference(1));
}

void TestSourcePanel::timesBesideLines() {
    test::Fixture f;
    const auto opened = capture::open(DYNASCOPE_TEST_DATA "/profile/breaks");
    QVERIFY(opened);
    f.workspace.addCapture({*opened, session::summarizeBreaks(**opened)}, true);
    auto panel = f.show<SourcePanel>();
    f.settle();
    const auto& lines = panel->view()->document(0)->lines;
    const auto markOf = [&](int number) -> GutterMark {
        for (std::size_t i = 0; i < lines.size(); ++i)
            if (lines[i].number == number) return panel->view()->marks(0).value(int(i));
        return {};
    };
    profile::Facts facts(test::joinedFolder("breaks"));
    const profile::LineTimes times = lineTimes(facts);
    for (const auto& [number, time] : times.files.begin()->second) {
        const GutterMark mark = markOf(int(number));
        QVERIFY2(std::abs(mark.text.toDouble() - time.all / 1000) <= 0.06, qPrintable(mark.text));
        QVERIFY(mark.share > 0 && mark.share <= 1);
        QVERIFY(mark.toolTip.startsWith("Run time"));
    }
    const GutterMark broken = markOf(16);
    QVERIFY2(broken.icon == "scissors" && broken.toolTip.contains("after its graph break") &&
                 broken.toolTip.contains("compile time"),
             qPrintable(broken.toolTip));
    bool says = false;
    for (const QLabel* label : panel->findChildren<QLabel*>())
        says = says || label->text().contains("µs in a step");
    QVERIFY(says);
}

void TestSourcePanel::saysWhatIsMissing() {
    test::Fixture f;
    auto source = f.show<SourcePanel>();
    QVERIFY(source->message().contains("Ctrl+O"));
    f.workspace.addCapture(test::captureOf({}), true);
    f.settle();
    QVERIFY(source->message().contains("no source line"));
    auto bytecode = f.show<BytecodePanel>();
    QVERIFY(!bytecode->message().isEmpty());
}

QTEST_MAIN(TestSourcePanel)
#include "tst_source_panel.moc"
