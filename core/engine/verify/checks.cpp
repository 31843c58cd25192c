// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/verify/checks.h"

#include "core/engine/exec/torch_words.h"

#include <algorithm>
#include <cmath>

namespace dynascope::engine {

namespace {

using at::Tensor;
using wire::Found;

Check simple(std::string what, std::string property, Found expected, Found actual, bool counts) {
    Check check{std::move(what), std::move(property), true, counts, {}, {}, 0, 0, {}, false};
    check.ok = expected == actual;
    check.expected = std::move(expected);
    check.actual = std::move(actual);
    return check;
}

Found valueOf(const std::optional<wire::Number>& cell) {
    return cell ? Found{*cell} : Found();
}

Check values(std::string what, const Tensor& expected, const Tensor& actual, std::optional<Symptom> symptom) {
    Check check{std::move(what), "values", true, true, {}, {}, 0, 0, {}, false, symptom};
    Distance found = distance(expected, actual);
    check.ok = found.same;
    check.maxAbsolute = found.maxAbsolute;
    check.maxRelative = found.maxRelative;
    check.close = found.close;
    check.small = found.small;
    check.finite = found.finite;
    check.largest = found.largest;
    check.cell = std::move(found.cell);
    check.expected = valueOf(found.expected);
    check.actual = valueOf(found.actual);
    return check;
}

Found stridesOf(const Tensor& tensor) {
    return {Found::Layout{tensor.strides().vec(), tensor.storage_offset()}};
}

Found countOf(std::size_t count) {
    return {wire::Number{std::int64_t(count)}};
}

/// Shape, dtype and, where these agree, values.
void content(std::vector<Check>& out, const std::string& what, const Tensor& expected, const Tensor& actual,
             std::optional<Symptom> symptom) {
    out.push_back(simple(what, "dtype", Found{dtypeName(expected.scalar_type())},
                         Found{dtypeName(actual.scalar_type())}, true));
    out.push_back(simple(what, "shape", Found{expected.sizes().vec()}, Found{actual.sizes().vec()}, true));
    out.back().symptom = symptom;
    if (out.back().ok) out.push_back(values(what, expected, actual, symptom));
}

class Sharing {
public:
    explicit Sharing(const ProgramRun& run)
        : m_run(run) {}

    /// Inputs and earlier outputs on the same storage.
    [[nodiscard]] Found storage(std::size_t output) const {
        Found::Sharing out;
        const void* key = keyOf(m_run.results[output].toTensor());
        for (std::size_t i = 0; i < m_run.storagesBefore.size(); ++i) {
            if (m_run.storagesBefore[i] == key) out.inputs.push_back(i);
        }
        for (std::size_t i = 0; i < output; ++i) {
            if (m_run.results[i].isTensor() && keyOf(m_run.results[i].toTensor()) == key)
                out.outputs.push_back(i);
        }
        return {std::move(out)};
    }

    /// The input, or the earlier output, that is the very same tensor.
    [[nodiscard]] Found identity(std::size_t output) const {
        const Tensor& tensor = m_run.results[output].toTensor();
        for (std::size_t i = 0; i < m_run.inputs.tensors.size(); ++i) {
            if (m_run.inputs.tensors[i].defined() && m_run.inputs.tensors[i].is_same(tensor))
                return {"input " + std::to_string(i)};
        }
        for (std::size_t i = 0; i < output; ++i) {
            if (m_run.results[i].isTensor() && m_run.results[i].toTensor().is_same(tensor))
                return {"output #" + std::to_string(i)};
        }
        return {"a tensor of its own"};
    }

    [[nodiscard]] Found keepsStorage(std::size_t input) const {
        return {wire::Number{keyOf(m_run.inputs.tensors[input]) == m_run.storagesBefore[input]}};
    }

private:
    static const void* keyOf(const Tensor& tensor) { return storageKeys({tensor}).front(); }

    const ProgramRun& m_run;
};

void compareOutput(std::vector<Check>& out, const ProgramRun& expected, const ProgramRun& actual,
                   std::size_t position, bool strict) {
    const std::string what = "output #" + std::to_string(position);
    const c10::IValue& a = expected.results[position];
    const c10::IValue& b = actual.results[position];
    const Symptom symptom{false, position};
    if (!a.isTensor() || !b.isTensor()) {
        Check check{what, "values", true, true, {}, {}, 0, 0, {}, false, symptom};
        if (auto difference = valueDifference(a, b)) {
            check.ok = false;
            check.expected = difference->expected.isNothing() ? Found{a.tagKind()} : difference->expected;
            check.actual = difference->actual.isNothing() ? Found{b.tagKind()} : difference->actual;
            if (a.isDouble() && b.isDouble()) check.maxAbsolute = std::abs(a.toDouble() - b.toDouble());
        }
        out.push_back(std::move(check));
        return;
    }
    content(out, what, a.toTensor(), b.toTensor(), symptom);
    out.push_back(simple(what, "strides", stridesOf(a.toTensor()), stridesOf(b.toTensor()), strict));
    out.push_back(simple(what, "storage", Sharing(expected).storage(position),
                         Sharing(actual).storage(position), strict));
    out.push_back(simple(what, "identity", Sharing(expected).identity(position),
                         Sharing(actual).identity(position), strict));
}

} // namespace

std::vector<Check> compare(const ProgramRun& expected, const ProgramRun& actual,
                           const std::vector<std::string>& names, bool strict) {
    std::vector<Check> out;
    if (expected.results.size() != actual.results.size())
        out.push_back(simple("the call", "number of outputs", countOf(expected.results.size()),
                             countOf(actual.results.size()), true));
    for (std::size_t i = 0; i < std::min(expected.results.size(), actual.results.size()); ++i)
        compareOutput(out, expected, actual, i, strict);
    for (std::size_t i = 0; i < expected.inputs.tensors.size(); ++i) {
        if (!expected.inputs.tensors[i].defined()) continue; // a number stays what it is
        const std::string what =
            "input " + (i < names.size() ? names[i] : std::to_string(i)) + " after the call";
        const Tensor& a = expected.inputs.tensors[i];
        const Tensor& b = actual.inputs.tensors[i];
        const Symptom symptom{true, i};
        content(out, what, a, b, symptom);
        out.push_back(simple(what, "strides", stridesOf(a), stridesOf(b), true));
        out.push_back(simple(what, "storage", Sharing(expected).keepsStorage(i),
                             Sharing(actual).keepsStorage(i), strict));
    }
    for (std::size_t i = 0; i < expected.inputs.storages.size(); ++i) {
        Check check = values("storage " + std::to_string(i) + " after the call", expected.inputs.storages[i],
                             actual.inputs.storages[i], {});
        out.push_back(std::move(check));
    }
    return out;
}

std::vector<Check> compare(const GradientRun& expected, const GradientRun& actual,
                           const std::vector<std::string>& names) {
    std::vector<Check> out;
    if (expected.error || actual.error) {
        // Some operators of functional graphs have no derivative of their own; AOTAutograd differentiates
        // before it makes them.
        const auto text = [](const GradientRun& run) { return run.error ? Found{*run.error} : Found(); };
        out.push_back(simple("the backward pass", "error", text(expected), text(actual), false));
        return out;
    }
    if (expected.gradients.size() != actual.gradients.size())
        out.push_back(simple("the backward pass", "number of gradients", countOf(expected.gradients.size()),
                             countOf(actual.gradients.size()), true));
    for (std::size_t i = 0; i < std::min(expected.gradients.size(), actual.gradients.size()); ++i) {
        const std::string what = "gradient of " + (i < names.size() ? names[i] : std::to_string(i));
        const Tensor& a = expected.gradients[i];
        const Tensor& b = actual.gradients[i];
        if (!a.defined() || !b.defined()) {
            out.push_back(simple(what, "values", Found{a.defined() ? "a tensor" : "none"},
                                 Found{b.defined() ? "a tensor" : "none"}, true));
            continue;
        }
        content(out, what, a, b, {});
    }
    return out;
}

wire::Check wireCheck(const Check& check) {
    wire::Check out;
    out.what = check.what;
    out.property = check.property;
    out.ok = check.ok;
    out.counts = check.counts;
    out.expected = check.expected;
    out.actual = check.actual;
    if (check.property != "values") return out;
    wire::ValueDistance& distance = out.distance.emplace();
    distance.maxAbsolute = check.maxAbsolute;
    distance.maxRelative = check.maxRelative;
    distance.close = check.close;
    distance.rounded = check.rounded;
    if (!check.ok) distance.cell = check.cell;
    return out;
}

} // namespace dynascope::engine
