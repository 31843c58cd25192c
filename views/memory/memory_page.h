// SPDX-License-Identifier: BSD-3-Clause
//
// A memory snapshot: its figures, who held which addresses when, and what was alive at a chosen moment.
#pragma once

#include "views/base/panel.h"
#include "views/workspace/page_spec.h"

#include <memory>
#include <vector>

class QTableView;

namespace dynascope::views {

class MemoryChart;

/// GUI thread only. Works the picture out on the TaskRunner (tags "memory", "memory.alive").
class MemoryPage : public Panel, public CentrePage {
    Q_OBJECT
public:
    static constexpr Page id = Page::Memory;
    MemoryPage(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~MemoryPage() override;

protected:
    void refresh() override;
    void restyle() override;

private:
    struct Private;
    struct Picture;
    struct DeviceOf;
    void forget();
    void showSummary(std::vector<DeviceOf> summary);
    void showDevice(int index);
    void showPicture(Picture picture);
    void showFigures();
    void showMoment(std::size_t moment);
    void showDetail();
    std::unique_ptr<Private> d;
};

[[nodiscard]] PageSpec memoryPageSpec();

} // namespace dynascope::views
