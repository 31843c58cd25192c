// SPDX-License-Identifier: BSD-3-Clause
//
// Beside the rows of the page Profile: when a GPU had nothing to do, what it waited for and what the CPU did meanwhile;
// and the graphs that launch kernels, with what a CUDA graph would do for them.
#pragma once

#include "core/profile/idle.h"
#include "views/profile/profile_rows.h"

#include <QWidget>
#include <cstdint>
#include <memory>
#include <vector>

class QLabel;
class QSplitter;

namespace dynascope::views {

/// A graph with kernels on a GPU, in words; made by a worker.
struct IdleGraph {
    profile::LaunchedGraph graph;
    QString name;    ///< "0/0 inductor_output_code"
    QString asGraph; ///< "CUDA graph", "skipped, writes an input"; empty where it is not known, or ran as one
    ProfileLink link;
};
/// Of the report's graphs, in its order. `profile` is locked by who calls. Reads the coverage of the whole capture.
[[nodiscard]] std::vector<IdleGraph> idleGraphs(JoinedProfile& profile, const profile::IdleReport& report);

/// GUI thread only.
class ProfileIdle : public QWidget {
    Q_OBJECT
public:
    explicit ProfileIdle(Theme& theme, QWidget* parent = nullptr);

    /// Of one device (into Profile::devices), or of all. The longest gaps, as many as a table holds.
    void show(profile::JoinedPtr joined, std::shared_ptr<const profile::IdleReport> report,
              const std::vector<IdleGraph>& graphs, int device);
    void clear();

signals:
    /// A gap was chosen: it lies between these events of the device.
    void gapChosen(std::uint32_t before, std::uint32_t after);
    /// What ran behind a gap is to be followed.
    void eventFollowed(std::uint32_t event);
    void graphFollowed(const dynascope::views::ProfileLink& link);

private:
    RowTable *m_graphs, *m_gaps;
    QLabel* m_note;
    QSplitter* m_tables;
    profile::JoinedPtr m_joined;
    std::shared_ptr<const profile::IdleReport> m_report;
    std::vector<std::size_t> m_shownGaps; ///< by row of the table
    std::vector<ProfileLink> m_links;     ///< by row of the table of graphs
};

} // namespace dynascope::views
