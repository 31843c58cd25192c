// SPDX-License-Identifier: BSD-3-Clause
//
// Text of a capture on its way to the window. It is a stranger's: it may look like markup, which Qt's labels
// and tool tips take it for and which could then load files; it may hold marks that turn the direction of
// what is read; and one name may have 100,000 characters, which take seconds to lay out.
//
// What guards the whole program: LookStyle takes every label's text as it is unless the label was told that
// it is markup, and cuts what item views show; TextGuard takes every tool tip as it is unless it came from
// markupToolTip(). So no text of a capture becomes a document that could load files.
#pragma once

#include <QFontMetricsF>
#include <QObject>
#include <QString>

namespace dynascope::views {

/// No longer than `most` characters, marks of direction and control codes as "<U+202E>"; what is left out is
/// counted: "… and 96,000 more characters". The text itself where nothing is to be done.
[[nodiscard]] QString shownText(const QString& text, qsizetype most);

/// A tool tip that shows the text as it stands, lines included, of at most 1,000 characters.
[[nodiscard]] QString plainToolTip(const QString& text);
/// A tool tip that is markup. Whatever of a capture is in it has been through shownText() and escaped.
[[nodiscard]] QString markupToolTip(const QString& html);

/// Text that fits into `width`, as QFontMetrics::elidedText() makes it, marks of direction and control codes
/// as in shownText(), in a time that does not grow with the length of the text.
[[nodiscard]] QString elided(const QFontMetricsF& metrics, const QString& text, Qt::TextElideMode mode,
                             qreal width);

/// Shows the tool tips of widgets, views, headers, tabs and menus. One a program; filters its application's
/// events. GUI thread only.
class TextGuard : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    /// On the application, once; later calls do nothing.
    static void install();

    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace dynascope::views
