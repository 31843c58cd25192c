// SPDX-License-Identifier: BSD-3-Clause
//
// TraceReader's handlers: one small function per record type.
#include "core/base/json.h"
#include "core/capture/abridge.h"
#include "core/capture/digest_log.h"
#include "core/capture/guards.h"
#include "core/capture/record_types.h"
#include "core/capture/tensor_record.h"
#include "core/capture/trace_reader.h"
#include "core/torch_text/graph_break.h"
#include "core/torch_text/text_lines.h"
#include "core/torch_text/traceback.h"

#include <algorithm>
#include <array>

namespace dynascope::capture {

namespace {

/// Restart and recompile reasons of a JSON list, string, or plain lines.
bool startsEntry(std::string_view line) {
    const std::size_t slash = line.find('/');
    const std::size_t colon = line.find(": ");
    if (slash == std::string_view::npos || colon == std::string_view::npos || slash == 0 || slash > colon)
        return false;
    return line.substr(0, colon).find_first_not_of("0123456789/!_") == std::string_view::npos;
}

std::vector<std::string> plainReasons(std::string_view text) {
    std::vector<std::string> out;
    for (LineReader lines(text); !lines.done();) {
        const std::string_view line = lines.next();
        if (out.empty() || startsEntry(line))
            out.emplace_back(line);
        else
            out.back().append("\n").append(line);
    }
    return out;
}

/// What TORCH_LOGS prints: "Recompiling function f in cap.py:6", "triggered by the following guard
/// failure(s):", then "    - 0/0: tensor 'x' size mismatch ...", whose further lines have the dash too.
std::vector<std::string> loggedReasons(std::string_view text) {
    std::vector<std::string> out;
    for (LineReader lines(text); !lines.done();) {
        std::string_view line = lines.next();
        const std::size_t dash = line.find("- ");
        if (dash == std::string_view::npos || line.find_first_not_of(' ') != dash) continue;
        line.remove_prefix(dash + 2);
        if (startsEntry(line))
            out.emplace_back(line);
        else if (!out.empty())
            out.back().append("\n").append(line);
    }
    return out;
}

} // namespace

TraceReader::Handler TraceReader::typeHandler(std::string_view type) {
    static constexpr NamedHandler handlers[] = {
        {"str", &TraceReader::readString},
        {"chromium_event", &TraceReader::readPastedEvent},
        {"describe_tensor", &TraceReader::readTensor},
        {"describe_source", &TraceReader::readSource},
        {"describe_storage", &TraceReader::readStorage},
        {"dynamo_start", &TraceReader::readStart},
        {"compilation_metrics", &TraceReader::readMetrics},
        {"bwd_compilation_metrics", &TraceReader::readBackwardMetrics},
        {"aot_autograd_backward_compilation_metrics", &TraceReader::readBackwardMetrics},
        {"create_symbol", &TraceReader::readSymbol},
        {"guard_added", &TraceReader::readSymbolGuard},
        {"guard_added_fast", &TraceReader::readSymbolGuard},
        {"create_unbacked_symbol", &TraceReader::readSymbol},
        {"symbolic_shape_specialization", &TraceReader::readSpecialisation},
        {"dynamo_cpp_guards_str", &TraceReader::readGuards},
        {"dynamo_guards", &TraceReader::readGuardList},
    };
    const auto* const found = std::find_if(std::begin(handlers), std::end(handlers),
                                           [&](const NamedHandler& h) { return h.name == type; });
    return found == std::end(handlers) ? nullptr : found->handler;
}

TraceReader::Handler TraceReader::artifactHandler(std::string_view name) {
    static constexpr NamedHandler handlers[] = {
        {"dynamo_graph_break_reason", &TraceReader::readBreak},
        {"dynamo_error", &TraceReader::readError},
        {"torch_version", &TraceReader::readVersion},
        {"recompile_reasons", &TraceReader::readRecompile},
        {"aot_saved_tensors_hooks_graphs", &TraceReader::readHooks},
        {digestArtifact, &TraceReader::readDigest},
    };
    const auto* const found = std::find_if(std::begin(handlers), std::end(handlers),
                                           [&](const NamedHandler& h) { return h.name == name; });
    return found == std::end(handlers) ? nullptr : found->handler;
}

void TraceReader::readDigest(const Visit& visit) {
    if (std::string words = digestWords(bytesOf(visit.record.payload)); !words.empty())
        warn(std::move(words), visit.record.line, visit.index);
}

void TraceReader::readString(const Visit& visit) {
    simdjson::dom::array pair;
    std::string_view text;
    std::int64_t id = 0;
    if (visit.body.get(pair) == simdjson::SUCCESS && pair.at(0).get(text) == simdjson::SUCCESS &&
        pair.at(1).get(id) == simdjson::SUCCESS)
        m_strings[id] = text;
}

void TraceReader::readEvent(const TimingRecord& event, const NamePool& names, const Visit& visit) {
    if (event.error == simdjson::SUCCESS)
        m_timing.add(event, names, visit.record.rank, visit.record.compileId, m_run, visit.index);
    else if (!m_payloadDamaged)
        warn(std::string("timing event is not JSON: ") +
                 simdjson::error_message(static_cast<simdjson::error_code>(event.error)),
             visit.record.line, visit.index);
}

void TraceReader::readPastedEvent(const Visit& visit) {
    const std::string_view text = bytesOf(visit.record.payload);
    simdjson::dom::element element;
    TimingRecord event;
    NamePool names;
    const simdjson::error_code error = m_parsers.payloads.parse(text.data(), text.size(), true).get(element);
    if (error == simdjson::SUCCESS) event = readTiming(element, names);
    event.error = static_cast<std::uint8_t>(error);
    readEvent(event, names, visit);
}

void TraceReader::readStart(const Visit& visit) {
    if (!visit.open) return;
    visit.open->hasStart = true;
    simdjson::dom::element frames;
    if (visit.body["stack"].get(frames) != simdjson::SUCCESS) return;
    session::Compile& compile = visit.open->compile;
    if (!compile.userStack.empty()) return;
    compile.userStack = stack(frames);
    quote(compile.userStack);
    if (const ir::SourceLocation* at = compile.location(); at && visit.open->file.empty()) {
        visit.open->file = at->file;
        visit.open->firstLine = at->line;
        if (compile.function.empty()) compile.function = at->function;
    }
}

void TraceReader::readMetrics(const Visit& visit) {
    // Earlier versions of PyTorch have no record of its own for it.
    if (m_session.torchVersion.empty()) m_session.torchVersion = json::text(visit.body, "pytorch_version");
    if (!visit.open) return;
    session::Compile& compile = visit.open->compile;
    visit.open->hasMetrics = true;
    compile.metrics = visit.record.header;
    if (const std::string_view name = json::text(visit.body, "co_name"); !name.empty()) {
        compile.function = name;
        visit.open->file = json::text(visit.body, "co_filename");
        visit.open->firstLine =
            static_cast<std::uint32_t>(std::max(0, json::smallInteger(visit.body, "co_firstlineno", 0)));
    }
    compile.compileSeconds = std::max(0.0, json::number(visit.body, "entire_frame_compile_time_s"));
    if (compile.compileSeconds == 0)
        compile.compileSeconds = std::max(0.0, json::number(visit.body, "duration_us")) * 1e-6;
    if (const std::string_view type = json::text(visit.body, "fail_type"); !type.empty()) {
        compile.failType = type;
        compile.failReason = json::text(visit.body, "fail_reason");
    }
    if (const std::string_view file = json::text(visit.body, "fail_user_frame_filename"); !file.empty()) {
        ir::SourceLocation at;
        at.file = file;
        at.line = static_cast<std::uint32_t>(
            std::max(0, json::smallInteger(visit.body, "fail_user_frame_lineno", 0)));
        if (at.file == compile.failAt.file && at.line == compile.failAt.line) at = compile.failAt;
        compile.failAt = std::move(at);
    }
    simdjson::dom::array reasons;
    if (visit.body["restart_reasons"].get(reasons) == simdjson::SUCCESS) {
        compile.restartReasons.clear();
        for (const simdjson::dom::element reason : reasons)
            compile.restartReasons.push_back(json::spelling(reason));
    }
}

void TraceReader::readBackwardMetrics(const Visit& visit) {
    if (!visit.open) return;
    double seconds = json::number(visit.body, "duration_us") * 1e-6;
    if (seconds <= 0) seconds = json::number(visit.body, "inductor_compile_time_s");
    visit.open->compile.backwardSeconds += std::max(0.0, seconds);
}

void TraceReader::readStorage(const Visit& visit) {
    if (visit.open) visit.open->storages.emplace_back(visit.record.attempt, parseStorage(visit.body));
}

void TraceReader::readTensor(const Visit& visit) {
    if (!visit.open) return;
    Described described{visit.record.attempt, parseTensor(visit.body)};
    described.input.record = visit.index;
    visit.open->inputs.push_back(std::move(described));
}

void TraceReader::readSource(const Visit& visit) {
    if (!visit.open) return;
    const std::pair key(json::smallInteger(visit.body, "describer_id", 0),
                        json::smallInteger(visit.body, "id", 0));
    visit.open->sources.try_emplace(key, json::text(visit.body, "source"));
}

void TraceReader::readSymbol(const Visit& visit) {
    if (!visit.open) return;
    session::SymbolInfo symbol;
    symbol.symbol = json::text(visit.body, "symbol");
    symbol.value = json::text(visit.body, "val");
    symbol.range = json::text(visit.body, "vr");
    symbol.source = json::text(visit.body, "source");
    if (simdjson::dom::element frames; visit.body["user_stack"].get(frames) == simdjson::SUCCESS)
        symbol.userStack = stack(frames);
    quote(symbol.userStack);
    visit.open->ranges.create(symbol.symbol, symbol.range);
    // A restart makes its symbols again.
    std::vector<session::SymbolInfo>& symbols = visit.open->compile.symbols;
    const auto [known, isNew] = visit.open->symbols.try_emplace(symbol.symbol, symbols.size());
    if (isNew)
        symbols.push_back(std::move(symbol));
    else
        symbols[known->second] = std::move(symbol);
}

void TraceReader::readSymbolGuard(const Visit& visit) {
    if (!visit.open) return;
    // AOTAutograd decides by what was known when it traced.
    for (const auto& stage : visit.open->stages)
        if (stage->name == "aot_joint_graph" || stage->name == "aot_inference_graph") return;
    const std::string_view guard = json::text(visit.body, "expr");
    for (const std::string& symbol : visit.open->ranges.add(guard))
        if (const auto known = visit.open->symbols.find(symbol); known != visit.open->symbols.end())
            visit.open->compile.symbols[known->second].upperBound = guard;
}

void TraceReader::readSpecialisation(const Visit& visit) {
    if (!visit.open) return;
    const std::string name(json::text(visit.body, "symbol"));
    std::vector<session::SymbolInfo>& symbols = visit.open->compile.symbols;
    const auto [known, isNew] = visit.open->symbols.try_emplace(name, symbols.size());
    if (isNew) {
        symbols.emplace_back();
        symbols.back().symbol = name;
        symbols.back().value = json::text(visit.body, "value");
        simdjson::dom::array sources;
        if (visit.body["sources"].get(sources) == simdjson::SUCCESS && sources.size() > 0)
            symbols.back().source = json::spelling(sources.at(0));
    }
    session::SymbolInfo& symbol = symbols[known->second];
    symbol.became = json::text(visit.body, "value");
    symbol.becameReason = json::text(visit.body, "reason");
    if (simdjson::dom::element frames; visit.body["user_stack"].get(frames) == simdjson::SUCCESS)
        symbol.becameAt = stack(frames);
    quote(symbol.becameAt);
}

void TraceReader::readGuards(const Visit& visit) {
    if (!visit.open) return;
    visit.open->compile.guardText = visit.record.payload;
    visit.open->compile.guards = session::GuardList(visit.record.payload, &parseGuards);
}

void TraceReader::readGuardList(const Visit& visit) {
    // Versions without the tree list their guards as JSON: [{"code": ..., "user_stack": [...]}].
    if (!visit.open || !visit.open->compile.guards.empty()) return;
    const std::string text = visit.record.payload.text();
    simdjson::dom::element root;
    simdjson::dom::array items;
    if (m_parsers.payloads.parse(text).get(root) != simdjson::SUCCESS || root.get(items) != simdjson::SUCCESS)
        return;
    visit.open->compile.guardText = visit.record.payload;
    std::vector<session::Guard> guards;
    for (const simdjson::dom::element item : items) {
        session::Guard guard;
        guard.code = json::text(item, "code");
        if (simdjson::dom::element frames; item["user_stack"].get(frames) == simdjson::SUCCESS) {
            const ir::StackTrace user = stack(frames);
            if (!user.empty()) guard.addedAt = user.back();
            guard.userCode = guard.addedAt.code;
        }
        guards.push_back(std::move(guard));
    }
    visit.open->compile.guards = std::move(guards);
}

void TraceReader::readBreak(const Visit& visit) {
    if (!visit.open) return;
    const std::string text = visit.record.payload.text();
    // The exception that a break is made of, at length; the break has a record of its own, unless it is an error.
    if (text.starts_with("WON'T CONVERT ")) return;
    session::GraphBreak parsed = parseGraphBreak(text);
    parsed.attempt = std::max(0, visit.record.attempt);
    parsed.record = visit.index;
    // TORCH_LOGS leaves the stack of a break out where it has told of one at that line before.
    if (parsed.userStack.size() == 1 && parsed.userStack.front().code.empty()) {
        ir::SourceLocation& at = parsed.userStack.front();
        if (const auto file = m_session.sources.find(at.file); file != m_session.sources.end())
            if (const auto line = file->second.lines.find(at.line); line != file->second.lines.end())
                at.code = line->second;
    }
    quote(parsed.userStack);
    visit.open->compile.breaks.push_back(std::move(parsed));
}

void TraceReader::readError(const Visit& visit) {
    if (!visit.open) return;
    session::Compile& compile = visit.open->compile;
    const std::string text = visit.record.payload.text();
    PythonError error = parsePythonError(text);
    if (compile.failType.empty()) {
        compile.failType = error.type.empty() ? "Error" : std::move(error.type);
        compile.failReason = std::move(error.message);
    }
    const std::size_t userCode = text.rfind("from user code:");
    if (userCode == std::string::npos) return;
    const ir::StackTrace frames = parseTraceback(std::string_view(text).substr(userCode));
    quote(frames);
    if (!frames.empty()) compile.failAt = frames.back();
}

void TraceReader::readVersion(const Visit& visit) {
    const std::string_view text = bytesOf(visit.record.payload);
    simdjson::dom::element version;
    if (m_parsers.payloads.parse(text.data(), text.size(), true).get(version) != simdjson::SUCCESS) return;
    const std::string_view told = json::text(version, "pytorch_version");
    if (m_session.torchVersion.empty())
        m_session.torchVersion = told;
    else if (m_session.torchVersion != told)
        warn("this is of PyTorch " + std::string(told) + ", and what came before it of " +
                 m_session.torchVersion,
             visit.record.line, visit.index);
}

void TraceReader::readRecompile(const Visit& visit) {
    if (!visit.open) return;
    std::vector<std::string>& reasons = visit.open->compile.recompileReasons;
    const std::string text = visit.record.payload.text();
    if (text.starts_with("Recompiling function ")) {
        if (reasons.empty()) reasons = loggedReasons(text);
        return;
    }
    simdjson::dom::element root;
    simdjson::dom::array list;
    std::string_view single;
    if (m_parsers.payloads.parse(text).get(root) != simdjson::SUCCESS) {
        reasons = plainReasons(text);
    } else if (root.get(list) == simdjson::SUCCESS) {
        reasons.clear();
        for (const simdjson::dom::element reason : list)
            reasons.push_back(json::spelling(reason));
    } else if (root.get(single) == simdjson::SUCCESS) {
        reasons = plainReasons(single);
    }
}

void TraceReader::readCache(const Visit& visit, std::string_view name) {
    using Outcome = session::CacheEvent::Outcome;
    static constexpr std::array<std::pair<std::string_view, Outcome>, 3> outcomes = {
        {{"_hit", Outcome::Hit}, {"_miss", Outcome::Miss}, {"_bypass", Outcome::Bypass}}};
    const auto found = std::find_if(outcomes.begin(), outcomes.end(),
                                    [&](const auto& outcome) { return name.ends_with(outcome.first); });
    if (!visit.open || found == outcomes.end()) return;
    session::CacheEvent event;
    event.outcome = found->second;
    event.cache = name.substr(0, name.size() - found->first.size());
    event.record = visit.index;
    std::string text;
    if (visit.record.payload.length > longestJson)
        text = abridged(bytesOf(visit.record.payload)).value_or(std::string());
    else
        text = visit.record.payload.text();
    simdjson::dom::element info;
    if (m_parsers.payloads.parse(text).get(info) != simdjson::SUCCESS) info = visit.body;
    if (info.is_object()) {
        event.key = json::text(info, "key");
        for (const std::string_view key :
             {"cache_bypass_reason", "cache_bypass_exception_type", "cache_status_detailed"})
            if (event.reason.empty()) event.reason = json::text(info, key);
    }
    visit.open->compile.caches.push_back(std::move(event));
}

void TraceReader::readBytecode(const Visit& visit, std::string_view name) {
    if (!visit.open) return;
    for (const std::string_view suffix : {"_ORIGINAL_BYTECODE", "_MODIFIED_BYTECODE"}) {
        if (!name.ends_with(suffix)) continue;
        const std::string code(name.substr(0, name.size() - suffix.size()));
        std::vector<session::Bytecode>& all = visit.open->compile.bytecode;
        const auto [known, isNew] = visit.open->bytecode.try_emplace(code, all.size());
        if (isNew) all.push_back({code, {}, {}});
        session::Bytecode& entry = all[known->second];
        (suffix == "_ORIGINAL_BYTECODE" ? entry.original : entry.modified) = visit.record.payload;
    }
}

} // namespace dynascope::capture
