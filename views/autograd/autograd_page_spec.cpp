// SPDX-License-Identifier: BSD-3-Clause
#include "views/autograd/autograd_page.h"

#include "core/computed/joint_split.h"
#include "views/autograd/convention_panel.h"
#include "views/autograd/cut_view.h"
#include "views/autograd/split_panel.h"
#include "views/base/row_table.h"

#include <QTabBar>

namespace dynascope::views {

namespace {

/// The cut of a joint graph with a value chosen, then the other tabs.
void takeAutogradPictures(PagePictures& pictures, const Place& of) {
    Place place = of;
    const session::Session& session = *pictures.workspace().captures()[std::size_t(of.capture)].session;
    if (const std::vector<std::size_t> training = computed::trainingCompiles(session); !training.empty()) {
        place.compile = int(training.front());
        place.stageA = place.stageB = -1;
    }
    pictures.workspace().go(place);
    pictures.takeInBothLooks(QStringLiteral("autograd"));
    auto& page = static_cast<AutogradPage&>(pictures.page());
    if (const computed::JointSplit* split = page.split()->split(); split && !split->values.empty()) {
        page.split()->cut()->setFocus();
        page.split()->values()->selectRow(0); // the largest
        pictures.take(QStringLiteral("autograd-value"));
    }
    page.tabs()->setCurrentIndex(AutogradPage::AliasTab);
    pictures.take(QStringLiteral("autograd-alias"));
    page.tabs()->setCurrentIndex(AutogradPage::MetadataTab);
    pictures.take(QStringLiteral("autograd-metadata"));
    page.tabs()->setCurrentIndex(AutogradPage::ConventionTab);
    pictures.take(QStringLiteral("autograd-convention"));
    page.tabs()->setCurrentIndex(AutogradPage::SplitTab);
}

} // namespace

PageSpec autogradPageSpec() {
    PageSpec spec;
    spec.page = Page::Autograd;
    spec.name = "autograd";
    spec.title = AutogradPage::tr("Autograd");
    spec.icon = "side-by-side";
    spec.key = QKeySequence(AutogradPage::tr("Ctrl+7"));
    spec.manual = "autograd";
    spec.tip =
        AutogradPage::tr("Where the joint graph is cut, what is saved for backward, what aliases what");
    spec.lacks = [](const Workspace& workspace) {
        return workspace.capture()->session->compiles.empty() ? AutogradPage::tr("needs compiled graphs")
                                                              : QString();
    };
    spec.make = [](const PageServices& services) -> QWidget* {
        auto* page = new AutogradPage(services.workspace, services.theme);
        page->convention()->setPasses(services.passes);
        page->setRederived(services.rederived);
        return page;
    };
    spec.fillsWindow = true;
    spec.pictures = takeAutogradPictures;
    return spec;
}

} // namespace dynascope::views
