// SPDX-License-Identifier: BSD-3-Clause
//
// Traces of a few compiles that are held against each other.
#pragma once

#include "core/capture/open.h"
#include "tests/support/trace_text.h"

#include <QtGlobal>
#include <string>

namespace dynascope::test {

inline session::SessionPtr openTrace(const TraceText& text) {
    const auto opened = capture::openText(text.text());
    if (!opened) qFatal("%s", opened.error().toString().c_str());
    return *opened;
}

/// A trace of one source file.
inline TraceText traceOf(const std::string& file = "/home/a/cap.py") {
    TraceText text;
    text.string(1, file);
    return text;
}

/// One compile: a function, the line it stands in, and its graph.
inline TraceText& addCompile(TraceText& text, int frame, int again, const std::string& function, int line,
                             const std::string& graph) {
    text.at(frame, again).start(function, line);
    text.add("\"dynamo_output_graph\": {}", graph);
    return text.metrics("\"fail_type\": null", function, line);
}

/// With the first `from` as `to`.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    if (at == std::string::npos) qFatal("no %s", from.c_str());
    return text.replace(at, from.size(), to);
}

} // namespace dynascope::test
