// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/budgets.h"

#include "core/base/words.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <locale>
#include <sstream>

// Debian's library throws; its headers alone need not.
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace dynascope::report {

namespace {

namespace fs = std::filesystem;

std::optional<double> numberOf(std::string_view text) {
    double out = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(out) || out < 0)
        return std::nullopt;
    return out;
}

std::optional<double>* limitOf(Budgets& budgets, std::string_view name) {
    if (name == "max-graph-breaks") return &budgets.graphBreaks;
    if (name == "max-recompiles") return &budgets.recompiles;
    if (name == "max-compile-seconds") return &budgets.compileSeconds;
    if (name == "max-peak-bytes") return &budgets.peakBytes;
    if (name == "max-nodes-growth") return &budgets.nodesGrowth;
    return nullptr;
}

/// A value of TOML as the command line writes it.
std::optional<std::string> wordOf(const toml::node& node) {
    if (const auto text = node.value_exact<std::string>()) return *text;
    if (const auto truth = node.value_exact<bool>()) return *truth ? "true" : "false";
    if (const auto whole = node.value_exact<std::int64_t>()) return std::to_string(*whole);
    if (const auto number = node.value_exact<double>()) {
        std::ostringstream out;
        out.imbue(std::locale::classic());
        out.precision(17);
        out << *number;
        return out.str();
    }
    return std::nullopt;
}

Error errorAt(std::string message, const std::string& file, const toml::source_position& at) {
    return {std::move(message), file, at.line, at.column};
}

std::string limitText(Kind kind, double most) {
    const auto whole = static_cast<std::uint64_t>(most);
    if (kind == Kind::CompileSeconds) return formatSeconds(most);
    return kind == Kind::PeakBytes ? formatBytes(whole) : std::to_string(whole);
}

BudgetCheck judged(Kind kind, std::string name, const Figure& figure, double most) {
    BudgetCheck out{kind, std::move(name), true, {}, {}};
    if (!figure.value) {
        out.holds = false;
        out.text = "cannot be judged: " + figure.unknown;
        return out;
    }
    out.holds = *figure.value <= most;
    out.text = (figure.atLeast ? "at least " : "") + figureText(kind, *figure.value) + "; the limit is " +
               limitText(kind, most);
    if (!out.holds) {
        out.parts = figure.parts;
    } else if (figure.atLeast) {
        out.holds = false;
        out.text = "cannot be judged: " + out.text + ", and not all of it is known";
    }
    return out;
}

BudgetCheck grown(const Budgets& budgets, const Figures& figures, const Figures* baseline) {
    BudgetCheck out{Kind::Nodes, "max-nodes-growth", false, {}, {}};
    const Figure& now = figures[Kind::Nodes];
    if (!baseline) {
        out.text = "cannot be judged: there is no baseline to compare with";
    } else if (const Figure& before = (*baseline)[Kind::Nodes]; !now.value || !before.value) {
        out.text = "cannot be judged: " + (now.value ? "in the baseline, " + before.unknown : now.unknown);
    } else if (*before.value <= 0) {
        out.text = "cannot be judged: the baseline has no node";
    } else {
        const double percent = (*now.value / *before.value - 1) * 100;
        out.holds = percent <= *budgets.nodesGrowth;
        char words[64];
        std::snprintf(words, sizeof words, " (%+.1f %%, at most %+.1f %%)", percent, *budgets.nodesGrowth);
        out.text =
            figureText(Kind::Nodes, *now.value) + " after " + figureText(Kind::Nodes, *before.value) + words;
        if (!out.holds) out.parts = now.parts;
    }
    return out;
}

} // namespace

Result<void> setBudget(Budgets& budgets, std::string_view name, std::string_view value) {
    if (name == "baseline") {
        budgets.baseline = value;
        return {};
    }
    if (name == "require-cudagraph") {
        if (value != "true" && value != "false") return failure("require-cudagraph is true or false");
        budgets.requireCudagraph = value == "true";
        return {};
    }
    std::optional<double>* limit = limitOf(budgets, name);
    if (!limit) return failure("no budget is called " + std::string(name));
    const std::optional<double> number = numberOf(value);
    if (!number)
        return failure(std::string(name) + " is a number from 0 on, not \"" + std::string(value) + '"');
    *limit = number;
    return {};
}

Result<Budgets> readBudgets(const std::string& text, const std::string& file) {
    const toml::parse_result parsed = toml::parse(text, file);
    if (!parsed)
        return tl::unexpected(
            errorAt(std::string(parsed.error().description()), file, parsed.error().source().begin));
    Budgets out;
    const toml::node* budgets = parsed.table().get("budgets");
    if (!budgets) return out;
    if (!budgets->is_table())
        return tl::unexpected(errorAt("budgets is no table", file, budgets->source().begin));
    for (const auto& [key, node] : *budgets->as_table()) {
        const std::optional<std::string> word = wordOf(node);
        const Result<void> set =
            word ? setBudget(out, key.str(), *word)
                 : Result<void>(failure(std::string(key.str()) + " is no number, text or truth"));
        if (!set) return tl::unexpected(errorAt(set.error().message, file, node.source().begin));
    }
    if (!out.baseline.empty()) out.baseline = (fs::path(file).parent_path() / out.baseline).string();
    return out;
}

std::vector<BudgetCheck> check(const Budgets& budgets, const Figures& figures, const Figures* baseline) {
    std::vector<BudgetCheck> out;
    const auto add = [&](Kind kind, const char* name, const std::optional<double>& most) {
        if (most) out.push_back(judged(kind, name, figures[kind], *most));
    };
    add(Kind::GraphBreaks, "max-graph-breaks", budgets.graphBreaks);
    add(Kind::Recompiles, "max-recompiles", budgets.recompiles);
    add(Kind::CompileSeconds, "max-compile-seconds", budgets.compileSeconds);
    add(Kind::PeakBytes, "max-peak-bytes", budgets.peakBytes);
    if (budgets.requireCudagraph) add(Kind::NoCudaGraph, "require-cudagraph", 0.0);
    if (budgets.nodesGrowth) out.push_back(grown(budgets, figures, baseline));
    return out;
}

} // namespace dynascope::report
