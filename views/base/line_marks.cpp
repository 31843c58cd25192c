// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/line_marks.h"

#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <algorithm>

namespace dynascope::views {

namespace {

constexpr std::size_t mostPieces = 12;

using Lines = std::map<std::uint32_t, profile::LineTime>;

/// Of the line that took the most; times are nanoseconds.
double longest(const Lines& lines) {
    double out = 0;
    for (const auto& [number, time] : lines)
        out = std::max(out, time.all);
    return out;
}

bool inMilliseconds(const Lines& lines) {
    return longest(lines) >= 1e7;
}

/// At most five letters.
QString shortNumber(double value) {
    return QString::number(value, 'f', value < 10 ? 2 : value < 1000 ? 1 : 0);
}

QString toolTip(const profile::LineTime& time) {
    QStringList out{tr("Run time %1").arg(durationText(time.all / 1000))};
    if (time.computed > 0 && time.broken > 0)
        out.front() += tr(": %1 in kernels and nodes, %2 after its graph break")
                           .arg(durationText(time.computed / 1000), durationText(time.broken / 1000));
    for (std::size_t i = 0; i < std::min(mostPieces, time.pieces.size()); ++i)
        out << QStringLiteral("%1  %2").arg(durationText(time.pieces[i].time / 1000),
                                            toQString(time.pieces[i].what));
    if (time.pieces.size() > mostPieces) out << tr("and %1 more").arg(time.pieces.size() - mostPieces);
    if (time.inParts) out << tr("A kernel that several lines made is shared in equal parts");
    return out.join(u'\n');
}

const Lines* linesOf(const profile::LineTimes& times, const SourceText& text) {
    const auto file = times.files.find(text.path);
    return file == times.files.end() || longest(file->second) <= 0 ? nullptr : &file->second;
}

} // namespace

void addRunTimes(QHash<int, GutterMark>& marks, const profile::LineTimes& times, const SourceText& text) {
    const Lines* lines = linesOf(times, text);
    if (!lines) return;
    for (GutterMark& mark : marks) { // one unit in a gutter
        mark.text.clear();
        mark.share = -1;
    }
    const double most = longest(*lines), unit = inMilliseconds(*lines) ? 1e6 : 1e3;
    for (const auto& [number, time] : *lines) {
        const auto at = text.indexOfLine.constFind(int(number));
        if (at == text.indexOfLine.cend() || time.all <= 0) continue;
        GutterMark& mark = marks[*at];
        mark.text = shortNumber(time.all / unit);
        mark.share = time.all / most;
        mark.toolTip = toolTip(time) + (mark.toolTip.isEmpty() ? QString() : u'\n' + mark.toolTip);
    }
}

QString runTimesNote(const profile::LineTimes& times, const SourceText& text, bool steps) {
    const Lines* lines = linesOf(times, text);
    if (!lines) return {};
    const QString unit = inMilliseconds(*lines) ? tr("ms") : tr("µs");
    QString out =
        steps ? tr("Run time: %1 in a step").arg(unit) : tr("Run time: %1 in the profile").arg(unit);
    if (times.computed > 0)
        out += tr("; %1 % of the time of kernels and nodes has a line").arg(100 * times.share(), 0, 'f', 0);
    return out;
}

} // namespace dynascope::views
