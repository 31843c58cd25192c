// SPDX-License-Identifier: BSD-3-Clause
//
// Where run time goes: a profile that was opened with the capture, over time and as rows: by node, kernel, line, module, compile, graph break,
// step or operator; of all steps, or of one; and held against another profile that is open.
#pragma once

#include "views/base/panel.h"
#include "views/workspace/joined_profiles.h"
#include "views/workspace/page_spec.h"

#include <memory>

class QComboBox;

namespace dynascope::views {

class FigureRow;
class LanesView;
class ProfileAgainst;
struct ProfileLink;
class RowTable;

/// GUI thread only. Groups on the TaskRunner (tag "profile").
class ProfilePage : public Panel, public CentrePage {
    Q_OBJECT
public:
    static constexpr Page id = Page::Profile;
    ProfilePage(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~ProfilePage() override;

    [[nodiscard]] FigureRow* figures() const;
    [[nodiscard]] QComboBox* against() const; ///< the first entry is nothing
    [[nodiscard]] ProfileAgainst* beside() const;

protected:
    void refresh() override;
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
    void showAgainst();
    void listOthers();
    void connectAgainst();
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
