// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/command.h"
#include "app/cli/info.h"
#include "core/session/breaks.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace dynascope::cli {

namespace {

constexpr std::size_t reasonWidth = 60;

std::string place(const ir::SourceLocation* at) {
    if (at == nullptr) return {};
    return std::string(baseName(at->file)) + (at->line != 0 ? ':' + std::to_string(at->line) : "");
}

/// Cuts at a UTF-8 character, so that a table column holds.
std::string elide(std::string text, std::size_t width) {
    if (text.size() <= width) return text;
    std::size_t end = width - 3;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
        --end;
    }
    text.resize(end);
    return text + "...";
}

std::string firstLine(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

/// Rows of text columns; the widths follow the contents. The last column is not padded.
class Table {
public:
    void add(std::vector<std::string> row) { m_rows.push_back(std::move(row)); }
    void rightAlign(std::size_t column) { m_right.push_back(column); }
    [[nodiscard]] bool empty() const { return m_rows.empty(); }

    [[nodiscard]] std::string toString(std::string_view indent) const {
        std::vector<std::size_t> widths;
        for (const auto& row : m_rows) {
            widths.resize(std::max(widths.size(), row.size()));
            for (std::size_t i = 0; i < row.size(); ++i) {
                widths[i] = std::max(widths[i], row[i].size());
            }
        }
        std::string out;
        for (const auto& row : m_rows) {
            std::string line(indent);
            for (std::size_t i = 0; i < row.size(); ++i) {
                const std::string pad(widths[i] - row[i].size(), ' ');
                const bool right = std::find(m_right.begin(), m_right.end(), i) != m_right.end();
                line += right ? pad + row[i] : row[i] + pad;
                line += "  ";
            }
            line.erase(line.find_last_not_of(' ') + 1);
            out += line + '\n';
        }
        return out;
    }

private:
    std::vector<std::vector<std::string>> m_rows;
    std::vector<std::size_t> m_right;
};

std::string statusText(const session::Compile& c) {
    std::string out(session::statusName(c.status));
    if (c.status == session::Status::GraphBreak && !c.breaks.empty() && c.breaks.back().location() != nullptr)
        out += " :" + std::to_string(c.breaks.back().location()->line);
    if (c.isRecompile) out += ", recompile";
    return out;
}

/// Why, in one line: failure, break or recompile.
std::string whyText(const session::Compile& c) {
    if (c.status == session::Status::Failed)
        return c.failType + (c.failReason.empty() ? "" : ": " + firstLine(c.failReason));
    if (!c.recompileReasons.empty()) return firstLine(c.recompileReasons.front());
    return {};
}

std::string stagesText(const session::Compile& c) {
    Table table;
    table.rightAlign(1);
    for (const session::StagePtr& s : c.stages) {
        const bool code = s->content == session::Stage::Content::Code;
        table.add({s->label(), std::to_string(code ? s->kernelCount() : s->nodeCount()),
                   code ? "kernels" : "nodes", std::string(session::phaseName(s->phase))});
    }
    return table.toString("      ");
}

std::string compilesText(const session::Session& session) {
    Table table;
    table.rightAlign(3);
    for (const session::Compile& c : session.compiles) {
        const std::string id =
            (session.ranks.size() > 1 ? std::to_string(c.rank) + ':' : "") + c.id.toString();
        std::string where = c.function.empty() ? place(c.location()) : c.function + ' ' + place(c.location());
        std::size_t nodes = 0;
        for (const session::StagePtr& s : c.stages) {
            if (s->content == session::Stage::Content::Graph) {
                nodes = s->nodeCount();
                break;
            }
        }
        table.add({id, statusText(c), std::move(where), formatSeconds(c.compileSeconds),
                   count(c.stages.size(), "stage"), count(nodes, "node"), elide(whyText(c), reasonWidth)});
    }
    return table.toString("  ");
}

std::string breaksText(const session::Session& session) {
    const session::BreakSummary summary = session::summarizeBreaks(session);
    if (summary.groups.empty()) return {};
    std::string out =
        "\n" + count(summary.breaks, "graph break") + ", " + count(summary.groups.size(), "distinct reason");
    if (summary.secondsAfterBreaks > 0)
        out += ", " + formatSeconds(summary.secondsAfterBreaks) + " of " +
               formatSeconds(summary.compileSeconds) + " compile time after a break (upper bound)";
    out += "\n";
    Table table;
    table.rightAlign(0);
    table.rightAlign(3);
    for (const session::BreakGroup& g : summary.groups) {
        table.add({std::to_string(g.occurrences.size()) + "x", elide(g.reason, reasonWidth),
                   place(&g.location), formatSeconds(g.secondsAfter),
                   g.waysOut.empty() ? "" : "way out: " + g.waysOut.front().title});
    }
    return out + table.toString("  ");
}

std::string stageListText(const session::Session& session) {
    // All stages of each compile would be pages; the richest compile of each frame shows the pipeline.
    std::string out;
    for (const session::Frame& frame : session.frames) {
        const session::Compile* best = nullptr;
        for (const std::size_t i : frame.compiles) {
            const session::Compile& c = session.compiles[i];
            if (best == nullptr || c.stages.size() > best->stages.size()) best = &c;
        }
        if (best == nullptr || best->stages.empty()) continue;
        out += "  " + best->id.toString();
        if (!frame.function.empty()) out += "  " + frame.function + ' ' + place(&frame.location);
        out += "\n" + stagesText(*best);
    }
    return out.empty() ? out : "\nStages\n" + out;
}

std::string cachesText(const session::Session& session) {
    std::map<std::string, std::array<std::size_t, 3>> counts;
    for (const session::Compile& c : session.compiles) {
        for (const session::CacheEvent& e : c.caches) {
            ++counts[e.cache][static_cast<std::size_t>(e.outcome)];
        }
    }
    std::string out;
    for (const auto& [cache, n] : counts) {
        out += "  " + cache + "  " + count(n[0], "hit") + ", " + std::to_string(n[1]) +
               (n[1] == 1 ? " miss" : " misses");
        if (n[2] != 0) out += ", " + std::to_string(n[2]) + " bypassed";
        out += "\n";
    }
    return out.empty() ? out : "\nCaches\n" + out;
}

} // namespace

std::string infoText(const session::Session& session) {
    double seconds = 0;
    std::size_t recompiles = 0;
    for (const session::Compile& c : session.compiles) {
        seconds += c.compileSeconds;
        recompiles += c.isRecompile ? 1 : 0;
    }
    std::string out = session.title + "  " + std::string(session::kindName(session.kind));
    if (!session.torchVersion.empty()) out += ", PyTorch " + session.torchVersion;
    if (session.ranks.size() > 1) out += ", " + count(session.ranks.size(), "rank");
    out += "\n" + count(session.frames.size(), "frame") + ", " + count(session.compiles.size(), "compile id");
    if (recompiles != 0) out += ", " + count(recompiles, "recompile");
    if (seconds > 0) out += ", " + formatSeconds(seconds) + " compile time";
    if (!session.records.empty()) out += ", " + count(session.records.size(), "record");
    out +=
        "\n\n" + compilesText(session) + breaksText(session) + stageListText(session) + cachesText(session);

    if (!session.warnings.empty()) {
        out += "\n" + count(session.warnings.size(), "warning") + "\n";
        for (const session::Warning& w : session.warnings) {
            out += "  " + w.error.toString() + "\n";
        }
    }
    return out;
}

} // namespace dynascope::cli
