// SPDX-License-Identifier: BSD-3-Clause
//
// Where run time goes: a profile that was opened with the capture, over time and as rows: by node, kernel, line, module,
// compile, graph break, step or operator; of all steps, or of one; and held against another profile that is open.
#pragma once

#include "views/base/panel.h"
#include "views/workspace/joined_profiles.h"
#include "views/workspace/page_spec.h"

#include <memory>

class QLineEdit;
class QToolButton;

namespace dynascope::views {

class Engine;
class LanesView;
struct ProfileLink;
class RowTable;

/// GUI thread only. Groups on the TaskRunner (tag "profile").
class ProfilePage : public Panel, public CentrePage {
    Q_OBJECT
public:
    static constexpr Page id = Page::Profile;
    /// Without an engine the roofs of the roofline can be typed, not measured.
    ProfilePage(Workspace& workspace, Theme& theme, Engine* engine = nullptr, QWidget* parent = nullptr);
    ~ProfilePage() override;

protected:
    void refresh() override;
    void resizeEvent(QResizeEvent* event) override;
    void restyle() override;

private:
    struct Private;
    struct Shown;
    void forget();
    void readAnew();
    void ask();
    void group(const JoinedProfilePtr& profile);
    void take(Shown shown);
    void showRows();
    void showFigures();
    void showLanes();
    void showIdle();
    void showAgainst();
    void listOthers();
    void connectAgainst();
    void connectRoofline();
    void connectIdle();
    void makeRoom();
    [[nodiscard]] bool isWide() const;
    void connectLanes();
    [[nodiscard]] QWidget* makeLanes();
    [[nodiscard]] int rowOfEvent(std::uint32_t event) const;
    void lightRow(int at);
    void follow(int row, int column);
    void goTo(const ProfileLink& link, int column);
    std::unique_ptr<Private> d;
};

[[nodiscard]] PageSpec profilePageSpec();

} // namespace dynascope::views
