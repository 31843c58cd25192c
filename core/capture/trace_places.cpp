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

/// The signature of the first forward in print_readable text: what stands between its brackets, which names
/// each input with its shape. Empty for other text.
std::string_view inputsOf(std::string_view graph) {
    constexpr std::string_view key = "def forward(";
    const std::size_t at = graph.find(key);
    if (at == std::string_view::npos) return {};
    graph.remove_prefix(at + key.size());
    // Annotations have brackets of their own, within quotes.
    bool quoted = false;
    for (std::size_t i = 0; i < graph.size(); ++i) {
        quoted ^= graph[i] == '"';
        if (!quoted && graph[i] == ':' && i > 0 && graph[i - 1] == ')') return graph.substr(0, i - 1);
    }
    return {};
}

/// Inputs alone: no comments, no layout.
std::string bareInputs(std::string_view inputs) {
    std::string out;
    bool quoted = false, comment = false;
    for (const char c : inputs) {
        if (c == '\n') comment = false;
        quoted ^= c == '"' && !comment;
        if (c == '#' && !quoted) comment = true;
        if (!comment && (quoted || (c != ' ' && c != '\n' && c != '\t'))) out += c;
    }
    while (out.ends_with(','))
        out.pop_back();
    return out;
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
    using Backward = RunNumbers::Mention::Backward;
    const std::string_view payload =
        item.hasPayload ? text.substr(item.payloadOffset, item.payloadLength) : std::string_view();
    if (root["dynamo_start"].get(body) == simdjson::SUCCESS)
        out.once = "dynamo_start";
    else if (root["artifact"].get(body) == simdjson::SUCCESS) {
        const auto name = json::text(body, "name");
        out.leads = name == "recompile_reasons";
        if (name == "before_post_grad_graph") out.inputs = bareInputs(inputsOf(payload));
    } else if (root["aot_backward_graph"].get(body) == simdjson::SUCCESS) {
        out.backward = Backward::Made;
        out.inputs = bareInputs(inputsOf(payload));
    } else if (root["bwd_compilation_metrics"].get(body) == simdjson::SUCCESS)
        out.backward = Backward::Ends;
    else if (root["chromium_event"].get(body) == simdjson::SUCCESS && item.hasPayload) {
        out.leads = beginsEvent(payload);
        if (out.leads && payload.find("\"entire_backward_compile\"") != std::string_view::npos)
            out.backward = Backward::Begins;
    }
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
    for (const RunNumbers::Unclear& late : m_runs.number(mentions, m_file)) {
        std::string runs;
        for (const int run : late.runs) {
            session::CompileId id = late.id;
            id.run = run;
            runs += (runs.empty() ? "" : run == late.runs.back() ? " or " : ", ") + id.toString();
        }
        warn("the backward that is compiled from this line on may be of " + runs +
                 ": the records do not tell; it is shown as of " + late.id.toString(),
             late.line);
    }

    std::vector<Belonging> out(items.size());
    for (std::size_t i = 0, k = 0; i < items.size(); ++i)
        if (items[i].kind != TraceItem::Kind::Stray) {
            out[i] = {mentions[k].rank, mentions[k].id.run};
            ++k;
        }
    return out;
}

} // namespace dynascope::capture
