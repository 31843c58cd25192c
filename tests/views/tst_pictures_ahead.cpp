// SPDX-License-Identifier: BSD-3-Clause
//
// Pictures of graphs that are likely to be looked at next are made beforehand, and are those that would be made then.
#include "tests/support/open_captures.h"
#include "tests/support/patience.h"
#include "views/canvas/pictures_ahead.h"

#include <functional>

using namespace dynascope;
using namespace dynascope::views;
using namespace dynascope::views::canvas;

namespace {

/// The first two graphs of the sample, side by side.
PictureRequest requested() {
    const auto opened = capture::open(test::samplePath("encoder_train").toStdString());
    if (!opened) qFatal("%s", opened.error().toString().c_str());
    PictureRequest out;
    for (const session::StagePtr& stage : (*opened)->compiles.front().stages) {
        if (stage->content != session::Stage::Content::Graph) continue;
        PaneSource source;
        source.graph = *stage->graph();
        source.room = QSizeF(700, 600);
        if (out.a) {
            out.b = source;
            break;
        }
        out.a = source;
    }
    out.diff = std::make_shared<const diff::GraphDiff>(diff::diffGraphs(*out.a->graph, *out.b->graph));
    return out;
}

/// As if the reader's window had another width.
PictureRequest wider(PictureRequest request, int by) {
    request.a->room.rwidth() += 40 * by;
    return request;
}

} // namespace

class TestPicturesAhead : public QObject {
    Q_OBJECT
private slots:
    void whatIsPreparedIsWhatWouldBeMade() {
        const PictureRequest request = requested();
        PicturesAhead ahead;
        ahead.prepare(request);
        QVERIFY(!ahead.find(request)); // not on this thread
        QTRY_VERIFY_WITH_TIMEOUT(ahead.isIdle(), test::patience);
        const Picture* made = ahead.find(request);
        QVERIFY(made && made->complete);
        const Picture asked = makePicture(request, {});
        QCOMPARE(made->a->result.boxes.size(), asked.a->result.boxes.size());
        QCOMPARE(made->b->scene->size, asked.b->scene->size);
        QCOMPARE(made->bands.size(), asked.bands.size());
        ahead.clear();
        QVERIFY(!ahead.find(request));
    }

    void anotherWishIsAnotherPicture_data() {
        QTest::addColumn<std::function<void(PictureRequest&)>>("change");
        const auto row = [](const char* name, std::function<void(PictureRequest&)> change) {
            QTest::newRow(name) << std::move(change);
        };
        row("another room", [](PictureRequest& r) { r.b->room.rheight() += 60; });
        row("a block is open", [](PictureRequest& r) { r.a->open.insert(1); });
        row("a part alone", [](PictureRequest& r) { r.b->only = {1, 2}; });
        row("one graph", [](PictureRequest& r) { r.a.reset(); });
        row("as one", [](PictureRequest& r) { r.merged = true; });
        row("not aligned", [](PictureRequest& r) { r.aligned = false; });
        row("another diff",
            [](PictureRequest& r) { r.diff = std::make_shared<const diff::GraphDiff>(*r.diff); });
        row("another compile's names",
            [](PictureRequest& r) { r.a->naming = std::make_shared<const session::Naming>(); });
    }
    void anotherWishIsAnotherPicture() {
        QFETCH(std::function<void(PictureRequest&)>, change);
        const PictureRequest request = requested();
        PicturesAhead ahead;
        ahead.prepare(request);
        QTRY_VERIFY_WITH_TIMEOUT(ahead.isIdle(), test::patience);
        PictureRequest other = request;
        QVERIFY(isSamePicture(request, other) && ahead.find(other));
        change(other);
        QVERIFY(!isSamePicture(request, other) && !ahead.find(other));
    }

    void noMoreAreKeptThanAsked() {
        const PictureRequest request = requested();
        PicturesAhead ahead;
        const int most = int(PicturesAhead::mostKept);
        for (int i = 0; i < most + 3; ++i)
            ahead.prepare(wider(request, i)); // the first is being made, the oldest of the others are dropped
        QTRY_VERIFY_WITH_TIMEOUT(ahead.isIdle(), test::patience);
        int kept = 0;
        for (int i = 0; i < most + 3; ++i)
            kept += ahead.find(wider(request, i)) ? 1 : 0;
        QCOMPARE(kept, most);
        QVERIFY(ahead.find(wider(request, most + 2)) && !ahead.find(wider(request, 1)));
        // One that is there is not made again.
        ahead.prepare(wider(request, most + 2));
        QVERIFY(ahead.isIdle());
    }
};

QTEST_MAIN(TestPicturesAhead)
#include "tst_pictures_ahead.moc"
