// SPDX-License-Identifier: BSD-3-Clause
#include "views/autograd/convention_values.h"

#include "core/computed/node_values.h"
#include "views/autograd/convention_view.h"
#include "views/values/value_text.h"
#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <algorithm>

namespace dynascope::views {

namespace {

constexpr std::size_t mostShown = 6, mostFacts = 40;

std::vector<double> firstOf(const computed::TensorValue& value) {
    if (!value.data.empty())
        return {value.data.begin(), value.data.begin() + long(std::min<std::size_t>(value.data.size(), 64))};
    std::vector<double> out;
    if (!value.corner.empty()) out = value.corner.front(); // later rows need not follow on
    return out;
}

} // namespace

session::StagePtr calledStage(const session::Compile& compile, const computed::AotConvention& convention) {
    for (const session::StagePtr& stage : compile.stages) {
        if (stage->content != session::Stage::Content::Graph) continue;
        const Result<ir::GraphPtr> graph = stage->graph();
        if (!graph) continue;
        const auto inputs =
            std::count_if((*graph)->nodes().begin(), (*graph)->nodes().end(),
                          [](const ir::NodePtr& node) { return node->op == ir::Op::Placeholder; });
        return std::size_t(inputs) == convention.taken ? stage : nullptr;
    }
    return nullptr;
}

ConventionValues conventionValues(const wire::ExecuteReply& reply, const ir::Graph& graph) {
    ConventionValues out;
    const computed::NodeValues values = computed::nodeValues(reply);
    const std::vector<wire::RunValue>& after = reply.post.inputs;
    for (const ir::NodePtr& node : graph.nodes()) {
        if (node->op != ir::Op::Placeholder) continue;
        ConventionValues::Argument& argument = out.outer.emplace_back();
        const std::size_t at = out.outer.size() - 1;
        if (const auto known = values.find(node->name); known != values.end())
            argument.before = known->second;
        if (at < after.size()) argument.after = computed::tensorValue(after[at]);
        if (!argument.before || !argument.after) continue;
        const std::vector<double> was = firstOf(*argument.before), is = firstOf(*argument.after);
        argument.changed =
            argument.before->shape != argument.after->shape ||
            !std::equal(was.begin(), was.begin() + long(std::min(was.size(), is.size())), is.begin());
        // Beyond the first few, sums tell.
        const auto &a = argument.before->statistics, &b = argument.after->statistics;
        if (a && b && (a->min != b->min || a->max != b->max || a->zero != b->zero)) argument.changed = true;
    }
    for (const wire::RunValue& output : reply.outputs) {
        ConventionValues::Result& result = out.results.emplace_back();
        result.value = computed::tensorValue(output);
        if (output.aliases && output.aliases->isInput && *output.aliases->isInput < out.outer.size())
            result.input = int(*output.aliases->isInput);
    }
    return out;
}

QString firstValues(const computed::TensorValue& value) {
    const std::vector<double> first = firstOf(value);
    QStringList cells;
    for (std::size_t i = 0; i < std::min(first.size(), mostShown); ++i)
        cells << cellText(first[i]);
    if (value.count > std::int64_t(cells.size())) cells << QStringLiteral("…");
    return u'[' + cells.join(QStringLiteral(", ")) + u']';
}

Section valuesSection(const computed::AotConvention& convention, const ConventionValues& values,
                      computed::AotConventionStep step) {
    Section out;
    const auto list = [&](const QString& label, const std::optional<computed::TensorValue>& value) {
        if (value && out.facts.size() < mostFacts)
            out.facts.push_back(fact(label, {mono(firstValues(*value))}, typeText(*value)));
    };
    const auto nameOf = [&](std::size_t outer) { return argumentName(convention.outer[outer]); };
    const std::size_t known = std::min(values.outer.size(), convention.outer.size());
    switch (step) {
    case computed::AotConventionStep::Outer:
    case computed::AotConventionStep::Dedupe:
        out.title = tr("Values before the call");
        for (std::size_t i = 0; i < known; ++i)
            if (step == computed::AotConventionStep::Outer || convention.outer[i].sameAs < 0)
                list(nameOf(i), values.outer[i].before);
        break;
    case computed::AotConventionStep::Bases:
        out.title = tr("Values of the members before the call");
        for (std::size_t b = 0; b < convention.bases.size(); ++b)
            for (const int member : convention.bases[b].members)
                if (std::size_t(member) < known)
                    list(tr("base %1, %2").arg(b).arg(nameOf(std::size_t(member))),
                         values.outer[std::size_t(member)].before);
        break;
    case computed::AotConventionStep::Inner:
        out.title = tr("Values that the graph takes");
        for (const computed::InnerCard& inner : convention.inner)
            if (inner.outer >= 0 && std::size_t(inner.outer) < known)
                list(toQString(inner.name), values.outer[std::size_t(inner.outer)].before);
        break;
    case computed::AotConventionStep::Outputs:
        out.title = tr("Values of the results");
        for (std::size_t i = 0; i < values.results.size(); ++i)
            list(tr("result %1").arg(i), values.results[i].value);
        break;
    case computed::AotConventionStep::Epilogue:
        out.title = tr("Arguments after the call");
        for (std::size_t i = 0; i < known; ++i) {
            const ConventionValues::Argument& argument = values.outer[i];
            if (!argument.changed || out.facts.size() >= mostFacts) continue;
            out.facts.push_back(fact(nameOf(i),
                                     {quiet(firstValues(*argument.before) + QStringLiteral(" → ")),
                                      mono(firstValues(*argument.after))},
                                     typeText(*argument.after)));
        }
        if (out.facts.empty())
            out.facts.push_back(paragraph({quiet(tr("No argument holds another value after the call."))}));
        break;
    }
    return out;
}

} // namespace dynascope::views
