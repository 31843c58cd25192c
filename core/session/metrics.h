// SPDX-License-Identifier: BSD-3-Clause
//
// The compilation_metrics records of a trace as one table: what Dynamo measured and how it was set, a row for
// each record. Configurations, which are JSON within JSON, are taken apart as far as they differ.
#pragma once

#include "core/base/task.h"
#include "core/session/session.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::session {

struct Metric {
    enum class Kind : std::uint8_t { Absent, Bool, Number, Text } kind = Kind::Absent;
    double number = 0;    ///< of a Number; 1 or 0 of a Bool
    std::string text;     ///< as it is shown: at most 2,000 bytes, lists and objects as JSON
    std::size_t hash = 0; ///< of the whole text
    friend bool operator==(const Metric& a, const Metric& b) { return a.kind == b.kind && a.hash == b.hash; }
};

struct MetricRow {
    std::size_t record = 0;     ///< index into Session::records
    int compile = -1;           ///< index into Session::compiles; -1: none
    std::string part;           ///< "forward", "backward", "runtime"
    std::vector<Metric> values; ///< as MetricTable::columns
};

struct MetricColumn {
    std::string name;     ///< "graph_node_count", "inductor_config.max_autotune"
    bool differs = false; ///< between two rows that have a value
    bool empty = true;    ///< no row has a value
    bool moment = false;  ///< a time of day or a counter of the log: differs always
};

struct MetricTable {
    std::vector<MetricColumn> columns; ///< those that differ first, moments behind them, then the rest
    std::vector<MetricRow> rows;       ///< in order of the log
};

/// Reads the header of each metrics record; on a worker, since a configuration takes 50 KB a record. Empty
/// where it was cancelled.
[[nodiscard]] MetricTable readMetrics(const Session& session, const TaskContext& task = {});

/// The JSON that a record's header holds under the name of its type: {"describe_tensor": {...}} gives {...}.
/// Empty where there is none.
[[nodiscard]] std::string bodyJson(const Payload& header, std::string_view type);

/// Versions and configurations that a compile's compilation_metrics tells, configurations taken apart:
/// "pytorch_version", "inductor_config.max_autotune". Empty where it has none.
[[nodiscard]] std::map<std::string, Metric> readSettings(const Compile& compile);

/// What compiling a kernel took, as triton_kernel_compile_times_us tells it (the 25 slowest of a compile).
struct KernelTime {
    std::string kernel;
    double us = 0;
    int compile = -1;               ///< index into Session::compiles
    int stage = -1;                 ///< of the generated code that has it, into Compile::stages
    std::vector<std::string> nodes; ///< post-grad nodes that its comments name
};
/// The slowest first. Reads the generated code of compiles that have such a record; on a worker.
[[nodiscard]] std::vector<KernelTime> kernelTimes(const Session& session, const MetricTable& metrics);

} // namespace dynascope::session
