// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/chart_parts.h"
#include "views/theme/elided_name.h"
#include "views/theme/mixed.h"
#include "views/theme/style_sheet.h"
#include "views/theme/theme.h"

#include <QApplication>
#include <QComboBox>
#include <QDirIterator>
#include <QFontInfo>
#include <QFontMetricsF>
#include <QImage>
#include <QPainter>
#include <QRegularExpression>
#include <QSet>
#include <QSignalSpy>
#include <QSpinBox>
#include <QStyle>
#include <QTest>
#include <array>
#include <cmath>
#include <vector>

using namespace dynascope;
using namespace dynascope::views;

namespace {

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;

double linear(double channel) {
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

Vector linearRgb(const QColor& colour) {
    return {linear(colour.redF()), linear(colour.greenF()), linear(colour.blueF())};
}

Vector operator*(const Matrix& m, const Vector& v) {
    Vector out{};
    for (std::size_t i = 0; i < 3; ++i)
        out[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
    return out;
}

/// WCAG 2 contrast ratio.
double contrast(const QColor& a, const QColor& b) {
    const auto luminance = [](const QColor& c) {
        const Vector v = linearRgb(c);
        return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2];
    };
    const double la = luminance(a);
    const double lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

/// CIE L*a*b* (D65) of linear sRGB.
Vector lab(const Vector& rgb) {
    constexpr Matrix toXyz{{{0.4124564, 0.3575761, 0.1804375},
                            {0.2126729, 0.7151522, 0.0721750},
                            {0.0193339, 0.1191920, 0.9503041}}};
    const Vector clipped{std::clamp(rgb[0], 0.0, 1.0), std::clamp(rgb[1], 0.0, 1.0),
                         std::clamp(rgb[2], 0.0, 1.0)};
    const Vector xyz = toXyz * clipped;
    const auto f = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116; };
    const double x = f(xyz[0] / 0.95047);
    const double y = f(xyz[1]);
    const double z = f(xyz[2] / 1.08883);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

double distance(const Vector& a, const Vector& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/// Machado, Oliveira and Fernandes 2009, severity 1.0: protanopia, deuteranopia, tritanopia.
constexpr std::array<Matrix, 3> dichromacies{{
    {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
    {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
    {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}},
}};

double closestPair(const std::vector<QColor>& colours) {
    double closest = 1e9;
    for (const Matrix& matrix : dichromacies) {
        for (std::size_t i = 0; i < colours.size(); ++i) {
            for (std::size_t k = i + 1; k < colours.size(); ++k)
                closest = std::min(closest, distance(lab(matrix * linearRgb(colours[i])),
                                                     lab(matrix * linearRgb(colours[k]))));
        }
    }
    return closest;
}

QImage drawn(const QFont& font, const QString& text) {
    QImage image(200, 40, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.setFont(font);
    painter.drawText(QPointF(4, 28), text);
    return image;
}

} // namespace

class TestTheme : public QObject {
    Q_OBJECT
private slots:
    void tonesLieBetweenTheirColours() {
        const QColor colour(200, 100, 0, 128), ground(0, 50, 255);
        QCOMPARE(mixed(colour, 1, ground), colour);
        QCOMPARE(mixed(colour, 0, ground), QColor(0, 50, 255, 128));
        QCOMPARE(mixed(colour, 0.25, ground), QColor(50, 63, 191, 128));
    }

    /// The style paints by its theme, and so ends with it.
    void theStyleEndsWithItsTheme() {
        {
            Theme theme;
            theme.apply(*qApp);
            QVERIFY(!qApp->styleSheet().isEmpty());
        }
        QVERIFY(qApp->styleSheet().isEmpty());
        QVERIFY(!QApplication::style()->inherits("dynascope::views::LookStyle"));
    }

    /// Twelve names that begin alike are told apart by what is left of them.
    void namesKeepTheirEnd() {
        QCOMPARE(shownEnd(u"convolution_backward_19", 14), 12); // "backward_19"
        QCOMPARE(shownEnd(u"convolution_backward_19", 23), 0);
        QCOMPARE(shownEnd(u"aaaaaaaaaaaaaaaaaaaa_1", 12), 10); // no part begins near
        QCOMPARE(shownEnd(u"x_1", 0), 3);
        QVERIFY(isName(u"layers.12.self_attn") && isName(u"L['self'].lin.weight"));
        QVERIFY(!isName(u"f32[4]") && !isName(u"a call") && !isName(u"12") && !isName(u""));
        const QFontMetricsF metrics((Theme().font(FontRole::NodeName)));
        const qreal room = metrics.horizontalAdvance("convolution_bac");
        QSet<QString> shown;
        for (int i = 0; i < 12; ++i) {
            const QString name = QString("convolution_backward_%1").arg(i);
            const QString cut = elidedName(metrics, name, room);
            QVERIFY2(cut.startsWith(QChar(0x2026)) && name.endsWith(cut.mid(1)), qPrintable(cut));
            QVERIFY(metrics.horizontalAdvance(cut) <= room);
            shown.insert(cut);
        }
        QCOMPARE(shown.size(), 12);
        QCOMPARE(elidedName(metrics, "add_1", room), QString("add_1"));
        QVERIFY(elidedName(metrics, "two words that are no name", room).startsWith("two"));
        const QString type = elidedName(metrics, "f32[256, 128, 64, 32, 16]", room);
        QVERIFY2(type.startsWith("f32[") && type.endsWith("16]"), qPrintable(type));
        const QString cut = elidedName(metrics, QString(100000, u'x') + "_7", room);
        QVERIFY2(cut.endsWith("_7") && metrics.horizontalAdvance(cut) <= room, qPrintable(cut));
    }

    /// A path is cut so that its layer and its end stay, and its start where there is room.
    void pathsKeepBothEnds() {
        const QFontMetricsF metrics((Theme().font(FontRole::CodeSmall)));
        const QString path = "model.layers.12.self_attn.q_proj.weight", dots(QChar(0x2026));
        const auto cut = [&](const QString& text, const QString& room) {
            return elidedPath(metrics, text, metrics.horizontalAdvance(room) + 1);
        };
        for (const QString& shown :
             {path, "model.layers.12" + dots + "q_proj.weight", dots + "layers.12" + dots + "q_proj.weight",
              dots + "12" + dots + "q_proj.weight", dots + "q_proj.weight"})
            QCOMPARE(cut(path, shown), shown);
        QCOMPARE(cut(path, path.left(38)), "model.layers.12" + dots + "q_proj.weight");
        const QString norm =
            cut("model.layers.7.post_attention_layernorm.weight", "..layers.7..norm.weight..");
        QVERIFY2(norm.startsWith(dots + "layers.7") && norm.endsWith("m.weight"), qPrintable(norm));
        QCOMPARE(cut("model.embed.inner.tokens.weight", "model.embed_tokens.weight"),
                 "model.embed" + dots + "tokens.weight");
        const QString few = cut("a_long_name_without_parts_12", "a_long_name_12");
        QVERIFY2(few.startsWith("a_l") && few.endsWith("12") && few.contains(dots), qPrintable(few));
        const QString longest = cut(QString("a.").repeated(50000) + "end", "0123456789");
        QVERIFY2(longest.startsWith("a.") && longest.endsWith("end"), qPrintable(longest));
    }

    void textIsReadable_data();
    void textIsReadable();
    void diffColoursStayApart_data();
    void diffColoursStayApart();
    void bundledFontsAreUsed();
    void codeFontHasNoLigatures();
    void fontsFollowTheSize();
    void everyIconDraws();
    void unknownIconIsNull();
    void styleSheetIsComplete();
    void switchingSchemeTellsOnce();
    void boxesHaveArrows();
};

void TestTheme::textIsReadable_data() {
    QTest::addColumn<Colours>("colours");
    QTest::newRow("dark") << Theme::darkColours();
    QTest::newRow("light") << Theme::lightColours();
}

void TestTheme::textIsReadable() {
    QFETCH(Colours, colours);
    const auto& c = colours;
    for (const QColor& panel : {c.bg0, c.bg1, c.bg2}) {
        for (const QColor& text : {c.text, c.text2, c.text3})
            QVERIFY2(contrast(text, panel) >= 4.5, qPrintable(text.name() + " on " + panel.name()));
        QVERIFY2(contrast(c.accent, panel) >= 4.5, qPrintable(panel.name()));
    }
    const auto reads = [](const char* name, const QColor& text, const std::vector<QColor>& grounds) {
        for (const QColor& ground : grounds) {
            const double ratio = contrast(text, ground);
            QVERIFY2(ratio >= 4.5, qPrintable(QString("%1 %2 on %3: %4")
                                                  .arg(QLatin1String(name), text.name(), ground.name())
                                                  .arg(ratio)));
        }
    };
    // Whatever colours a word, on every ground that a word is drawn on: panels, chips and the selected row.
    const std::vector<QColor> grounds{c.bg0, c.bg1, c.bg2, c.bg3, c.row, c.accentBg};
    reads("text", c.text, grounds);
    reads("text2", c.text2, grounds);
    reads("text3", c.text3, {c.bg3});
    reads("hint", c.hint(false), {c.bg0, c.bg1, c.bg2, c.bg3});
    reads("hint", c.hint(true), {c.row, c.accentBg});
    reads("accent", c.accent, grounds);
    reads("accentText", c.accentText(), grounds);
    for (const auto change :
         {diff::Change::Added, diff::Change::Removed, diff::Change::Changed, diff::Change::Moved}) {
        reads("diff", c.diff(change).line, grounds);
        reads("diff", c.diff(change).line, {c.diff(change).fill});
    }
    for (const ir::OpKind kind : {ir::OpKind::InputOutput, ir::OpKind::Parameter, ir::OpKind::Linear,
                                  ir::OpKind::Compute, ir::OpKind::View, ir::OpKind::Write,
                                  ir::OpKind::FunctionalWrite, ir::OpKind::Factory, ir::OpKind::HigherOrder})
        reads("op", c.op(kind), grounds);
    // On boxes of charts, and on nodes that took the most time.
    for (const ir::OpKind kind :
         {ir::OpKind::InputOutput, ir::OpKind::Parameter, ir::OpKind::Compute, ir::OpKind::View,
          ir::OpKind::Write, ir::OpKind::Factory, ir::OpKind::HigherOrder})
        reads("text2", c.text2, {fillOf(c.op(kind), c)});
    reads("text", c.text, {c.heat(1)});
    for (const auto change :
         {diff::Change::Added, diff::Change::Removed, diff::Change::Changed, diff::Change::Moved}) {
        const DiffColours d = c.diff(change);
        QVERIFY(contrast(c.text, d.fill) >= 4.5);
        QVERIFY(contrast(c.text, d.word) >= 4.5);
        // The sign, in the panel's colour on a disc of the line colour.
        QVERIFY(contrast(c.dark ? c.bg0 : c.bg1, d.line) >= 4.5);
    }
}

void TestTheme::diffColoursStayApart_data() {
    textIsReadable_data();
}

void TestTheme::diffColoursStayApart() {
    QFETCH(Colours, colours);
    const double closest = closestPair({colours.added, colours.removed, colours.changed,
                                        colours.diff(diff::Change::Moved).line, colours.accent});
    QVERIFY2(closest >= 12, qPrintable(QString::number(closest)));
}

void TestTheme::bundledFontsAreUsed() {
    const Theme theme;
    QCOMPARE(QFontInfo(theme.font(FontRole::Text)).family(), QString("Inter"));
    QCOMPARE(QFontInfo(theme.font(FontRole::Strong)).weight(), int(QFont::DemiBold));
    QCOMPARE(QFontInfo(theme.font(FontRole::Code)).family(), QString("JetBrains Mono"));
    QCOMPARE(QFontInfo(theme.font(FontRole::NodeName)).weight(), int(QFont::Bold));
}

void TestTheme::codeFontHasNoLigatures() {
    const Theme theme;
    QFont font = theme.font(FontRole::Code);
    font.setPixelSize(20);
    // "!=" drawn at once must look like "!" and "=" drawn one after the other.
    QImage apart = drawn(font, QStringLiteral("!"));
    {
        QPainter painter(&apart);
        painter.setFont(font);
        painter.drawText(QPointF(4 + QFontMetricsF(font).horizontalAdvance('!'), 28), QStringLiteral("="));
    }
    QCOMPARE(drawn(font, QStringLiteral("!=")), apart);
}

void TestTheme::fontsFollowTheSize() {
    Theme theme;
    QCOMPARE(theme.fontSize(), 12);
    const double before = QFontMetricsF(theme.font(FontRole::Code)).horizontalAdvance("aten.add");
    theme.setFontSize(16);
    const double after = QFontMetricsF(theme.font(FontRole::Code)).horizontalAdvance("aten.add");
    // Qt draws whole pixel sizes, so the ratio is near 4 : 3 only.
    QVERIFY2(std::abs(after / before - 16.0 / 12) < 0.1, qPrintable(QString::number(after / before)));
    QCOMPARE(theme.scaled(24), 32);
    theme.setFontSize(99);
    QCOMPARE(theme.fontSize(), 16);
    theme.setFontSize(1);
    QCOMPARE(theme.fontSize(), 10);
}

void TestTheme::everyIconDraws() {
    const Theme theme;
    int seen = 0;
    QDirIterator it(":/dynascope/icons");
    while (it.hasNext()) {
        const QString name = QFileInfo(it.next()).completeBaseName();
        const QImage image = theme.icon(name, Qt::red).pixmap(QSize(16, 16), 2.0).toImage();
        QCOMPARE(image.width(), 32);
        int painted = 0;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x)
                painted += qRed(image.pixel(x, y)) > 200 && qAlpha(image.pixel(x, y)) > 200 ? 1 : 0;
        }
        QVERIFY2(painted > 20, qPrintable(name));
        ++seen;
    }
    QVERIFY(seen > 50);
}

void TestTheme::unknownIconIsNull() {
    QVERIFY(Theme().icon("no such icon").isNull());
}

void TestTheme::styleSheetIsComplete() {
    Theme theme;
    for (const auto scheme : {ColourScheme::Dark, ColourScheme::Light}) {
        theme.setScheme(scheme);
        const QString sheet = theme.styleSheet();
        QVERIFY(!sheet.contains('@'));
        QVERIFY2(!sheet.contains(QRegularExpression(R"(:\s*;)")), "a value is missing");
        QCOMPARE(sheet.count('{'), sheet.count('}'));
    }
}

void TestTheme::switchingSchemeTellsOnce() {
    Theme theme;
    theme.setScheme(ColourScheme::Dark);
    theme.apply(*qApp);
    const QSignalSpy spy(&theme, &Theme::changed);
    theme.setScheme(ColourScheme::Dark);
    QCOMPARE(spy.count(), 0);
    theme.setScheme(ColourScheme::Light);
    QCOMPARE(spy.count(), 1);
    QCOMPARE(QApplication::palette().color(QPalette::Window), Theme::lightColours().bg1);
    QCOMPARE(qApp->styleSheet(), theme.styleSheet());
}

/// A combo box without an arrow looks like a text field, and a spin box likewise.
void TestTheme::boxesHaveArrows() {
    for (const auto scheme : {ColourScheme::Dark, ColourScheme::Light}) {
        Theme theme;
        theme.setScheme(scheme);
        theme.apply(*qApp);
        QComboBox combo;
        combo.addItem("a");
        QSpinBox spin;
        for (QWidget* box : std::initializer_list<QWidget*>{&combo, &spin}) {
            box->resize(140, 26);
            box->show();
            QVERIFY(QTest::qWaitForWindowExposed(box));
            const QImage seen = box->grab().toImage();
            int painted = 0;
            for (int y = 4; y < 22; ++y)
                for (int x = 121; x < 137; ++x)
                    painted += contrast(seen.pixelColor(x, y), seen.pixelColor(110, 5)) > 2.5 ? 1 : 0;
            QVERIFY2(painted >= 6, box->metaObject()->className());
        }
    }
}

QTEST_MAIN(TestTheme)
#include "tst_theme.moc"
