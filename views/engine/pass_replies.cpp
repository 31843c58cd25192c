// SPDX-License-Identifier: BSD-3-Clause
#include "views/engine/pass_replies.h"

#include "core/base/json_fields.h"
#include "core/ir/annotate.h"

#include "views/models/labels.h"

namespace dynascope::views {

namespace {

using nlohmann::json;

QString writtenValue(const json& object, const char* key) {
    const auto at = object.find(key);
    return at == object.end() || at->is_null() ? QString()
           : at->is_string()                   ? toQString(at->get<std::string>())
                                               : toQString(at->dump());
}

constexpr std::pair<Verdict::Kind, std::string_view> verdictNames[] = {
    {Verdict::Kind::Equal, "equal"},       {Verdict::Kind::Different, "different"},
    {Verdict::Kind::Declined, "declined"}, {Verdict::Kind::OrderDependent, "order-dependent"},
    {Verdict::Kind::Random, "random"},     {Verdict::Kind::NotRun, "not run"},
};

} // namespace

diff::Origins readOrigins(const nlohmann::json& reply, const ir::Graph& source, const ir::Graph& result) {
    diff::Origins out;
    const auto passes = reply.find("passes");
    if (passes == reply.end() || !passes->is_array() || passes->empty() || !passes->back().is_object())
        return out;
    const auto pairs = passes->back().find("provenance");
    if (pairs == passes->back().end() || !pairs->is_array()) return out;
    for (const json& pair : *pairs) {
        if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string()) continue;
        const ir::NodeIndex from = source.find(pair[0].get_ref<const std::string&>());
        const ir::NodeIndex to = result.find(pair[1].get_ref<const std::string&>());
        if (from != ir::npos && to != ir::npos) out.emplace_back(from, to);
    }
    return out;
}

ir::GraphPtr withShapes(const ir::Graph& graph, const json& reply) {
    const auto meta = reply.find("meta");
    return ir::withAnnotations(graph, [&](const std::string& node) {
        return meta != reply.end() && meta->is_object() ? stringField(*meta, node.c_str()) : std::string();
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

CheckedStage readChecked(const nlohmann::json& reply) {
    CheckedStage out;
    if (!reply.is_object()) return out;
    out.verdict.kind = verdictKind(stringField(reply, "verdict")).value_or(Verdict::Kind::Declined);
    out.verdict.text = toQString(stringField(reply, "reason"));
    std::size_t checks = 0;
    for (const json& check : reply.value("checks", json::array())) {
        if (!check.is_object() || check.value("counts", json(true)) == json(false)) continue;
        ++checks;
        if (check.value("ok", json(true)) != json(false)) continue;
        out.differences << QObject::tr("%1, %2: %3, expected %4")
                               .arg(toQString(stringField(check, "what")),
                                    toQString(stringField(check, "property")), writtenValue(check, "actual"),
                                    writtenValue(check, "expected"));
    }
    if (out.verdict.text.isEmpty() && out.verdict.kind == Verdict::Kind::Equal)
        out.verdict.text = QObject::tr("%1 checks of outputs and inputs after the call").arg(checks);
    if (const auto first = reply.find("first_difference"); first != reply.end() && first->is_object()) {
        out.parting = {stringField(*first, "computed"), stringField(*first, "source"),
                       writtenValue(*first, "expected"), writtenValue(*first, "actual"),
                       toQString(stringField(*first, "text"))};
        out.verdict.node = out.parting.node;
        out.verdict.nodeFrom = out.parting.nodeFrom;
    }
    return out;
}

} // namespace dynascope::views
