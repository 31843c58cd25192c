// SPDX-License-Identifier: BSD-3-Clause
#include "views/theme/theme.h"

#include "views/theme/focus_guard.h"
#include "views/theme/look_style.h"
#include "views/theme/shown_text.h"
#include "views/theme/style_sheet.h"
#include "views/theme/svg_icon.h"

#include <QApplication>
#include <QFile>
#include <QFontDatabase>
#include <QPalette>
#include <QScreen>

// The macro declares a function, which must not end up in a namespace.
static void loadLookResource() {
    Q_INIT_RESOURCE(look);
}

namespace dynascope::views {

namespace {

constexpr int smallestFont = 10;
constexpr int largestFont = 16;

const QStringList& textFamilies() {
    static const QStringList families{"Inter", "DejaVu Sans", "Noto Sans"};
    return families;
}

const QStringList& codeFamilies() {
    static const QStringList families{"JetBrains Mono", "DejaVu Sans Mono"};
    return families;
}

void loadFonts() {
    static const bool once = [] {
        loadLookResource();
        for (const char* name : {"Inter-Regular.otf", "Inter-Medium.otf", "Inter-SemiBold.otf",
                                 "Inter-Bold.otf", "JetBrainsMono-Regular.ttf", "JetBrainsMono-Bold.ttf"}) {
            QFontDatabase::addApplicationFont(QStringLiteral(":/dynascope/fonts/") + QLatin1String(name));
        }
        return true;
    }();
    static_cast<void>(once);
}

/// The desktop's own palette tells whether it is dark; asked once, before ours replaces it.
bool desktopIsDark() {
    static const bool dark = QGuiApplication::palette().color(QPalette::Window).lightness() < 128;
    return dark;
}

QPalette makePalette(const Colours& c) {
    QPalette p;
    p.setColor(QPalette::Window, c.bg1);
    p.setColor(QPalette::WindowText, c.text);
    p.setColor(QPalette::Base, c.bg1);
    p.setColor(QPalette::AlternateBase, c.bg2);
    p.setColor(QPalette::Text, c.text);
    p.setColor(QPalette::PlaceholderText, c.text3);
    p.setColor(QPalette::Button, c.bg2);
    p.setColor(QPalette::ButtonText, c.text);
    p.setColor(QPalette::BrightText, c.accent);
    p.setColor(QPalette::ToolTipBase, c.bg2);
    p.setColor(QPalette::ToolTipText, c.text);
    p.setColor(QPalette::Highlight, c.row);
    p.setColor(QPalette::HighlightedText, c.text);
    p.setColor(QPalette::Link, c.accent);
    p.setColor(QPalette::LinkVisited, c.accent);
    p.setColor(QPalette::Light, c.bg3);
    p.setColor(QPalette::Midlight, c.bg2);
    p.setColor(QPalette::Mid, c.line);
    p.setColor(QPalette::Dark, c.line2);
    p.setColor(QPalette::Shadow, c.bg0);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        p.setColor(QPalette::Disabled, role, c.text3);
    return p;
}

} // namespace

Theme::Theme(QObject* parent)
    : QObject(parent) {
    m_colours = desktopIsDark() ? darkColours() : lightColours();
}

Theme::~Theme() {
    if (!m_style) return;     // none, or it ended with the application
    m_app->setStyleSheet({}); // what stands before the style
    if (QApplication::style() == m_style) QApplication::setStyle(QStringLiteral("Fusion"));
}

void Theme::apply(QApplication& app) {
    loadFonts();
    const bool first = m_app == nullptr;
    m_app = &app;
    if (first) {
        m_style = new LookStyle(*this);
        QApplication::setStyle(m_style);
        TextGuard::install();
        FocusGuard::install();
    }
    rebuild();
}

void Theme::setScheme(ColourScheme scheme) {
    m_scheme = scheme;
    const bool dark = scheme == ColourScheme::System ? desktopIsDark() : scheme == ColourScheme::Dark;
    if (dark == m_colours.dark) return;
    m_colours = dark ? darkColours() : lightColours();
    rebuild();
    emit changed();
}

void Theme::setFontSize(int pixels) {
    const int size = qBound(smallestFont, pixels, largestFont);
    if (size == m_fontSize) return;
    m_fontSize = size;
    rebuild();
    emit changed();
}

void Theme::rebuild() {
    if (m_app == nullptr) return;
    QApplication::setPalette(makePalette(m_colours));
    QApplication::setFont(font(FontRole::Text));
    m_app->setStyleSheet(styleSheet());
}

QFont Theme::font(FontRole role) const {
    struct Spec {
        double pixels;
        QFont::Weight weight;
        bool code;
    };
    const Spec spec = [role]() -> Spec {
        switch (role) {
        case FontRole::KeyFigure:
            return {18, QFont::DemiBold, false};
        case FontRole::Title:
            return {14, QFont::DemiBold, false};
        case FontRole::NodeName:
            return {12.5, QFont::Bold, true};
        case FontRole::Strong:
            return {12, QFont::DemiBold, false};
        case FontRole::Section:
            return {11, QFont::DemiBold, false};
        case FontRole::Code:
            return {11.5, QFont::Normal, true};
        case FontRole::CodeSmall:
            return {10.5, QFont::Normal, true};
        case FontRole::Text:
            break;
        }
        return {12, QFont::Normal, false};
    }();
    loadFonts();
    QFont font;
    font.setFamilies(spec.code ? codeFamilies() : textFamilies());
    const QScreen* screen = QGuiApplication::primaryScreen();
    const double dpi = screen != nullptr ? screen->logicalDotsPerInchY() : 96;
    // Half pixels are only to be had through points.
    font.setPointSizeF(spec.pixels * m_fontSize / 12 * 72 / dpi);
    font.setWeight(spec.weight);
    font.setHintingPreference(QFont::PreferNoHinting);
    if (spec.code) {
        font.setStyleHint(QFont::Monospace);
        font.setFixedPitch(true);
        // Shaping is what would join "!=" and "->" into ligatures.
        font.setStyleStrategy(QFont::PreferNoShaping);
    }
    return font;
}

QIcon Theme::icon(const QString& name, const QColor& colour) const {
    loadFonts();
    QFile file(QStringLiteral(":/dynascope/icons/%1.svg").arg(name));
    if (!file.open(QIODevice::ReadOnly)) return {};
    const QColor normal = colour.isValid() ? colour : m_colours.text2;
    const QColor on = colour.isValid() ? colour : m_colours.accent;
    return QIcon(new SvgIconEngine(file.readAll(), {normal, on, m_colours.line2}));
}

QString Theme::styleSheet() const {
    return makeStyleSheet(m_colours, m_fontSize, textFamilies().first(), codeFamilies().first());
}

} // namespace dynascope::views
