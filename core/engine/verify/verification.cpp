// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/verify/verification.h"

#include "core/base/text.h"
#include "core/engine/verify/checks.h"
#include "core/engine/verify/double_precision.h"
#include "core/engine/verify/monitor.h"
#include "core/engine/verify/rounding_noise.h"
#include "core/engine/verify/shared_inputs.h"

#include <ATen/Context.h>
#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <map>

namespace dynascope::engine {

namespace {

using ir::NodeIndex;
using nlohmann::json;

using Answer = wire::VerifyVerdict;
/// How much smaller a difference becomes in double precision at least that is rounding: of nine digits more,
/// what leaves no doubt.
constexpr double vanishing = 100;
/// A difference above this part of the largest magnitude is rounding only where noise comes near to it.
constexpr double grave = 1e-3;
/// How much further than one rounding of each value a kernel's own roundings may go: sums of a million terms.
constexpr double inside = 1000;
constexpr int noiseRuns = 3;

std::string nameOf(const ir::Graph& graph, NodeIndex node) {
    return node < graph.size() ? graph.node(node).name : std::string();
}

std::string shortNumber(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2g", value);
    return text.data();
}

/// Fresh memory is filled while this lives, so that reading it shows.
class FilledMemory {
public:
    FilledMemory()
        : m_deterministic(at::globalContext().deterministicAlgorithms())
        , m_warnOnly(at::globalContext().deterministicAlgorithmsWarnOnly())
        , m_fill(at::globalContext().deterministicFillUninitializedMemory()) {
        at::globalContext().setDeterministicAlgorithms(true, true);
        at::globalContext().setDeterministicFillUninitializedMemory(true);
    }
    FilledMemory(const FilledMemory&) = delete;
    FilledMemory& operator=(const FilledMemory&) = delete;
    ~FilledMemory() {
        at::globalContext().setDeterministicAlgorithms(m_deterministic, m_warnOnly);
        at::globalContext().setDeterministicFillUninitializedMemory(m_fill);
    }

private:
    bool m_deterministic, m_warnOnly, m_fill;
};

class Verifier {
public:
    Verifier(const VerifyRequest& request, const json& inputs, const TaskContext& task)
        : m_request(request)
        , m_inputs(inputs)
        , m_task(task)
        , m_source(*request.source.program->graph)
        , m_computed(*request.computed.program->graph) {
        for (const ir::NodePtr& node : m_source.nodes()) {
            if (node->op == ir::Op::Placeholder) m_names.push_back(node->name);
        }
    }

    wire::VerifyReply run() {
        Monitor monitor;
        const ProgramRun eager = runSide(m_request.source, m_inputs, m_request.seed, m_task, &monitor);
        m_order = monitor.orderDependent();
        m_random = monitor.random();
        m_empty = monitor.uninitialized();
        m_unit = monitor.unit();
        const ProgramRun computed = runSide(m_request.computed, m_inputs, m_request.seed, m_task);
        if (m_task.cancelled()) return verdict(Answer::Declined, "cancelled");
        if (eager.error || computed.error) return errors(eager.error, computed.error);
        m_checks = compare(eager, computed, m_names, m_request.strict);
        if (eager.inputs.anyRequiresGrad) addGradients(m_request.source, m_request.computed, m_checks);
        judgeRounding(eager.inputs.anyRequiresGrad);
        const auto wrong = firstWrong();
        if (wrong == m_checks.end()) return verdict(Answer::Equal, note());
        std::optional<FirstDifference> first = locate(*wrong);
        if (m_task.cancelled()) return verdict(Answer::Declined, "cancelled");
        std::optional<wire::VerifyReply> undefined = undefinedResult(first, eager);
        wire::VerifyReply out = undefined ? std::move(*undefined)
                                          : verdict(Answer::Different, summary(*wrong) + noiseNote(*wrong));
        if (first) out.firstDifference = told(*first);
        return out;
    }

private:
    wire::VerifyReply verdict(Answer answer, std::string reason) {
        wire::VerifyReply out;
        out.verdict = answer;
        out.reason = std::move(reason);
        for (const Check& check : m_checks)
            out.checks.push_back(wireCheck(check));
        out.inDoublePrecision = m_wideSource.has_value();
        return out;
    }

    wire::VerifyReply errors(const std::optional<RunError>& eager, const std::optional<RunError>& computed) {
        const auto text = [](const std::optional<RunError>& error) {
            return error ? wire::Found{std::string(firstLine(error->message))} : wire::Found();
        };
        Check check{"the call", "error", true, true, text(eager), text(computed), 0, 0, {}, false};
        check.ok = check.expected == check.actual;
        m_checks.push_back(check);
        if (eager && !computed)
            return verdict(Answer::Declined,
                           "eager raises at '" + nameOf(m_source, eager->node) +
                               "', and the computed graph runs: " + std::string(firstLine(eager->message)));
        if (eager) {
            return verdict(check.ok ? Answer::Equal : Answer::Declined,
                           check.ok ? "both raise the same error" : "both raise, but not the same error");
        }
        wire::VerifyReply out = verdict(Answer::Different, "only the computed graph raises: " +
                                                               std::string(firstLine(computed->message)));
        if (computed->node >= m_computed.size()) return out;
        if (const auto first = Locator(m_request.source, m_request.computed, m_request.pairs, m_inputs,
                                       m_request.seed, m_task)
                                   .findBefore(computed->node)) {
            out.firstDifference = told(*first);
        } else {
            const auto pair =
                std::find_if(m_request.pairs.begin(), m_request.pairs.end(),
                             [&](const MatchedPair& p) { return p.computed == computed->node; });
            wire::FirstDifference& at = out.firstDifference.emplace();
            at.computed = nameOf(m_computed, computed->node);
            if (pair != m_request.pairs.end()) at.source = nameOf(m_source, pair->source);
            at.text = firstLine(computed->message);
            at.runs = 1;
            at.how = "it raises";
        }
        return out;
    }

    void addGradients(const Side& source, const Side& computed, std::vector<Check>& checks) const {
        const GradientRun expected = runForGradients(source, m_inputs, m_request.seed, m_task);
        const GradientRun actual = runForGradients(computed, m_inputs, m_request.seed, m_task);
        std::vector<std::string> leaves;
        for (std::size_t i = 0; i < m_names.size() && i < m_inputs["inputs"].size(); ++i) {
            const json& input = m_inputs["inputs"][i];
            if (input.is_object() && input.value("requires_grad", false)) leaves.push_back(m_names[i]);
        }
        for (Check& check : compare(expected, actual, leaves))
            checks.push_back(std::move(check));
    }

    /// Runs both in double precision where values differ, or tell too little because they are small: what
    /// all but vanishes there was rounding, and what stays is a difference.
    void judgeRounding(bool withGradients) {
        const auto unclear = [](const Check& check) {
            return check.counts && check.property == "values" && (!check.ok || check.small);
        };
        if (std::none_of(m_checks.begin(), m_checks.end(), unclear) || !areWidenable(m_inputs)) return;
        auto source = inDoublePrecision(m_request.source), computed = inDoublePrecision(m_request.computed);
        if (!source || !computed) return;
        const ProgramRun expected = runSide(*source, m_inputs, m_request.seed, m_task);
        const ProgramRun actual = runSide(*computed, m_inputs, m_request.seed, m_task);
        if (expected.error || actual.error) return;
        std::vector<Check> wide = compare(expected, actual, m_names, m_request.strict);
        if (withGradients) addGradients(*source, *computed, wide);
        m_wideSource = std::move(source);
        m_wideComputed = std::move(computed);
        for (Check& check : m_checks) {
            if (!unclear(check)) continue;
            const auto found = std::find_if(wide.begin(), wide.end(), [&](const Check& other) {
                return other.what == check.what && other.property == check.property;
            });
            check.rounded = found != wide.end() && found->ok && check.finite && found->finite &&
                            found->maxAbsolute <= check.maxAbsolute / vanishing &&
                            (check.ok || noiseExplains(check, expected));
            check.ok = check.rounded && check.ok;
            check.counts = !check.rounded;
            if (!check.rounded || check.ok) continue;
            const double largest = check.largest > 0 ? check.largest : 1;
            m_rounded = std::max(m_rounded.value_or(0), check.maxAbsolute / largest);
            m_roundedWide = std::max(m_roundedWide, found->maxAbsolute / largest);
        }
    }

    /// Whether rounding can have made as large a difference. `clean` ran in double precision.
    bool noiseExplains(const Check& check, const ProgramRun& clean) {
        if (check.maxAbsolute <= grave * check.largest || m_unit == 0) return true;
        if (m_noise.empty()) measureNoise(clean);
        return !isBeyondNoise(check);
    }

    /// False where noise was not measured: gradients are not run with it.
    [[nodiscard]] bool isBeyondNoise(const Check& check) const {
        const auto found = m_noise.find(check.what);
        return found != m_noise.end() && check.maxAbsolute > inside * found->second;
    }

    void measureNoise(const ProgramRun& clean) {
        for (int i = 0; i < noiseRuns && !m_task.cancelled(); ++i) {
            Side side = *m_wideSource;
            for (auto& [name, tensor] : side.attributes)
                tensor = tensor.clone();
            RoundingNoise noise(*side.program->graph, m_unit, m_request.seed + static_cast<std::uint64_t>(i));
            const ProgramRun moved = runSide(side, m_inputs, m_request.seed, m_task, &noise);
            if (moved.error) continue;
            for (const Check& check : compare(clean, moved, m_names, m_request.strict)) {
                if (check.property != "values") continue;
                // Where noise makes infinities or another NaN, it explains anything.
                const double moves =
                    check.finite ? check.maxAbsolute : std::numeric_limits<double>::infinity();
                double& most = m_noise.try_emplace(check.what, 0.0).first->second;
                most = std::max(most, moves);
            }
        }
    }

    /// What is known of a difference that double precision does not have.
    [[nodiscard]] std::string noiseNote(const Check& check) const {
        if (!isBeyondNoise(check)) return {};
        return "; by up to " + shortNumber(check.maxAbsolute) +
               ", and in double precision hardly at all: one rounding of every value makes " +
               shortNumber(m_noise.at(check.what)) +
               " of it, so it is no rounding: a kernel seems to do something else in this precision";
    }

    [[nodiscard]] std::vector<Check>::const_iterator firstWrong() const {
        return std::find_if(m_checks.begin(), m_checks.end(),
                            [](const Check& check) { return check.counts && !check.ok; });
    }

    std::optional<FirstDifference> locate(const Check& wrong) {
        // A check of values leads inside; one of a gradient or a storage as a whole does not.
        const auto leads = [](const Check& check) { return check.counts && !check.ok && check.symptom; };
        const auto start = wrong.symptom ? std::find_if(m_checks.cbegin(), m_checks.cend(),
                                                        [&](const Check& c) { return &c == &wrong; })
                                         : std::find_if(m_checks.cbegin(), m_checks.cend(), leads);
        if (start == m_checks.cend() || m_request.pairs.empty()) return std::nullopt;
        // In double precision rounding does not add up to a difference.
        if (m_wideSource && m_wideComputed)
            if (auto first =
                    Locator(*m_wideSource, *m_wideComputed, m_request.pairs, m_inputs, m_request.seed, m_task)
                        .find(*start->symptom)) {
                first->how += ", in double precision";
                return first;
            }
        return Locator(m_request.source, m_request.computed, m_request.pairs, m_inputs, m_request.seed,
                       m_task)
            .find(*start->symptom);
    }

    /// The verdict of a program for which eager itself has no one answer, if that explains the difference.
    std::optional<wire::VerifyReply> undefinedResult(const std::optional<FirstDifference>& first,
                                                     const ProgramRun& eager) {
        const auto explains = [&](const std::optional<Hazard>& hazard) {
            if (!hazard) return false;
            return !first || first->source == ir::npos || hazard->node == ir::npos ||
                   first->source >= hazard->node;
        };
        if (explains(m_order))
            return verdict(Answer::OrderDependent, "eager has no defined result: at '" +
                                                       nameOf(m_source, m_order->node) + "' " +
                                                       m_order->text);
        if (explains(m_random) && eagerVaries(eager, m_request.seed + 1))
            return verdict(Answer::Random, "eager differs from run to run: at '" +
                                               nameOf(m_source, m_random->node) + "' " + m_random->text);
        if (explains(m_empty)) {
            const FilledMemory filled;
            if (eagerVaries(eager, m_request.seed))
                return verdict(Answer::Random, "eager reads what nobody wrote: at '" +
                                                   nameOf(m_source, m_empty->node) + "' " + m_empty->text);
        }
        return {};
    }

    bool eagerVaries(const ProgramRun& eager, std::uint64_t seed) {
        const ProgramRun again = runSide(m_request.source, m_inputs, seed, m_task);
        if (again.error) return true;
        const std::vector<Check> checks = compare(eager, again, m_names, false);
        return std::any_of(checks.begin(), checks.end(),
                           [](const Check& check) { return check.counts && !check.ok; });
    }

    [[nodiscard]] std::string note() const {
        std::string out;
        if (m_rounded)
            out = "the results differ by rounding: by up to " + shortNumber(*m_rounded) +
                  " of the largest magnitude, in double precision by up to " + shortNumber(m_roundedWide);
        const std::string hazard = hazardNote();
        return out.empty() || hazard.empty() ? out + hazard : out + "; " + hazard;
    }

    [[nodiscard]] std::string hazardNote() const {
        if (m_order)
            return "equal here, but the result is not defined: at '" + nameOf(m_source, m_order->node) +
                   "' " + m_order->text;
        if (m_random)
            return "equal with the same random numbers: at '" + nameOf(m_source, m_random->node) + "' " +
                   m_random->text;
        return {};
    }

    static std::string summary(const Check& check) {
        std::string out = check.what + ": " + check.property + " differ";
        if (check.property == "dtype" || check.property == "shape")
            out = check.what + ": the " + check.property + " differs";
        return out + ", expected " + check.expected.text() + ", got " + check.actual.text();
    }

    [[nodiscard]] wire::FirstDifference told(const FirstDifference& first) const {
        wire::FirstDifference out;
        out.computed = nameOf(m_computed, first.computed);
        out.source = nameOf(m_source, first.source);
        out.index = first.difference.cell;
        out.expected = first.difference.expected;
        out.actual = first.difference.actual;
        out.text = first.difference.text;
        for (const NodeIndex node : first.among)
            out.among.push_back(nameOf(m_computed, node));
        out.runs = first.runs;
        out.how = first.how;
        return out;
    }

    const VerifyRequest& m_request;
    const json& m_inputs;
    const TaskContext& m_task;
    const ir::Graph& m_source;
    const ir::Graph& m_computed;
    std::vector<std::string> m_names; ///< of the source's placeholders
    std::vector<Check> m_checks;
    std::optional<Hazard> m_order, m_random, m_empty;
    std::optional<Side> m_wideSource, m_wideComputed; ///< where both ran
    std::optional<double> m_rounded;                  ///< the largest difference that rounding makes, of
                                                      ///< the largest magnitude
    double m_roundedWide = 0;                         ///< the same in double precision
    double m_unit = 0;                                ///< of the coarsest values in eager
    std::map<std::string, double> m_noise; ///< how far rounding takes a value, by Check::what; where measured
};

} // namespace

tl::expected<wire::VerifyReply, Failure> verify(const VerifyRequest& request, const TaskContext& task) {
    std::optional<wire::VerifyReply> worst; // the words of wire::VerifyVerdict stand worst first
    std::vector<wire::VariantVerdict> variants;
    auto all = request.aliasing ? inputVariants(request.inputs)
                                : std::vector<InputVariant>{{"as given", request.inputs}};
    for (const InputVariant& variant : all) {
        wire::VerifyReply result = Verifier(request, variant.inputs, task).run();
        if (task.cancelled()) return tl::unexpected(Failure{ErrorCode::Cancelled, "cancelled", {}});
        variants.push_back({variant.name, result.verdict, result.reason});
        if (worst && result.verdict >= worst->verdict) continue;
        worst = std::move(result);
        worst->inputs = variant.name;
    }
    worst->variants = std::move(variants);
    return std::move(*worst);
}

} // namespace dynascope::engine
