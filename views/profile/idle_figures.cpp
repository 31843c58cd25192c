// SPDX-License-Identifier: BSD-3-Clause
#include "views/profile/idle_figures.h"

#include "core/profile/figures.h"
#include "core/profile/launch_coverage.h"
#include "views/profile/profile_lanes.h"
#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

namespace dynascope::views {

namespace {

using profile::IdleCause;

QString toolTip(const profile::Joined& joined, const profile::DeviceIdle& device,
                const std::vector<profile::LaunchedGraph>& graphs) {
    const auto part = [&](IdleCause cause) { return profileTime(device.idle[std::size_t(cause)]); };
    QStringList out{tr("Of %1 from its first event to its last").arg(profileTime(double(device.span))),
                    tr("%1 until what came next was launched").arg(part(IdleCause::Launch)),
                    tr("%1 though it was launched").arg(part(IdleCause::Device)),
                    tr("%1 before what nothing says the launch of").arg(part(IdleCause::Unknown))};
    if (const QString words = threadWords(device.cpu); !words.isEmpty())
        out << tr("The CPU meanwhile: %1").arg(words);
    for (const profile::LaunchedGraph& graph : graphs) {
        if (!graph.isLaunchBound() || graph.device != device.device) continue;
        out << tr("Launch-bound: %1 waits %2 for launches of kernels that take %3; %4")
                   .arg(toQString(launchedName(joined, graph)), profileTime(graph.waits),
                        profileTime(graph.busy),
                        graph.replayed > 0 ? tr("%1 of them ran as a CUDA graph already").arg(graph.replayed)
                                           : tr("a CUDA graph could save so much at most"));
    }
    return out.join(u'\n');
}

} // namespace

QString threadWords(const profile::ThreadTime& cpu) {
    QStringList out;
    for (std::size_t i = 0; i < profile::spentCount; ++i)
        if (cpu.spent[i] > 0) out << tr("%1 %2").arg(spentName(profile::Spent(i)), profileTime(cpu.spent[i]));
    if (cpu.nothing > 0) out << tr("nothing recorded %1").arg(profileTime(cpu.nothing));
    return out.join(QStringLiteral(", "));
}

std::vector<FigureRow::Figure> idleFigures(const profile::Joined& joined, const profile::IdleReport& report,
                                           const Colours& colours) {
    std::vector<FigureRow::Figure> out;
    for (const profile::DeviceIdle& device : report.devices) {
        if (device.all() <= 0) continue;
        const double waiting = device.idle[std::size_t(IdleCause::Launch)];
        out.push_back({profileTime(device.all()),
                       tr("%1 idle, %2 for launches")
                           .arg(toQString(joined.profile->devices[device.device]))
                           .arg(toQString(profile::shareText(waiting / device.all()))),
                       waiting * 2 > device.all() ? colours.changed : QColor(),
                       toolTip(joined, device, report.graphs)});
    }
    return out;
}

} // namespace dynascope::views
