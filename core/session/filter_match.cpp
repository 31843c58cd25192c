// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/filter_match.h"

#include "core/base/python_text.h"
#include "core/base/words.h"
#include "core/session/compile_counts.h"
#include "core/session/generated_code.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace dynascope::session {

namespace {

std::string_view baseName(std::string_view path) {
    const std::size_t slash = path.find_last_of("/\\");
    return slash == path.npos ? path : path.substr(slash + 1);
}

std::vector<std::string> splitSizes(std::string_view text) {
    if (text.starts_with('[')) text.remove_prefix(1);
    if (text.ends_with(']')) text.remove_suffix(1);
    const auto views = python::splitOutside(text, ',', python::Quotes::Marks);
    return {views.begin(), views.end()};
}

/// "call_function", or the kind: "writes" (in place or in functional form), "view", "input", ...; or what it calls.
bool matchesOp(const ir::Node& node, std::string_view lower) {
    return containsLowered(ir::opName(node.op), lower) ||
           containsLowered(ir::opKindName(ir::opKind(node)), lower) || containsLowered(node.target, lower);
}

bool compileHas(const FilterSubject& subject, std::string_view word) {
    const Compile& c = *subject.compile;
    const auto has = [word](std::string_view text) { return containsLowered(text, word); };
    if (has(c.function) || has(c.id.toString()) || (subject.session && has(subject.session->title)))
        return true;
    if (const ir::SourceLocation* at = c.location();
        at && (has(baseName(at->file)) || has(at->code) ||
               has(std::string(baseName(at->file)) + ':' + std::to_string(at->line))))
        return true;
    const auto words = statusWords(c);
    return std::any_of(words.begin(), words.end(), has) || has(c.failType) || has(c.failReason) ||
           std::any_of(c.recompileReasons.begin(), c.recompileReasons.end(), has) ||
           std::any_of(c.breaks.begin(), c.breaks.end(), [&](const GraphBreak& b) { return has(b.title); }) ||
           std::any_of(c.stages.begin(), c.stages.end(), [&](const StagePtr& s) { return has(s->name); });
}

bool nodeHas(const ir::Node& node, std::string_view word) {
    if (containsLowered(node.name, word) || containsLowered(node.target, word) ||
        containsLowered(node.comment, word))
        return true;
    if (node.meta && containsLowered(node.meta->shortForm(), word)) return true;
    const ir::SourceLocation* at = node.location();
    return at && (containsLowered(at->code, word) || containsLowered(baseName(at->file), word));
}

/// The next word of a qualified name, which is taken off it.
std::string_view takeWord(std::string_view& rest) {
    const std::string_view word = rest.substr(0, rest.find('.'));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    return word;
}

/// matchesModule() from here on; a number that follows a word is meant right here.
bool wordsFollow(std::string_view wanted, std::string_view name, bool here) {
    std::string_view rest = wanted;
    const std::string_view first = takeWord(rest);
    const bool number = isDigits(first);
    while (!name.empty()) {
        const std::string word = lowered(takeWord(name));
        if (number ? word == first : word.starts_with(first))
            if (rest.empty() || wordsFollow(rest, name, true)) return true;
        if (number && here) return false;
    }
    return false;
}

FilterVerdict compileVerdict(const FilterTerm& t, const FilterSubject& subject) {
    if (t.key == "capture")
        return subject.session ? verdictOf(containsLowered(subject.session->title, t.lower))
                               : FilterVerdict::Unknown;
    if (!subject.compile) return FilterVerdict::Unknown;
    const Compile& c = *subject.compile;
    if (t.key == "status") {
        const auto words = statusWords(c);
        return verdictOf(std::any_of(words.begin(), words.end(),
                                     [&](const std::string& w) { return w.starts_with(t.lower); }));
    }
    if (t.key == "kernel")
        return subject.kernels ? verdictOf(std::any_of(subject.kernels->begin(), subject.kernels->end(),
                                                       [&](const std::string& kernel) {
                                                           return containsLowered(kernel, t.lower);
                                                       }))
                               : FilterVerdict::Unknown;
    if (t.key == "id") return verdictOf(lowered(c.id.toString()).starts_with(t.lower));
    if (t.key == "rank") return verdictOf(std::to_string(c.rank) == t.value);
    if (t.key == "time") return verdictOf(compareNumbers(t.compare, compileTime(c), t.number.value_or(0)));
    return verdictOf(std::any_of(c.stages.begin(), c.stages.end(),
                                 [&](const StagePtr& s) { return containsLowered(s->name, t.lower); }));
}

FilterVerdict fileVerdict(const FilterTerm& t, const FilterSubject& subject) {
    if (subject.node && subject.node->stack)
        return verdictOf(
            std::any_of(subject.node->stack->begin(), subject.node->stack->end(),
                        [&](const ir::SourceLocation& at) { return matchesPlace(t.lower, at); }));
    if (subject.node && !subject.compile) return FilterVerdict::No;
    if (!subject.compile) return FilterVerdict::Unknown;
    const Compile& c = *subject.compile;
    const auto here = [&](const ir::SourceLocation& at) { return matchesPlace(t.lower, at); };
    return verdictOf(std::any_of(c.userStack.begin(), c.userStack.end(), here) ||
                     std::any_of(c.breaks.begin(), c.breaks.end(), [&](const GraphBreak& b) {
                         return std::any_of(b.userStack.begin(), b.userStack.end(), here);
                     }));
}

/// Of the program's functions that made a node; else the one that was compiled.
FilterVerdict functionVerdict(const FilterTerm& t, const FilterSubject& subject) {
    if (subject.node && subject.node->stack)
        return verdictOf(
            std::any_of(subject.node->stack->begin(), subject.node->stack->end(),
                        [&](const ir::SourceLocation& at) { return containsLowered(at.function, t.lower); }));
    if (subject.node && !subject.compile) return FilterVerdict::No;
    return subject.compile ? verdictOf(containsLowered(subject.compile->function, t.lower))
                           : FilterVerdict::Unknown;
}

FilterVerdict nodeVerdict(const FilterTerm& t, const FilterSubject& subject) {
    if (!subject.node) return FilterVerdict::Unknown;
    const ir::Node& node = *subject.node;
    if (t.key == "op") return verdictOf(matchesOp(node, t.lower));
    if (t.key == "target") return verdictOf(containsLowered(node.target, t.lower));
    if (t.key == "name") return verdictOf(containsLowered(node.name, t.lower));
    if (t.key == "module")
        return subject.module ? verdictOf(matchesModule(t.lower, *subject.module)) : FilterVerdict::Unknown;
    if (!node.meta || !node.meta->tensor) return FilterVerdict::No;
    const ir::TensorMeta& meta = *node.meta->tensor;
    if (t.key == "dtype") return verdictOf(lowered(meta.dtype) == t.lower);
    if (t.key == "shape") return verdictOf(matchesShape(t.value, meta.sizes));
    if (t.key == "device") return verdictOf(containsLowered(meta.device, t.lower));
    const std::optional<double> n = elements(meta);
    return verdictOf(n && compareNumbers(t.compare, *n, t.number.value_or(0)));
}

} // namespace

bool matchesPlace(std::string_view lower, const ir::SourceLocation& place) {
    const std::size_t colon = lower.rfind(':');
    if (colon != lower.npos && colon + 1 < lower.size()) {
        std::uint32_t line = 0;
        const char* end = lower.data() + lower.size();
        const auto [stop, bad] = std::from_chars(lower.data() + colon + 1, end, line);
        if (bad == std::errc() && stop == end)
            return place.line == line && containsLowered(place.file, lower.substr(0, colon));
    }
    return containsLowered(place.file, lower);
}

std::vector<std::string> statusWords(const Compile& compile) {
    std::vector<std::string> words{std::string(statusName(compile.status))};
    if (compile.isRecompile) words.emplace_back("recompile");
    if (compile.attempts > 1) words.emplace_back("restarted");
    return words;
}

std::optional<double> elements(const ir::TensorMeta& meta) {
    double product = 1;
    for (const std::string& size : meta.sizes) {
        std::uint64_t n = 0;
        const auto [stop, bad] = std::from_chars(size.data(), size.data() + size.size(), n);
        if (bad != std::errc() || stop != size.data() + size.size()) return std::nullopt;
        product *= double(n);
    }
    return product;
}

bool compareNumbers(FilterTerm::Compare compare, double value, double wanted) {
    using Compare = FilterTerm::Compare;
    switch (compare) {
    case Compare::Contains:
    case Compare::Equal:
        return value == wanted;
    case Compare::Less:
        return value < wanted;
    case Compare::AtMost:
        return value <= wanted;
    case Compare::More:
        return value > wanted;
    case Compare::AtLeast:
        return value >= wanted;
    }
    return false;
}

std::vector<std::string> kernelNames(const Stage& stage) {
    std::vector<std::string> out;
    if (stage.content != Stage::Content::Code) return out;
    for (GeneratedKernel& kernel : readGeneratedCode(stage.payload.text()).kernels)
        out.push_back(std::move(kernel.name));
    return out;
}

std::vector<std::string> kernelNames(const Compile& compile) {
    std::vector<std::string> out;
    for (const StagePtr& stage : compile.stages)
        for (std::string& name : kernelNames(*stage))
            out.push_back(std::move(name));
    return out;
}

void FilterTerm::prepare() {
    lower = lowered(value);
    double parsed = 0;
    const auto [stop, bad] = std::from_chars(value.data(), value.data() + value.size(), parsed);
    number = bad == std::errc() && stop == value.data() + value.size() ? std::optional(parsed) : std::nullopt;
}

FilterVerdict FilterTerm::verdict(const FilterSubject& subject) const {
    if (key.empty()) {
        if (subject.node && nodeHas(*subject.node, lower)) return FilterVerdict::Yes;
        if (subject.module && matchesModule(lower, *subject.module)) return FilterVerdict::Yes;
        if (subject.compile) return verdictOf(compileHas(subject, lower));
        return subject.node ? FilterVerdict::No : FilterVerdict::Unknown;
    }
    if (key == "file") return fileVerdict(*this, subject);
    if (key == "function") return functionVerdict(*this, subject);
    const auto known = filterKeys();
    const bool onNodes = std::any_of(known.begin(), known.end(),
                                     [this](const FilterKey& k) { return k.name == key && k.onNodes; });
    return onNodes ? nodeVerdict(*this, subject) : compileVerdict(*this, subject);
}

bool matchesModule(std::string_view lower, std::string_view name) {
    return wordsFollow(lower, name, false);
}

bool matchesShape(std::string_view pattern, const std::vector<std::string>& sizes) {
    const std::vector<std::string> wanted = splitSizes(pattern);
    const auto dots = std::find(wanted.begin(), wanted.end(), "...");
    const auto alike = [](const std::string& want, const std::string& size) {
        return want == "*" || want == size;
    };
    if (dots == wanted.end())
        return wanted.size() == sizes.size() &&
               std::equal(wanted.begin(), wanted.end(), sizes.begin(), alike);
    const auto head = dots - wanted.begin();
    const auto tail = wanted.end() - dots - 1;
    return std::ptrdiff_t(sizes.size()) >= head + tail &&
           std::equal(wanted.begin(), dots, sizes.begin(), alike) &&
           std::equal(dots + 1, wanted.end(), sizes.end() - tail, alike);
}

std::vector<FilterValue> filterValues(std::string_view key, std::span<const SessionPtr> sessions,
                                      std::span<const ir::GraphPtr> graphs, std::size_t limit) {
    std::map<std::string, std::size_t> counts;
    constexpr std::size_t mostCodes = 100; // compiles whose code is read: who types must not wait
    std::size_t codesRead = 0;
    const auto count = [&counts](std::string value) {
        if (!value.empty()) ++counts[std::move(value)];
    };
    for (const SessionPtr& session : sessions) {
        if (key == "capture") count(session->title);
        for (const Compile& c : session->compiles) {
            if (key == "status")
                for (std::string& word : statusWords(c))
                    count(std::move(word));
            else if (key == "function")
                count(c.function);
            else if (key == "id")
                count(c.id.toString());
            else if (key == "rank")
                count(std::to_string(c.rank));
            else if (key == "stage")
                for (const StagePtr& s : c.stages)
                    count(s->name);
            else if (key == "kernel" && codesRead++ < mostCodes)
                for (std::string& kernel : kernelNames(c))
                    count(std::move(kernel));
            else if (key == "file" && c.location())
                count(std::string(baseName(c.location()->file)));
        }
    }
    for (const ir::GraphPtr& graph : graphs) {
        if (!graph) continue;
        for (const ir::NodePtr& node : graph->nodes()) {
            if (key == "op") {
                count(std::string(ir::opName(node->op)));
            } else if (key == "target") {
                if (node->op != ir::Op::Placeholder && node->op != ir::Op::Output)
                    count(ir::shortTarget(node->target));
            } else if (key == "name") {
                count(node->name);
            } else if (key == "function") {
                if (node->location()) count(node->location()->function);
            } else if (key == "file" && node->location()) {
                count(std::string(baseName(node->location()->file)) + ':' +
                      std::to_string(node->location()->line));
            } else if (node->meta && node->meta->tensor) {
                const ir::TensorMeta& meta = *node->meta->tensor;
                if (key == "dtype") count(meta.dtype);
                if (key == "device") count(meta.device);
                if (key == "shape") {
                    const std::string form = meta.shortForm();
                    const std::size_t bracket = form.find('[');
                    if (bracket != form.npos) count(form.substr(bracket));
                }
            }
        }
    }
    std::vector<FilterValue> values;
    values.reserve(counts.size());
    for (auto& [value, n] : counts)
        values.push_back({value, n});
    std::stable_sort(values.begin(), values.end(),
                     [](const FilterValue& a, const FilterValue& b) { return a.count > b.count; });
    if (values.size() > limit) values.resize(limit);
    return values;
}

} // namespace dynascope::session
