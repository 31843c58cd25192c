// SPDX-License-Identifier: BSD-3-Clause
//
// Colours, fonts, icons and measures of the window, as DESIGN_LANGUAGE names them. Surfaces are neutral;
// colour is data and is always doubled by a sign, a shape or a line style.
#pragma once

#include "core/diff/graph_diff.h"
#include "core/ir/node.h"

#include <QColor>
#include <QFont>
#include <QIcon>
#include <QObject>
#include <QPalette>
#include <QPointer>
#include <QString>
#include <array>

class QApplication;
class QStyle;

namespace dynascope::views {

enum class ColourScheme { Dark, Light, System };

/// Line, fill and changed-word colour of a diff state.
struct DiffColours {
    QColor line, fill, word;
};

/// One set of colours. A value; copy freely.
struct Colours {
    QColor bg0, bg1, bg2, bg3;      ///< canvas; panel; header and toolbar; hover and chip
    QColor line, line2, edge;       ///< separator; field border; graph edge
    QColor text, text2, text3;      ///< content; label; hint
    QColor accent, accentBg, row;   ///< selection and links; its background; selected row
    QColor added, removed, changed; ///< shorthand for the line colours
    bool dark = true;

    /// The accent where it is text on accentBg: a shade stronger, to keep 4.5 : 1.
    [[nodiscard]] QColor accentText() const;
    /// text3, and on a selected row what reads there.
    [[nodiscard]] QColor hint(bool selected) const;
    [[nodiscard]] DiffColours diff(diff::Change change) const;
    [[nodiscard]] QColor op(ir::OpKind kind) const;
    /// Of a share of the most time, 0 to 1. Differences of the small ones show: the scale is that of square roots.
    [[nodiscard]] QColor heat(double share) const;
    /// DESIGN_LANGUAGE "Mutation category": none, parameters and buffers, recorded tensors, others.
    static constexpr std::size_t mutationCount = 4;
    [[nodiscard]] std::array<QColor, mutationCount> mutation() const;
    /// DESIGN_LANGUAGE "Memory": saved for backward, forward temporary, forward output, backward temporary,
    /// gradient; or the five lines that hold most.
    static constexpr std::size_t memoryCount = 5;
    [[nodiscard]] std::array<QColor, memoryCount> memory() const;
};

/// Text roles of DESIGN_LANGUAGE "Type".
enum class FontRole { KeyFigure, Title, NodeName, Text, Strong, Section, Code, CodeSmall };

/// The current look. One object, owned by the application and handed to every view; GUI thread only.
class Theme : public QObject {
    Q_OBJECT
public:
    explicit Theme(QObject* parent = nullptr);
    /// Gives the application another style than the one that paints by this theme.
    ~Theme() override;

    /// Loads the bundled fonts and sets palette, style sheet and font of the application.
    void apply(QApplication& app);
    void setScheme(ColourScheme scheme); ///< emits changed() when the look differs
    void setFontSize(int pixels);        ///< base size, 10 to 16; default 12
    [[nodiscard]] ColourScheme scheme() const { return m_scheme; }
    [[nodiscard]] int fontSize() const { return m_fontSize; }

    [[nodiscard]] const Colours& colours() const { return m_colours; }
    [[nodiscard]] QFont font(FontRole role) const;
    /// A line icon of resources/icons by name ("scissors", "warning", "tick", "play", "chain", "search",
    /// ...), in text2, and in the accent when on. `colour` overrides, which trees need: an open row asks
    /// for the icon that is on.
    [[nodiscard]] QIcon icon(const QString& name, const QColor& colour = {}) const;
    [[nodiscard]] QString styleSheet() const;
    /// Scales a measure given for font size 12.
    [[nodiscard]] int scaled(int pixels) const { return pixels * m_fontSize / 12; }

    static Colours darkColours();
    static Colours lightColours();

signals:
    void changed(); ///< views repaint and refetch icons and fonts

private:
    void rebuild();
    ColourScheme m_scheme = ColourScheme::System;
    int m_fontSize = 12;
    Colours m_colours;
    QApplication* m_app = nullptr;
    QPointer<QStyle> m_style; ///< owned by the application
};

} // namespace dynascope::views
