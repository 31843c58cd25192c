// SPDX-License-Identifier: BSD-3-Clause
#include "views/memory/memory_page.h"

namespace dynascope::views {

PageSpec memoryPageSpec() {
    PageSpec spec;
    spec.page = Page::Memory;
    spec.name = "memory";
    spec.title = MemoryPage::tr("Memory");
    spec.icon = "rank";
    spec.key = QKeySequence(MemoryPage::tr("Ctrl+4"));
    spec.manual = "memory";
    spec.tip = MemoryPage::tr("Who held which memory when: the snapshot of an allocator");
    spec.lacks = [](const Workspace& workspace) {
        return workspace.capture()->session->memory ? QString() : MemoryPage::tr("needs a memory snapshot");
    };
    spec.make = [](const PageServices& services) -> QWidget* {
        return new MemoryPage(services.workspace, services.theme);
    };
    spec.about = PageSpec::About::Rank;
    spec.pictures = [](PagePictures& pictures, const Place& place) {
        if (!pictures.workspace().captures()[std::size_t(place.capture)].session->memory) return;
        pictures.workspace().go(place);
        pictures.takeInBothLooks(QStringLiteral("memory"));
    };
    return spec;
}

} // namespace dynascope::views
