// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/steps_state.h"
#include "core/base/utf8.h"
#include "core/base/words.h"
#include "core/dynamo/cache_key.h"
#include "core/dynamo/graph_facts.h"

#include <algorithm>

namespace dynascope::cli {

using namespace dynamo;

namespace {

constexpr std::size_t longestValue = 120;

std::string shortened(std::string_view text) {
    std::string out(text.substr(0, characterStart(text, longestValue)));
    std::replace(out.begin(), out.end(), '\n', ' ');
    return text.size() > longestValue ? out + "..." : out;
}

/// Both begin a little before the first character that differs, so that neither is cut off before it.
std::pair<std::string, std::string> whereTheyDiffer(std::string_view left, std::string_view right) {
    constexpr std::size_t before = 40;
    if (left.size() <= longestValue && right.size() <= longestValue)
        return {shortened(left), shortened(right)};
    const auto at = std::size_t(std::ranges::mismatch(left, right).in1 - left.begin());
    const std::size_t from = at > before ? characterStart(left, at - before) : 0;
    const std::string dots = from > 0 ? "..." : "";
    return {dots + shortened(left.substr(from)), dots + shortened(right.substr(from))};
}

std::string twoLines(const KeyDifference& difference) {
    const auto [left, right] = whereTheyDiffer(difference.left, difference.right);
    return "    " + (left.empty() ? "-" : left) + "\n    " + (right.empty() ? "-" : right) + '\n';
}

std::string_view outcomeName(CacheQuestion::Outcome outcome) {
    switch (outcome) {
    case CacheQuestion::Outcome::Hit:
        return "hit";
    case CacheQuestion::Outcome::Miss:
        return "miss";
    case CacheQuestion::Outcome::Bypass:
        return "bypass";
    case CacheQuestion::Outcome::Unknown:
        break;
    }
    return "not looked up";
}

std::string hookName(const HooksInForce::Hook& hook) {
    return hook.type + (hook.name.empty() ? std::string() : ' ' + hook.name) + " (id " +
           std::to_string(hook.identity) + ')';
}

std::string compileOf(const Recording& recording, std::uint32_t attempt) {
    return attempt < recording.attempts().size() ? idText(recording.attempts()[attempt]) : std::string("-");
}

} // namespace

std::string cacheText(const Recording& recording) {
    std::string out;
    const std::vector<CacheQuestion> questions = cacheQuestions(recording);
    for (std::size_t i = 0; i < questions.size(); ++i) {
        const CacheQuestion& question = questions[i];
        out += compileOf(recording, question.attempt) + ' ' + std::string(outcomeName(question.outcome)) +
               ' ' + (question.key.empty() ? question.bypassReason : question.key) + '\n';
        for (const CacheNodeVerdict& node : question.nodes)
            out += "  node " + node.name + (node.wrapped ? ", wrapped" : "") +
                   (node.userCacheHash.empty() ? "" : ", user_cache_hash " + node.userCacheHash) +
                   (node.reason.empty() ? "" : ": " + node.reason) + '\n';
        for (const KeyPart& part : question.parts) {
            out +=
                "  " + part.name + (part.parts.empty() ? ": " + shortened(part.text) : std::string()) + '\n';
            for (const KeyPart& inner : part.parts)
                out += "    " + inner.name + ": " + shortened(inner.text) + '\n';
        }
        if (i == 0 || question.parts.empty() || questions[i - 1].parts.empty()) continue;
        const std::vector<KeyDifference> differences = compareKeys(questions[i - 1].parts, question.parts);
        if (differences.empty()) continue;
        const KeyDifference& first = differences.front();
        out += "  differs from the key before in " + count(differences.size(), "ingredient") + ", first in " +
               first.name + ":\n" + twoLines(first);
    }
    return out.empty() ? "nothing was looked up in AOTAutograd's cache\n" : out;
}

std::string cacheComparisonText(const Recording& left, const Recording& right) {
    const std::vector<CacheQuestion> ofLeft = cacheQuestions(left), ofRight = cacheQuestions(right);
    if (ofLeft.empty() && ofRight.empty()) return "nothing was looked up in AOTAutograd's cache by either\n";
    std::string out;
    std::size_t same = 0;
    for (const LookupPair& pair : pairLookups(left, ofLeft, right, ofRight)) {
        out += pair.compileId + ' ';
        if (pair.left == SIZE_MAX || pair.right == SIZE_MAX) {
            out += pair.left == SIZE_MAX ? "looked up by the second only\n" : "looked up by the first only\n";
            continue;
        }
        const CacheQuestion& a = ofLeft[pair.left];
        const CacheQuestion& b = ofRight[pair.right];
        out += std::string(outcomeName(a.outcome)) + ", " + std::string(outcomeName(b.outcome)) + ": ";
        if (a.key.empty() || b.key.empty()) {
            out += "no key, as the cache was bypassed: " + (a.key.empty() ? a.bypassReason : b.bypassReason) +
                   '\n';
        } else if (a.key == b.key) {
            ++same;
            out += "same key " + a.key + '\n';
        } else {
            out += a.key + " and " + b.key + '\n';
            if (pair.differences.empty()) out += "  the recordings do not hold what the keys are made of\n";
        }
        if (a.key == b.key) continue;
        for (const KeyDifference& difference : pair.differences)
            out += "  " + difference.name + '\n' + twoLines(difference);
    }
    return out + std::to_string(same) + " of " + std::to_string(std::max(ofLeft.size(), ofRight.size())) +
           " lookups have one key\n";
}

std::string graphsText(const Recording& recording) {
    std::string out;
    const std::vector<GraphFacts> graphs = graphFacts(recording);
    for (const GraphFacts& facts : graphs) {
        out += compileOf(recording, facts.attempt) + '\n';
        for (const InputStorage& input : facts.inputs)
            out += "  " + input.name + ": storage " + std::to_string(input.storage) + ", offset " +
                   std::to_string(input.offset) + ", " + count(input.bytes, "byte") + '\n';
        if (facts.inForce)
            out += "  saved-tensor hooks in force: " + hookName(facts.inForce->pack) + " and " +
                   hookName(facts.inForce->unpack) +
                   (facts.inForce->inlined ? ", taken in, for saved tensors: " + facts.inForce->filter
                                           : ", called at run time") +
                   '\n';
        for (const HookGraph& hook : facts.hooks) {
            out += "  " + hook.name + ":\n    " + shortened(hook.text) + '\n';
            for (const HookGraph::Wrapped& node : hook.wrapped)
                out += "    " + node.node + " user_cache_hash " +
                       (node.userCacheHash.empty() ? "none" : node.userCacheHash) + '\n';
        }
        for (const std::string& text : facts.operators)
            out += "  " + text + '\n';
    }
    for (const CompileInfo& compile : recording.compiles())
        for (const std::vector<std::string>* checks : {&compile.guards, &compile.recompileReasons})
            for (const std::string& check : *checks)
                if (const std::string text = explainHookGuard(graphs, check); !text.empty())
                    out += idText(compile) + (checks == &compile.guards ? " guard " : " recompiled: ") +
                           check + "\n  " + text + '\n';
    for (const LookupInfo& lookup : recording.lookups())
        out += std::string(lookup.hit ? "hit " : "miss ") + std::string(recording.text(lookup.place)) +
               ", after step " + std::to_string(lookup.after) + '\n';
    for (const TreeDecision& decision : recording.treeDecisions()) {
        out += "CUDA graph trees: " + std::string(recording.text(decision.what)) + ", function " +
               std::to_string(decision.function);
        if (decision.node != UINT32_MAX) out += ", node " + std::to_string(decision.node);
        if (decision.compile != 0) out += ", compile " + std::string(recording.text(decision.compile));
        out += ", after step " + std::to_string(decision.after);
        if (decision.reason != 0) out += ": " + shortened(recording.text(decision.reason));
        out += '\n';
    }
    return out.empty() ? "no graphs\n" : out;
}

} // namespace dynascope::cli
