// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/pages.h"

#include "app/gui/stages_page.h"
#include "views/answers/answers_page.h"
#include "views/autograd/autograd_page.h"
#include "views/breaks/breaks_page.h"
#include "views/compare/compare_page.h"
#include "views/dynamo/dynamo_page.h"
#include "views/functionalize/functionalize_page.h"
#include "views/inductor/inductor_page.h"
#include "views/memory/memory_page.h"
#include "views/profile/profile_page.h"
#include "views/ranks/ranks_page.h"
#include "views/recompiles/recompiles_page.h"
#include "views/replay/replay_page.h"

#include <algorithm>

namespace dynascope::app {

using namespace views;

const std::vector<PageSpec>& pageSpecs() {
    static const std::vector<PageSpec> specs{
        answersPageSpec(),       stagesPageSpec(), breaksPageSpec(),   recompilesPageSpec(),
        functionalizePageSpec(), memoryPageSpec(), comparePageSpec(),  replayPageSpec(),
        autogradPageSpec(),      dynamoPageSpec(), inductorPageSpec(), profilePageSpec(),
        ranksPageSpec()};
    return specs;
}

const PageSpec* pageSpec(Page page) {
    const std::vector<PageSpec>& specs = pageSpecs();
    const auto found =
        std::find_if(specs.begin(), specs.end(), [&](const PageSpec& spec) { return spec.page == page; });
    return found == specs.end() ? nullptr : &*found;
}

QString pageAction(const PageSpec& spec) {
    return QStringLiteral("go.") + QLatin1String(spec.name);
}

} // namespace dynascope::app
