// SPDX-License-Identifier: BSD-3-Clause
//
// All that a session holds, as text: two ways to read a capture are to come to the same.
#pragma once

#include "core/session/session.h"

#include <QByteArray>
#include <QHash>
#include <sstream>
#include <string>
#include <vector>

namespace dynascope::test {

inline std::ostream& operator<<(std::ostream& out, const session::Payload& payload) {
    return out << payload.offset << '+' << payload.length << (payload.tabbed ? "t " : " ")
               << qHash(QByteArray::fromStdString(payload.source ? payload.text() : "none"));
}

inline std::ostream& operator<<(std::ostream& out, const ir::SourceLocation& at) {
    return out << at.file << ':' << at.line << ' ' << at.function << ' ' << at.code;
}

template <typename T>
std::ostream& operator<<(std::ostream& out, const std::vector<T>& all) {
    out << all.size() << '[';
    for (const T& one : all)
        out << one << '|';
    return out << ']';
}

inline void tellRecords(std::ostream& out, const session::Session& session) {
    for (const session::Record& record : session.records)
        out << record.type << ' ' << record.rank << ' ' << record.compileId.toString() << ' '
            << record.attempt << ' ' << record.line << ' ' << record.header << ' ' << record.payload << ' '
            << record.seconds << ' ' << record.origin << ' ' << record.known << '\n';
}

inline void tellCompile(std::ostream& out, const session::Compile& compile) {
    out << compile.rank << ' ' << compile.id.toString() << ' ' << session::statusName(compile.status) << ' '
        << compile.attempts << compile.restartReasons << compile.isRecompile << compile.recompileReasons
        << compile.userStack << compile.function << compile.failType << compile.failReason << compile.failAt
        << compile.compileSeconds << ' ' << compile.backwardSeconds << ' ' << compile.metrics
        << compile.records << compile.guardText << '\n';
    for (const session::StagePtr& stage : compile.stages)
        out << "stage " << stage->label() << session::phaseName(stage->phase) << int(stage->content)
            << stage->attempt << stage->detail << ' ' << stage->record << ' ' << stage->line << ' '
            << stage->payload << '\n';
    for (const session::GraphBreak& one : compile.breaks)
        out << "break " << one.title << one.explanation << one.hints << one.context << one.userStack
            << one.skipsFunction << one.skipsRest << one.attempt << ' ' << one.record << '\n';
    for (const session::Guard& guard : compile.guards)
        out << "guard " << guard.depth << guard.type << guard.code << guard.source << guard.addedAt << '\n';
    for (const session::StorageInfo& storage : compile.storages)
        out << "storage " << storage.describer << ' ' << storage.id << ' ' << storage.bytes << '\n';
    for (const session::TensorInput& input : compile.inputs)
        out << "input " << input.describer << ' ' << input.id << input.source << input.storageOffset << ' '
            << input.storage << input.isLeaf << input.requiresGrad << input.isParameter << input.isView
            << input.base << ' ' << input.record << input.raw << '\n';
    for (const session::SymbolInfo& symbol : compile.symbols)
        out << "symbol " << symbol.symbol << symbol.value << symbol.range << symbol.source << symbol.userStack
            << symbol.became << symbol.becameReason << symbol.becameAt << symbol.upperBound << '\n';
    for (const session::Bytecode& code : compile.bytecode)
        out << "bytecode " << code.name << code.original << code.modified << '\n';
    for (const session::CacheEvent& cache : compile.caches)
        out << "cache " << session::outcomeName(cache.outcome) << cache.cache << cache.key << cache.reason
            << cache.record << '\n';
}

/// All that a session holds, as text.
inline std::string told(const session::Session& session) {
    std::ostringstream out;
    out.precision(17);
    out << session::kindName(session.kind) << ' ' << session.path << ' ' << session.title << ' '
        << session.torchVersion << ' ' << session.ranks << '\n';
    for (const session::Run& run : session.runs)
        out << "run " << run.rank << ' ' << run.number << int(run.cause) << run.file << ' ' << run.line
            << '\n';
    tellRecords(out, session);
    for (const session::Compile& compile : session.compiles)
        tellCompile(out, compile);
    for (const session::Frame& frame : session.frames)
        out << "frame " << frame.function << frame.location << frame.rank << ' ' << frame.run
            << frame.compiles << '\n';
    for (const session::TimingEvent& event : session.timings)
        out << "event " << event.name.str() << event.category.str() << ' ' << event.startUs << ' '
            << event.durationUs << ' ' << event.pid << ' ' << event.tid << ' ' << event.depth << ' '
            << event.rank << ' ' << event.compile << event.open << ' ' << event.record << ' '
            << event.endRecord << '\n';
    for (const session::Warning& warning : session.warnings)
        out << "warning " << warning.error.toString() << ' ' << warning.record << '\n';
    for (const auto& [path, file] : session.sources)
        for (const auto& [line, code] : file.lines)
            out << "source " << path << ':' << line << ' ' << code << '\n';
    for (const auto& [type, count] : session.recordCounts)
        out << "count " << type << ' ' << count << '\n';
    return out.str();
}

/// The first line in which two texts differ.
inline std::string difference(const std::string& a, const std::string& b) {
    std::istringstream left(a), right(b);
    std::string l, r;
    while (true) {
        const bool more = bool(std::getline(left, l)), also = bool(std::getline(right, r));
        if (!more && !also) return {};
        if (more != also || l != r) return "a: " + (more ? l : "(end)") + "\nb: " + (also ? r : "(end)");
    }
}

} // namespace dynascope::test
