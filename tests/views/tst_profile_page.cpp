// SPDX-License-Identifier: BSD-3-Clause
//
// The page Profile on tests/data/profile: its figures and rows, by what they are grouped, one step, and where rows lead.
#include "core/capture/open.h"
#include "tests/support/patience.h"
#include "tests/views/panel_test.h"
#include "views/base/page_parts.h"
#include "views/profile/profile_page.h"
#include "views/profile/profile_rows.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>

using namespace dynascope;
using namespace dynascope::views;

namespace {

class Shown {
public:
    explicit Shown(const std::string& name) {
        const auto opened = capture::open(DYNASCOPE_TEST_DATA "/profile/" + name);
        if (!opened) qFatal("%s", opened.error().toString().c_str());
        session = *opened;
        f.workspace.addCapture({session, session::summarizeBreaks(*session)}, true);
        Place place = f.workspace.place();
        place.page = Page::Profile;
        f.workspace.go(place);
        page = f.show<ProfilePage>(1500, 900);
        settle();
    }
    void settle() {
        QTRY_VERIFY_WITH_TIMEOUT(f.isCalm() && page->table()->rows().rowCount() > 0, test::patience);
    }
    void groupBy(const QString& name) {
        page->by()->setCurrentText(name);
        emit page->by()->activated(page->by()->currentIndex());
        settle();
    }
    [[nodiscard]] int rowWith(const QString& what) const {
        const auto& rows = page->table()->rows().rows();
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (rows[i].front().text == what) return int(i);
        return -1;
    }
    [[nodiscard]] QString figures() const {
        QStringList out;
        for (const QLabel* label : page->figures()->findChildren<QLabel*>())
            if (!label->isHidden()) out << label->text();
        return out.join(u'|');
    }

    test::Fixture f;
    session::SessionPtr session;
    std::unique_ptr<ProfilePage> page;
};

} // namespace

class TestProfilePage : public QObject {
    Q_OBJECT

private slots:
    void rowsAndFigures() {
        Shown s("mlp_aot");
        QVERIFY2(s.figures().contains("median of 3") && s.figures().contains("kernels and nodes"),
                 qPrintable(s.figures()));
        QCOMPARE(s.rowWith("addmm"), 0);
        QVERIFY(s.rowWith("guards") >= 0 && s.rowWith("outside compiled code") >= 0);
        s.page->findChild<QLineEdit*>()->setText("gelu");
        QVERIFY(s.page->table()->rows().rowCount() >= 2);
        QVERIFY(s.rowWith("gelu") >= 0 && s.rowWith("addmm") < 0);
    }

    void otherGroupsAndOneStep() {
        Shown s("breaks");
        s.groupBy("break");
        QVERIFY(s.rowWith("graph break at profiles.py:16") >= 0);
        s.groupBy("operator");
        QVERIFY(s.rowWith("aten::addmm") >= 0);
        QCOMPARE(s.page->steps()->count(), 4);
        const QString all = s.figures();
        s.page->steps()->setCurrentIndex(2);
        emit s.page->steps()->activated(2);
        s.settle();
        QVERIFY(s.figures() != all);
    }

    void rowsLeadToNodes() {
        Shown s("mlp_aot");
        emit s.page->table()->rowActivated(s.rowWith("gelu"));
        QTRY_VERIFY_WITH_TIMEOUT(s.f.isCalm(), test::patience);
        QCOMPARE(s.f.workspace.place().page, Page::Stages);
        QVERIFY(!s.f.workspace.place().node.isEmpty());
    }

    void rowsLeadToBreaks() {
        Shown s("breaks");
        s.groupBy("break");
        emit s.page->table()->rowActivated(s.rowWith("graph break at profiles.py:16"));
        QCOMPARE(s.f.workspace.place().page, Page::Breaks);
    }

    void aCaptureWithoutProfile() {
        test::Fixture f;
        const auto opened = capture::open(DYNASCOPE_TEST_DATA "/profile/mlp_aot/trace.log.xz");
        QVERIFY(opened);
        f.workspace.addCapture({*opened, session::summarizeBreaks(**opened)}, true);
        const auto page = f.show<ProfilePage>(900, 600);
        QTRY_VERIFY(page->message().contains("export_chrome_trace"));
    }
};

QTEST_MAIN(TestProfilePage)
#include "tst_profile_page.moc"
