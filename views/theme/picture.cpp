// SPDX-License-Identifier: BSD-3-Clause
#include "views/theme/picture.h"

#include <QAbstractScrollArea>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QCoreApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMessageBox>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QScrollBar>
#include <QSvgGenerator>
#include <QWidget>
#include <algorithm>
#include <cmath>

namespace dynascope::views {

namespace {

constexpr double mostPixels = 3.2e7, mostSide = 32'000, pixelScale = 2;
// Readers of PDF take pages of at most 200 inches a side.
constexpr double mostPoints = 14'400, pointsOfPixel = 72.0 / 96.0;

QString sayOf(const char* text) {
    return QCoreApplication::translate("Picture", text);
}

double pixelScaleOf(const QSizeF& size, double wanted) {
    const double byArea = std::sqrt(mostPixels / (size.width() * size.height()));
    const double bySide = mostSide / std::max(size.width(), size.height());
    return std::min({wanted, byArea, bySide});
}

QString writeSvg(const Drawing& picture, QSaveFile& file) {
    QSvgGenerator generator;
    generator.setOutputDevice(&file);
    generator.setSize(picture.size.toSize());
    generator.setViewBox(QRectF(QPointF(), picture.size));
    generator.setTitle(picture.title.toHtmlEscaped()); // it is written as it is
    generator.setResolution(96);
    QPainter painter;
    if (!painter.begin(&generator)) return sayOf("the picture could not be drawn");
    picture.paint(painter);
    painter.end();
    return {};
}

QString writePdf(const Drawing& picture, QSaveFile& file) {
    QPdfWriter writer(&file);
    const double fits =
        std::min(1.0, mostPoints / (std::max(picture.size.width(), picture.size.height()) * pointsOfPixel));
    writer.setResolution(96);
    writer.setTitle(picture.title);
    writer.setPageMargins({});
    writer.setPageSize(QPageSize(picture.size * pointsOfPixel * fits, QPageSize::Point, picture.title,
                                 QPageSize::ExactMatch));
    QPainter painter;
    if (!painter.begin(&writer)) return sayOf("the picture could not be drawn");
    painter.scale(fits, fits);
    picture.paint(painter);
    painter.end();
    return {};
}

} // namespace

Drawing pictureOf(QWidget& widget, const QString& title) {
    auto* area = qobject_cast<QAbstractScrollArea*>(&widget);
    if (!area) return {title, widget.size(), [&widget](QPainter& painter) { widget.render(&painter); }};
    const QSize whole = area->viewport()->size() + QSize(0, area->verticalScrollBar()->maximum());
    return {title, whole, [area, whole](QPainter& painter) {
                // For the time of the picture it is as high as what it holds.
                const QSize seen = area->viewport()->size();
                const int at = area->verticalScrollBar()->value();
                area->viewport()->resize(whole);
                area->verticalScrollBar()->setValue(0);
                area->viewport()->render(&painter);
                area->viewport()->resize(seen);
                area->verticalScrollBar()->setValue(at);
            }};
}

QImage imageOf(const Drawing& picture, double scale) {
    if (picture.isEmpty()) return {};
    const double fits = pixelScaleOf(picture.size, scale);
    QImage out((picture.size * fits).toSize().expandedTo({1, 1}), QImage::Format_ARGB32_Premultiplied);
    if (out.isNull()) return {};
    out.fill(Qt::transparent);
    out.setDevicePixelRatio(fits);
    QPainter painter(&out);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    picture.paint(painter);
    painter.end();
    return out;
}

WrittenPicture writePicture(const Drawing& picture, const QString& path) {
    if (picture.isEmpty()) return {sayOf("There is nothing to draw."), {}};
    const QString suffix = QFileInfo(path).suffix().toLower();
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly)) return {sayOf("%1: %2").arg(path, file.errorString()), {}};
    WrittenPicture out;
    QString problem;
    if (suffix == QLatin1String("svg")) {
        problem = writeSvg(picture, file);
    } else if (suffix == QLatin1String("pdf")) {
        problem = writePdf(picture, file);
    } else if (suffix == QLatin1String("png")) {
        const QImage image = imageOf(picture, pixelScale);
        if (image.isNull() || !image.save(&file, "PNG"))
            problem = sayOf("there is no room for its pixels; SVG and PDF need none");
        if (const double fits = pixelScaleOf(picture.size, pixelScale); fits < 1)
            out.note =
                sayOf("%1 has %2 of its size on screen, as many programs open no PNG of more pixels; SVG "
                      "and PDF have all of it.")
                    .arg(QFileInfo(path).fileName(), sayOf("%1 %").arg(std::max(1, int(fits * 100))));
    } else {
        problem = sayOf("its name must end with .svg, .pdf or .png");
    }
    if (problem.isEmpty() && !file.commit()) problem = file.errorString();
    if (!problem.isEmpty()) return {sayOf("%1: %2").arg(path, problem), {}};
    return out;
}

void copyPicture(const Drawing& picture) {
    QImage image = imageOf(picture, pixelScale);
    if (image.isNull()) return;
    image.setDevicePixelRatio(1);
    QApplication::clipboard()->setImage(image);
}

QStringList pictureFilters() {
    return {sayOf("SVG (*.svg)"), sayOf("PDF (*.pdf)"), sayOf("PNG (*.png)")};
}

QString askPicturePath(QWidget& parent, const QString& caption, const QString& title) {
    QString chosen;
    QString path = QFileDialog::getSaveFileName(&parent, caption, title + QStringLiteral(".svg"),
                                                pictureFilters().join(QStringLiteral(";;")), &chosen);
    if (!path.isEmpty() && QFileInfo(path).suffix().isEmpty())
        path += chosen.section(u'*', 1).section(u')', 0, 0);
    return path;
}

void addPictureActions(QMenu& menu, QWidget& widget, const QString& title) {
    addPictureActions(menu, widget, [&widget, title] { return pictureOf(widget, title); });
}

void addPictureActions(QMenu& menu, QWidget& widget, const std::function<Drawing()>& picture) {
    if (!menu.isEmpty()) menu.addSeparator();
    menu.addAction(sayOf("Copy as image"), &widget, [picture] { copyPicture(picture()); });
    menu.addAction(sayOf("Export picture..."), &widget, [&widget, picture] {
        const Drawing drawing = picture();
        const QString path = askPicturePath(widget, sayOf("Export picture"), drawing.title);
        if (path.isEmpty()) return;
        const WrittenPicture written = writePicture(drawing, path);
        if (!written.problem.isEmpty())
            QMessageBox::warning(&widget, sayOf("Export picture"), written.problem);
        if (!written.note.isEmpty()) QMessageBox::information(&widget, sayOf("Export picture"), written.note);
    });
}

void offerPicture(QWidget& widget, const QString& title) {
    widget.setContextMenuPolicy(Qt::CustomContextMenu);
    QObject::connect(&widget, &QWidget::customContextMenuRequested, &widget,
                     [&widget, title](const QPoint& at) {
                         QMenu menu(&widget);
                         addPictureActions(menu, widget, title);
                         menu.exec(widget.mapToGlobal(at));
                     });
}

} // namespace dynascope::views
