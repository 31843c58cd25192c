// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/manual.h"

#include <QFile>
#include <QRegularExpression>
#include <algorithm>

namespace dynascope::app {

namespace {

const QString contents = QStringLiteral("index");

ManualPage read(const QString& name) {
    QFile file(QStringLiteral(":/dynascope/manual/%1.md").arg(name));
    if (!file.open(QIODevice::ReadOnly)) return {name, name, {}};
    ManualPage page{name, {}, QString::fromUtf8(file.readAll())};
    page.title = page.text.section(u'\n', 0, 0).remove(0, 2);
    return page;
}

std::vector<ManualPage> readAll() {
    std::vector<ManualPage> pages{read(contents)};
    static const QRegularExpression link(QStringLiteral(R"(\]\(([a-z-]+)\.md)"));
    for (auto found = link.globalMatch(pages.front().text); found.hasNext();) {
        const QString name = found.next().captured(1);
        if (std::ranges::find(pages, name, &ManualPage::name) == pages.end()) pages.push_back(read(name));
    }
    return pages;
}

} // namespace

const std::vector<ManualPage>& manualPages() {
    static const std::vector<ManualPage> pages = readAll();
    return pages;
}

const ManualPage* manualPage(const QString& name) {
    const auto& pages = manualPages();
    const auto found = std::ranges::find(pages, name, &ManualPage::name);
    return found == pages.end() ? nullptr : &*found;
}

QString manualAnchor(const QString& heading) {
    QString out;
    for (const QChar c : heading.toLower())
        if (c.isLetterOrNumber() || c == u'-' || c == u'_')
            out += c;
        else if (c == u' ')
            out += u'-';
    return out;
}

ManualPlace manualLink(const QString& from, const QString& link) {
    const QString page = link.section(u'#', 0, 0), heading = link.section(u'#', 1);
    if (page.isEmpty()) return {from, heading};
    if (!page.endsWith(QLatin1String(".md"))) return {};
    const QString name = page.chopped(3);
    return manualPage(name) ? ManualPlace{name, heading} : ManualPlace();
}

} // namespace dynascope::app
