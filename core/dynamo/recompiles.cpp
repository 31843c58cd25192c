// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/recompiles.h"

#include "core/base/text.h"
#include "core/dynamo/recompile_advice.h"
#include "core/dynamo/size_guard.h"
#include "core/session/compile_counts.h"
#include "core/session/metrics.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

namespace dynascope::dynamo {

namespace {

using Kind = FailedGuard::Kind;

/// The text between two others; nothing where either is missing.
std::optional<std::string_view> between(std::string_view text, std::string_view before,
                                        std::string_view after) {
    const std::size_t begin = text.find(before);
    if (begin == std::string_view::npos) return {};
    const std::size_t from = begin + before.size();
    const std::size_t end = after.empty() ? text.size() : text.find(after, from);
    if (end == std::string_view::npos) return {};
    return text.substr(from, end - from);
}

int numberOf(std::string_view text, int otherwise) {
    int number = otherwise;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

/// "0/1: check  # code  # file:58 in f": takes the comments off and keeps what they say.
void readComments(std::string_view& text, FailedGuard& guard) {
    text = text.substr(0, text.find("\nUser stack trace:"));
    const std::size_t comment = text.find(" # ");
    if (comment == std::string_view::npos) return;
    std::string_view rest = text.substr(comment + 3);
    text = trimmed(text.substr(0, comment));
    const std::size_t place = rest.rfind("  # ");
    if (place == std::string_view::npos) return;
    guard.addedAt.code = trimmed(rest.substr(0, place));
    const std::string_view where = rest.substr(place + 4);
    const std::size_t in = where.find(" in ");
    const std::size_t colon = where.substr(0, in).rfind(':');
    if (in == std::string_view::npos || colon == std::string_view::npos) return;
    guard.addedAt.file = where.substr(0, colon);
    guard.addedAt.line =
        static_cast<std::uint32_t>(std::max(0, numberOf(where.substr(colon + 1, in - colon - 1), 0)));
    guard.addedAt.function = where.substr(in + 4, where.substr(in + 4).find(' '));
}

/// "tensor 'x' size mismatch at index 0. expected 8, actual 4".
bool readTensor(std::string_view text, FailedGuard& guard) {
    static constexpr std::pair<std::string_view, Kind> kinds[] = {
        {"size mismatch", Kind::Size},     {"stride mismatch", Kind::Stride},
        {"rank mismatch", Kind::Rank},     {"dtype mismatch", Kind::Dtype},
        {"device", Kind::Device},          {"requires_grad mismatch", Kind::RequiresGrad},
        {"dispatch key set", Kind::Other}, {"", Kind::Other},
    };
    constexpr std::string_view before = "tensor '";
    if (!text.starts_with(before)) return false;
    // A subscript has quotes of its own: "tensor 'b['x']' size mismatch".
    std::size_t end = before.size();
    for (int depth = 0; end < text.size() && (depth > 0 || text[end] != '\''); ++end)
        depth += text[end] == '[' ? 1 : text[end] == ']' ? -1 : 0;
    if (end == text.size()) return false;
    guard.subject = text.substr(before.size(), end - before.size());
    for (const auto& [words, kind] : kinds) {
        if (text.find(words) == std::string_view::npos) continue;
        guard.kind = kind;
        break;
    }
    if (const auto index = between(text, "at index ", ".")) guard.dimension = numberOf(*index, -1);
    if (const auto expected = between(text, "expected ", ", actual"))
        guard.expected = *expected;
    else if (const auto only = between(text, "expected ", ""))
        guard.expected = *only;
    if (const auto actual = between(text, "actual ", "")) guard.actual = *actual;
    return true;
}

bool readCall(std::string_view text, FailedGuard& guard) {
    static constexpr std::pair<std::string_view, Kind> calls[] = {
        {"___check_type_id(", Kind::Type},
        {"___check_obj_id(", Kind::Object},
        {"___dict_contains(", Kind::Length},
        {"___dict_version(", Kind::Length},
    };
    for (const auto& [name, kind] : calls) {
        if (!text.starts_with(name)) continue;
        guard.kind = kind;
        const std::string_view arguments = text.substr(name.size());
        guard.subject = arguments.substr(0, arguments.find_first_of(",)"));
        if (const auto type = between(text, "type=<class '", "'")) guard.expected = *type;
        return true;
    }
    return false;
}

/// PyTorch writes the guard, or, of a length that guards.cpp checks, what failed: "len(x) != 0" of a guard on none.
bool saysWhatFailed(std::string_view text) {
    return text.starts_with("len(") && text.find(") != ") != std::string_view::npos;
}

void readComparison(std::string_view text, FailedGuard& guard) {
    // An empty list or dict: SEQUENCE_LENGTH and DICT_LENGTH of guards.py.
    if (constexpr std::string_view none = "not ";
        text.starts_with(none) && text.find('(') == std::string_view::npos) {
        guard.kind = Kind::Length;
        guard.subject = trimmed(text.substr(none.size()));
        guard.expected = "0";
        return;
    }
    const std::size_t is = text.find(" is ");
    if (is != std::string_view::npos && text.find(" == ") == std::string_view::npos) {
        const std::string_view other = text.substr(is + 4);
        guard.subject = text.substr(0, is);
        guard.kind = Kind::Alias;
        for (const std::string_view constant : {"None", "True", "False", "not None"}) {
            if (other != constant) continue;
            guard.kind = Kind::Value;
            guard.expected = other;
        }
        return;
    }
    const std::size_t equals = saysWhatFailed(text) ? text.find(" != ") : text.find(" == ");
    if (equals == std::string_view::npos) return;
    guard.subject = trimmed(text.substr(0, equals));
    guard.expected = trimmed(text.substr(equals + 4));
    guard.kind = Kind::Value;
    if (guard.subject.starts_with("len(")) {
        guard.kind = Kind::Length;
        guard.subject = guard.subject.substr(4, guard.subject.rfind(')') - 4);
    }
}

/// What the call had, where the text does not say, from what was compiled for it.
void completeActual(FailedGuard& guard, const session::Compile& made) {
    if (!guard.actual.empty() || guard.subject.empty()) return;
    // A flag has two values.
    if (guard.kind == Kind::RequiresGrad && guard.expected == "requires_grad=0")
        guard.actual = "requires_grad=1";
    if (guard.kind == Kind::RequiresGrad && guard.expected == "requires_grad=1")
        guard.actual = "requires_grad=0";
    const std::string source = localSource(guard.subject);
    for (const session::SymbolInfo& symbol : made.symbols)
        if (symbol.source == guard.subject || symbol.source == source) guard.actual = symbol.value;
    // A constant that was compiled in has a guard that says which.
    for (const session::Guard& own : made.guards) {
        if (!guard.actual.empty()) break;
        const std::size_t equals = own.code.find(" == ");
        if ((guard.kind != Kind::Value && guard.kind != Kind::Length) || equals == std::string::npos)
            continue;
        std::string_view left = trimmed(std::string_view(own.code).substr(0, equals));
        if (guard.kind == Kind::Length) {
            const auto of =
                left.ends_with(')') ? between(left.substr(0, left.size() - 1), "len(", "") : std::nullopt;
            if (!of) continue;
            left = *of;
        }
        if (left == guard.subject || left == source)
            guard.actual = trimmed(std::string_view(own.code).substr(equals + 4));
    }
    if (guard.actual.empty() && saysWhatFailed(guard.check))
        guard.actual = guard.expected == "0" ? "more than 0" : "another";
}

} // namespace

FailedGuard readFailedGuard(std::string_view reason) {
    FailedGuard guard;
    std::string_view text = trimmed(reason);
    const std::size_t colon = text.find(": ");
    if (colon != std::string_view::npos &&
        text.substr(0, colon).find_first_not_of("0123456789/!_") == std::string_view::npos) {
        guard.entry = text.substr(0, colon);
        text = text.substr(colon + 2);
    }
    readComments(text, guard);
    guard.check = trimmed(text);
    if (const auto hint = between(reason, "(HINT: ", ")");
        hint && guard.expected.empty() && hint->starts_with("type "))
        guard.expected = hint->substr(5);
    const std::string_view check = guard.check;
    if (const auto gone = between(check, "Cache line invalidated because ", " got deallocated")) {
        guard.kind = Kind::Freed; // CheckFunctionManager.invalidate() of guards.py
        guard.subject = *gone;
    } else if (check.starts_with("BACKEND_MATCH"))
        guard.kind = Kind::Backend;
    else if (check.starts_with("GLOBAL_STATE") || check.find("grad_mode") != std::string_view::npos ||
             check.starts_with("___check_global_state"))
        guard.kind = Kind::Mode;
    else if (!readTensor(check, guard) && !readCall(check, guard) && !readSize(check, guard))
        readComparison(check, guard);
    guard.advice = adviceFor(guard);
    return guard;
}

std::vector<FailedGuard> failedGuards(const session::Compile& compile) {
    std::vector<FailedGuard> out;
    for (const std::string& reason : compile.recompileReasons) {
        out.push_back(readFailedGuard(reason));
        completeActual(out.back(), compile);
    }
    adviseBy(compile, out);
    return out;
}

std::vector<const session::SymbolInfo*> madeSymbolic(const session::Compile& entry,
                                                     const session::Compile& made) {
    std::vector<const session::SymbolInfo*> out;
    for (const session::SymbolInfo& symbol : made.symbols) {
        const auto isThere = [&](const session::SymbolInfo& other) { return other.source == symbol.source; };
        if (!symbol.source.empty() && symbol.became.empty() &&
            std::none_of(entry.symbols.begin(), entry.symbols.end(), isThere))
            out.push_back(&symbol);
    }
    return out;
}

GuardChanges compareGuards(const session::GuardList& before, const session::GuardList& after) {
    using Key = std::pair<std::string_view, std::string_view>;
    GuardChanges out;
    std::map<std::pair<Key, std::string_view>, int> exact;
    for (const session::Guard& guard : before)
        if (!guard.isManager()) ++exact[{{guard.source, guard.type}, guard.code}];
    std::vector<const session::Guard*> changed;
    for (const session::Guard& guard : after) {
        if (guard.isManager()) continue;
        const auto found = exact.find({{guard.source, guard.type}, guard.code});
        if (found != exact.end() && found->second > 0) {
            --found->second;
            ++out.same;
        } else {
            changed.push_back(&guard);
        }
    }
    std::map<Key, std::vector<const session::Guard*>> left; // only the earlier has them, word for word
    for (const session::Guard& guard : before) {
        if (guard.isManager()) continue;
        int& count = exact[{{guard.source, guard.type}, guard.code}];
        if (count <= 0) continue;
        --count;
        left[{guard.source, guard.type}].push_back(&guard);
    }
    for (const session::Guard* guard : changed) {
        GuardChange change{guard->source, guard->type, nullptr, guard};
        auto& of = left[{guard->source, guard->type}];
        if (!of.empty()) {
            change.before = of.front();
            of.erase(of.begin());
        }
        out.changes.push_back(std::move(change));
    }
    for (const auto& [key, guards] : left)
        for (const session::Guard* guard : guards)
            out.changes.push_back({guard->source, guard->type, guard, nullptr});
    return out;
}

std::optional<std::size_t> recompileLimit(const session::Compile& compile) {
    if (const auto told = between(compile.failReason, "(currently set to ", ")");
        told && compile.hitRecompileLimit())
        if (const int limit = numberOf(*told, -1); limit >= 0) return static_cast<std::size_t>(limit);
    const std::map<std::string, session::Metric> settings = session::readSettings(compile);
    const auto found = settings.find("dynamo_config.recompile_limit");
    if (found == settings.end() || found->second.kind != session::Metric::Kind::Number ||
        found->second.number < 0)
        return {};
    return static_cast<std::size_t>(found->second.number);
}

std::vector<FrameCache> explainRecompiles(const session::Session& session) {
    std::map<std::pair<std::pair<int, int>, int>, FrameCache> byFrame; // rank and run, frame
    for (std::size_t i = 0; i < session.compiles.size(); ++i) {
        const session::Compile& compile = session.compiles[i];
        if (compile.id.frame < 0 || compile.id.autograd >= 0) continue;
        const auto [at, isFirst] =
            byFrame.try_emplace({compile.origin(), compile.id.frame}, FrameCache{compile.rank, i, 0, 0, {}});
        FrameCache& cache = at->second;
        if (compile.status != session::Status::Failed) ++cache.entries;
        if (isFirst) continue;
        const bool refused = compile.hitRecompileLimit();
        if (!refused) cache.seconds += session::compileTime(compile);
        cache.recompiles.push_back({i, failedGuards(compile), refused});
    }
    std::vector<FrameCache> out;
    for (auto& [frame, cache] : byFrame)
        if (!cache.recompiles.empty()) out.push_back(std::move(cache));
    std::stable_sort(out.begin(), out.end(),
                     [](const FrameCache& a, const FrameCache& b) { return a.entries > b.entries; });
    return out;
}

} // namespace dynascope::dynamo
