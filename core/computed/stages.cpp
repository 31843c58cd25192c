// SPDX-License-Identifier: BSD-3-Clause
#include "views/engine/pass_replies.h"

#include "core/ir/annotate.h"

#include "views/models/labels.h"

namespace dynascope::views {

namespace {

constexpr std::pair<Verdict::Kind, std::string_view> verdictNames[] = {
    {Verdict::Kind::Equal, "equal"},       {Verdict::Kind::Different, "different"},
    {Verdict::Kind::Declined, "declined"}, {Verdict::Kind::OrderDependent, "order-dependent"},
    {Verdict::Kind::Random, "random"},     {Verdict::Kind::NotRun, "not run"},
};

} // namespace

diff::Origins originsOf(const wire::PassReply& reply, const ir::Graph& source, const ir::Graph& result) {
    diff::Origins out;
    if (reply.passes.empty()) return out;
    for (const auto& [before, after] : reply.passes.back().provenance) {
        const ir::NodeIndex from = source.find(before), to = result.find(after);
        if (from != ir::npos && to != ir::npos) out.emplace_back(from, to);
    }
    return out;
}

ir::GraphPtr withShapes(const ir::Graph& graph, const wire::PassReply& reply) {
    return ir::withAnnotations(graph, [&](const std::string& node) {
        if (!reply.meta) return std::string();
        const auto shape = reply.meta->find(node);
        return shape == reply.meta->end() ? std::string() : shape->second;
    });
}

std::string_view verdictName(Verdict::Kind kind) {
    for (const auto& [known, name] : verdictNames)
        if (known == kind) return name;
    return {};
}

std::optional<Verdict::Kind> verdictKind(std::string_view name) {
    for (const auto& [kind, known] : verdictNames)
        if (known == name) return kind;
    return std::nullopt;
}

CheckedStage checkedStage(const wire::VerifyReply& reply) {
    CheckedStage out;
    out.verdict.kind = verdictKind(wire::verdictName(reply.verdict)).value_or(Verdict::Kind::Declined);
    out.verdict.text = toQString(reply.reason);
    std::size_t checks = 0;
    for (const wire::Check& check : reply.checks) {
        if (!check.counts) continue;
        ++checks;
        if (check.ok) continue;
        out.differences << QObject::tr("%1, %2: %3, expected %4")
                               .arg(toQString(check.what), toQString(check.property),
                                    toQString(wire::shownValue(check.actual)),
                                    toQString(wire::shownValue(check.expected)));
    }
    if (out.verdict.text.isEmpty() && out.verdict.kind == Verdict::Kind::Equal)
        out.verdict.text = QObject::tr("%1 checks of outputs and inputs after the call").arg(checks);
    if (const auto& first = reply.firstDifference) {
        out.parting = {first->computed, first->source, toQString(wire::shownValue(first->expected)),
                       toQString(wire::shownValue(first->actual)), toQString(first->text)};
        out.verdict.node = out.parting.node;
        out.verdict.nodeFrom = out.parting.nodeFrom;
    }
    return out;
}

} // namespace dynascope::views
