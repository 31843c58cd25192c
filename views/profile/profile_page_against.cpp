// SPDX-License-Identifier: BSD-3-Clause
//
// ProfilePage: figures, and another profile as B beside the one that is shown.
#include "core/profile/figures.h"
#include "views/profile/idle_figures.h"
#include "views/profile/profile_page_private.h"
#include "views/workspace/labels.h"

#include <algorithm>

namespace dynascope::views {

using profile::By;

void ProfilePage::connectAgainst() {
    addCopyRows(d->beside->table());
    connect(d->beside, &ProfileAgainst::followed, this, [this](const ProfileLink& link, bool inA) {
        const int capture = inA ? workspace().place().capture : captureOf(workspace(), d->other);
        if (capture < 0) return;
        if (capture != workspace().place().capture) workspace().selectCompile(capture, link.compile);
        goTo(link, int(ProfileColumn::What));
    });
    connect(d->against, &QComboBox::activated, this, [this](int at) {
        d->other = at > 0 ? d->others[std::size_t(at) - 1] : ProfileChoice();
        d->otherProfile.reset();
        ask();
    });
    for (const auto& changed : {&Workspace::captureOpened, &Workspace::captureClosed})
        connect(&workspace(), changed, this, &ProfilePage::listOthers);
    connect(&workspace(), &Workspace::captureReplaced, this, &ProfilePage::listOthers);
}

/// B stays what it is as long as it is open.
void ProfilePage::listOthers() {
    if (!d->session) return;
    d->others = otherProfiles(workspace(), {d->session, d->profiles->currentIndex(), {}});
    d->against->clear();
    d->against->addItem(tr("against nothing"));
    for (const ProfileChoice& one : d->others)
        d->against->addItem(tr("against %1").arg(one.name));
    d->against->setVisible(!d->others.empty());
    const auto at = std::ranges::find(d->others, d->other);
    d->against->setCurrentIndex(at == d->others.end() ? 0 : int(at - d->others.begin()) + 1);
    if (at != d->others.end() || !d->other.session) return;
    d->other = {};
    d->otherProfile.reset();
    if (d->shown.profile) ask();
}

void ProfilePage::showAgainst() {
    const bool on = d->shown.compared != nullptr;
    const QString name = toQString(d->session->title) + u' ' + d->profiles->currentText();
    d->beside->show(d->shown.compared, By(d->by->currentIndex()), name, d->other.name);
    d->beside->setVisible(on);
    d->rows->setVisible(!on);
}

void ProfilePage::showFigures() {
    const profile::Joined& joined = *d->shown.profile->joined;
    const profile::Shares& shares = d->shown.shares;
    const Colours& colours = theme().colours();
    std::vector<double> steps;
    for (const profile::Step& step : joined.profile->steps)
        steps.push_back(double(step.duration));
    std::vector<FigureRow::Figure> figures;
    if (!steps.empty())
        figures.push_back({profileTime(profile::medianOf(steps)),
                           tr("a step, median of %1").arg(numberText(steps.size())),
                           {},
                           tr("From %1 to %2")
                               .arg(profileTime(*std::min_element(steps.begin(), steps.end())),
                                    profileTime(*std::max_element(steps.begin(), steps.end())))});
    const bool all = d->device() == profile::everyDevice;
    figures.push_back(
        {profileTime(shares.all()),
         all ? tr("busy") : tr("%1 busy").arg(d->devices->currentText()),
         {},
         all ? tr("What all threads and devices were busy")
             : tr("What %1 was busy; the rows are of it alone").arg(d->devices->currentText())});
    const auto part = [&](profile::Spent spent) {
        const double time = shares.on(spent);
        if (shares.all() <= 0 || time <= 0) return;
        figures.push_back(
            {profileTime(time),
             tr("%1, %2").arg(spentName(spent), toQString(profile::shareText(time / shares.all()))),
             spentColour(spent, colours)});
    };
    for (std::size_t i = 0; i < profile::spentCount; ++i)
        part(profile::Spent(i));
    for (FigureRow::Figure& idle : idleFigures(joined, *d->shown.idle, colours))
        figures.push_back(std::move(idle));
    d->figures->setFigures(figures);
}

} // namespace dynascope::views
