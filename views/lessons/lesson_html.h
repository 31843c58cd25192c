// SPDX-License-Identifier: BSD-3-Clause
//
// Lines of a lesson as markup of ours: `code` and **bold**, and nothing else that is in them.
#pragma once

#include <QString>
#include <string_view>

namespace dynascope::views {

class Theme;

[[nodiscard]] QString lessonHtml(std::string_view line, const Theme& theme);

} // namespace dynascope::views
