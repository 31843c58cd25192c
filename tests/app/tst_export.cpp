// SPDX-License-Identifier: BSD-3-Clause
//
// Pictures of the window without a display: all there, of the size asked for, and painted without a complaint
// of Qt, however small the window is.
#include "app/gui/export.h"
#include "tests/support/open_captures.h"
#include "views/workspace/panel_id.h"

#include <QApplication>
#include <QDir>
#include <QImage>
#include <QSet>
#include <QTemporaryDir>

using namespace dynascope;

namespace {
QStringList warnings;

void collect(QtMsgType type, const QMessageLogContext&, const QString& text) {
    if (type == QtWarningMsg || type == QtCriticalMsg) warnings << text;
}
} // namespace

class TestExport : public QObject {
    Q_OBJECT
private slots:
    void paintsWithoutWarnings_data();
    void paintsWithoutWarnings();
    void aRecordingShowsItsSteps();
    void saysWhatItCouldNotRead();
};

void TestExport::paintsWithoutWarnings_data() {
    QTest::addColumn<QString>("sample");
    QTest::addColumn<QSize>("size");
    QTest::addColumn<bool>("dark");
    for (const bool dark : {true, false})
        for (const QSize size : {QSize(480, 360), QSize(1280, 800), QSize(1600, 1000), QSize(2560, 1440)})
            QTest::addRow("%d %s", size.width(), dark ? "dark" : "light")
                << (dark ? "graph_breaks" : "view_mutation") << size << dark;
}

void TestExport::paintsWithoutWarnings() {
    QFETCH(QString, sample);
    QFETCH(QSize, size);
    QFETCH(bool, dark);
    const QTemporaryDir folder;
    app::ExportOptions options;
    options.folder = folder.path();
    options.paths = {test::samplePath(sample)};
    options.sizes = {size};
    options.scheme = dark ? views::ColourScheme::Dark : views::ColourScheme::Light;
    warnings.clear();
    const QtMessageHandler before = qInstallMessageHandler(collect);
    const int result = app::exportWindows(*qApp, options);
    qInstallMessageHandler(before);
    QCOMPARE(result, 0);
    QCOMPARE(warnings.filter("QPainter").join('\n'), QString());
    QVERIFY(QFile::exists(folder.filePath(sample + ".txt")));
    const QStringList pictures = QDir(folder.path()).entryList({sample + "-*.png"});
    // Each panel, but for those beside which everything else stands, or in which the engine has to compute first.
    const QSet<QString> without{"capture", "lesson", "values", "passsteps"};
    for (const auto& [id, name] : views::panelNames)
        if (!without.contains(name))
            QVERIFY2(pictures.contains(QString("%1-panel-%2.png").arg(sample, name)), name);
    for (const QString& picture : pictures) {
        const QImage image(folder.filePath(picture));
        // A window grows to the least that its panels need.
        QVERIFY(size.width() < 1280 || image.size() == size);
        const int corner = image.pixelColor(2, image.height() / 2).lightness();
        // Some are taken in both looks.
        const bool expected = picture.contains("-dark") || (dark && !picture.contains("-light"));
        QVERIFY2((corner < 128) == expected, qPrintable(picture));
    }
}

/// A recording of Dynamo has no stages: its pictures are of its steps, in both looks.
void TestExport::aRecordingShowsItsSteps() {
    const QTemporaryDir folder;
    app::ExportOptions options;
    options.folder = folder.path();
    options.paths = {QStringLiteral(DYNASCOPE_SOURCE_DIR "/resources/samples/early_exit.dsteps")};
    options.sizes = {QSize(1280, 800)};
    QCOMPARE(app::exportWindows(*qApp, options), 0);
    QCOMPARE(QDir(folder.path()).entryList({"early_exit-*.png"}).join(' '),
             QString("early_exit-dynamo-dark.png early_exit-dynamo-light.png"));
}

void TestExport::saysWhatItCouldNotRead() {
    const QTemporaryDir folder;
    app::ExportOptions options;
    options.folder = folder.path();
    options.paths = {folder.filePath("nothing.log")};
    QCOMPARE(app::exportWindows(*qApp, options), 2);
}

QTEST_MAIN(TestExport)
#include "tst_export.moc"
