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
    /// The title of a storage, or one of its lanes: `name` at the left, `details` after it or at the right.
    struct Place {
        int y = 0, height = 0;
        const session::StorageView* storage = nullptr;
        const session::StorageLane* lane = nullptr; ///< null: the storage's title
        QString name, details;
    };
    void placeLanes();
    [[nodiscard]] const Place* laneAt(QPoint point) const;
    [[nodiscard]] const session::Compile& compile() const;
    void paintLane(QPainter& painter, const Place& place) const;

    Theme& m_theme;
    session::SessionPtr m_session;
    std::size_t m_compile = 0;
    std::vector<session::StorageView> m_storages;
    std::vector<Place> m_places; ///< from top to bottom; into m_storages
    int m_height = 0;
    int m_selected = -1;
};

} // namespace dynascope::views
