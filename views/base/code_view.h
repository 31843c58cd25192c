// SPDX-License-Identifier: BSD-3-Clause
//
// One or two code panes in one scroll, row by row: line numbers, diff signs and fills, changed words, filler
// rows, folds, marks in the gutter, find, selection and copy. Paints only the rows on screen, so that the
// cost does not depend on the document's length.
#pragma once

#include "core/diff/graph_diff.h"
#include "views/base/code_document.h"

#include <QAbstractScrollArea>
#include <QHash>
#include <QPointer>
#include <array>
#include <functional>
#include <set>

class QMenu;

namespace dynascope::views {

class FindBar;
class Theme;

/// One row: a line of each pane, or a filler where that pane has none.
struct CodeRow {
    std::array<int, 2> line{-1, -1}; ///< indices into CodeDocument::lines
    diff::Change change = diff::Change::Same;
    std::array<std::vector<CodeRange>, 2> words; ///< what differs within the lines
    QString note; ///< a row of its own that tells about the line above; then both lines are -1
};

/// Something beside a line number. Kept small: a capture marks few lines.
struct GutterMark {
    QString text;      ///< "5.29"
    QString count;     ///< "1 / 3", right before the line number
    double share = -1; ///< 0 to 1 draws a bar; negative none
    QString icon;      ///< name of a theme icon
    QString toolTip;
    bool strong = false;  ///< text, bar and icon in the colour of removed
    bool fillRow = false; ///< and the row filled with it
};

/// GUI thread only.
class CodeView : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit CodeView(Theme& theme, QWidget* parent = nullptr);
    ~CodeView() override;

    struct Options {
        bool signs = false; ///< a column for diff signs
        bool fold = false;  ///< long runs of Same rows become one
        QString emptyText;  ///< shown where there is no line at all
    };
    /// One pane, one row a line.
    void setDocument(CodeDocumentPtr document, const Options& options);
    /// Any rows; `b` may be null for a single pane. Keeps the scroll position where the first document stays
    /// the same.
    void setRows(CodeDocumentPtr a, CodeDocumentPtr b, std::vector<CodeRow> rows, const Options& options);
    void clear();

    /// Highlighted lines: the selection in the accent, related ones in its background.
    void setHighlight(int pane, std::set<int> selected, std::set<int> related);
    [[nodiscard]] const std::set<int>& selectedLines(int pane) const {
        return m_selectedLines[std::size_t(pane)];
    }
    [[nodiscard]] const std::set<int>& relatedLines(int pane) const {
        return m_relatedLines[std::size_t(pane)];
    }
    void setMarks(int pane, QHash<int, GutterMark> marks);
    /// By line of the document.
    [[nodiscard]] const QHash<int, GutterMark>& marks(int pane) const { return m_marks[std::size_t(pane)]; }
    /// Scrolls so that the line is visible, opening the fold that hides it.
    void reveal(int pane, int line);
    [[nodiscard]] int paneCount() const { return m_b ? 2 : 1; }
    [[nodiscard]] const CodeDocumentPtr& document(int pane) const { return pane == 0 ? m_a : m_b; }
    [[nodiscard]] const std::vector<CodeRow>& rows() const { return m_rows; }

    /// Moves to the next or previous run of rows that differ; returns false where there is none that way.
    bool nextDifference(int direction);
    void setFolded(bool folded);
    void openFind();
    /// Number of matches of `text` (case-insensitive) in all panes; goes to the first at or after the current
    /// row.
    int find(const QString& text);
    void findNext(int direction);
    [[nodiscard]] QString findText() const { return m_findText; }
    [[nodiscard]] bool hasMatches() const { return !m_matches.empty(); }

    [[nodiscard]] QString selectedText() const;
    void selectAll();
    void copy() const;

    /// Index of the line that the caret is in, -1 where there is none.
    [[nodiscard]] int currentLine() const;
    /// Adds to the context menu of a line; called before it opens.
    std::function<void(QMenu& menu, int pane, int line)> extendMenu;
    /// Plain text for a hover at a line; empty shows nothing.
    std::function<QString(int pane, int line, const QString& word)> toolTipFor;

    /// Where a line is drawn, in viewport coordinates; empty when it is not on screen. For tests and
    /// pictures.
    [[nodiscard]] QRect lineRect(int pane, int line) const;

    [[nodiscard]] QSize sizeHint() const override;

signals:
    void lineClicked(int pane, int line, int column, Qt::KeyboardModifiers modifiers);
    void wordActivated(int pane, int line, const QString& word); ///< Ctrl-click or Ctrl-Enter
    void linkActivated(const QString& target);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    bool event(QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    class Strip;
    friend class Strip;
    struct Position {
        int pane = 0, row = -1, column = 0;
    };
    struct Match {
        int pane, row, begin, end;
    };
    struct Geometry {
        int left = 0, width = 0; ///< of the pane, viewport coordinates
        int numberRight = 0, signLeft = 0, textLeft = 0;
    };

    // Layout
    void metricsChanged();
    void rebuildShown();
    void updateScrollBars();
    [[nodiscard]] Geometry geometryOf(int pane) const;
    [[nodiscard]] int shownIndex(int row) const; ///< of the row or of the fold that hides it
    [[nodiscard]] double xOf(const CodeLine& line, int column) const;
    [[nodiscard]] int columnAt(const CodeLine& line, double x) const;
    [[nodiscard]] const CodeLine* lineAt(int pane, int row) const;
    [[nodiscard]] Position positionAt(QPoint point, bool clamp) const;
    [[nodiscard]] const CodeLink* linkAt(const Position& at) const;
    [[nodiscard]] static CodeRange wordAt(const QString& text, int column);
    void ensureRow(int row, bool centre);
    void unfold(int row);
    [[nodiscard]] bool isDifference(int row) const;

    // Painting
    void paintRow(QPainter& painter, int pane, int row, int y) const;
    void paintFold(QPainter& painter, int firstRow, int y) const;
    void paintGutter(QPainter& painter, int pane, int row, int y) const;
    void paintText(QPainter& painter, int pane, int row, int y) const;
    /// A box for a unit that would not show itself.
    void paintSign(QPainter& painter, const QRectF& cell) const;
    void paintRanges(QPainter& painter, int pane, int row, int y) const;
    [[nodiscard]] std::pair<Position, Position> selection() const;

    // Interaction
    void moveCaret(int rows, bool select);
    void showMatch(int index);
    void updateCursor(QPoint point, Qt::KeyboardModifiers modifiers);

    Theme& m_theme;
    CodeDocumentPtr m_a, m_b;
    std::vector<CodeRow> m_rows;
    Options m_options;
    std::vector<int> m_shown;                 ///< row, or -1 - row for the fold that starts there
    std::vector<std::pair<int, int>> m_folds; ///< [first, last) rows of each closed fold, sorted
    std::array<std::vector<int>, 2> m_rowOfLine;
    std::array<std::set<int>, 2> m_selectedLines, m_relatedLines;
    std::array<QHash<int, GutterMark>, 2> m_marks;

    double m_charWidth = 7;
    int m_rowHeight = 18, m_ascent = 13, m_digits = 2;
    int m_markWidth = 0, m_countWidth = 0; ///< gutter columns of GutterMark::text and bar, and of its count
    int m_markTextWidth = 0;               ///< of the former, without the bar

    Position m_anchor, m_caret;
    bool m_dragging = false;
    QPoint m_pressed;
    int m_hoverPane = -1, m_hoverRow = -1;
    CodeRange m_hoverWord;
    bool m_hoverIsLink = false;

    QString m_findText;
    std::vector<Match> m_matches;
    int m_match = -1;
    FindBar* m_findBar = nullptr;
    Strip* m_strip = nullptr;
};

} // namespace dynascope::views
