// SPDX-License-Identifier: BSD-3-Clause
#include "core/inductor/pass_recording.h"

#include "core/base/json.h"
#include "core/base/text.h"

#include <algorithm>

namespace dynascope::inductor {

namespace {

namespace json = capture::json;

/// Texts made last that stay in memory, in bytes; and the largest one: a file may ask for any.
constexpr std::size_t keptBytes = std::size_t(64) << 20U, mostBytes = std::size_t(128) << 20U;

Error damaged(std::string_view what) {
    return Error{"the recording of passes is damaged: " + std::string(what)};
}

std::size_t bytesOf(const std::vector<std::string>& lines) {
    std::size_t bytes = 0;
    for (const std::string& line : lines)
        bytes += line.size() + sizeof(std::string);
    return bytes;
}

} // namespace

/// A text is a list of [first, count], lines of the text before, and of lines of its own.
Result<PassRecording::LinesPtr> PassRecording::applied(const journal::PayloadPlace& place,
                                                       const LinesPtr& base) const {
    const journal::BlockPtr block = m_blocks.block(place.block);
    if (!block || std::size_t(place.offset) + place.length > block->size())
        return tl::unexpected(damaged("a block cannot be unpacked"));
    simdjson::dom::parser parser;
    json::element record;
    simdjson::dom::array operations;
    if (parser.parse(simdjson::padded_string(std::string_view(*block).substr(place.offset, place.length)))
            .get(record) != simdjson::SUCCESS)
        return tl::unexpected(damaged("a record is no JSON"));
    if (record["text"].get(operations) != simdjson::SUCCESS) {
        if (!base) return tl::unexpected(damaged("a graph has no text"));
        return base;
    }
    auto out = std::make_shared<Lines>();
    std::size_t bytes = 0;
    const auto fits = [&bytes](std::size_t more) {
        return more <= mostBytes && (bytes += more) <= mostBytes;
    };
    for (const json::element operation : operations) {
        std::string_view line;
        if (operation.get(line) == simdjson::SUCCESS) {
            if (!fits(line.size() + sizeof(std::string)))
                return tl::unexpected(damaged("a graph has more text than 128 MiB"));
            out->emplace_back(line);
            continue;
        }
        simdjson::dom::array run;
        std::uint64_t first = 0, count = 0;
        if (operation.get(run) != simdjson::SUCCESS || run.at(0).get(first) != simdjson::SUCCESS ||
            run.at(1).get(count) != simdjson::SUCCESS || !base || first > base->size() ||
            count > base->size() - first)
            return tl::unexpected(damaged("a text refers to lines that are not there"));
        const auto begin = base->begin() + static_cast<std::ptrdiff_t>(first);
        for (auto line = begin; line != begin + static_cast<std::ptrdiff_t>(count); ++line)
            if (!fits(line->size() + sizeof line))
                return tl::unexpected(damaged("a graph has more text than 128 MiB"));
        out->insert(out->end(), begin, begin + static_cast<std::ptrdiff_t>(count));
    }
    return out;
}

Result<PassRecording::LinesPtr> PassRecording::lines(std::uint32_t wanted) const {
    if (state(wanted) == nullptr) return tl::unexpected(damaged("there is no such graph"));
    // Back to a text that is known, or to one that is told whole; bases are older than what is told against them.
    std::vector<std::uint32_t> chain;
    LinesPtr base;
    for (std::uint32_t id = wanted; id != 0; id = m_states[id - 1].base) {
        const auto kept =
            std::find_if(m_kept.begin(), m_kept.end(), [id](const auto& entry) { return entry.first == id; });
        if (kept != m_kept.end()) {
            base = kept->second;
            break;
        }
        if (m_broken.contains(id))
            return tl::unexpected(damaged("a graph is told against one that cannot be read"));
        chain.push_back(id);
    }
    for (auto id = chain.rbegin(); id != chain.rend(); ++id) {
        Result<LinesPtr> made = applied(m_statePlaces[*id - 1], base);
        if (!made) {
            m_broken.insert(*id);
            return made;
        }
        base = *made;
        m_kept.emplace_front(*id, base);
        m_keptBytes += bytesOf(*base);
        while (m_kept.size() > 1 && m_keptBytes > keptBytes) {
            m_keptBytes -= bytesOf(*m_kept.back().second);
            m_kept.pop_back();
        }
    }
    if (!base) return tl::unexpected(damaged("a graph has no text"));
    return base;
}

Result<std::string> PassRecording::text(std::uint32_t state) const {
    const std::scoped_lock lock(m_lock);
    const Result<LinesPtr> found = lines(state);
    if (!found) return tl::unexpected(found.error());
    return joined(**found, "\n");
}

Result<std::string> PassRecording::stageText(std::size_t index) const {
    const std::scoped_lock lock(m_lock);
    if (index >= m_stages.size()) return tl::unexpected(damaged("there is no such stage"));
    const Result<LinesPtr> base = lines(m_stages[index].state);
    if (!base) return tl::unexpected(base.error());
    const Result<LinesPtr> own = applied(m_stagePlaces[index], *base);
    if (!own) return tl::unexpected(own.error());
    return joined(**own, "\n");
}

std::vector<NodeRef> PassRecording::nodes(std::uint32_t wanted) const {
    std::map<std::uint64_t, std::string> names;
    const State* last = state(wanted);
    if (last == nullptr) return {};
    for (std::uint32_t id = 1; id <= wanted; ++id) {
        const State& one = m_states[id - 1];
        if (one.module != last->module) continue;
        if (one.first) {
            names.clear();
            for (const NodeRef& node : m_firstNodes[id - 1])
                names[node.id] = node.name;
        }
        for (const NodeRef& node : one.change.erased)
            names.erase(node.id);
        for (const NodeRef& node : one.change.created)
            names[node.id] = node.name;
        for (const Change::Renamed& node : one.change.renamed)
            names[node.id] = node.after;
    }
    std::vector<NodeRef> out;
    for (auto& [id, name] : names)
        out.push_back({id, std::move(name)});
    return out;
}

} // namespace dynascope::inductor
