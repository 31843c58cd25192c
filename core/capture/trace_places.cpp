// SPDX-License-Identifier: BSD-3-Clause
//
// TraceReader's first look at a log: which rank, which run and which compile each record is of.
#include "core/capture/json.h"
#include "core/capture/trace_reader.h"
#include "core/session/utf8.h"

#include <set>

namespace dynascope::capture {

namespace {

/// Whether a chromium_event begins an interval.
bool beginsEvent(std::string_view payload) {
    constexpr std::string_view key = "\"ph\"";
    const std::size_t at = payload.find(key);
    if (at == std::string_view::npos) return false;
    const std::string_view rest = payload.substr(at + key.size(), 16);
    const std::size_t value = rest.find_first_not_of(": \t\r\n");
    return value != std::string_view::npos && rest.substr(value).starts_with("\"B\"");
}

} // namespace

session::CompileId TraceReader::compileIdOf(const simdjson::dom::element& header) {
    session::CompileId out;
    out.frame = json::smallInteger(header, "frame_id");
    out.compile = out.frame >= 0 ? json::smallInteger(header, "frame_compile_id", 0) : -1;
    out.autograd = json::smallInteger(header, "compiled_autograd_id");
    return out;
}

RunNumbers::Mention TraceReader::mentionOf(const TraceItem& item) {
    RunNumbers::Mention out;
    out.rank = item.prefix.rank;
    out.process = item.prefix.process;
    out.line = item.line;
    const std::string_view text = m_source->bytes();
    const std::string_view header = text.substr(item.jsonOffset, item.jsonLength);
    simdjson::dom::element root;
    if (!session::isUtf8(header) ||
        m_parser.parse(simdjson::padded_string(header)).get(root) != simdjson::SUCCESS || !root.is_object())
        return out;
    out.rank = json::smallInteger(root, "rank", out.rank);
    out.id = compileIdOf(root);
    out.attempt = json::smallInteger(root, "attempt");
    simdjson::dom::element body;
    if (root["dynamo_start"].get(body) == simdjson::SUCCESS)
        out.once = "dynamo_start";
    else if (root["artifact"].get(body) == simdjson::SUCCESS)
        out.leads = json::text(body, "name") == "recompile_reasons";
    else if (root["chromium_event"].get(body) == simdjson::SUCCESS && item.hasPayload)
        out.leads = beginsEvent(text.substr(item.payloadOffset, item.payloadLength));
    return out;
}

std::vector<TraceReader::Belonging> TraceReader::placeRecords(const std::vector<TraceItem>& items,
                                                              int named) {
    std::vector<RunNumbers::Mention> mentions;
    std::set<int> said;
    for (const TraceItem& item : items) {
        if (item.kind == TraceItem::Kind::Stray) continue;
        mentions.push_back(mentionOf(item));
        if (mentions.back().rank >= 0) said.insert(mentions.back().rank);
    }
    const int only = said.size() == 1 ? *said.begin() : -1;
    const int rank = named >= 0 ? named : said.empty() ? 0 : *said.begin();
    if (named >= 0 && only >= 0 && only != named)
        warn("the file's name says rank " + std::to_string(named) + " and its records say rank " +
                 std::to_string(only) + "; it is shown as rank " + std::to_string(named),
             0);
    else if (named >= 0 && said.size() > 1)
        warn("the file's name says rank " + std::to_string(named) + " and its records say " +
                 std::to_string(said.size()) + " ranks; each is shown as the rank that it says",
             0);
    for (RunNumbers::Mention& mention : mentions)
        if (said.size() < 2 || mention.rank < 0) mention.rank = rank;
    m_runs.number(mentions, m_file);

    std::vector<Belonging> out(items.size());
    for (std::size_t i = 0, k = 0; i < items.size(); ++i)
        if (items[i].kind != TraceItem::Kind::Stray) {
            out[i] = {mentions[k].rank, mentions[k].id.run};
            ++k;
        }
    return out;
}

} // namespace dynascope::capture
