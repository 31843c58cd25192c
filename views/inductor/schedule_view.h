// SPDX-License-Identifier: BSD-3-Clause
//
// A schedule, fusion by fusion: operations with what they read and write, the kernels that they have become so far, and
// why two of them are not in one.
#pragma once

#include "core/inductor/pass_recording.h"
#include "core/inductor/why_not_fused.h"
#include "views/base/row_table.h"
#include "views/inspector/facts.h"

#include <QWidget>
#include <string>
#include <vector>

class QLabel;
class QScrollArea;

namespace dynascope::views {

class FusionStrip;
class ScheduleCards;

/// GUI thread only. One operation chosen tells of it; two (Ctrl and a click) why they are not fused; none of the last
/// fusion.
class ScheduleView : public QWidget {
    Q_OBJECT
public:
    explicit ScheduleView(Theme& theme, QWidget* parent = nullptr);

    /// `schedule` may be null, and is in the recording. All fusions are made.
    void setSchedule(inductor::PassRecordingPtr recording, const inductor::Schedule* schedule);
    /// After so many fusions; negative: all.
    void setFusions(int count);
    [[nodiscard]] int fusions() const { return m_fusions; }
    [[nodiscard]] int mostFusions() const { return m_schedule ? int(m_schedule->fusions.size()) : 0; }
    void choose(const std::vector<std::string>& operations);
    [[nodiscard]] ScheduleCards& cards() const { return *m_cards; }
    /// Of what is chosen; without a title where nothing is.
    [[nodiscard]] const Facts& facts() const { return m_facts; }

signals:
    void told();               ///< facts() are others
    void stepped(int fusions); ///< the reader went to another fusion here

private:
    void tell();
    void showFocus();
    [[nodiscard]] QString titleText() const;

    inductor::PassRecordingPtr m_recording;
    const inductor::Schedule* m_schedule = nullptr;
    int m_fusions = 0;
    Facts m_facts;
    FusionStrip* m_strip;
    ScheduleCards* m_cards;
    QScrollArea* m_scroll;
    QLabel *m_title, *m_left;
};

/// Why two operations are not in one kernel, or which has them; `told` is whyNotFused() of both.
[[nodiscard]] Facts whyFacts(const inductor::PassRecording& recording, const inductor::Schedule& schedule,
                             const inductor::WhyNotFused& told, const std::string& a, const std::string& b);
[[nodiscard]] Facts operationFacts(const inductor::Schedule& schedule, const std::string& operation);
/// Of a fusion, from 1.
[[nodiscard]] Facts fusionFacts(const inductor::Schedule& schedule, std::size_t fusion);

/// Refusals by reason, and the pairs of one.
struct RefusedReason {
    std::optional<std::uint32_t> reason; ///< number, see PassRecording::reason(); none where times decided
    std::size_t times = 0;
    std::vector<inductor::Refusal> pairs; ///< those that share most first
};
/// Those given most often first.
[[nodiscard]] std::vector<RefusedReason> refusedReasons(const inductor::Schedule& schedule);
[[nodiscard]] std::vector<TableColumn> reasonColumns();
[[nodiscard]] std::vector<TableRow> reasonRows(const inductor::PassRecording& recording,
                                               const std::vector<RefusedReason>& reasons);
[[nodiscard]] std::vector<TableColumn> refusedPairColumns();
[[nodiscard]] std::vector<TableRow> refusedPairRows(const std::vector<inductor::Refusal>& pairs);

} // namespace dynascope::views
