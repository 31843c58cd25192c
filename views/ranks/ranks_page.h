// SPDX-License-Identifier: BSD-3-Clause
//
// The ranks of a run compared: the verdict and what shows it, compiles by groups of like ranks, collectives in lanes,
// who waits for whom by the flight recorder, who compiled alone, caches and estimates by rank.
#pragma once

#include "views/base/panel.h"
#include "views/workspace/page_spec.h"

#include <memory>

namespace dynascope::capture {
struct RanksReading;
}

namespace dynascope::views {

/// GUI thread only. Reads on the TaskRunner, tag "ranks".
class RanksPage : public Panel, public CentrePage {
    Q_OBJECT
public:
    static constexpr Page id = Page::Ranks;
    RanksPage(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~RanksPage() override;

    /// Which tab is shown, and how the page is divided.
    [[nodiscard]] QByteArray saveState() const override;
    void restoreState(const QByteArray& state) override;

protected:
    void refresh() override;
    void restyle() override;

private:
    struct Private;
    // ranks_page_build.cpp
    [[nodiscard]] QWidget* buildVerdict();
    void buildFigures();
    void buildReasons();
    void buildMatrix();
    void buildTabs();
    void connectTables();
    void makeMatrix();

    [[nodiscard]] static QString tag(); ///< of the task that compares
    void read();
    void cancel();
    void take(std::shared_ptr<const capture::RanksReading> reading);
    void fill();
    void showVerdict();
    void showPlace();
    void showDetail();
    void chooseReason(std::size_t reason);
    void chooseRow(std::size_t row);
    void showReasonNode(bool code);
    void showCall(std::size_t row, int lane, int call, bool code);
    void showWaiting(std::size_t row, int column);
    void follow(const QString& target);
    std::unique_ptr<Private> d;
};

[[nodiscard]] PageSpec ranksPageSpec();

} // namespace dynascope::views
