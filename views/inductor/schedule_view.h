// SPDX-License-Identifier: BSD-3-Clause
//
// A schedule, fusion by fusion: operations with what they read and write, the kernels that they have become so far, and
// why two of them are not in one.
#pragma once

#include "core/inductor/pass_recording.h"
#include "views/base/row_table.h"
#include "views/inspector/facts.h"

#include <QWidget>
#include <memory>
#include <string>
#include <vector>

class QLabel;
class QSlider;
class QToolButton;

namespace dynascope::views {

/// GUI thread only. One operation chosen tells of it; two (Ctrl and a click) why they are not fused.
class ScheduleView : public QWidget {
    Q_OBJECT
public:
    explicit ScheduleView(Theme& theme, QWidget* parent = nullptr);

    /// `schedule` may be null, and is in the recording. All fusions are made.
    void setSchedule(inductor::PassRecordingPtr recording, const inductor::Schedule* schedule);
    /// After so many fusions.
    void setFusions(int count);
    [[nodiscard]] int fusions() const { return m_fusions; }
    void choose(const std::vector<std::string>& operations);
    [[nodiscard]] RowTable* operations() const { return m_table; }
    /// Of what is chosen; without a title where nothing is.
    [[nodiscard]] const Facts& facts() const { return m_facts; }

signals:
    void told(); ///< facts() are others

private:
    void fill();
    void tell();
    [[nodiscard]] std::vector<std::string> chosen() const;

    Theme& m_theme;
    inductor::PassRecordingPtr m_recording;
    const inductor::Schedule* m_schedule = nullptr;
    int m_fusions = 0;
    std::vector<std::string> m_names; ///< of rows
    Facts m_facts;
    RowTable* m_table;
    QSlider* m_slider;
    QToolButton *m_back, *m_forward;
    QLabel* m_title;
};

[[nodiscard]] std::vector<TableColumn> operationColumns();
/// Operations by kernel so far, after `fusions`; `names` gets theirs.
[[nodiscard]] std::vector<TableRow> operationRows(const inductor::Schedule& schedule, std::size_t fusions,
                                                  std::vector<std::string>& names);
/// Why two operations are not in one kernel, or which has them.
[[nodiscard]] Facts whyFacts(const inductor::PassRecording& recording, const inductor::Schedule& schedule,
                             const std::string& a, const std::string& b);
[[nodiscard]] Facts operationFacts(const inductor::Schedule& schedule, const std::string& operation);

} // namespace dynascope::views
