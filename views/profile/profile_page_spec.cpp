// SPDX-License-Identifier: BSD-3-Clause
#include "views/profile/profile_page.h"

#include "views/engine/passes.h"

namespace dynascope::views {

PageSpec profilePageSpec() {
    PageSpec spec;
    spec.page = Page::Profile;
    spec.name = "profile";
    spec.title = ProfilePage::tr("Profile");
    spec.icon = "clock";
    spec.key = QKeySequence(ProfilePage::tr("Ctrl+Shift+9"));
    spec.manual = "profile";
    spec.tip =
        ProfilePage::tr("Where run time goes: a profile joined to nodes, kernels, lines and graph breaks");
    spec.lacks = [](const Workspace& workspace) {
        return workspace.capture()->session->profiles.empty()
                   ? ProfilePage::tr("needs a profile of torch.profiler in the folder of the trace")
                   : QString();
    };
    spec.make = [](const PageServices& services) -> QWidget* {
        return new ProfilePage(services.workspace, services.theme, &services.passes.engine());
    };
    spec.about = PageSpec::About::Capture;
    spec.fillsWindow = true;
    spec.pictures = [](PagePictures& pictures, const Place& place) {
        if (pictures.workspace().captures()[std::size_t(place.capture)].session->profiles.empty()) return;
        pictures.workspace().go(place);
        pictures.takeInBothLooks(QStringLiteral("profile"));
    };
    return spec;
}

} // namespace dynascope::views
