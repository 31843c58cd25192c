// SPDX-License-Identifier: BSD-3-Clause
//
// The one pass over a recording that makes its index.
#include "core/base/json.h"
#include "core/base/log.h"
#include "core/dynamo/documents.h"
#include "core/dynamo/recording.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace dynascope::dynamo {

namespace json = capture::json;
using json::element;

namespace {

constexpr StepIndex keyframeEvery = 8192;
constexpr std::size_t mostSteps = std::size_t(1) << 31U;
constexpr std::size_t mostCodes = 1U << 22U;

/// Whether it is JSON that is read on demand.
bool isKept(Tag tag) {
    constexpr std::string_view tags = "ETUOJDK";
    return tags.find(static_cast<char>(tag)) != std::string_view::npos;
}

/// Whether the payload is JSON that is read at once.
bool isDocument(Tag tag) {
    constexpr std::string_view tags = "HctCEAXBGRP!";
    return tags.find(static_cast<char>(tag)) != std::string_view::npos;
}

} // namespace

class Scanner {
public:
    explicit Scanner(Recording& out)
        : m_out(out) {}

    Result<void> run(const TaskContext& task);

private:
    struct Open {
        std::uint32_t attempt;
        State state;
        std::vector<std::uint32_t> frames; ///< index into Recording::frames() by number - 1
        StepIndex lastKeyframe;
    };

    void keep(Tag tag, PayloadPlace at);
    void takeDocument(Tag tag, std::string_view text, Recording::Spot next);
    void takeOwn(Tag tag, const RecordView& record, std::uint32_t block, std::uint32_t before);
    void addString(std::string_view payload);
    void addLookup(std::string_view payload);
    void addTreeDecision(std::string_view payload);
    void addCode(const element& object);
    void addSource(const element& object);
    void beginCompile(const element& object);
    void endCompile(const element& object);
    void beginAttempt(const element& object, Recording::Spot next);
    void addEvent(Tag tag, const element& object);
    void addStep(Open& open, std::uint32_t frame);
    void mark(StepIndex step, Happening what);
    /// The step that what comes next belongs to: before the first one, that one.
    [[nodiscard]] StepIndex now(const State& state) const {
        return state.active != noStep ? state.active : static_cast<StepIndex>(m_out.m_steps.size());
    }
    void loseTrack();
    [[nodiscard]] std::uint32_t runOf(const std::string& id);

    Recording& m_out;
    simdjson::dom::parser m_parser;
    std::vector<Open> m_open;
    std::vector<std::size_t> m_compiles; ///< that have not ended
    std::set<std::string> m_ids;         ///< that this run has begun
    std::uint32_t m_run = 1;
    std::uint64_t m_lost = 0; ///< bytes of damaged blocks
};

Result<void> Scanner::run(const TaskContext& task) {
    const BlockFile& blocks = m_out.m_blocks;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (task.cancelled()) return cancellation();
        task.report("Reading", i, blocks.size());
        const BlockPtr block = blocks.block(i);
        if (!block) {
            m_lost += blocks.unpackedBytes(i);
            m_out.m_warnings.push_back("block " + std::to_string(i) + " is damaged; steps are missing");
            loseTrack();
            continue;
        }
        std::uint32_t before = 0, offset = 0;
        for (RecordView record; readRecord(*block, offset, record); before = offset) {
            ++m_out.m_counts[record.tag];
            const Tag tag = static_cast<Tag>(record.tag);
            if (isKept(tag))
                keep(tag, {static_cast<std::uint32_t>(i), record.begin,
                           static_cast<std::uint32_t>(record.payload.size())});
            if (tag == Tag::String) {
                addString(record.payload);
            } else if (tag == Tag::Lookup) {
                addLookup(record.payload);
            } else if (tag == Tag::Tree) {
                addTreeDecision(record.payload);
            } else if (isDocument(tag)) {
                takeDocument(tag, record.payload, {static_cast<std::uint32_t>(i), offset});
            } else {
                takeOwn(tag, record, static_cast<std::uint32_t>(i), before);
            }
            if (m_out.m_steps.size() >= mostSteps) return {};
        }
        if (offset != block->size() && (*block)[offset] != '\0')
            m_out.m_warnings.push_back("a record of block " + std::to_string(i) + " is cut off");
    }
    return {};
}

void Scanner::loseTrack() {
    for (const Open& open : m_open)
        m_out.m_attempts[open.attempt].damaged = true;
    m_open.clear();
    m_compiles.clear();
}

void Scanner::keep(Tag tag, PayloadPlace at) {
    DocumentInfo document{tag, UINT32_MAX, UINT32_MAX, noStep, at};
    if (!m_compiles.empty()) document.compile = static_cast<std::uint32_t>(m_compiles.back());
    if (!m_open.empty()) {
        document.attempt = m_open.back().attempt;
        document.step = now(m_open.back().state);
    }
    m_out.m_documents.push_back(document);
}

void Scanner::takeDocument(Tag tag, std::string_view text, Recording::Spot next) {
    element object;
    if (m_parser.parse(text.data(), text.size()).get(object) != simdjson::SUCCESS) {
        m_out.m_warnings.push_back(std::string("a record '") + static_cast<char>(tag) + "' is no JSON");
        if (tag == Tag::Attempt) loseTrack();
        return;
    }
    switch (tag) {
    case Tag::Header:
        m_out.m_header = text;
        break;
    case Tag::Code:
        addCode(object);
        break;
    case Tag::Source:
        addSource(object);
        break;
    case Tag::Compile:
        beginCompile(object);
        break;
    case Tag::CompileEnd:
        endCompile(object);
        break;
    case Tag::Attempt:
        beginAttempt(object, next);
        break;
    case Tag::Recompile:
        if (!m_compiles.empty())
            m_out.m_compiles[m_compiles.back()].recompileReasons = texts(object, "reasons");
        break;
    case Tag::Raised:
    case Tag::Break:
    case Tag::GraphEnd:
    case Tag::Comptime:
    case Tag::Fault:
        addEvent(tag, object);
        break;
    default:
        break;
    }
}

void Scanner::addString(std::string_view payload) {
    Numbers numbers(payload);
    const std::uint32_t id = numbers.nextId();
    const std::size_t known = m_out.m_textOf.size();
    if (id <= known || id - known - 1 > m_lost) return;
    m_lost -= id - known - 1;
    m_out.m_textOf.resize(id);
    m_out.m_textOf[id - 1] = m_out.m_texts.emplace_back(numbers.rest());
    m_out.m_idOf.emplace(m_out.m_textOf[id - 1], id);
}

void Scanner::addLookup(std::string_view payload) {
    Numbers numbers(payload);
    const bool hit = numbers.next() != 0;
    const TextId place = numbers.nextId();
    if (numbers.good()) m_out.m_lookups.push_back({hit, place, static_cast<StepIndex>(m_out.m_steps.size())});
}

void Scanner::addTreeDecision(std::string_view payload) {
    Numbers numbers(payload);
    TreeDecision decision;
    decision.what = numbers.nextId();
    decision.function = numbers.nextId();
    decision.node = numbers.nextId() - 1; // 0 is none
    decision.compile = numbers.nextId();
    decision.reason = numbers.nextId();
    decision.after = static_cast<StepIndex>(m_out.m_steps.size());
    if (numbers.good()) m_out.m_treeDecisions.push_back(decision);
}

void Scanner::addCode(const element& object) {
    const std::int64_t id = json::integer(object, "id");
    auto& codes = m_out.m_codes;
    if (id < 1 || static_cast<std::size_t>(id) > mostCodes ||
        static_cast<std::size_t>(id) > codes.size() + 1 + m_lost)
        return;
    if (static_cast<std::size_t>(id) > codes.size()) codes.resize(static_cast<std::size_t>(id));
    if (!codes[static_cast<std::size_t>(id) - 1]) codes[static_cast<std::size_t>(id) - 1] = readCode(object);
}

void Scanner::addSource(const element& object) {
    Source source;
    source.file = json::text(object, "file");
    source.firstLine = static_cast<std::uint32_t>(std::max(json::smallInteger(object, "first_line", 1), 1));
    source.text = json::text(object, "text");
    m_out.m_sourcesOf[source.file].push_back(static_cast<std::uint32_t>(m_out.m_sources.size()));
    m_out.m_sources.push_back(std::move(source));
}

/// The run of a compile that begins: an id that comes again was counted again.
std::uint32_t Scanner::runOf(const std::string& id) {
    if (!m_ids.insert(id).second) {
        m_ids = {id};
        ++m_run;
    }
    return m_run;
}

void Scanner::beginCompile(const element& object) {
    CompileInfo& compile = m_out.m_compiles.emplace_back();
    compile.id = json::text(object, "compile_id");
    compile.run = runOf(compile.id);
    compile.function = json::text(object, "function");
    compile.file = json::text(object, "file");
    compile.firstLine = static_cast<std::uint32_t>(std::max(json::smallInteger(object, "first_line", 0), 0));
    m_compiles.push_back(m_out.m_compiles.size() - 1);
}

void Scanner::endCompile(const element& object) {
    if (m_compiles.empty()) return;
    CompileInfo& compile = m_out.m_compiles[m_compiles.back()];
    m_compiles.pop_back();
    compile.status = json::text(object, "status");
    compile.guards = texts(object, "guards");
    element error;
    if (object["exception"].get(error) == simdjson::SUCCESS) {
        compile.error = json::text(error, "type");
        if (const std::string_view text = json::text(error, "text"); !text.empty())
            compile.error.append(": ").append(text);
    }
}

void Scanner::beginAttempt(const element& object, Recording::Spot next) {
    AttemptInfo attempt;
    attempt.compileId = json::text(object, "compile_id");
    if (!m_compiles.empty()) attempt.compile = static_cast<std::uint32_t>(m_compiles.back());
    attempt.number = static_cast<std::uint32_t>(std::max(json::smallInteger(object, "attempt", 0), 0));
    attempt.code = static_cast<std::uint32_t>(std::max(json::smallInteger(object, "code", 0), 0));
    attempt.run = attempt.compile != UINT32_MAX ? m_out.m_compiles[attempt.compile].run
                  : attempt.number == 0         ? runOf(attempt.compileId)
                                                : m_run;
    attempt.frames = static_cast<std::uint32_t>(m_out.m_frames.size());
    m_out.m_attempts.push_back(std::move(attempt));
    const auto index = static_cast<std::uint32_t>(m_out.m_attempts.size() - 1);
    const auto first = static_cast<StepIndex>(m_out.m_steps.size());
    m_open.push_back({index, {}, {}, first});
    m_out.m_keyframes.push_back({first, index, next, {}});
}

void Scanner::addEvent(Tag tag, const element& object) {
    EventInfo event;
    event.tag = tag;
    if (!m_open.empty()) {
        event.attempt = m_open.back().attempt;
        event.step = now(m_open.back().state);
        event.latest = m_out.m_attempts[event.attempt].last;
    }
    event.type = json::text(object, tag == Tag::Comptime ? "call" : "type");
    event.text = json::text(object, tag == Tag::Comptime                      ? "output"
                                    : tag == Tag::Raised || tag == Tag::Fault ? "text"
                                                                              : "reason");
    event.gbType = json::text(object, "gb_type");
    event.stack = stackOf(object);
    event.graphBreak = json::boolean(object, "graph_break");
    event.handled = json::boolean(object, "handled");
    element cause;
    if (object["exception"].get(cause) == simdjson::SUCCESS) {
        event.type = json::text(cause, "type");
        event.gbType = json::text(cause, "gb_type");
        event.stack = stackOf(cause);
    }
    switch (tag) {
    case Tag::Raised:
        mark(event.step, Happening::Exception);
        break;
    case Tag::Break:
        mark(event.step, Happening::GraphBreak);
        break;
    case Tag::GraphEnd:
        mark(event.step, Happening::GraphEnd);
        if (event.graphBreak) mark(event.step, Happening::GraphBreak);
        break;
    case Tag::Comptime:
        mark(event.step, Happening::Comptime);
        break;
    default:
        break;
    }
    m_out.m_events.push_back(std::move(event));
}

void Scanner::mark(StepIndex step, Happening what) {
    if (step < m_out.m_steps.size()) m_out.m_steps[step].happenings |= static_cast<std::uint16_t>(what);
}

void Scanner::takeOwn(Tag tag, const RecordView& record, std::uint32_t block, std::uint32_t before) {
    if (m_open.empty()) return;
    Open& open = m_open.back();
    const auto step = static_cast<StepIndex>(m_out.m_steps.size());
    if (tag == Tag::AttemptEnd) {
        m_out.m_attempts[open.attempt].ended = true;
        m_open.pop_back();
        return;
    }
    if (tag == Tag::Step && step - open.lastKeyframe >= keyframeEvery) {
        m_out.m_keyframes.push_back({step, open.attempt, {block, before}, open.state});
        open.lastKeyframe = step;
    }
    const PayloadPlace at{block, record.begin, static_cast<std::uint32_t>(record.payload.size())};
    const State::Change change = open.state.apply(tag, record.payload, at, step);
    const StepIndex doing = now(open.state);
    switch (tag) {
    case Tag::Frame: {
        if (change.id == 0) break;
        const FrameState& made = open.state.frames[change.id - 1];
        FrameInfo frame{open.attempt, change.id, UINT32_MAX, made.code, 0, noStep, noStep};
        if (made.parent > 0 && made.parent <= open.frames.size() &&
            open.frames[made.parent - 1] != UINT32_MAX) {
            frame.parent = open.frames[made.parent - 1];
            frame.depth = m_out.m_frames[frame.parent].depth + 1;
        }
        open.frames.resize(std::max<std::size_t>(open.frames.size(), change.id), UINT32_MAX);
        open.frames[change.id - 1] = static_cast<std::uint32_t>(m_out.m_frames.size());
        m_out.m_frames.push_back(frame);
        break;
    }
    case Tag::Step:
        addStep(open, change.id);
        break;
    case Tag::Node:
        if (change.id != 0) m_out.m_nodes.push_back({open.attempt, change.id, doing});
        mark(doing, Happening::Node);
        break;
    case Tag::Guard:
        if (change.id != 0) m_out.m_guards.push_back({open.attempt, change.id, doing});
        mark(doing, Happening::Guard);
        break;
    case Tag::Attribute:
    case Tag::Mutation:
        mark(doing, Happening::SideEffect);
        break;
    case Tag::Symbol:
    case Tag::Fact:
        mark(doing, Happening::Symbol);
        break;
    default:
        break;
    }
}

void Scanner::addStep(Open& open, std::uint32_t frame) {
    if (frame == 0 || frame > open.frames.size() || open.frames[frame - 1] == UINT32_MAX) return;
    const std::uint32_t index = open.frames[frame - 1];
    const auto step = static_cast<StepIndex>(m_out.m_steps.size());
    m_out.m_steps.push_back({index, open.state.frames[frame - 1].instruction, 0});
    for (auto [first, last] :
         {std::pair(&m_out.m_frames[index].first, &m_out.m_frames[index].last),
          std::pair(&m_out.m_attempts[open.attempt].first, &m_out.m_attempts[open.attempt].last)}) {
        if (*first == noStep) *first = step;
        *last = step;
    }
}

Result<RecordingPtr> Recording::read(session::ByteSourcePtr file, session::ByteSourcePtr tail,
                                     const TaskContext& task) {
    Result<BlockFile> blocks = BlockFile::open(std::move(file), std::move(tail), stepFormat);
    if (!blocks) return tl::unexpected(blocks.error());
    auto out = std::make_shared<Recording>();
    out->m_blocks = std::move(*blocks);
    out->m_warnings = out->m_blocks.warnings();
    const log::Stopwatch watch;
    if (const auto scanned = Scanner(*out).run(task); !scanned) return tl::unexpected(scanned.error());
    out->m_eventsByStep.resize(out->m_events.size());
    std::iota(out->m_eventsByStep.begin(), out->m_eventsByStep.end(), 0U);
    std::stable_sort(
        out->m_eventsByStep.begin(), out->m_eventsByStep.end(),
        [&](std::uint32_t a, std::uint32_t b) { return out->m_events[a].step < out->m_events[b].step; });
    log::write(log::Topic::Dynamo, "read a recording of ", out->m_compiles.size(), " compiles in ",
               watch.ms(), " ms: ", out->m_attempts.size(), " attempts, ", out->m_steps.size(), " steps, ",
               out->m_keyframes.size(), " states kept");
    for (const std::string& warning : out->m_warnings)
        log::write(log::Topic::Dynamo, "warning: ", warning);
    return out;
}

} // namespace dynascope::dynamo
