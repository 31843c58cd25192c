// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/pass_text.h"

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/ir/annotate.h"
#include "core/ir/text.h"
#include "core/session/input_sources.h"
#include "core/session/write_back.h"

#include <map>
#include <utility>

namespace dynascope::cli {

namespace {

using nlohmann::json;

std::string orElse(const std::string& text, std::string_view otherwise) {
    return text.empty() ? std::string(otherwise) : text;
}

std::string scoreLine(const wire::ScoreRow& row) {
    return "    " + row.value + ": storage " + std::to_string(row.storage) + ", base " +
           orElse(row.base, "none") + ", value " + orElse(row.current, "none") +
           (row.views.empty() ? std::string() : ", views " + joined(row.views, " > ")) + ", generation " +
           std::to_string(row.generation) + " of " + std::to_string(row.storageGeneration) +
           (row.stale ? " (stale)" : "") + ", pending " + std::to_string(row.pendingUpdates) + '\n';
}

std::string breakText(const std::optional<InputReader>& reader) {
    if (!reader || !reader->group) return {};
    const ir::SourceLocation& at = reader->group->location;
    std::string out = ", before the break at " + std::string(baseName(at.file)) + ':' +
                      std::to_string(at.line) + " (" + reader->group->reason + ')';
    if (reader->resumed) out += ": " + reader->resumed->id.toString() + " reads it as " + reader->source;
    return out;
}

/// Where it goes, if that is not the input alone.
std::string destinationText(const wire::WriteBack& back) {
    std::string out;
    if (back.wholeStorage) out += " into its whole storage";
    if (!back.sharedWith.empty())
        out += (out.empty() ? " into its memory, in which " : ", in which ") + joined(back.sharedWith, ", ") +
               (back.sharedWith.size() == 1 ? " lies too" : " lie too");
    return out;
}

} // namespace

InputReaders::InputReaders(const ChosenGraph& chosen)
    : m_chosen(chosen) {
    if (!chosen.compile) return;
    m_breaks = session::summarizeBreaks(*chosen.session);
    m_sources = session::inputSources(*chosen.compile, *chosen.graph);
}

std::optional<InputReader> InputReaders::of(const wire::WriteBack& back) const {
    if (!m_chosen.compile) return std::nullopt;
    InputReader out;
    if (back.position < m_sources.size()) out.source = m_sources[back.position];
    const session::Session& session = *m_chosen.session;
    const auto compile = static_cast<std::size_t>(m_chosen.compile - session.compiles.data());
    const auto after = session::breakAfterWrite(session, m_breaks, compile, out.source);
    if (!after || after->group == SIZE_MAX) return out;
    out.group = &m_breaks.groups[after->group];
    if (after->resumed != SIZE_MAX) out.resumed = &session.compiles[after->resumed];
    return out;
}

std::string stepText(const wire::PassStep& step) {
    std::string out = step.source + " (" + step.target + ")";
    if (!step.why.empty()) out += ": " + step.why;
    out += '\n';
    const auto line = [&out](char sign, const std::string& node, const std::string& why) {
        out += std::string("    ") + sign + ' ' + node + "  " + why + '\n';
    };
    for (const wire::EmittedNode& emitted : step.emitted)
        line('+', emitted.node, emitted.why);
    for (const wire::ChangedNode& changed : step.changed)
        line('~', changed.after, changed.why);
    for (const wire::RemovedNode& removed : step.removed)
        line('-', removed.node, removed.why);
    if (step.scorecard)
        for (const wire::ScoreRow& row : step.scorecard->scorecard)
            out += scoreLine(row);
    return out;
}

void addBreaks(json& printed, const wire::PassReply& reply, const InputReaders& readers) {
    for (std::size_t i = 0; i < reply.passes.size(); ++i) {
        if (!reply.passes[i].functionalize) continue;
        json& list = printed["passes"][i]["write_back"];
        const std::vector<wire::WriteBack>& backs = reply.passes[i].functionalize->writeBacks;
        for (std::size_t k = 0; k < backs.size() && k < list.size(); ++k) {
            const std::optional<InputReader> reader = readers.of(backs[k]);
            if (!reader) continue;
            list[k]["source"] = reader->source;
            list[k]["break"] = nullptr;
            if (!reader->group) continue;
            json resumed;
            if (reader->resumed)
                resumed = {{"compile", reader->resumed->id.toString()},
                           {"function", reader->resumed->function}};
            list[k]["break"] = {{"reason", reader->group->reason},
                                {"file", reader->group->location.file},
                                {"line", reader->group->location.line},
                                {"resumed", std::move(resumed)}};
        }
    }
}

std::string writeBackText(const wire::PassReply& reply, const InputReaders& readers) {
    std::string out;
    for (const wire::PassSummary& pass : reply.passes) {
        if (!pass.functionalize) continue;
        for (const wire::WriteBack& back : pass.functionalize->writeBacks)
            out += "input " + back.input + ": " + std::to_string(back.bytes) + " bytes written back by " +
                   joined(back.how, ", ") + destinationText(back) +
                   (back.output ? " of result " + std::to_string(*back.output) : std::string()) +
                   breakText(readers.of(back)) + '\n';
    }
    return out;
}

std::string warningText(const wire::PassReply& reply) {
    std::string out;
    for (const std::string& warning : reply.warnings)
        out += "warning: " + warning + '\n';
    for (const std::string& note : reply.notes)
        out += "note: " + note + '\n';
    return out;
}

std::string verdictText(const wire::PassReply& reply, const Verified& verified) {
    const std::string apart = verified.versions.empty() ? std::string() : " (" + verified.versions + ')';
    if (reply.verified == true) return "verified: the same values as eager" + apart + '\n';
    std::string out = (reply.verified ? "verification failed" : "not verified") + apart + '\n';
    for (const wire::RunDifference& difference :
         reply.differences.value_or(std::vector<wire::RunDifference>()))
        out += "  " + difference.text + '\n';
    for (const std::string& deviation : reply.deviations.value_or(std::vector<std::string>()))
        out += "  known deviation: " + deviation + '\n';
    if (!verified.where) return out;
    if (!verified.where->reason.empty())
        out += "  " + std::string(wire::verdictName(verified.where->verdict)) + ": " +
               verified.where->reason + '\n';
    if (const auto& first = verified.where->firstDifference)
        out += "  first at '" + orElse(first->computed, "?") + "', which stands for '" +
               orElse(first->source, "no node") + "': " + first->text + " (" + first->how + "; " +
               count(first->runs, "run") + ")\n";
    return out;
}

std::string readableText(const wire::PassReply& reply) {
    const Result<ir::GraphPtr> graph = ir::readGraph(reply.graph);
    if (!graph) return reply.graph + '\n';
    const std::map<std::string, std::string> meta = reply.meta.value_or(std::map<std::string, std::string>());
    const auto metaOf = [&meta](const std::string& node) {
        const auto at = meta.find(node);
        return at == meta.end() ? std::string() : at->second;
    };
    return ir::printReadable(*ir::withAnnotations(**graph, metaOf)).text;
}

bool failedVerification(const wire::PassReply& reply, const Verified& verified) {
    if (reply.verified == true) return false;
    return !verified.where || (verified.where->verdict != wire::VerifyVerdict::OrderDependent &&
                               verified.where->verdict != wire::VerifyVerdict::Random);
}

} // namespace dynascope::cli
