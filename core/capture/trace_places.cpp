// SPDX-License-Identifier: BSD-3-Clause
//
// TraceReader's first look at a log: which rank and which run each record is of.
#include "core/capture/trace_reader.h"

#include <set>

namespace dynascope::capture {

namespace {

RunNumbers::Mention mentionOf(const RecordAhead& record, const LogChunk& chunk, std::size_t line) {
    RunNumbers::Mention out;
    out.rank = record.rank;
    out.process = chunk.processes[record.process];
    out.line = line;
    if (!record.headerIsUtf8 || record.header != RecordAhead::Header::Read) return out;
    out.id = record.compileId();
    out.attempt = record.attempt;
    if (record.once) out.once = "dynamo_start";
    out.leads = record.leads;
    out.backward = record.backward;
    return out;
}

} // namespace

std::vector<TraceReader::Belonging> TraceReader::placeRecords(const std::vector<LogChunk>& chunks,
                                                              int named) {
    std::size_t count = 0;
    for (const LogChunk& chunk : chunks)
        count += chunk.records.size();
    std::vector<RunNumbers::Mention> mentions;
    mentions.reserve(count);
    std::set<int> said;
    std::size_t line = 1;
    for (const LogChunk& chunk : chunks) {
        auto inputs = chunk.inputs.begin();
        for (std::size_t i = 0; i < chunk.records.size(); ++i) {
            const RecordAhead& record = chunk.records[i];
            if (record.isStray()) continue;
            RunNumbers::Mention& mention =
                mentions.emplace_back(mentionOf(record, chunk, line + record.line));
            if (inputs != chunk.inputs.end() && inputs->first == i) {
                mention.inputs = inputs->second;
                ++inputs;
            }
            if (mention.rank >= 0) said.insert(mention.rank);
        }
        line += chunk.lines;
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

    std::vector<Belonging> out;
    out.reserve(mentions.size());
    for (const RunNumbers::Mention& mention : mentions)
        out.push_back({mention.rank, mention.id.run});
    return out;
}

} // namespace dynascope::capture
