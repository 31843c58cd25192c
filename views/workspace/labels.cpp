// SPDX-License-Identifier: BSD-3-Clause
#include "views/workspace/labels.h"

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/failure.h"

#include <QLocale>
#include <cmath>

namespace dynascope::views {

namespace {

/// "0/0: tensor 'x' size mismatch ..." without the compile id it was checked against.
QString recompileReason(const std::string& text) {
    const QString line = toQString(firstLine(text)).simplified();
    const auto colon = line.indexOf(QLatin1String(": "));
    return colon > 0 && colon < 8 ? line.mid(colon + 2) : line;
}

} // namespace

QString secondsText(double seconds) {
    return QStringLiteral("%1 s").arg(seconds, 0, 'f', seconds > 0 && seconds < 0.01 ? 3 : 2);
}

QString durationText(double us) {
    struct Unit {
        double us;
        const char* name;
    };
    static constexpr Unit units[] = {{1e6, "s"}, {1e3, "ms"}, {1, "µs"}};
    for (const Unit& unit : units) {
        const double value = us / unit.us;
        if (value < 0.9995 && unit.us > 1) continue;
        const int decimals = value == std::floor(value) && value < 1000 ? 0
                             : value < 10                               ? 2
                             : value < 100                              ? 1
                                                                        : 0;
        return QString::number(value, 'f', decimals) + u' ' + QString::fromUtf8(unit.name);
    }
    return {};
}

QString numberText(qulonglong number) {
    return QLocale(QLocale::English).toString(number);
}

QString countText(qulonglong count, const QString& one, const QString& many) {
    return numberText(count) + u' ' + (count == 1 ? one : many);
}

QString bytesText(qulonglong bytes) {
    return toQString(formatBytes(bytes));
}

QString fileName(std::string_view path) {
    const std::size_t slash = path.find_last_of("/\\");
    return toQString(slash == path.npos ? path : path.substr(slash + 1));
}

QString placeText(const ir::SourceLocation& location) {
    const QString file = fileName(location.file);
    return location.line == 0 ? file : QStringLiteral("%1:%2").arg(file).arg(location.line);
}

QString placeText(const session::Compile& compile) {
    const ir::SourceLocation* at = compile.location();
    return at ? placeText(*at) : QString();
}

QString frameText(const session::Compile& compile) {
    QString name = toQString(compile.function);
    if (name.isEmpty() && compile.location()) name = toQString(compile.location()->function);
    const QString place = placeText(compile);
    if (name.isEmpty()) return place.isEmpty() ? toQString(compile.id.toString()) : place;
    return place.isEmpty() ? name : name + u' ' + place;
}

QString breakChip(const session::Compile& compile) {
    if (compile.status != session::Status::GraphBreak) return {};
    const auto breaks = compile.finalBreaks();
    if (breaks.empty() || !breaks.back()->location())
        return toQString(session::statusName(session::Status::GraphBreak));
    return QStringLiteral("break :%1").arg(breaks.back()->location()->line);
}

QString statusChip(const session::Compile& compile) {
    if (!compile.isRecompile && compile.status == session::Status::GraphBreak) return breakChip(compile);
    if (compile.isRecompile &&
        (compile.status == session::Status::Compiled || compile.status == session::Status::GraphBreak))
        return QStringLiteral("recompile");
    // A graph without the run that made it: nothing says that it was compiled.
    if (compile.id.empty() && compile.status == session::Status::Compiled) return {};
    return toQString(session::statusName(compile.status));
}

QString statusDetail(const session::Compile& compile) {
    using session::Status;
    if (compile.status == Status::Failed || compile.status == Status::Skipped) {
        const QString reason = toQString(session::failureInALine(compile)).simplified();
        return reason.isEmpty() ? toQString(compile.failType) : reason;
    }
    if (compile.isRecompile && !compile.recompileReasons.empty())
        return recompileReason(compile.recompileReasons.front());
    if (compile.status == Status::GraphBreak) {
        const auto breaks = compile.finalBreaks();
        if (!breaks.empty()) return toQString(firstLine(breaks.back()->title)).simplified();
    }
    return {};
}

QString stageSize(const session::Stage& stage) {
    if (stage.content == session::Stage::Content::Code) {
        const std::size_t kernels = stage.kernelCount();
        return kernels > 0 ? countText(kernels, QStringLiteral("kernel"), QStringLiteral("kernels"))
                           : QStringLiteral("code");
    }
    return countText(stage.nodeCount(), QStringLiteral("node"), QStringLiteral("nodes"));
}

} // namespace dynascope::views
