// SPDX-License-Identifier: BSD-3-Clause
//
// A profile over time: graph breaks, compiled regions, guards, graph calls, kernels, then streams and threads, each
// with what it ran nested. Only what is in view is drawn, and of events narrower than a pixel one for each pixel.
#pragma once

#include "views/base/time_axis_view.h"
#include "views/profile/profile_lanes.h"
#include "views/theme/theme.h"

#include <vector>

namespace dynascope::views {

/// GUI thread only. Times are nanoseconds of the profile.
class LanesView : public TimeAxisView {
    Q_OBJECT
public:
    explicit LanesView(Theme& theme, QWidget* parent = nullptr);

    /// Null shows nothing. The same lanes again keep the view.
    void setLanes(ProfileLanesPtr lanes);
    /// Shows a step and counts time from its start; profile::allSteps the whole profile.
    void setStep(int step);
    [[nodiscard]] const ProfileLanesPtr& lanes() const { return m_lanes; }

    /// profile::none for none. `reveal` scrolls there, and zooms in where the event is too narrow to be seen.
    void select(std::uint32_t event, bool reveal = false);
    [[nodiscard]] std::uint32_t selected() const { return m_selected; }
    /// Events of these rows of the joined profile are lit; all alike where there are none.
    void light(const std::vector<std::uint32_t>& rows);

    void zoomBy(double factor, double x) override;
    void zoomTo(std::uint32_t event);
    /// Selects `after` and shows what lies between the two, with some of both.
    void zoomBetween(std::uint32_t before, std::uint32_t after);
    void zoomAll() override; ///< to the step
    void panBy(double pixels) override;
    [[nodiscard]] double left() const { return m_left; }
    [[nodiscard]] double right() const { return timeAt(viewport()->width()); }

    [[nodiscard]] std::uint32_t eventAt(QPoint point) const; ///< in the viewport; profile::none for none
    /// In the viewport, also where it is out of view; of an event in several lanes, in the first of them. Empty for
    /// one that is in none.
    [[nodiscard]] QRectF eventRect(std::uint32_t event) const;
    [[nodiscard]] int breakAt(QPoint point) const;                ///< into ProfileLanes::breaks; -1 for none
    [[nodiscard]] QString description(std::uint32_t event) const; ///< what the tool tip says
    [[nodiscard]] std::size_t drawnBoxes() const { return m_drawn; } ///< by the last paint: for benches
    [[nodiscard]] int wholeHeight() const { return rulerHeight() + m_contentHeight; } ///< of all lanes
    [[nodiscard]] QSize sizeHint() const override;

signals:
    void selectionChanged(std::uint32_t event);
    void activated(std::uint32_t event); ///< double click or Return: show where it belongs
    void breakActivated(int compile);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    [[nodiscard]] bool hasTimes() const override { return m_lanes != nullptr; }
    [[nodiscard]] int axisLeft() const override { return titleWidth(); }
    bool hover(QPoint point) override;
    void hoverNothing() override { setHover(profile::none); }
    void click(QPoint point) override;
    [[nodiscard]] QString toolTipAt(QPoint point) const override;
    void stepSelection(Qt::Key arrow) override;
    void zoomToSelection() override { zoomTo(m_selected); }
    void activateSelection() override;
    bool clearSelection() override;

private:
    struct Row {
        int y = 0; ///< below the ruler, before scrolling
        std::size_t lane = 0, row = 0;
    };
    struct Chip {
        QRectF box;
        int index = 0; ///< into ProfileLanes::breaks
    };

    // lanes_view.cpp
    void layOut();
    void setView(double left, double perNs);
    void updateBar();
    [[nodiscard]] const profile::Profile& profile() const { return *m_lanes->joined->profile; }
    [[nodiscard]] const profile::Event& at(std::uint32_t event) const { return profile().events[event]; }
    [[nodiscard]] const std::vector<std::uint32_t>& events(const Row& row) const {
        return m_lanes->lanes[row.lane].rows[row.row];
    }
    [[nodiscard]] const Row* rowOf(std::uint32_t event) const;
    [[nodiscard]] int rulerHeight() const { return m_theme.scaled(22); }
    [[nodiscard]] int rowHeight() const { return m_theme.scaled(18); }
    [[nodiscard]] int titleWidth() const { return m_theme.scaled(128); }
    [[nodiscard]] double xOf(double time) const { return titleWidth() + (time - m_left) * m_perNs; }
    [[nodiscard]] double timeAt(double x) const { return m_left + (x - titleWidth()) / m_perNs; }
    [[nodiscard]] bool isLit(std::uint32_t event) const;
    [[nodiscard]] std::vector<Chip> chips() const; ///< those in view that stand apart
    // lanes_paint.cpp
    void paintRow(QPainter& painter, const Row& row, int y);
    void paintBox(QPainter& painter, std::uint32_t event, const profile::Lane& lane, const QRectF& box) const;
    void paintBeside(QPainter& painter, const QString& label, std::uint32_t event, const QRectF& box,
                     double until) const;
    void paintTitles(QPainter& painter) const;
    void paintRuler(QPainter& painter) const;
    void paintBreaks(QPainter& painter) const;
    void paintSteps(QPainter& painter) const;
    [[nodiscard]] QColor colourOf(std::uint32_t event) const;
    [[nodiscard]] QString labelOf(std::uint32_t event, const profile::Lane& lane) const;
    // lanes_input.cpp
    void setHover(std::uint32_t event);
    [[nodiscard]] std::uint32_t neighbour(int direction) const;
    [[nodiscard]] std::uint32_t firstInside() const;

    Theme& m_theme;
    ProfileLanesPtr m_lanes;
    std::vector<Row> m_rows;
    std::vector<int> m_titles; ///< y of lanes
    int m_contentHeight = 0, m_breaksHeight = 0;
    double m_left = 0, m_perNs = 1;
    double m_from = 0, m_to = 1; ///< of the step
    int m_width = 0;             ///< that m_perNs was made for
    std::uint32_t m_selected = profile::none, m_hover = profile::none;
    std::vector<char> m_lit; ///< by row of the joined profile; empty while none is
    std::size_t m_drawn = 0;
};

} // namespace dynascope::views
