// SPDX-License-Identifier: BSD-3-Clause
//
// A storage drawn to scale, one lane an input: the cells that it covers, and those that another input covers
// as well.
#pragma once

#include "core/session/storage_cover.h"

#include <QWidget>

namespace dynascope::views {

class Theme;

/// GUI thread only.
class StorageStrip : public QWidget {
    Q_OBJECT
public:
    explicit StorageStrip(Theme& theme, QWidget* parent = nullptr);

    /// `session` keeps the compile alive.
    void setCompile(session::SessionPtr session, std::size_t compile);
    void setSelectedInput(int input); ///< index into Compile::inputs; -1 for none
    [[nodiscard]] const std::vector<session::StorageView>& storages() const { return m_storages; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return {180, sizeHint().height()}; }

signals:
    void inputClicked(int input);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Place {
        int y = 0, storage = 0, lane = -1; ///< lane -1: the storage's title
    };
    [[nodiscard]] std::vector<Place> places() const;
    [[nodiscard]] const session::StorageLane* laneAt(QPoint point) const;
    [[nodiscard]] const session::Compile& compile() const;
    void paintLane(QPainter& painter, const session::StorageView& storage, const session::StorageLane& lane,
                   int y) const;

    Theme& m_theme;
    session::SessionPtr m_session;
    std::size_t m_compile = 0;
    std::vector<session::StorageView> m_storages;
    int m_selected = -1;
};

} // namespace dynascope::views
