// SPDX-License-Identifier: BSD-3-Clause
//
// Graphs held against each other, and which ranks compiled the same.
#include "core/base/digest.h"
#include "core/base/text.h"
#include "core/ranks/parts.h"

#include <algorithm>

namespace dynascope::ranks::detail {

namespace {

using session::StagePtr;

/// By rank, as `present` has them: equal keys are equal graphs.
struct LabelKeys {
    std::vector<std::string> keys;
    std::vector<const Reading*> readings;
};

/// Whole numbers that differ between graphs of one form: "rank" where each is the number of its rank.
void resolveNumbers(const Reader& reader, Row& row, const std::vector<std::size_t>& alike, LabelKeys& out) {
    std::map<std::vector<std::string>, std::size_t> lists;
    for (const std::size_t i : alike)
        lists.emplace(out.readings[i]->form->numbers, i);
    if (lists.size() < 2) return;
    const std::vector<std::string>& first = lists.begin()->first;
    std::vector<std::size_t> differing;
    for (std::size_t slot = 0; slot < first.size(); ++slot)
        if (std::ranges::any_of(lists, [&](const auto& list) { return list.first[slot] != first[slot]; }))
            differing.push_back(slot);
    for (const std::size_t i : alike) {
        const std::string own = std::to_string(reader.ranks()[row.present[i]]);
        for (const std::size_t slot : differing) {
            const std::string& number = out.readings[i]->form->numbers[slot];
            out.keys[i] += ' ' + (number == own ? "rank" : number);
            row.ranksNumber = row.ranksNumber || number == own;
        }
    }
}

LabelKeys keysOf(Reader& reader, Row& row, const std::string& label) {
    LabelKeys out;
    std::map<std::string, std::vector<std::size_t>> alike;
    for (std::size_t i = 0; i < row.present.size(); ++i) {
        const StagePtr stage = stageOf(compileOf(reader, row, row.present[i]), label);
        const Reading& reading = reader.read(*stage, row.present[i]);
        out.readings.push_back(&reading);
        out.keys.push_back(reading.form ? reading.form->digest : "text " + reading.digest);
        if (reading.form) alike[out.keys.back()].push_back(i);
    }
    for (const auto& [digest, ranks] : alike)
        resolveNumbers(reader, row, ranks, out);
    return out;
}

/// The node of a graph whose number differs from that of the same place in another.
ir::NodeIndex nodeOfNumber(const GraphForm& a, const GraphForm& b) {
    const auto [at, other] = std::ranges::mismatch(a.numbers, b.numbers);
    if (at == a.numbers.end() || other == b.numbers.end()) return ir::npos;
    return a.numberOf[static_cast<std::size_t>(at - a.numbers.begin())];
}

struct Odd {
    std::vector<std::size_t> ranks; ///< indices of ranks
    std::size_t sample = 0;         ///< into Row::present
    std::size_t most = 0;           ///< of those that most are like, into Row::present
    std::vector<std::size_t> mostRanks;
};

void point(Reason& reason, const ir::Graph& graph, ir::NodeIndex node) {
    if (node == ir::npos) return;
    reason.node = graph.node(node).name;
    for (ir::NodeIndex i = node + 1; i-- > 0;) {
        const ir::SourceLocation* at = graph.node(i).location();
        if (!at) continue;
        reason.file = at->file;
        reason.line = at->line;
        return;
    }
}

std::string has(const std::vector<int>& ranks) {
    return rankWords(ranks) + (ranks.size() == 1 ? " has " : " have ");
}

/// Whether ranks may differ in these nodes by what they send to and receive from each other, which is judged apart.
bool differInTransfers(const ir::Graph& a, ir::NodeIndex atA, const ir::Graph& b, ir::NodeIndex atB) {
    const auto target = [](const ir::Graph& graph, ir::NodeIndex at) {
        return at != ir::npos && isCollectiveTarget(graph.node(at).target)
                   ? std::string_view(graph.node(at).target)
                   : std::string_view();
    };
    const auto exchanges = [](std::string_view name) {
        return name.find("all_to_all_single") != std::string_view::npos;
    };
    const std::string_view one = target(a, atA), other = target(b, atB);
    return isTransferName(one) || isTransferName(other) || (exchanges(one) && exchanges(other));
}

/// True where that is what tells the two graphs apart; then it is a note.
bool noteTransfers(const Row& row, const std::string& label, const ir::Graph& a, ir::NodeIndex atA,
                   const ir::Graph& b, ir::NodeIndex atB, Report& out) {
    if (!differInTransfers(a, atA, b, atB)) return false;
    std::string note =
        row.shown.id + ": its ranks do not all send and receive the same; what their graphs do from " +
        (atA == ir::npos ? "there" : "node " + a.node(atA).name) + " on is not compared (" + label + ')';
    if (std::ranges::find(out.notes, note) == out.notes.end()) out.notes.push_back(std::move(note));
    return true;
}

void say(Reader& reader, const Row& row, const std::string& label, const LabelKeys& keys, const Odd& odd,
         Report& out) {
    Reason reason = reasonAt(reader, row, RanksVerdict::MayBeWrong, odd.ranks);
    reason.stage = stageOf(compileOf(reader, row, row.present[odd.sample]), label);
    reason.at = row.shown.compiles[row.present[odd.sample]];
    const std::vector<int> most = numbersOf(reader, odd.mostRanks);
    const Reading &mine = *keys.readings[odd.sample], &theirs = *keys.readings[odd.most];
    if (!mine.form || !theirs.form) {
        reason.text = label + " of " + rankWords(reason.ranks) + " is not that of " + rankWords(most) +
                      ", and cannot be read as a graph";
        out.reasons.push_back(std::move(reason));
        return;
    }
    const ir::Graph &a = *mine.form->graph, &b = *theirs.form->graph;
    if (mine.form->digest == theirs.form->digest) {
        const ir::NodeIndex node = nodeOfNumber(*mine.form, *theirs.form);
        if (noteTransfers(row, label, a, node, b, node, out)) return;
        point(reason, a, node);
        reason.text = has(reason.ranks) +
                      (node == ir::npos ? "another number in a subgraph" : nodeText(a.node(node))) + " in " +
                      label + (node == ir::npos ? "" : " where " + has(most) + nodeText(b.node(node)));
        out.reasons.push_back(std::move(reason));
        return;
    }
    const FormDifference at =
        firstDifference(a, reader.device(row.present[odd.sample]), b, reader.device(row.present[odd.most]));
    if (noteTransfers(row, label, a, at.a, b, at.b, out)) return;
    if (at.symbolsOnly) reason.verdict = RanksVerdict::Slower;
    point(reason, a, at.a);
    const std::string mineText = at.a == ir::npos ? "no more nodes" : nodeText(a.node(at.a));
    const std::string theirText = at.b == ir::npos ? "no more nodes" : nodeText(b.node(at.b));
    if (!at.found())
        reason.text = label + " of " + rankWords(reason.ranks) + " differs from that of " + rankWords(most) +
                      " in a subgraph";
    else
        reason.text = has(reason.ranks) + mineText + " in " + label + " where " + has(most) + theirText +
                      (at.symbolsOnly ? ": a size is symbolic on one side" : "");
    out.reasons.push_back(std::move(reason));
}

bool tookFromCache(const session::Compile& compile) {
    return std::ranges::any_of(compile.caches, [](const session::CacheEvent& event) {
        return event.outcome == session::CacheEvent::Outcome::Hit;
    });
}

/// Graphs that some ranks lack, and not because a cache had them.
void sayWhatIsMissing(const Reader& reader, const Row& row, Report& out) {
    for (const auto& [label, having] : row.partial) {
        std::vector<std::size_t> lacking;
        for (const std::size_t rank : row.present)
            if (!std::ranges::binary_search(having, rank) && !tookFromCache(compileOf(reader, row, rank)))
                lacking.push_back(rank);
        // One that has what others took from a cache lacks nothing.
        if (lacking.empty()) continue;
        Reason reason = reasonAt(reader, row, RanksVerdict::MayBeWrong, lacking);
        reason.text = rankWords(reason.ranks) + (lacking.size() == 1 ? " has no " : " have no ") + label +
                      ", which " + rankWords(numbersOf(reader, having)) +
                      (having.size() == 1 ? " has" : " have");
        out.reasons.push_back(std::move(reason));
        return;
    }
}

} // namespace

namespace {

/// Of ranks that break the function in the same places. Gives how many kinds of graphs they have.
int judgeAlikeParts(Reader& reader, Row& row, Report& out) {
    std::vector<LabelKeys> labels;
    std::vector<std::string> all(row.present.size());
    for (const std::string& label : row.common) {
        labels.push_back(keysOf(reader, row, label));
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i] += labels.back().keys[i] + '\n';
    }
    std::map<std::string, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < all.size(); ++i)
        groups[all[i]].push_back(i);
    std::vector<std::vector<std::size_t>> order;
    for (auto& [key, members] : groups)
        order.push_back(std::move(members));
    std::ranges::sort(order, {}, [](const auto& members) { return members.front(); });
    const auto most = std::ranges::max_element(order, {}, [](const auto& members) { return members.size(); });
    std::rotate(order.begin(), most, most + 1);
    Odd odd;
    for (const std::size_t i : order.front())
        odd.mostRanks.push_back(row.present[i]);
    odd.most = order.front().front();
    for (std::size_t letter = 0; letter < order.size(); ++letter) {
        odd.ranks.clear();
        for (const std::size_t i : order[letter]) {
            row.shown.letters[row.present[i]] = static_cast<int>(letter);
            odd.ranks.push_back(row.present[i]);
        }
        if (letter == 0) continue;
        odd.sample = order[letter].front();
        for (std::size_t l = 0; l < labels.size(); ++l) {
            if (labels[l].keys[odd.sample] == labels[l].keys[odd.most]) continue;
            say(reader, row, row.common[l], labels[l], odd, out);
            break;
        }
    }
    sayWhatIsMissing(reader, row, out);
    return static_cast<int>(order.size());
}

} // namespace

void judgeGraphs(Reader& reader, Row& row, Report& out) {
    if (row.parts.empty()) {
        judgeAlikeParts(reader, row, out);
    } else {
        int letter = 0;
        for (std::vector<std::size_t>& ranks : comparable(row)) {
            Row some = row;
            some.present = std::move(ranks);
            some.common.clear();
            some.partial.clear();
            findLabels(reader, some);
            const int letters = judgeAlikeParts(reader, some, out);
            for (const std::size_t rank : some.present)
                row.shown.letters[rank] = letter + some.shown.letters[rank];
            letter += letters;
            row.ranksNumber = row.ranksNumber || some.ranksNumber;
        }
    }
    if (row.ranksNumber)
        out.notes.push_back(row.shown.id + ": a number that is each rank's own is read as the rank's number");
}

namespace {

bool isCollectiveLine(std::string_view line) {
    return line.find("_c10d_functional") != std::string_view::npos ||
           line.find("_dtensor") != std::string_view::npos;
}

/// Code as ranks can share it, line by line: process groups by first use, no paths of kernels.
std::string sharedCode(const Reader& reader, const session::Stage& stage, std::size_t rank,
                       const std::set<std::string>& groups) {
    const std::string text = reader.shared(stage.payload.text(), rank);
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string line = text.substr(at, end - at);
        at = end + 1;
        if (trimmed(line).starts_with("# kernel path:")) line.clear();
        if (isCollectiveLine(line))
            for (const std::string& group : groups) {
                const std::string quoted = '\'' + group + '\'';
                if (const std::size_t found = line.rfind(quoted); found != std::string::npos)
                    line.replace(found, quoted.size(), "GROUP");
            }
        out += line + '\n';
    }
    return out;
}

/// Where two codes part: the line's number in `a`, from 1, and its text.
std::pair<std::size_t, std::string_view> whereCodesPart(std::string_view a, std::string_view b) {
    const auto [at, other] = std::ranges::mismatch(a, b);
    const auto part = static_cast<std::size_t>(at - a.begin());
    const std::size_t from = part == 0 ? 0 : a.rfind('\n', part - 1) + 1;
    const std::size_t number = static_cast<std::size_t>(std::ranges::count(a.substr(0, from), '\n')) + 1;
    return {number, trimmed(a.substr(from, std::min(a.find('\n', from), a.size()) - from))};
}

} // namespace

void judgeCode(const Reader& reader, const Row& row, Report& out) {
    // Numbers that differ stand in the code, too.
    const auto sends = [](const auto& of) {
        return std::ranges::any_of(of.second, [](const Move& move) { return move.call->pointToPoint; });
    };
    if (row.ranksNumber || std::ranges::any_of(row.moves, sends)) return;
    std::set<std::string> groups;
    for (const Lane& lane : row.shown.lanes)
        for (const Call& call : lane.calls)
            groups.insert(call.what.group);
    groups.erase("");
    std::map<int, std::pair<std::size_t, std::vector<std::string>>> first; // by letter: a rank and its codes
    for (const std::size_t rank : row.present) {
        std::vector<std::string> codes;
        const session::Compile& compile = compileOf(reader, row, rank);
        for (const StagePtr& stage : compile.stages)
            if (stage->content == session::Stage::Content::Code && stage == stageOf(compile, stage->label()))
                codes.push_back(sharedCode(reader, *stage, rank, groups));
        const auto [at, isNew] = first.try_emplace(row.shown.letters[rank], rank, codes);
        if (isNew || codes.size() != at->second.second.size() || codes == at->second.second) continue;
        const auto [mine, theirs] = std::ranges::mismatch(codes, at->second.second);
        Reason reason = reasonAt(reader, row, RanksVerdict::Slower, std::span(&rank, 1));
        const auto [number, line] = whereCodesPart(*mine, *theirs);
        constexpr std::size_t most = 80;
        reason.text = rankWords(reason.ranks) + " has other code than rank " +
                      std::to_string(reader.ranks()[at->second.first]) +
                      " for the same graph, from its line " + std::to_string(number) + ": " +
                      std::string(line.substr(0, most));
        out.reasons.push_back(std::move(reason));
        return;
    }
}

} // namespace dynascope::ranks::detail
