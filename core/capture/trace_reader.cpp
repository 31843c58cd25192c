// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/trace_reader.h"

#include "core/base/json.h"
#include "core/capture/frames.h"
#include "core/capture/trace_lines.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace dynascope::capture {

namespace {

constexpr std::size_t maxWarnings = 1000;

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
        session::Compile& compile = m_open.emplace_back().compile;
        compile.rank = rank;
        compile.id = id;
    }
    return m_open[found->second];
}

TraceReader::Sort TraceReader::sortOf(const RecordSort& sort) {
    Sort out;
    const bool named = sort.type == "artifact" || sort.type == "graph_dump";
    out.type = sort.type.empty() ? "empty" : named ? sort.type + ':' + sort.name : sort.type;
    if (!sort.type.empty()) out.known = named ? isKnownArtifact(sort.name) : isKnownType(sort.type);
    // Ahead-of-time compilation and export print their graphs without a compile id.
    const std::string& name = named ? sort.name : sort.type;
    out.isStage = stagePlace(name).has_value() || name == "aot_saved_tensors_hooks_graphs";
    const Handler handler = named ? nullptr : typeHandler(sort.type);
    out.needsBody =
        named ? sort.name.find("_cache_") != std::string::npos
              : handler != nullptr && sort.type != "chromium_event" && handler != &TraceReader::readGuards;
    return out;
}

void TraceReader::readRecord(const RecordAhead& ahead, const LogChunk& chunk, const Sort& sort,
                             const Belonging& belonging, std::size_t firstLine, bool last,
                             const TaskContext& task) {
    const std::string_view header = m_source->bytes().substr(ahead.jsonOffset, ahead.jsonLength);
    const std::size_t index = m_session.records.size();
    const RecordSort& common = chunk.sorts[ahead.sort];
    session::Record record;
    record.line = firstLine + ahead.line;
    record.rank = belonging.rank;
    m_run = belonging.run;
    record.seconds = ahead.seconds;
    record.origin = common.origin;
    record.header = {m_source, ahead.jsonOffset, ahead.jsonLength, false};
    if (ahead.hasPayload()) record.payload = {m_source, ahead.payloadOffset(), ahead.payloadLength, true};

    if (!ahead.headerIsUtf8) warn("header is not UTF-8; bad bytes are read as U+FFFD", record.line, index);
    if (ahead.header != RecordAhead::Header::Read) {
        const std::string cause =
            ahead.header == RecordAhead::Header::Unreadable
                ? simdjson::error_message(static_cast<simdjson::error_code>(ahead.error))
                : "not an object";
        warn((last ? "file ends inside a header, or its JSON is bad: " : "header is not JSON: ") + cause,
             record.line, index);
        record.type = "unreadable";
        ++m_session.recordCounts[record.type];
        m_session.records.push_back(record);
        return;
    }
    if (ahead.abridged)
        warn("header has " + std::to_string(ahead.jsonLength) +
                 " bytes: its long values are not read, and are shown with the record only",
             record.line, index);
    record.type = sort.type;
    record.known = sort.known;
    record.compileId = ahead.compileId();
    record.attempt = ahead.attempt;
    Open* open = nullptr;
    if (!record.compileId.empty() || sort.isStage) {
        record.compileId.run = belonging.run;
        open = &openCompile(record.rank, record.compileId);
        open->compile.records.push_back(index);
        open->lastAttempt = std::max(open->lastAttempt, record.attempt);
    }
    ++m_session.recordCounts[record.type];
    m_session.records.push_back(record);
    checkPayload(ahead, chunk, record.line, last);

    simdjson::dom::element body;
    if (sort.needsBody) {
        // A file that was cut short meanwhile reads as zeros.
        simdjson::dom::element root;
        if (m_parsers.headers.parse(header, task).get(root) != simdjson::SUCCESS ||
            root[common.type].get(body) != simdjson::SUCCESS)
            return;
    }
    const Visit visit{record, index, body, open, record.line + 1};
    if (common.type == "chromium_event")
        readEvent(chunk.events[ahead.extra], chunk.names, visit);
    else if (common.type == "artifact" || common.type == "graph_dump")
        dispatchArtifact(common.name, visit);
    else if (!common.type.empty())
        dispatchType(common.type, visit);
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

bool TraceReader::leavesPayload(const RecordSort& sort) {
    // Guards wait to be read too, but views count them where they cannot wait.
    if (sort.type != "artifact" && sort.type != "graph_dump") return typeHandler(sort.type) == nullptr;
    return artifactHandler(sort.name) == nullptr &&
           (stagePlace(sort.name) || sort.name.ends_with("_BYTECODE") ||
            sort.name.find("_cache_") == std::string::npos);
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
    m_hash.reset();
    m_payloadDamaged = false;
    const session::Record added = std::move(item.record);
    m_session.records.push_back(added);
    Open* open = nullptr;
    if (!added.compileId.empty() || stagePlace(item.name) || item.phase) {
        open = &openCompile(added.rank, added.compileId);
        open->isLogged = true;
        open->compile.records.push_back(index);
        open->lastAttempt = std::max(open->lastAttempt, added.attempt);
    }
    ++m_session.recordCounts[added.type];
    simdjson::dom::element root;
    if (item.name.empty() || m_parsers.additions.parse(item.body).get(root) != simdjson::SUCCESS) return;
    const Visit visit{added,     index, root, open, item.payloadLine == 0 ? added.line + 1 : item.payloadLine,
                      item.phase};
    if (isKnownType(item.name))
        dispatchType(item.name, visit);
    else
        dispatchArtifact(item.name, visit);
}

void TraceReader::checkPayload(const RecordAhead& ahead, const LogChunk& chunk, std::size_t line, bool last) {
    using State = RecordAhead::PayloadState;
    const std::size_t index = m_session.records.size() - 1;
    m_hash.reset();
    m_payloadDamaged = true;
    switch (ahead.payload) {
    case State::Missing:
        warn(last ? "file ends before the record's payload" : "payload is missing", line, index);
        return;
    case State::BadUtf8:
        warn("payload is not UTF-8; bad bytes are shown as U+FFFD", line, index);
        return;
    case State::Differs: {
        simdjson::dom::element root;
        const std::string_view header = m_source->bytes().substr(ahead.jsonOffset, ahead.jsonLength);
        const std::string_view hash = m_parsers.headers.parse(header, {}).get(root) == simdjson::SUCCESS
                                          ? json::text(root, "has_payload")
                                          : std::string_view();
        warn(last ? "file ends inside the record's payload, or its hash is wrong: it was cut or changed "
                    "after PyTorch wrote it, and is shown as it stands"
                  : "payload does not match its hash " + std::string(hash.substr(0, 40)) +
                        ": it was changed after PyTorch wrote it, and is shown as it stands",
             line, index);
        return;
    }
    case State::Matches:
        if (ahead.extra < chunk.digests.size()) m_hash = chunk.digests[ahead.extra];
        break;
    case State::None:
    case State::Unchecked:
        break;
    }
    m_payloadDamaged = false;
}

session::Session TraceReader::finish() {
    std::vector<std::size_t> order(m_open.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return m_open[a].compile.origin() < m_open[b].compile.origin();
    });

    std::vector<CodeObject> code;
    // Dynamo numbers code objects: a compile that it refused has no record of which one it was, but has its
    // number from those before.
    std::map<std::pair<std::pair<int, int>, int>, std::size_t> byFrame; // rank and run, frame
    for (const std::size_t i : order) {
        Open& open = m_open[i];
        closeCompile(open);
        if (open.compile.id.frame >= 0 && open.compile.id.autograd < 0) {
            const auto known =
                byFrame.try_emplace({open.compile.origin(), open.compile.id.frame}, code.size())
                    .first->second;
            if (known < code.size() && open.compile.function.empty() && open.file.empty()) {
                open.compile.function = m_session.compiles[known].function;
                open.compile.userStack = m_session.compiles[known].userStack;
                open.file = code[known].file;
                open.firstLine = code[known].firstLine;
            }
        }
        code.push_back({open.file, open.firstLine});
        m_session.compiles.push_back(std::move(open.compile));
    }
    std::set<int> ranks;
    for (std::size_t i = 0; i < m_session.records.size(); ++i)
        ranks.insert(m_session.records.rank(i));
    m_session.ranks.assign(ranks.begin(), ranks.end());
    m_session.runs = m_runs.runs();
    m_session.frames = groupFrames(m_session.compiles, code);
    joinTimings();
    if (m_droppedWarnings > 0)
        m_session.warnings.push_back(
            {Error{std::to_string(m_droppedWarnings) + " more problems are not listed", m_file}, SIZE_MAX});
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
    compile.isRecompile =
        (compile.id.compile > 0 || !compile.recompileReasons.empty()) && !compile.hitRecompileLimit();

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
    // torch.export with strict=True has Dynamo capture a graph, and begins no compile. A log that is cut off in front
    // lacks the version that each begins with.
    const bool isCapture = !open.hasStart && !open.hasMetrics && !open.isLogged && compile.id.frame >= 0 &&
                           !compile.stages.empty() && !m_session.torchVersion.empty() &&
                           std::ranges::all_of(compile.stages, [](const session::StagePtr& stage) {
                               return stage->phase == session::Phase::Dynamo;
                           });
    using session::Status;
    // Dynamo writes such a break where it goes on eagerly; with fullgraph it raises and writes none.
    const auto skips = [&compile] {
        return (compile.failType == "Unsupported" || compile.failType == "UserError") &&
               std::any_of(compile.breaks.begin(), compile.breaks.end(), [&](const session::GraphBreak& one) {
                   return one.skipsFunction && one.attempt == compile.breaks.back().attempt;
               });
    };
    if ((isExport || isCapture) && compile.failType.empty())
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
    TimingBuilder::Built built = m_timing.finish();
    for (std::size_t i = 0; i < built.events.size(); ++i) {
        const auto found = indexOf.find({built.events[i].rank, built.compileIds[i]});
        if (found != indexOf.end()) built.events[i].compile = found->second;
    }
    m_session.timings = std::move(built.events);
}

} // namespace dynascope::capture
