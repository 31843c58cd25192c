// SPDX-License-Identifier: BSD-3-Clause
//
// Two captures, two compiles or the ranks of one capture against each other: why they differ in words, what
// belongs together with its verdict, and for the selected pair its stages with their graphs, guards, symbols,
// caches and timings.
#pragma once

#include "views/base/panel.h"
#include "views/workspace/page_spec.h"

#include <memory>

class QTableView;
class QTabWidget;
class QVBoxLayout;

namespace dynascope::views {

class PairGraphs;

/// GUI thread only. Compares on the TaskRunner, tag "compare"; results are kept until a capture is closed.
class ComparePage : public Panel, public CentrePage {
    Q_OBJECT
public:
    static constexpr Page id = Page::Compare;
    ComparePage(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~ComparePage() override;

    [[nodiscard]] PairGraphs* graphs() const;
    [[nodiscard]] QString summary() const; ///< the sentences at the top, a point a line
    [[nodiscard]] bool isSettled() const override;
    void applyDefaultSizes(int windowWidth) override;

protected:
    void refresh() override;
    void restyle() override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Private;
    void buildHead(QVBoxLayout* column);
    void buildPairs();
    void buildDetails();
    void start();
    void sayProgress(const QString& text);
    void progressed(const QString& tag, const QString& phase, quint64 done, quint64 total);
    void showResult();
    void showHead();
    void showPair();
    void showStage();
    void choosePair(const QModelIndex& row);
    void chooseStage(const QModelIndex& row);
    void openInStages();
    void openPass(int row);
    void swapSides();
    void fitColumns();
    void widenDifferences(bool narrow);
    std::unique_ptr<Private> d;
};

[[nodiscard]] PageSpec comparePageSpec();

} // namespace dynascope::views
