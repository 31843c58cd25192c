// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/source_text.h"

#include <QFile>
#include <QFileInfo>
#include <QObject>
#include <QStringList>
#include <algorithm>

namespace dynascope::views {

namespace {

constexpr qint64 largestFile = qint64(4) * 1024 * 1024;

/// The file's lines, or nothing where it is absent or says something else than the capture.
QStringList matchingFile(const session::SourceFile& known, QString& why) {
    const QString path = QString::fromStdString(known.path);
    const QFileInfo info(path);
    if (!info.isAbsolute() || !info.isFile() || info.size() > largestFile) {
        why = QObject::tr("The file is not on this machine: these are the lines that the capture quotes.");
        return {};
    }
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        why = QObject::tr("The file cannot be read: these are the lines that the capture quotes.");
        return {};
    }
    const QStringList lines = QString::fromUtf8(file.read(largestFile)).split(u'\n');
    bool any = false;
    for (const auto& [number, code] : known.lines) {
        const QString quoted = QString::fromStdString(code).trimmed();
        if (quoted.isEmpty()) continue;
        if (number == 0 || number > std::uint32_t(lines.size()) ||
            lines[qsizetype(number) - 1].trimmed() != quoted) {
            why = QObject::tr(
                "The file has changed since the capture: these are the lines that the capture quotes.");
            return {};
        }
        any = true;
    }
    if (!any) why = QObject::tr("The capture quotes no line of this file.");
    return any ? lines : QStringList();
}

} // namespace

SourceText loadSource(const session::Session& session, const std::string& path) {
    SourceText out;
    out.path = path;
    const auto at = session.sources.find(path);
    if (at == session.sources.end() || at->second.lines.empty()) {
        out.notice = QObject::tr("The capture quotes no line of this file.");
        out.document = std::make_shared<CodeDocument>();
        return out;
    }
    QStringList lines = matchingFile(at->second, out.notice);
    out.whole = !lines.isEmpty();
    std::vector<int> numbers;
    if (!out.whole) {
        int last = 0;
        for (const auto& [number, code] : at->second.lines) {
            if (last > 0 && int(number) != last + 1) {
                lines << QStringLiteral("⋯");
                numbers.push_back(0);
            }
            lines << QString::fromStdString(code).split(u'\n').constFirst();
            numbers.push_back(int(number));
            last = int(number);
        }
    }
    auto document = makeCodeDocument(lines.join(u'\n'), Language::Python);
    for (std::size_t i = 0; i < document->lines.size(); ++i) {
        if (!out.whole) document->lines[i].number = i < numbers.size() ? numbers[i] : 0;
        if (document->lines[i].number > 0) out.indexOfLine.insert(document->lines[i].number, int(i));
    }
    out.rows.resize(document->lines.size());
    for (std::size_t i = 0; i < out.rows.size(); ++i)
        out.rows[i].line[0] = int(i);
    out.document = std::move(document);
    return out;
}

QHash<int, GutterMark> breakMarks(const session::BreakSummary& breaks, const SourceText& text) {
    struct Sum {
        double seconds = 0;
        std::size_t count = 0;
        QStringList reasons;
    };
    QHash<int, Sum> sums;
    double most = 0;
    for (const session::BreakGroup& group : breaks.groups) {
        if (group.location.file != text.path) continue;
        const auto at = text.indexOfLine.constFind(int(group.location.line));
        if (at == text.indexOfLine.cend()) continue;
        Sum& sum = sums[*at];
        sum.seconds += group.secondsAfter;
        sum.count += group.occurrences.size();
        sum.reasons << QString::fromStdString(group.reason);
        most = std::max(most, sum.seconds);
    }
    QHash<int, GutterMark> out;
    for (auto sum = sums.cbegin(); sum != sums.cend(); ++sum) {
        GutterMark mark;
        mark.text = QString::number(sum->seconds, 'f', 2);
        mark.share = most > 0 ? sum->seconds / most : 0;
        mark.icon = QStringLiteral("scissors");
        mark.strong = true;
        mark.toolTip = QObject::tr("%1 graph breaks, %2 s of compile time after them\n%3")
                           .arg(sum->count)
                           .arg(sum->seconds, 0, 'f', 2)
                           .arg(sum->reasons.join(u'\n'));
        out.insert(sum.key(), mark);
    }
    return out;
}

} // namespace dynascope::views
