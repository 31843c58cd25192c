// SPDX-License-Identifier: BSD-3-Clause
#include "views/lessons/lesson_html.h"

#include "views/theme/theme.h"
#include "views/workspace/labels.h"

namespace dynascope::views {

namespace {

QString bold(const QString& text) {
    const QStringList parts = text.toHtmlEscaped().split(QStringLiteral("**"));
    if (parts.size() % 2 == 0) return text.toHtmlEscaped(); // one of them has no end
    QString out;
    for (qsizetype i = 0; i < parts.size(); ++i)
        out += i % 2 == 1 ? QStringLiteral("<b>%1</b>").arg(parts[i]) : parts[i];
    return out;
}

} // namespace

QString lessonHtml(std::string_view line, const Theme& theme) {
    const QStringList parts = toQString(line).split(u'`');
    if (parts.size() % 2 == 0) return toQString(line).toHtmlEscaped();
    const QString code = QStringLiteral("<span style=\"font-family:'%1'\">%2</span>");
    const QString family = theme.font(FontRole::Code).family();
    QString out;
    for (qsizetype i = 0; i < parts.size(); ++i)
        out += i % 2 == 1 ? code.arg(family, parts[i].toHtmlEscaped()) : bold(parts[i]);
    return out;
}

} // namespace dynascope::views
