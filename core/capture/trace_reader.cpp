// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/trace_reader.h"

#include "core/base/digest.h"
#include "core/capture/frames.h"
#include "core/capture/json.h"
#include "core/session/utf8.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

namespace dynascope::capture {

namespace {

constexpr std::size_t maxWarnings = 1000;

/// Keys of a header that say where a record belongs, not what it is.
bool isContextKey(std::string_view key) {
    static constexpr std::array<std::string_view, 6> keys = {"frame_id",    "frame_compile_id",     "attempt",
                                                             "has_payload", "compiled_autograd_id", "rank"};
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

/// MD5 of the text that was logged: lines without their tab, and without the CR of a file that went through
/// Windows.
std::string hashOf(std::string_view payload, bool keepCarriageReturns) {
    Md5 md5;
    for (std::size_t at = 0;;) {
        if (at < payload.size() && payload[at] == '\t') ++at;
        const std::size_t end = payload.find('\n', at);
        std::string_view line = payload.substr(at, end - at);
        if (!keepCarriageReturns && line.ends_with('\r')) line.remove_suffix(1);
        const bool last = end == std::string_view::npos;
        if (keepCarriageReturns && !last) line = payload.substr(at, end + 1 - at);
        md5.add(line);
        if (last) break;
        if (!keepCarriageReturns) md5.add("\n");
        at = end + 1;
    }
    return toHex(md5.finish());
}

} // namespace

bool TraceReader::holdsRecord(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = text.substr(at, end - at);
        at = end + 1;
        if (line.empty() || line.front() == '\t') continue;
        const std::optional<LogPrefix> prefix = parseLogPrefix(line);
        if (prefix && prefix->length < line.size() && line[prefix->length] == '{') return true;
    }
    return false;
}

bool TraceReader::read(const session::ByteSourcePtr& source, const std::string& file, int named,
                       const TaskContext& task) {
    m_source = source;
    m_file = file;
    m_strings.clear();
    m_timing.beginLog();
    const std::string_view text = source->bytes();
    TraceLines lines(text);
    std::vector<TraceItem> items;
    while (const std::optional<TraceItem> item = lines.next()) {
        items.push_back(*item);
        if (items.size() % 1024 == 0 && task.cancelled()) return false;
    }
    const std::vector<Belonging> belongings = placeRecords(items, named);
    for (std::size_t i = 0; i < items.size(); ++i) {
        const TraceItem& item = items[i];
        if (item.kind == TraceItem::Kind::Stray)
            warn(item.lines == 1 ? "line is no record of a trace"
                                 : std::to_string(item.lines) + " lines are no records of a trace",
                 item.line);
        else
            readRecord(item, belongings[i]);
        if ((i + 1) % 64 != 0) continue;
        if (task.cancelled()) return false;
        task.report("Reading", item.jsonOffset, text.size());
    }
    return true;
}

void TraceReader::warn(std::string message, std::size_t line, std::size_t record) {
    if (m_session.warnings.size() >= maxWarnings) {
        ++m_droppedWarnings;
        return;
    }
    m_session.warnings.push_back({Error{std::move(message), m_file, line, 0}, record});
}

TraceReader::Open& TraceReader::openCompile(int rank, const session::CompileId& id) {
    const auto [found, isNew] = m_index.try_emplace({rank, id}, m_open.size());
    if (isNew) {
        m_open.push_back(std::make_unique<Open>());
        m_open.back()->compile.rank = rank;
        m_open.back()->compile.id = id;
    }
    return *m_open[found->second];
}

void TraceReader::readRecord(const TraceItem& item, const Belonging& belonging) {
    const std::string_view text = m_source->bytes();
    const std::string_view header = text.substr(item.jsonOffset, item.jsonLength);

    const std::size_t index = m_session.records.size();
    session::Record& record = m_session.records.emplace_back();
    record.line = item.line;
    record.rank = belonging.rank;
    m_run = belonging.run;
    record.seconds = item.prefix.seconds;
    record.origin = session::toValidUtf8(item.prefix.origin);
    record.header = {m_source, item.jsonOffset, item.jsonLength, false};
    if (item.hasPayload) record.payload = {m_source, item.payloadOffset, item.payloadLength, true};

    simdjson::padded_string json(header);
    if (!session::isUtf8(header)) {
        warn("header is not UTF-8; bad bytes are read as U+FFFD", item.line, index);
        json = simdjson::padded_string(session::toValidUtf8(header));
    }
    simdjson::dom::element root;
    simdjson::dom::object object;
    const simdjson::error_code error = m_parser.parse(json).get(root);
    if (error != simdjson::SUCCESS || root.get(object) != simdjson::SUCCESS) {
        const std::string cause =
            error != simdjson::SUCCESS ? simdjson::error_message(error) : "not an object";
        warn((item.last ? "file ends inside a header, or its JSON is bad: " : "header is not JSON: ") + cause,
             item.line, index);
        record.type = "unreadable";
        ++m_session.recordCounts[record.type];
        return;
    }

    std::string_view type, hash;
    simdjson::dom::element body;
    for (const auto [key, value] : object) {
        if (isContextKey(key)) continue;
        if (!type.empty() && type != "stack") break;
        type = key; // "stack" may accompany another type
        body = value;
    }
    hash = json::text(root, "has_payload");
    record.compileId = compileIdOf(root);
    record.attempt = json::smallInteger(root, "attempt");
    checkPayload(record, item, hash);

    // Ahead-of-time compilation and export print their graphs without a compile id.
    const std::string_view named =
        type == "artifact" || type == "graph_dump" ? json::text(body, "name") : type;
    const bool isStage = stagePlace(named).has_value() || named == "aot_saved_tensors_hooks_graphs";
    Open* open = nullptr;
    if (!record.compileId.empty() || isStage) {
        record.compileId.run = belonging.run;
        open = &openCompile(record.rank, record.compileId);
        open->compile.records.push_back(index);
        open->lastAttempt = std::max(open->lastAttempt, record.attempt);
    }
    if (type.empty()) {
        record.type = "empty";
    } else if (type == "artifact" || type == "graph_dump") {
        const std::string_view name = json::text(body, "name");
        record.type = std::string(type) + ':' + std::string(name);
        record.known = isKnownArtifact(name);
        dispatchArtifact(name, {record, index, body, open, record.line + 1});
    } else {
        record.type = type;
        record.known = isKnownType(type);
        dispatchType(type, {record, index, body, open, record.line + 1});
    }
    ++m_session.recordCounts[record.type];
}

void TraceReader::dispatchArtifact(std::string_view name, const Visit& visit) {
    if (const Handler handler = artifactHandler(name))
        (this->*handler)(visit);
    else if (const std::optional<StagePlace> place = stagePlace(name))
        addStage(visit, std::string(name), *place);
    else if (name.ends_with("_BYTECODE"))
        readBytecode(visit, name);
    else if (name.find("_cache_") != std::string_view::npos)
        readCache(visit, name);
    else if (!name.empty() && beginsLikeGraph(bytesOf(visit.record.payload)))
        addStage(visit, std::string(name), StagePlace::PreOrPostGrad);
}

void TraceReader::dispatchType(std::string_view type, const Visit& visit) {
    if (const Handler handler = typeHandler(type))
        (this->*handler)(visit);
    else if (const std::optional<StagePlace> place = stagePlace(type))
        addStage(visit, std::string(type), *place);
}

void TraceReader::setCode(int rank, const session::CompileId& id, const ir::SourceLocation& code) {
    Open& open = openCompile(rank, id);
    if (open.compile.function.empty()) open.compile.function = code.function;
    if (!open.file.empty()) return;
    open.file = code.file;
    open.firstLine = code.line;
}

void TraceReader::add(Addition item) {
    const std::size_t index = m_session.records.size();
    m_hash.clear();
    m_payloadDamaged = false;
    const session::Record& added = m_session.records.emplace_back(std::move(item.record));
    Open* open = nullptr;
    if (!added.compileId.empty() || stagePlace(item.name) || item.phase) {
        open = &openCompile(added.rank, added.compileId);
        open->isLogged = true;
        open->compile.records.push_back(index);
        open->lastAttempt = std::max(open->lastAttempt, added.attempt);
    }
    ++m_session.recordCounts[added.type];
    simdjson::dom::element root;
    if (item.name.empty() || m_parser.parse(item.body).get(root) != simdjson::SUCCESS) return;
    const Visit visit{added,     index, root, open, item.payloadLine == 0 ? added.line + 1 : item.payloadLine,
                      item.phase};
    if (isKnownType(item.name))
        dispatchType(item.name, visit);
    else
        dispatchArtifact(item.name, visit);
}

void TraceReader::checkPayload(const session::Record& record, const TraceItem& item, std::string_view hash) {
    m_hash.clear();
    m_payloadDamaged = true;
    const std::size_t index = m_session.records.size() - 1;
    if (!item.hasPayload) {
        m_payloadDamaged = !hash.empty();
        if (m_payloadDamaged)
            warn(item.last ? "file ends before the record's payload" : "payload is missing", record.line,
                 index);
        return;
    }
    const std::string_view payload = m_source->bytes().substr(item.payloadOffset, item.payloadLength);
    if (!session::isUtf8(payload)) {
        warn("payload is not UTF-8; bad bytes are shown as U+FFFD", record.line, index);
        return;
    }
    m_payloadDamaged = false;
    if (hash.empty() || !m_options.checkHashes) return;
    m_payloadDamaged = hashOf(payload, true) != hash &&
                       (payload.find('\r') == std::string_view::npos || hashOf(payload, false) != hash);
    if (m_payloadDamaged) {
        warn(item.last ? "file ends inside the record's payload, or its hash is wrong: it was cut or changed "
                         "after PyTorch wrote it, and is shown as it stands"
                       : "payload does not match its hash " + std::string(hash.substr(0, 40)) +
                             ": it was changed after PyTorch wrote it, and is shown as it stands",
             record.line, index);
        return;
    }
    m_hash = hash;
}

session::Session TraceReader::finish() {
    std::vector<std::size_t> order(m_open.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return m_open[a]->compile.origin() < m_open[b]->compile.origin();
    });

    std::vector<CodeObject> code;
    for (const std::size_t i : order) {
        Open& open = *m_open[i];
        closeCompile(open);
        code.push_back({open.file, open.firstLine});
        m_session.compiles.push_back(std::move(open.compile));
    }
    std::set<int> ranks;
    for (const session::Record& record : m_session.records)
        ranks.insert(record.rank);
    m_session.ranks.assign(ranks.begin(), ranks.end());
    m_session.runs = m_runs.runs();
    m_session.frames = groupFrames(m_session.compiles, code);
    joinTimings();
    if (m_droppedWarnings > 0)
        m_session.warnings.push_back(
            {Error{std::to_string(m_droppedWarnings) + " more problems are not listed", m_file, 0, 0},
             SIZE_MAX});
    return std::move(m_session);
}

namespace {

/// As they happen in an attempt: Inductor makes forward's code before it turns to the backward graph.
void sortStages(std::vector<session::StagePtr>& stages) {
    using session::Phase;
    std::map<int, std::size_t> backward; // its first record, by attempt
    for (const session::StagePtr& stage : stages)
        if (stage->phase == Phase::PostGradBackward) backward.try_emplace(stage->attempt, stage->record);
    const auto place = [&](const session::Stage& stage) {
        const auto found = backward.find(stage.attempt);
        const bool forwards =
            stage.phase == Phase::Code && found != backward.end() && stage.record < found->second;
        return std::tuple(stage.attempt, forwards ? Phase::PostGradBackward : stage.phase, !forwards);
    };
    std::stable_sort(stages.begin(), stages.end(),
                     [&](const auto& a, const auto& b) { return place(*a) < place(*b); });
}

} // namespace

void TraceReader::closeCompile(Open& open) {
    session::Compile& compile = open.compile;
    compile.attempts = std::max(open.lastAttempt, static_cast<int>(compile.restartReasons.size())) + 1;
    compile.isRecompile = compile.id.compile > 0 || !compile.recompileReasons.empty();

    compile.stages = std::move(open.stages);
    sortStages(compile.stages);

    if (open.isLogged && compile.userStack.empty() && !open.file.empty())
        compile.userStack.push_back({open.file, open.firstLine, compile.function, {}});

    // Each attempt describes its inputs anew; the last one that did is what was compiled.
    int last = -1;
    for (const Described& item : open.inputs)
        last = std::max(last, item.attempt);
    for (Described& item : open.inputs) {
        if (item.attempt != last) continue;
        const auto source = open.sources.find({item.input.describer, item.input.id});
        if (source != open.sources.end()) item.input.source = source->second;
        compile.inputs.push_back(std::move(item.input));
    }
    for (const auto& [attempt, storage] : open.storages)
        if (attempt == last) compile.storages.push_back(storage);

    const bool hasGraph =
        std::any_of(compile.stages.begin(), compile.stages.end(), [](const session::StagePtr& stage) {
            return stage->content == session::Stage::Content::Graph;
        });
    const bool isExport =
        !compile.stages.empty() && !open.hasMetrics &&
        std::all_of(compile.stages.begin(), compile.stages.end(),
                    [](const session::StagePtr& stage) { return stage->phase == session::Phase::Export; });
    using session::Status;
    // Dynamo writes such a break where it goes on eagerly; with fullgraph it raises and writes none.
    const auto skips = [&compile] {
        return (compile.failType == "Unsupported" || compile.failType == "UserError") &&
               std::any_of(compile.breaks.begin(), compile.breaks.end(), [&](const session::GraphBreak& one) {
                   return one.skipsFunction && one.attempt == compile.breaks.back().attempt;
               });
    };
    if (isExport && compile.failType.empty())
        compile.status = Status::Exported;
    else if (!compile.failType.empty())
        compile.status = skips() ? Status::Skipped : Status::Failed;
    else if (open.isLogged ? !hasGraph && compile.breaks.empty()
                           : !open.hasMetrics && (open.hasStart || !hasGraph))
        compile.status = Status::Incomplete;
    else if (!compile.breaks.empty())
        compile.status = Status::GraphBreak;
    else
        compile.status = hasGraph ? Status::Compiled : Status::Skipped;
}

void TraceReader::joinTimings() {
    std::map<std::pair<int, session::CompileId>, int> indexOf;
    for (std::size_t i = 0; i < m_session.compiles.size(); ++i)
        indexOf.emplace(std::pair(m_session.compiles[i].rank, m_session.compiles[i].id), static_cast<int>(i));
    for (TimingBuilder::Built& built : m_timing.finish()) {
        const auto found = indexOf.find({built.event.rank, built.compileId});
        if (found != indexOf.end()) built.event.compile = found->second;
        m_session.timings.push_back(std::move(built.event));
    }
}

ir::SourceLocation TraceReader::location(const simdjson::dom::element& frame) const {
    ir::SourceLocation out;
    out.line =
        static_cast<std::uint32_t>(std::clamp<std::int64_t>(json::integer(frame, "line", 0), 0, UINT32_MAX));
    out.function = json::text(frame, "name");
    out.code = json::text(frame, "loc");
    simdjson::dom::element file;
    if (frame["filename"].get(file) != simdjson::SUCCESS) return out;
    std::int64_t id = 0;
    std::string_view name;
    if (file.get(id) == simdjson::SUCCESS) {
        const auto found = m_strings.find(id);
        if (found != m_strings.end()) out.file = found->second;
    } else if (file.get(name) == simdjson::SUCCESS) {
        out.file = name;
    }
    return out;
}

ir::StackTrace TraceReader::stack(const simdjson::dom::element& frames) const {
    ir::StackTrace out;
    simdjson::dom::array items;
    if (frames.get(items) != simdjson::SUCCESS) return out;
    for (const simdjson::dom::element frame : items)
        out.push_back(location(frame));
    return out;
}

void TraceReader::quote(const ir::SourceLocation& location) {
    if (location.code.empty() || location.line == 0 || location.file.empty()) return;
    session::SourceFile& file = m_session.sources[location.file];
    if (file.path.empty()) file.path = location.file;
    file.lines.try_emplace(location.line, location.code);
}

void TraceReader::quote(const ir::StackTrace& stack) {
    for (const ir::SourceLocation& frame : stack)
        quote(frame);
}

} // namespace dynascope::capture
