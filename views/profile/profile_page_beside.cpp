// SPDX-License-Identifier: BSD-3-Clause
//
// What stands beside the rows of the page Profile: the roofline, or when a GPU was idle.
#include "views/profile/profile_page_private.h"

namespace dynascope::views {

void ProfilePage::connectRoofline() {
    d->roofline->hide();
    connect(d->showRoofline, &QToolButton::toggled, d->roofline, &QWidget::setVisible);
    connect(d->showRoofline, &QToolButton::clicked, this, [this] { d->asked = true; });
    connect(d->roofline, &ProfileRoofline::peaksChanged, this, &ProfilePage::showRows);
    connect(d->roofline->view(), &RooflineView::selectionChanged, this, [this](int at) {
        d->table->select(at);
        d->table->scrollTo(d->table->currentIndex());
        d->lanes->select(profile::none);
        lightRow(at);
    });
}

/// In the place of the roofline: beside the rows there is room for one of them.
void ProfilePage::connectIdle() {
    d->idle->hide();
    connect(d->showIdle, &QToolButton::toggled, this, [this](bool shown) {
        if (shown) d->showRoofline->setChecked(false);
        d->idle->setVisible(shown);
        makeRoom();
    });
    connect(d->showRoofline, &QToolButton::toggled, this, [this](bool shown) {
        if (shown) d->showIdle->setChecked(false);
    });
    connect(d->showIdle, &QToolButton::clicked, this, [this] { d->asked = true; });
    connect(d->idle, &ProfileIdle::gapChosen, d->lanes, &LanesView::zoomBetween);
    connect(d->idle, &ProfileIdle::graphFollowed, this,
            [this](const ProfileLink& link) { goTo(link, int(ProfileColumn::Kernel)); });
    connect(d->idle, &ProfileIdle::eventFollowed, this, [this](std::uint32_t event) {
        const std::uint32_t row =
            event == profile::none ? profile::none : d->shown.profile->joined->rowOf[event];
        if (row != profile::none) goTo(d->shown.links[row], int(ProfileColumn::What));
    });
}

void ProfilePage::showIdle() {
    const bool hasGpu = !d->shown.idle->devices.empty();
    d->showIdle->setVisible(hasGpu);
    if (!hasGpu) d->showIdle->setChecked(false);
    d->idle->show(d->shown.profile->joined, d->shown.idle, d->shown.idleGraphs, d->device());
}

bool ProfilePage::isWide() const {
    return width() >= theme().scaled(1300);
}

/// Idle time takes as much room as the rows do: on a narrow page it stands in their place.
void ProfilePage::makeRoom() {
    d->table->setVisible(isWide() || !d->showIdle->isChecked());
}

/// The table needs its room first, unless the reader asks for the roofline.
void ProfilePage::resizeEvent(QResizeEvent* event) {
    Panel::resizeEvent(event);
    if (!d->asked && !d->showIdle->isChecked()) d->showRoofline->setChecked(isWide());
    makeRoom();
}

} // namespace dynascope::views
