// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <QString>
#include <QStringList>

namespace dynascope::test {

/// The folder that holds tests/data/captures/captures.tar.zst, unpacked once a process and deleted at its
/// end. Empty if the archive cannot be read.
[[nodiscard]] QString captures();

/// The log of a capture: capture("trace_inductor/train").
[[nodiscard]] QString capture(const QString& name);

/// Every trace log in captures(), sorted.
[[nodiscard]] QStringList traceLogs();

} // namespace dynascope::test
