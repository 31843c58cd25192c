// SPDX-License-Identifier: BSD-3-Clause
//
// TraceReader's first look at a log: which rank and which run each record is of.
#include "core/capture/trace_reader.h"

#include <set>
#include <utility>

namespace dynascope::capture {

namespace {

RunNumbers::Mention mentionOf(const RecordAhead& record, const std::vector<std::string>& processes,
                              std::size_t line) {
    RunNumbers::Mention out;
    out.rank = record.rank;
    out.process = processes[record.process];
    out.line = line;
    if (!record.headerIsUtf8 || record.header != RecordAhead::Header::Read) return out;
    out.id = record.compileId();
    out.attempt = record.attempt;
    if (record.once) out.once = "dynamo_start";
    out.leads = record.leads;
    out.ends = record.ends;
    out.backward = record.backward;
    return out;
}

} // namespace

TraceReader::Placement TraceReader::placeRecords(std::vector<LogChunk>& chunks, bool keep) {
    std::size_t count = m_mentions.size();
    for (const LogChunk& chunk : chunks)
        count += chunk.records.size();
    m_mentions.reserve(count);
    std::size_t line = m_fromLine;
    for (LogChunk& chunk : chunks) {
        const auto texts = std::make_shared<const MentionTexts>(
            MentionTexts{std::move(chunk.processes), std::move(chunk.inputs)});
        m_mentionTexts.push_back(texts);
        auto inputs = texts->inputs.begin();
        for (std::size_t i = 0; i < chunk.records.size(); ++i) {
            const RecordAhead& record = chunk.records[i];
            if (record.isStray()) continue;
            RunNumbers::Mention& mention =
                m_mentions.emplace_back(mentionOf(record, texts->processes, line + record.line));
            if (inputs != texts->inputs.end() && inputs->first == i) {
                mention.inputs = inputs->second;
                ++inputs;
            }
        }
        line += chunk.lines;
    }
    std::vector<RunNumbers::Mention> mentions = keep ? m_mentions : std::exchange(m_mentions, {});
    std::set<int> said;
    for (const RunNumbers::Mention& mention : mentions)
        if (mention.rank >= 0) said.insert(mention.rank);
    const int only = said.size() == 1 ? *said.begin() : -1;
    const int rank = m_named >= 0 ? m_named : said.empty() ? 0 : *said.begin();
    Placement out;
    if (m_named >= 0 && only >= 0 && only != m_named)
        out.warnings.emplace_back("the file's name says rank " + std::to_string(m_named) +
                                      " and its records say rank " + std::to_string(only) +
                                      "; it is shown as rank " + std::to_string(m_named),
                                  0);
    else if (m_named >= 0 && said.size() > 1)
        out.warnings.emplace_back("the file's name says rank " + std::to_string(m_named) +
                                      " and its records say " + std::to_string(said.size()) +
                                      " ranks; each is shown as the rank that it says",
                                  0);
    for (RunNumbers::Mention& mention : mentions)
        if (said.size() < 2 || mention.rank < 0) mention.rank = rank;
    m_runs = m_runsBefore;
    for (const RunNumbers::Unclear& late : m_runs.number(mentions, m_file)) {
        std::string runs;
        for (const int run : late.runs) {
            session::CompileId id = late.id;
            id.run = run;
            runs += (runs.empty() ? "" : run == late.runs.back() ? " or " : ", ") + id.toString();
        }
        out.warnings.emplace_back("the backward that is compiled from this line on may be of " + runs +
                                      ": the records do not tell; it is shown as of " + late.id.toString(),
                                  late.line);
    }
    if (!keep) m_mentionTexts.clear();

    out.of.reserve(mentions.size());
    for (const RunNumbers::Mention& mention : mentions)
        out.of.push_back({mention.rank, mention.id.run});
    return out;
}

} // namespace dynascope::capture
