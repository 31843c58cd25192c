// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/log_reader.h"

#include "core/base/text.h"
#include "core/capture/log_lines.h"
#include "core/capture/log_ranks.h"
#include "core/capture/trace_reader.h"
#include "core/session/utf8.h"
#include "core/torch_text/text_lines.h"
#include "core/torch_text/traceback.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

namespace dynascope::capture {

namespace {

using Json = nlohmann::json;

constexpr std::string_view startWords = "torchdynamo start compiling ";

std::string dump(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string slug(std::string_view title) {
    std::string out;
    for (const char c : title) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) != 0)
            out += static_cast<char>(std::tolower(byte));
        else if (!out.empty() && out.back() != '_')
            out += '_';
    }
    while (out.ends_with('_'))
        out.pop_back();
    return out;
}

/// What a message says, in the terms of a trace record.
struct Meaning {
    std::string name;        ///< of the record or artifact; empty: raw
    std::string body = "{}"; ///< JSON
    std::size_t skip = 0;    ///< bytes of the message before the payload
    std::size_t lines = 0;   ///< line ends among them
};

/// "f /home/user/cap.py:44" or "f in /home/user/cap.py:44".
std::optional<ir::SourceLocation> functionAt(std::string_view text, std::string_view between) {
    const std::size_t space = text.find(between);
    const std::size_t colon = text.rfind(':');
    if (space == std::string_view::npos || colon == std::string_view::npos || colon < space)
        return std::nullopt;
    ir::SourceLocation out;
    out.function = text.substr(0, space);
    out.file = text.substr(space + between.size(), colon - space - between.size());
    const auto [end, error] = std::from_chars(text.data() + colon + 1, text.data() + text.size(), out.line);
    if (error != std::errc()) return std::nullopt;
    return out;
}

std::optional<std::string_view> after(std::string_view text, std::string_view key) {
    if (!text.starts_with(key)) return std::nullopt;
    return text.substr(key.size());
}

std::string_view opening(std::string_view text) {
    return trimmed(firstLine(text));
}

Json frameJson(const ir::SourceLocation& at) {
    return {{"line", at.line}, {"name", at.function}, {"filename", at.file}, {"loc", at.code}};
}

/// "torchdynamo start compiling f cap.py:44, stack (elided 5 frames):" and a traceback.
std::optional<Meaning> startOf(std::string_view text) {
    const auto rest = after(text, startWords);
    if (!rest) return std::nullopt;
    const std::string_view head = opening(*rest);
    const std::optional<ir::SourceLocation> own = functionAt(head.substr(0, head.rfind(", stack")), " ");
    if (!own) return std::nullopt;
    Json stack = Json::array();
    for (const ir::SourceLocation& frame : parseTraceback(text))
        stack.push_back(frameJson(frame));
    stack.push_back(frameJson(*own));
    return Meaning{"dynamo_start", dump({{"stack", std::move(stack)}})};
}

/// "create_symbol s77 = 5 for L['x'].size()[0] [2, int_oo] z = x * k  # cap.py:8 in f (...)".
std::optional<Meaning> symbolOf(std::string_view text) {
    auto rest = after(text, "create_symbol ");
    if (!rest) rest = after(text, "create_unbacked_symbol ");
    if (!rest) return std::nullopt;
    const std::string_view line = opening(*rest);
    const std::size_t equals = line.find(" = ");
    const std::size_t with = line.find(" for ");
    if (equals == std::string_view::npos || with == std::string_view::npos || with < equals)
        return std::nullopt;
    const std::string_view source = line.substr(with + 5);
    std::size_t range = source.find(" [");
    while (range != std::string_view::npos && range + 2 < source.size() &&
           std::string_view("0123456789-i").find(source[range + 2]) == std::string_view::npos)
        range = source.find(" [", range + 1);
    const std::size_t close = range == std::string_view::npos ? range : source.find(']', range);
    if (close == std::string_view::npos) return std::nullopt;
    return Meaning{"create_symbol", dump({{"symbol", line.substr(0, equals)},
                                          {"val", line.substr(equals + 3, with - equals - 3)},
                                          {"source", source.substr(0, range)},
                                          {"vr", source.substr(range + 1, close - range)}})};
}

/// "set_replacement s77 = 12 (range_refined_to_singleton) VR[12, 12]": only numbers, as in a trace.
std::optional<Meaning> specialisationOf(std::string_view text) {
    const auto rest = after(text, "set_replacement ");
    if (!rest) return std::nullopt;
    const std::string_view line = opening(*rest);
    const std::size_t equals = line.find(" = "), open = line.find(" ("), close = line.find(')');
    if (equals == std::string_view::npos || open == std::string_view::npos || open < equals ||
        close == std::string_view::npos || close < open)
        return std::nullopt;
    const std::string_view value = line.substr(equals + 3, open - equals - 3);
    if (value.empty() || value.find_first_not_of("0123456789.-") != std::string_view::npos)
        return std::nullopt;
    return Meaning{"symbolic_shape_specialization",
                   dump({{"symbol", line.substr(0, equals)},
                         {"value", value},
                         {"reason", line.substr(open + 2, close - open - 2)}})};
}

std::optional<Meaning> cacheOf(std::string_view text) {
    struct Form {
        std::string_view words, name, key;
    };
    static constexpr std::array<Form, 6> forms = {
        {{"fx graph cache hit for key ", "fx_graph_cache_hit", "key"},
         {"fx graph cache miss for key ", "fx_graph_cache_miss", "key"},
         {"Bypassing FX Graph Cache because ", "fx_graph_cache_bypass", "cache_bypass_reason"},
         {"AOTAutograd cache hit for key ", "aotautograd_cache_hit", "key"},
         {"AOTAutograd cache miss for key ", "aotautograd_cache_miss", "key"},
         {"Bypassing autograd cache due to: ", "aotautograd_cache_bypass", "cache_bypass_reason"}}};
    for (const Form& form : forms)
        if (const auto rest = after(text, form.words))
            return Meaning{std::string(form.name), dump({{std::string(form.key), opening(*rest)}})};
    return std::nullopt;
}

/// Graphs: "TRACED GRAPH", " ===== Forward graph 0 =====", then a path and the class. `trained` says whether
/// the compile has a joint or a backward graph too.
std::optional<Meaning> graphOf(std::string_view artifact, std::string_view text, bool trained) {
    std::size_t at = 0, lines = 0;
    std::string title;
    for (LineReader reader(text.substr(0, 16384)); !reader.done() && lines < 4; ++lines) {
        const std::string_view line = reader.next();
        at = static_cast<std::size_t>(line.data() - text.data());
        const std::string_view words = trimmed(line);
        if ((words.starts_with("=====") && words.ends_with("=====")) ||
            words.ends_with(" graph (from cache)")) {
            title = slug(words);
            continue;
        }
        const std::size_t opening = std::min(line.find("class "), line.find("graph("));
        if (opening == std::string_view::npos || !beginsLikeGraph(text.substr(at + opening))) continue;
        std::string name = title.empty() ? std::string(artifact) : title;
        if (artifact == "graph_code" && (title.empty() || title.starts_with("compiled_fn_")))
            name = "dynamo_output_graph";
        else if (title.starts_with("joint_graph"))
            name = "aot_joint_graph";
        else if (title.starts_with("forward_graph"))
            name = trained ? "aot_forward_graph" : "aot_inference_graph";
        else if (title.starts_with("backward_graph"))
            name = "aot_backward_graph";
        else if (title == "before_pre_grad")
            name = "before_pre_grad_graph";
        else if (title == "after_post_grad")
            name = "inductor_post_grad_graph";
        return Meaning{std::move(name), "{}", at + opening, lines};
    }
    return std::nullopt;
}

std::string bytecodeName(std::string_view text) {
    for (const std::string_view kind : {"ORIGINAL", "MODIFIED"}) {
        const auto rest = after(text, std::string(kind) + " BYTECODE ");
        if (!rest) continue;
        const std::string_view line = opening(*rest);
        return std::string(line.substr(0, line.find(' '))) + '_' + std::string(kind) + "_BYTECODE";
    }
    return {};
}

std::optional<Meaning> meaningOf(const LogMessage& message, std::string_view text, bool trained) {
    const std::string_view artifact = message.first.artifact;
    if (artifact.empty()) {
        if (auto start = startOf(text)) return start;
        if (auto symbol = symbolOf(text)) return symbol;
        if (auto specialisation = specialisationOf(text)) return specialisation;
        return cacheOf(text);
    }
    if (artifact == "graph_breaks" && text.starts_with("Graph break"))
        return Meaning{"dynamo_graph_break_reason"};
    if (artifact == "guards" && text.find("TREE_GUARD_MANAGER:") < 4) return Meaning{"dynamo_cpp_guards_str"};
    if (artifact.starts_with("recompiles") && text.starts_with("Recompiling function "))
        return Meaning{"recompile_reasons"};
    if (artifact == "bytecode") {
        std::string name = bytecodeName(text);
        const std::size_t end = text.find('\n');
        if (name.empty() || end == std::string_view::npos) return std::nullopt;
        return Meaning{std::move(name), "{}", end + 1, 1};
    }
    if (artifact == "output_code") {
        const std::size_t end = text.find('\n');
        if (!text.starts_with("Output code: ") || end == std::string_view::npos) return std::nullopt;
        return Meaning{"inductor_output_code", "{}", end + 1, 1};
    }
    return graphOf(artifact, text, trained);
}

/// The code object that a message names.
std::optional<ir::SourceLocation> codeOf(std::string_view text) {
    if (const auto rest = after(text, "Recompiling function ")) return functionAt(opening(*rest), " in ");
    for (const std::string_view key : {"ORIGINAL BYTECODE ", "MODIFIED BYTECODE "}) {
        const auto rest = after(text, key);
        if (!rest) continue;
        const std::string_view line = opening(*rest); // "f cap.py line 6"
        const std::size_t number = line.rfind(" line ");
        if (number == std::string_view::npos) return std::nullopt;
        std::string spelled(line.substr(0, number));
        return functionAt(spelled.append(":").append(line.substr(number + 6)), " ");
    }
    return std::nullopt;
}

int attemptOf(std::string_view compile) {
    const std::size_t mark = compile.find('_');
    int attempt = 0;
    if (mark != std::string_view::npos)
        std::from_chars(compile.data() + mark + 1, compile.data() + compile.size(), attempt);
    return std::clamp(attempt, 0, 1'000'000);
}

/// A traceback of Dynamo or Inductor that the program printed, and the end of `text` that it is.
bool isCompileError(std::string_view text) {
    return text.find("Traceback (most recent call last)") != std::string_view::npos &&
           (text.find("torch._dynamo.exc.") != std::string_view::npos ||
            text.find("torch._inductor.exc.") != std::string_view::npos);
}

/// Which rank and run each message is of.
std::vector<RunNumbers::Mention> mentionsOf(const LogText& log, const LogRanks& ranks, std::size_t file,
                                            TraceReader& reader, const std::string& label) {
    // Artifact and first words. Later graphs are headed like Dynamo's, and may come twice.
    using Sign = std::pair<std::string_view, std::string_view>;
    static constexpr std::array<Sign, 4> onceInAnAttempt = {{{"", startWords},
                                                             {"bytecode", "ORIGINAL BYTECODE"},
                                                             {"graph", "TRACED GRAPH"},
                                                             {"graph_code", "TRACED GRAPH"}}};
    std::vector<RunNumbers::Mention> all(log.messages.size()), of;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const LogMessage& message = log.messages[i];
        RunNumbers::Mention& mention = all[i];
        mention.rank = ranks.first(file);
        if (message.stray) continue;
        const std::string_view text = log.text->bytes().substr(message.offset, message.length);
        mention.rank = ranks.of(file, message.first.prefix);
        mention.id = parseCompileId(message.first.compile);
        mention.attempt = attemptOf(message.first.compile);
        mention.process = message.first.prefix.process;
        mention.line = message.line;
        const auto once = std::find_if(onceInAnAttempt.begin(), onceInAnAttempt.end(), [&](const auto& sign) {
            return message.first.artifact == sign.first && text.starts_with(sign.second);
        });
        if (once != onceInAnAttempt.end()) mention.once = once->first.empty() ? once->second : once->first;
        mention.leads = text.starts_with("Recompiling function ");
        if (!mention.id.empty()) of.push_back(mention);
    }
    reader.runs().number(of, label);
    std::size_t next = 0;
    for (RunNumbers::Mention& mention : all)
        if (!mention.id.empty()) mention.id.run = of[next++].id.run;
    return all;
}

/// Hands the messages of one log to the reader; false if cancelled.
bool readMessages(TraceReader& reader, const RankLog& from, const LogText& log, const LogRanks& ranks,
                  std::size_t file, const TaskContext& task) {
    const auto textOf = [&](const LogMessage& message) {
        return log.text->bytes().substr(message.offset, message.length);
    };
    const std::vector<RunNumbers::Mention> mentions = mentionsOf(log, ranks, file, reader, from.label);
    using Key = std::pair<int, session::CompileId>;
    std::set<Key> trained;
    for (std::size_t i = 0; i < log.messages.size(); ++i) {
        const LogMessage& message = log.messages[i];
        if (message.stray || !message.first.artifact.starts_with("aot")) continue;
        const std::string_view head = textOf(message).substr(0, 256);
        if (head.find("===== Joint graph ") != std::string_view::npos ||
            head.find("===== Backward graph ") != std::string_view::npos ||
            head.find("Backward graph (from cache)") != std::string_view::npos)
            trained.insert({mentions[i].rank, mentions[i].id});
    }

    std::map<int, std::pair<session::CompileId, int>> last; // compile and attempt by rank
    for (std::size_t i = 0; i < log.messages.size(); ++i) {
        const LogMessage& message = log.messages[i];
        if (task.cancelled()) return false;
        const std::string_view text = textOf(message);
        session::Record record;
        record.line = message.line;
        record.header = {from.source, message.fileOffset, message.fileLength, false};
        record.payload = {log.text, message.offset, message.length, false};
        record.known = true;
        if (message.stray) {
            record.type = "log:output";
            record.rank = mentions[i].rank;
            const auto compile = last.find(record.rank);
            const bool failed = compile != last.end() && isCompileError(text);
            if (failed) std::tie(record.compileId, record.attempt) = compile->second;
            reader.add({std::move(record), failed ? "dynamo_error" : "", "{}", 0, {}});
            continue;
        }
        const LogLine& line = message.first;
        record.rank = mentions[i].rank;
        record.seconds = line.prefix.seconds;
        record.origin = session::toValidUtf8(line.prefix.origin);
        record.compileId = mentions[i].id;
        record.attempt = attemptOf(line.compile);
        record.type =
            "log:" + session::toValidUtf8(line.artifact.empty()
                                              ? line.prefix.origin.substr(0, line.prefix.origin.rfind(':'))
                                              : line.artifact);
        const Key key{record.rank, record.compileId};
        if (!record.compileId.empty()) last[record.rank] = {record.compileId, record.attempt};
        std::optional<Meaning> meaning = meaningOf(message, text, trained.count(key) != 0);
        if (!meaning) meaning.emplace();
        record.payload.offset += meaning->skip;
        record.payload.length -= meaning->skip;
        const std::optional<ir::SourceLocation> code = record.compileId.empty() ? std::nullopt : codeOf(text);
        reader.add({std::move(record),
                    std::move(meaning->name),
                    std::move(meaning->body),
                    message.line + meaning->lines,
                    {}});
        if (code) reader.setCode(key.first, key.second, *code);
    }
    return true;
}

/// The stack of a break, and the code with it, is printed once for a line of the program; later breaks there name the
/// place alone.
void addSuppressedCode(session::Session& session) {
    std::map<std::pair<std::string, std::uint32_t>, std::string> codes; // by file and line
    const auto each = [&session](auto visit) {
        for (session::Compile& compile : session.compiles)
            for (session::GraphBreak& it : compile.breaks)
                if (!it.userStack.empty()) visit(it.userStack.back());
    };
    each([&codes](const ir::SourceLocation& at) {
        if (!at.code.empty()) codes.try_emplace({at.file, at.line}, at.code);
    });
    each([&codes](ir::SourceLocation& at) {
        const auto known = codes.find({at.file, at.line});
        if (at.code.empty() && known != codes.end()) at.code = known->second;
    });
}

} // namespace

Result<session::Session> readTorchLogs(const std::vector<RankLog>& logs, const TaskContext& task) {
    std::vector<LogText> texts;
    for (const RankLog& log : logs) {
        Result<LogText> text = readLogMessages(log.source->bytes(), task);
        if (!text) {
            Error error = text.error();
            if (error.file.empty()) error.file = log.label;
            return tl::unexpected(std::move(error));
        }
        texts.push_back(std::move(*text));
    }
    const LogRanks ranks(logs, texts);
    TraceReader reader({});
    for (std::size_t file = 0; file < logs.size(); ++file) {
        reader.setFile(logs[file].label);
        if (!readMessages(reader, logs[file], texts[file], ranks, file, task)) return cancellation();
    }
    session::Session session = reader.finish();
    session.kind = session::Kind::TorchLogs;
    addSuppressedCode(session);
    for (auto& [note, label] : ranks.notes())
        session.warnings.push_back({Error{std::move(note), std::move(label)}, SIZE_MAX});
    return session;
}

} // namespace dynascope::capture
