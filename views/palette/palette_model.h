// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "views/palette/palette_search.h"
#include "views/theme/theme.h"

#include <QAbstractListModel>
#include <QFontMetricsF>
#include <QStyledItemDelegate>
#include <vector>

namespace dynascope::views {

/// Hits with a heading row before each group. Headings cannot be selected.
class PaletteModel : public QAbstractListModel {
    Q_OBJECT
public:
    using QAbstractListModel::QAbstractListModel;
    void setResult(PaletteResult result);
    [[nodiscard]] const PaletteResult& result() const { return m_result; }
    /// Null for a heading.
    [[nodiscard]] const PaletteHit* hit(int row) const;
    [[nodiscard]] QString heading(int row) const;
    [[nodiscard]] QString headingDetail(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;

private:
    struct Row {
        PaletteKind kind;
        int hit = -1; ///< -1 for a heading
    };
    PaletteResult m_result;
    std::vector<Row> m_rows;
};

class PaletteDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    explicit PaletteDelegate(Theme& theme, QObject* parent = nullptr);
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    Theme& m_theme;
};

/// A hit's title as it fits into `width`, with what matched of it; cut in its middle, so that its start is seen and the end
/// that tells it from its neighbours.
struct ShownTitle {
    QString text;
    std::vector<std::pair<int, int>> ranges; ///< (begin, length), ascending
};
[[nodiscard]] ShownTitle shownTitle(const QFontMetricsF& metrics, const PaletteHit& hit, qreal width);

/// Draws a key sequence as key caps that end at `right`; returns the left edge of the first.
int drawKeyCaps(QPainter& painter, const Theme& theme, const QString& keys, int right, int centreY);

} // namespace dynascope::views
