// SPDX-License-Identifier: BSD-3-Clause
//
// What somebody takes out of the window as a picture: a canvas, a page, a plot, as vectors or as pixels.
#pragma once

#include <QImage>
#include <QSizeF>
#include <QString>
#include <functional>

class QMenu;
class QPainter;
class QWidget;

namespace dynascope::views {

/// Something that can be drawn at any scale. GUI thread only.
struct Drawing {
    QString title;
    QSizeF size; ///< in pixels of a screen with scale 1; empty where there is nothing to draw
    std::function<void(QPainter&)> paint;

    [[nodiscard]] bool isEmpty() const { return size.isEmpty() || !paint; }
};

/// A widget as it is on screen; of one that scrolls pixel by pixel all from top to bottom, without bars. It must live as
/// long as the picture.
[[nodiscard]] Drawing pictureOf(QWidget& widget, const QString& title);

/// Pixels of `scale` for each of a screen with scale 1, fewer where the picture would have more than 32 million.
/// Null where there is no room for it.
[[nodiscard]] QImage imageOf(const Drawing& picture, double scale);

struct WrittenPicture {
    QString problem; ///< why there is no file, as a sentence; empty where there is
    QString note;    ///< what the file is short of, such as its full size; empty for nothing
};
/// SVG, PDF (both with text and lines, a page of the picture's size) or PNG (two pixels for one), as the suffix
/// says. The file that was there stays where the new one cannot be written.
[[nodiscard]] WrittenPicture writePicture(const Drawing& picture, const QString& path);

/// Puts the picture on the clipboard, two pixels for one.
void copyPicture(const Drawing& picture);

/// Of dialogs, SVG first: "SVG (*.svg)", "PDF (*.pdf)", "PNG (*.png)".
[[nodiscard]] QStringList pictureFilters();

/// Asks where a picture is to go; a name without a suffix gets that of the kind that was chosen. Empty where nothing
/// was.
[[nodiscard]] QString askPicturePath(QWidget& parent, const QString& caption, const QString& title);

/// Adds "Copy as image" and "Export picture..." for a widget to its context menu.
void addPictureActions(QMenu& menu, QWidget& widget, const QString& title);
/// For a widget of which more can be drawn than is on screen: `picture` is asked when one of both is chosen.
void addPictureActions(QMenu& menu, QWidget& widget, const std::function<Drawing()>& picture);
/// Gives a widget without a context menu one with both.
void offerPicture(QWidget& widget, const QString& title);

} // namespace dynascope::views
