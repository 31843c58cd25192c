// SPDX-License-Identifier: BSD-3-Clause
//
// What ProfilePage holds. Internal to views/profile.
#pragma once

#include "core/profile/idle.h"
#include "views/base/page_parts.h"
#include "views/profile/lanes_legend.h"
#include "views/profile/lanes_view.h"
#include "views/profile/profile_against.h"
#include "views/profile/profile_choice.h"
#include "views/profile/profile_idle.h"
#include "views/profile/profile_page.h"
#include "views/profile/profile_roofline.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSplitter>
#include <QToolButton>

namespace dynascope::views {

/// What the worker made.
struct ProfilePage::Shown {
    JoinedProfilePtr profile;
    std::vector<ProfileRow> rows;
    profile::Shares shares;     ///< of the chosen device
    profile::Shares everywhere; ///< of all
    ProfileLanesPtr lanes;
    std::vector<ProfileLink> links;                  ///< by row of the joined profile
    ComparedProfilesPtr compared;                    ///< with B, if there is one
    std::shared_ptr<const profile::IdleReport> idle; ///< with the lanes
    std::vector<IdleGraph> idleGraphs;
};

struct ProfilePage::Private {
    FigureRow* figures = nullptr;
    QComboBox *profiles = nullptr, *steps = nullptr, *devices = nullptr, *by = nullptr, *against = nullptr;
    QLineEdit* filter = nullptr;
    RowTable* table = nullptr;
    ProfileRoofline* roofline = nullptr;
    QToolButton* showRoofline = nullptr;
    ProfileIdle* idle = nullptr;
    QToolButton* showIdle = nullptr;
    bool asked = false;               ///< the reader chose whether the roofline, or idle time, is shown
    bool byIsChosen = false;          ///< by the reader
    QSplitter* rows = nullptr;        ///< the table, the roofline and idle time
    ProfileAgainst* beside = nullptr; ///< in the place of the table, with B
    LanesView* lanes = nullptr;
    LanesLegend* legend = nullptr;
    QSplitter* parts = nullptr;
    bool moved = false;     ///< the reader set how high the lanes are
    QLabel* note = nullptr; ///< beside the lanes' title
    session::SessionPtr session;
    Shown shown;
    std::vector<ProfileChoice> others; ///< that can be B, as `against` lists them from its second entry on
    ProfileChoice other;               ///< B; of no session where there is none
    JoinedProfilePtr otherProfile;     ///< of it; null while it is being joined
    int shownStep = -1;                ///< that the lanes were turned to
    std::vector<int> numbers;          ///< of the table's rows in shown.rows

    /// Into Profile::devices, or profile::everyDevice.
    [[nodiscard]] int device() const { return std::max(devices->currentIndex(), 0) - 1; }
};

} // namespace dynascope::views
