// SPDX-License-Identifier: BSD-3-Clause
//
// Goes once through the records of a recording of passes. Texts stay in the file until somebody reads them.
#include "core/base/json.h"
#include "core/base/log.h"
#include "core/base/words.h"
#include "core/inductor/pass_recording.h"
#include "core/inductor/schedule_scanner.h"

#include <algorithm>

namespace dynascope::inductor {

namespace json = capture::json;
using json::element;

namespace {

std::uint32_t id(const element& object, std::string_view key) {
    const std::int64_t value = json::integer(object, key, 0);
    return value > 0 && value < std::int64_t(mostRecords) ? static_cast<std::uint32_t>(value) : 0;
}

std::size_t size(const element& object, std::string_view key) {
    return static_cast<std::size_t>(std::max<std::int64_t>(0, json::integer(object, key, 0)));
}

std::string words(const element& object, std::string_view key) {
    return std::string(json::text(object, key));
}

std::vector<NodeRef> nodesOf(const element& object, std::string_view key) {
    std::vector<NodeRef> out;
    forEach(object, key, [&out](const element& item) { out.push_back(nodeOf(item)); });
    return out;
}

/// [name, file, line]
Function function(const element& object, std::string_view key) {
    Function out;
    simdjson::dom::array items;
    std::string_view name, file;
    std::int64_t line = 0;
    if (object[key].get(items) != simdjson::SUCCESS || items.at(0).get(name) != simdjson::SUCCESS) return out;
    out.name = name;
    if (items.at(1).get(file) == simdjson::SUCCESS) out.file = file;
    if (items.at(2).get(line) == simdjson::SUCCESS)
        out.line = static_cast<std::uint32_t>(std::clamp<std::int64_t>(line, 0, INT32_MAX));
    return out;
}

std::map<std::string, std::string> textsByName(const element& object, std::string_view key) {
    std::map<std::string, std::string> out;
    simdjson::dom::object fields;
    if (object[key].get(fields) != simdjson::SUCCESS) return out;
    for (const auto field : fields) {
        std::string_view text;
        if (field.value.get(text) == simdjson::SUCCESS) out.emplace(field.key, text);
    }
    return out;
}

Change changeOf(const element& object) {
    Change out;
    out.created = nodesOf(object, "created");
    out.erased = nodesOf(object, "erased");
    forEach(object, "renamed", [&out](const element& item) {
        simdjson::dom::array parts;
        Change::Renamed renamed;
        std::string_view before, after;
        if (item.get(parts) != simdjson::SUCCESS || parts.at(0).get(renamed.id) != simdjson::SUCCESS ||
            parts.at(1).get(before) != simdjson::SUCCESS || parts.at(2).get(after) != simdjson::SUCCESS)
            return;
        renamed.before = before;
        renamed.after = after;
        out.renamed.push_back(std::move(renamed));
    });
    forEach(object, "updated", [&out](const element& item) {
        std::uint64_t node = 0;
        if (item.get(node) == simdjson::SUCCESS) out.updated.push_back(node);
    });
    out.moved = json::boolean(object, "moved");
    return out;
}

std::string exceptionOf(const element& object) {
    element exception;
    if (object["exception"].get(exception) != simdjson::SUCCESS) return {};
    return words(exception, "type") + ": " + words(exception, "text");
}

} // namespace

class PassScanner {
public:
    explicit PassScanner(PassRecording& out)
        : m_out(out)
        , m_schedules(out.m_schedules, out.m_reasons) {}

    Result<void> run(const TaskContext& task) {
        const journal::BlockFile& blocks = m_out.m_blocks;
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            if (task.cancelled()) return cancellation();
            task.report("Reading", i, blocks.size());
            const journal::BlockPtr block = blocks.block(i);
            if (!block) {
                m_out.m_warnings.push_back("block " + std::to_string(i) + " is damaged; passes are missing");
                continue;
            }
            std::uint32_t offset = 0;
            for (journal::RecordView record; journal::readRecord(*block, offset, record);)
                take(record, static_cast<std::uint32_t>(i));
        }
        if (m_lost > 0)
            m_out.m_warnings.push_back(count(m_lost, "record") + " of the recording of passes made no sense");
        if (m_faults > 0)
            m_out.m_warnings.push_back("the recorder of passes failed at " + count(m_faults, "place") +
                                       ", first with " + m_fault);
        return {};
    }

private:
    void take(const journal::RecordView& record, std::uint32_t block) {
        m_json.assign(record.payload);
        m_json.reserve(m_json.size() + simdjson::SIMDJSON_PADDING);
        element object;
        if (m_parser.parse(m_json).get(object) != simdjson::SUCCESS || !object.is_object()) {
            ++m_lost;
            return;
        }
        const journal::PayloadPlace place{block, record.begin,
                                          static_cast<std::uint32_t>(record.payload.size())};
        if (!takeObject(record.tag, object, place)) ++m_lost;
    }

    /// False where the record makes no sense beside those before it; what is not known is left alone.
    bool takeObject(char tag, const element& object, const journal::PayloadPlace& place) {
        switch (tag) {
        case 'H':
            return header(object);
        case 'C':
            return compile(object);
        case 'O':
            return settings(object);
        case 'G':
            return beginPhase(object);
        case 'E':
            return endPhase(object);
        case 'T':
            return state(object, place);
        case 'N':
            m_out.m_stages.push_back({words(object, "stage"), id(object, "graph"), id(object, "state")});
            m_out.m_stagePlaces.push_back(place);
            return m_out.state(m_out.m_stages.back().state) != nullptr;
        case 'p':
            return beginPass(object);
        case 'P':
            return endPass(object);
        case 'm':
            return pattern(object);
        case 'M':
            return match(object);
        case 'D':
            return decompositions(object);
        case 'L':
            return lowered(object);
        case 'A':
            m_out.m_tunings.push_back(tuningOf(object));
            return m_out.phase(m_out.m_tunings.back().phase) != nullptr;
        case '!':
            if (m_faults++ == 0) m_fault = words(object, "type") + " at " + words(object, "place");
            return true;
        default:
            return m_schedules.take(tag, object);
        }
    }

    bool header(const element& object) {
        m_out.m_torch = words(object, "torch");
        m_out.m_rank = json::smallInteger(object, "rank", -1);
        m_out.m_started = json::number(object, "started");
        forEach(object, "missing",
                [this](const element& item) { m_out.m_missing.push_back(json::spelling(item)); });
        return true;
    }

    /// A record that takes the next number of its kind; null where its number is another.
    template <typename T>
    T* next(std::vector<T>& all, std::uint32_t number) {
        if (number != all.size() + 1) return nullptr;
        return &all.emplace_back();
    }

    bool compile(const element& object) {
        CompileInRecording* out = next(m_out.m_compiles, id(object, "id"));
        if (out == nullptr) return false;
        out->id = id(object, "id");
        out->compileId = words(object, "compile_id");
        out->attempt = json::smallInteger(object, "attempt", 0);
        out->run = json::smallInteger(object, "run", 1);
        return true;
    }

    bool settings(const element& object) {
        const std::uint32_t compile = id(object, "compile");
        if (m_out.compile(compile) == nullptr) return false;
        for (const char* module : {"inductor", "functorch", "dynamo"})
            if (auto values = textsByName(object, module); !values.empty())
                m_out.m_compiles[compile - 1].settings[module] = std::move(values);
        return true;
    }

    bool beginPhase(const element& object) {
        const std::uint32_t parent = id(object, "parent");
        if (parent != 0 && m_out.phase(parent) == nullptr) return false;
        PassPhase* out = next(m_out.m_phases, id(object, "id"));
        if (out == nullptr) return false;
        out->id = id(object, "id");
        out->compile = id(object, "compile");
        out->parent = parent;
        out->module = id(object, "module");
        out->name = words(object, "phase");
        out->graph = words(object, "graph");
        out->options = textsByName(object, "options");
        return true;
    }

    bool endPhase(const element& object) {
        const std::uint32_t number = id(object, "graph");
        if (m_out.phase(number) == nullptr) return false;
        PassPhase& out = m_out.m_phases[number - 1];
        out.last = id(object, "state");
        out.us = json::number(object, "time_us");
        out.ownUs = json::number(object, "own_us");
        out.ended = true;
        out.exception = exceptionOf(object);
        forEach(object, "made", [&out](const element& item) {
            std::uint64_t state = 0;
            if (item.get(state) == simdjson::SUCCESS && state < mostRecords)
                out.made.push_back(static_cast<std::uint32_t>(state));
        });
        return true;
    }

    bool state(const element& object, const journal::PayloadPlace& place) {
        const std::uint32_t base = id(object, "base");
        if (base != 0 && m_out.state(base) == nullptr) return false;
        State* out = next(m_out.m_states, id(object, "id"));
        if (out == nullptr) return false;
        out->id = id(object, "id");
        out->phase = id(object, "graph");
        out->module = id(object, "module");
        out->pass = id(object, "pass");
        out->base = base;
        out->nodes = size(object, "count");
        out->change = changeOf(object);
        m_out.m_statePlaces.push_back(place);
        simdjson::dom::array nodes;
        out->first = object["nodes"].get(nodes) == simdjson::SUCCESS;
        m_out.m_firstNodes.push_back(nodesOf(object, "nodes"));
        if (out->phase > 0 && out->phase <= m_out.m_phases.size()) {
            PassPhase& phase = m_out.m_phases[out->phase - 1];
            if (phase.first == 0) phase.first = out->id;
        }
        return true;
    }

    bool beginPass(const element& object) {
        RecordedPass* out = next(m_out.m_passes, id(object, "index"));
        if (out == nullptr) return false;
        out->index = id(object, "index");
        out->name = words(object, "name");
        out->kind = words(object, "kind");
        out->subsystem = words(object, "subsystem");
        out->phase = id(object, "graph");
        out->parent = id(object, "parent");
        if (out->parent >= out->index) out->parent = 0;
        out->before = out->after = id(object, "before");
        out->place = {words(object, "function"), words(object, "file"), id(object, "line")};
        if (out->phase > 0 && out->phase <= m_out.m_phases.size() &&
            m_out.m_phases[out->phase - 1].first == 0)
            m_out.m_phases[out->phase - 1].first = out->before;
        return true;
    }

    bool endPass(const element& object) {
        const std::uint32_t number = id(object, "index");
        if (m_out.pass(number) == nullptr) return false;
        RecordedPass& out = m_out.m_passes[number - 1];
        out.after = id(object, "after");
        if (!out.ended) { // a damaged recording may end a pass twice
            out.us = std::max(0.0, json::number(object, "time_us"));
            if (out.parent == 0 && out.phase > 0 && out.phase <= m_out.m_phases.size())
                m_out.m_phases[out.phase - 1].passesUs += out.us;
        }
        out.ended = true;
        out.nodesBefore = size(object, "nodes_before");
        out.nodesAfter = size(object, "nodes_after");
        out.change = changeOf(object);
        forEach(object, "replaced", [&out](const element& item) {
            simdjson::dom::array parts;
            if (item.get(parts) != simdjson::SUCCESS || parts.size() < 3) return;
            RecordedPass::Replaced replaced{
                nodeOf(parts.at(0).value_unsafe()), nodeOf(parts.at(1).value_unsafe()), {}};
            simdjson::dom::array users;
            if (parts.at(2).get(users) == simdjson::SUCCESS)
                for (const element user : users)
                    replaced.users.push_back(nodeOf(user));
            out.replaced.push_back(std::move(replaced));
        });
        out.tries = size(object, "tries");
        out.fits = size(object, "fits");
        out.matched = size(object, "matched");
        out.skipped = words(object, "skipped");
        out.exception = exceptionOf(object);
        return true;
    }

    bool pattern(const element& object) {
        Pattern* out = next(m_out.m_patterns, id(object, "id"));
        if (out == nullptr) return false;
        out->kind = words(object, "kind");
        out->name = words(object, "name");
        out->handler = function(object, "handler");
        out->check = function(object, "check");
        out->search = function(object, "search");
        out->replace = function(object, "replace");
        out->expression = words(object, "expression");
        return true;
    }

    bool match(const element& object) {
        const std::uint32_t pass = id(object, "pass");
        if (m_out.pass(pass) == nullptr) return false;
        Match out;
        out.pattern = id(object, "pattern");
        out.nodes = nodesOf(object, "nodes");
        element anchor;
        if (object["anchor"].get(anchor) == simdjson::SUCCESS) out.anchor = nodeOf(anchor);
        out.added = nodesOf(object, "added");
        out.gone = nodesOf(object, "gone");
        out.refused = words(object, "refused");
        for (auto& [name, value] : textsByName(object, "keywords"))
            out.arguments.emplace_back(name, value);
        m_out.m_passes[pass - 1].matches.push_back(std::move(out));
        return true;
    }

    bool decompositions(const element& object) {
        const std::uint32_t number = id(object, "graph");
        if (m_out.phase(number) == nullptr) return false;
        forEach(object, "operators", [&](const element& item) {
            simdjson::dom::array parts, into;
            PassPhase::Decomposed row;
            std::string_view op;
            std::uint64_t times = 0;
            if (item.get(parts) != simdjson::SUCCESS || parts.at(0).get(op) != simdjson::SUCCESS ||
                parts.at(1).get(times) != simdjson::SUCCESS)
                return;
            row.op = op;
            row.count = times;
            if (parts.at(2).get(into) == simdjson::SUCCESS)
                for (const element inner : into)
                    row.into.push_back(json::spelling(inner));
            m_out.m_phases[number - 1].decompositions.push_back(std::move(row));
        });
        return true;
    }

    bool lowered(const element& object) {
        Fallback fallback = fallbackOf(object);
        if (fallback.why.empty()) return true;
        m_out.m_fallbacks.push_back(std::move(fallback));
        return m_out.phase(m_out.m_fallbacks.back().phase) != nullptr;
    }

    PassRecording& m_out;
    ScheduleScanner m_schedules;
    simdjson::dom::parser m_parser;
    std::string m_json, m_fault;
    std::size_t m_lost = 0, m_faults = 0;
};

Result<PassRecordingPtr> PassRecording::read(session::ByteSourcePtr file, session::ByteSourcePtr tail,
                                             const TaskContext& task) {
    Result<journal::BlockFile> blocks =
        journal::BlockFile::open(std::move(file), std::move(tail), passFormat);
    if (!blocks) return tl::unexpected(blocks.error());
    auto out = std::make_shared<PassRecording>();
    out->m_blocks = std::move(*blocks);
    out->m_warnings = out->m_blocks.warnings();
    const log::Stopwatch watch;
    if (const auto scanned = PassScanner(*out).run(task); !scanned) return tl::unexpected(scanned.error());
    log::write(log::Topic::Inductor, "read a recording of ", out->m_compiles.size(), " compiles in ",
               watch.ms(), " ms: ", out->m_passes.size(), " passes, ", out->m_states.size(), " graphs, ",
               out->m_schedules.size(), " schedules");
    for (const std::string& warning : out->m_warnings)
        log::write(log::Topic::Inductor, "warning: ", warning);
    return out;
}

} // namespace dynascope::inductor
