// SPDX-License-Identifier: BSD-3-Clause
//
// The roofline beside the rows of the page Profile, with the peaks that bound it: measured by the engine, or typed.
#pragma once

#include "core/rederive/measured_peaks.h"
#include "views/profile/profile_rows.h"
#include "views/profile/roofline_view.h"

#include <QWidget>
#include <optional>

class QLabel;
class QLineEdit;
class QPushButton;

namespace dynascope::views {

class Engine;

/// GUI thread only. Measures with the engine's tag "profile.peaks".
class ProfileRoofline : public QWidget {
    Q_OBJECT
public:
    /// Without an engine peaks can be typed alone.
    ProfileRoofline(Theme& theme, Engine* engine, QWidget* parent = nullptr);

    /// Those of `numbers`, into `rows`, that have a place; a point's row is its place in `numbers`.
    void show(const profile::Joined& joined, const std::vector<ProfileRow>& rows,
              const std::vector<int>& numbers);
    [[nodiscard]] const std::optional<profile::Peaks>& peaks() const { return m_peaks; }
    [[nodiscard]] RooflineView* view() const { return m_view; }
    [[nodiscard]] QLineEdit* field() const { return m_field; }
    [[nodiscard]] QPushButton* button() const { return m_measure; }

signals:
    void peaksChanged();

private:
    void take();
    void setPeaks(const std::optional<profile::Peaks>& peaks);
    void measure();

    Engine* m_engine;
    RooflineView* m_view;
    QLabel* m_note;
    QLineEdit* m_field;
    QPushButton* m_measure;
    std::optional<profile::Peaks> m_peaks;
    profile::ProfilePtr m_profile; ///< that is shown; null before
    engine::PeakRequest m_request; ///< what there is to measure for it
    std::optional<engine::MeasuredPeaks> m_measured;
    QString m_measuredText; ///< that the field had then: what is typed over it counts
};

/// "160, 9" as GFLOP/s and GB/s; nothing where it is no two numbers above 0.
[[nodiscard]] std::optional<profile::Peaks> peaksFrom(const QString& text);

} // namespace dynascope::views
