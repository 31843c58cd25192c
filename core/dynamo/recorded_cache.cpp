// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/recorded_cache.h"

#include "core/base/python_text.h"
#include "core/base/text.h"
#include "core/dynamo/describe.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <set>

namespace dynascope::dynamo {

namespace {

using Kind = GuardVerdict::Kind;

std::optional<std::int64_t> asInteger(std::string_view text) {
    std::int64_t out = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return out;
}

/// "[2, s0]" element by element, symbols as their hints.
std::string withHints(const Recording& recording, const State& state, std::string_view list) {
    if (list.size() < 2) return std::string(list);
    std::string out = "[";
    for (std::string_view rest = list.substr(1, list.size() - 2); !rest.empty();) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        std::string_view one = trimmed(rest.substr(0, comma));
        for (const SymbolState& symbol : state.symbols)
            if (recording.text(symbol.name) == one && symbol.hint != 0) {
                one = recording.text(symbol.hint);
                break;
            }
        out.append(out.size() > 1 ? ", " : "").append(one);
        rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    return out + ']';
}

/// The value after "NAME=" up to the next comma outside of brackets, or the end of the call.
std::string_view argument(std::string_view text, std::string_view name) {
    const std::size_t begin = text.find(name);
    if (begin == std::string_view::npos) return {};
    text.remove_prefix(begin + name.size());
    return trimmed(text.substr(0, python::findOutside(text, 0, python::Quotes::Strings, [](char c) {
                                   return c == ',' || python::isClose(c);
                               })));
}

/// Element by element; "None" stands for any.
bool listsAgree(std::string_view expected, std::string_view actual) {
    if (expected.size() < 2 || actual.size() < 2) return true;
    expected = expected.substr(1, expected.size() - 2);
    actual = actual.substr(1, actual.size() - 2);
    while (!expected.empty() && !actual.empty()) {
        const std::size_t a = std::min(expected.find(','), expected.size());
        const std::size_t b = std::min(actual.find(','), actual.size());
        const std::string_view one = trimmed(expected.substr(0, a)), other = trimmed(actual.substr(0, b));
        // An expression of symbols is checked by guards of its own.
        if (one != "None" && asInteger(one) && asInteger(other) && one != other) return false;
        expected.remove_prefix(std::min(a + 1, expected.size()));
        actual.remove_prefix(std::min(b + 1, actual.size()));
    }
    return expected.empty() == actual.empty();
}

GuardVerdict checkTensor(std::string_view check, const CallInputs& call) {
    const std::size_t open = check.find('(');
    const std::size_t comma = check.find(", ", open);
    if (open == std::string_view::npos || comma == std::string_view::npos) return {};
    const auto found = call.find(check.substr(open + 1, comma - open - 1));
    if (found == call.end() || !found->second.tensor) return {};
    const CallInput& input = found->second;
    const std::size_t dtypeAt = check.find("torch.", comma);
    const std::string_view dtype =
        dtypeAt == std::string_view::npos ? "" : check.substr(dtypeAt, check.find(',', dtypeAt) - dtypeAt);
    const auto differ = [](std::string_view expected, std::string_view actual) {
        return GuardVerdict{Kind::Fails, std::string(expected), std::string(actual)};
    };
    if (!dtype.empty() && !input.dtype.empty() && dtype != input.dtype) return differ(dtype, input.dtype);
    if (const std::string_view grad = argument(check, "requires_grad=");
        !grad.empty() && (grad == "True") != input.requiresGrad)
        return differ("requires_grad=" + std::string(grad), input.requiresGrad ? "True" : "False");
    if (const std::string_view size = argument(check, " size="); !listsAgree(size, input.shape))
        return differ("size " + std::string(size), input.shape);
    if (const std::string_view stride = argument(check, " stride="); !listsAgree(stride, input.stride))
        return differ("stride " + std::string(stride), input.stride);
    return {Kind::Holds, std::string(argument(check, " size=")), input.shape};
}

/// What an operand of a comparison is for a call: a number, a constant, a size of a tensor.
std::optional<std::string> operandValue(std::string_view text, const CallInputs& call) {
    text = trimmed(text);
    if (asInteger(text) || text == "True" || text == "False" || text == "None" || text.starts_with('\''))
        return std::string(text);
    if (const auto found = call.find(text); found != call.end() && !found->second.value.empty())
        return found->second.value;
    const std::size_t size = text.find(".size()[");
    if (size == std::string_view::npos || !text.ends_with(']')) return std::nullopt;
    const auto found = call.find(text.substr(0, size));
    const auto index = asInteger(text.substr(size + 8, text.size() - size - 9));
    if (found == call.end() || !found->second.tensor || !index || *index < 0) return std::nullopt;
    std::string_view shape = found->second.shape;
    if (shape.size() < 2) return std::nullopt;
    shape = shape.substr(1, shape.size() - 2);
    for (std::int64_t i = 0; i < *index; ++i) {
        const std::size_t comma = shape.find(',');
        if (comma == std::string_view::npos) return std::nullopt;
        shape.remove_prefix(comma + 1);
    }
    return std::string(trimmed(shape.substr(0, shape.find(','))));
}

GuardVerdict checkComparison(std::string_view check, const CallInputs& call) {
    for (const std::string_view sign : {" == ", " != ", " <= ", " >= ", " < ", " > "}) {
        const std::size_t at = check.find(sign);
        if (at == std::string_view::npos) continue;
        if (check.find(" and ") != std::string_view::npos || check.find(" or ") != std::string_view::npos)
            return {};
        const auto left = operandValue(check.substr(0, at), call);
        const auto right = operandValue(check.substr(at + sign.size()), call);
        if (!left || !right) return {};
        const auto a = asInteger(*left), b = asInteger(*right);
        const bool equal = a && b ? *a == *b : *left == *right;
        const std::string_view word = trimmed(sign);
        if (!(a && b) && word != "==" && word != "!=") return {};
        const bool holds = word == "=="   ? equal
                           : word == "!=" ? !equal
                           : word == "<=" ? *a <= *b
                           : word == ">=" ? *a >= *b
                           : word == "<"  ? *a < *b
                                          : *a > *b;
        // The side that is no number of the guard is the call's.
        const bool rightIsCalls = operandValue(check.substr(at + sign.size()), {}) == std::nullopt;
        return {holds ? Kind::Holds : Kind::Fails, std::string(check), rightIsCalls ? *right : *left};
    }
    return {};
}

/// "0/1: why": the text after the entry's id.
std::string_view withoutEntry(std::string_view reason) {
    const std::size_t colon = reason.find(": ");
    return colon == std::string_view::npos ? reason : reason.substr(colon + 2);
}

/// Why the recording says that an entry did not serve a call; nothing where it does not say.
std::optional<std::string> recordedReason(const CompileInfo& call, std::string_view entry) {
    for (const std::string& reason : call.recompileReasons)
        if (std::string_view(reason).starts_with(std::string(entry) + ": "))
            return reason.substr(entry.size() + 2);
    return std::nullopt;
}

/// The first local or global that a check names, with its subscripts and attributes: "L['x'].n".
std::string_view sourceIn(std::string_view check) {
    const std::size_t begin = std::min(check.find("L["), check.find("G["));
    if (begin == std::string_view::npos) return {};
    // A quote outside of the subscripts is the check's own: "tensor 'L['x']' size mismatch".
    const std::size_t end = python::findOutside(check, begin, python::Quotes::Strings, [](char c) {
        return c == ',' || c == ' ' || python::isClose(c) || python::isQuote(c);
    });
    return check.substr(begin, end - begin);
}

/// At the end of the compile's last attempt; null where it has none.
const State* stateOf(const Recording& recording, std::size_t compile) {
    const std::uint32_t attempt = recording.lastAttempt(compile);
    return attempt == UINT32_MAX ? nullptr : recording.stateAfter(attempt);
}

/// The user's line of a guard that names none: that of the step that added it.
void placeAt(const Recording& recording, StepIndex step, RecordedGuard& guard) {
    if (guard.addedAt.line != 0 || step >= recording.steps().size()) return;
    const Instruction* instruction = recording.instructionAt(step);
    if (instruction == nullptr || instruction->line == 0) return;
    const Code& code = recording.codeOf(recording.frames()[recording.steps()[step].frame]);
    guard.addedAt.file = code.file;
    guard.addedAt.line = instruction->line;
    guard.addedAt.function = code.name;
    guard.code = trimmed(recording.sourceLine(code.file, instruction->line));
    guard.addedAt.code = guard.code;
}

std::string_view frameOf(std::string_view compileId) {
    return compileId.substr(0, compileId.find('/'));
}

} // namespace

RecordedGuard readRecordedGuard(std::string_view text) {
    RecordedGuard out;
    const std::size_t colon = text.find(": ");
    const std::string_view kind =
        colon == std::string_view::npos ? std::string_view() : text.substr(0, colon);
    if (!kind.empty() && kind.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == std::string_view::npos) {
        out.kind = kind;
        text.remove_prefix(colon + 2);
    }
    // A guard that failed has the same comments: what PyTorch says of where it was added.
    const FailedGuard read = readFailedGuard(text);
    const std::size_t comment = text.find(" # ");
    out.check = trimmed(text.substr(0, comment));
    out.addedAt = read.addedAt;
    out.code = read.addedAt.code;
    return out;
}

std::vector<GuardOrigin> guardOrigins(const Recording& recording, std::size_t compile) {
    std::vector<GuardOrigin> out;
    for (const std::string& text : recording.compiles()[compile].guards)
        out.push_back({readRecordedGuard(text), noStep, {}});
    const State* state = stateOf(recording, compile);
    if (state == nullptr) return out;
    std::map<std::pair<std::string_view, std::string_view>, const GuardState*> known;
    std::map<std::string_view, const GuardState*> bySource;
    for (std::size_t i = 0; i < state->guards.size(); ++i)
        if (const GuardState& guard = state->guards[i]; !guard.gone) {
            known.try_emplace({recording.text(guard.create), recording.text(guard.name)}, &guard);
            if (guard.name != 0) bySource.try_emplace(recording.text(guard.name), &guard);
        }
    for (GuardOrigin& origin : out) {
        const std::string_view source = sourceIn(origin.guard.check);
        const GuardState* found = nullptr;
        if (const auto same = known.find({origin.guard.kind, source}); same != known.end())
            found = same->second;
        else if (const auto ambient = known.find({origin.guard.kind, {}}); ambient != known.end())
            found = ambient->second;
        else if (const auto other = bySource.find(source); other != bySource.end())
            found = other->second; // one guard of Dynamo's makes checks of several kinds
        if (found == nullptr) continue;
        origin.step = found->step;
        origin.who = recording.text(found->who);
        placeAt(recording, origin.step, origin.guard);
    }
    return out;
}

CallInputs inputsOf(const Recording& recording, std::size_t compile) {
    CallInputs out;
    const State* state = stateOf(recording, compile);
    for (ValueId id = 1; state != nullptr && id <= state->values.size(); ++id) {
        const ValueInfo value = recording.value(*state, id);
        const std::string_view source = value.text("source");
        if (source.empty() || value.field("realized") != nullptr) continue;
        CallInput input;
        if (const std::string_view dtype = value.text("dtype"); !dtype.empty()) {
            input.tensor = true;
            const std::string whole =
                comptimeText(recording, *state, id); // "Tensor(shape=(2,), dtype=torch.float32)"
            const std::size_t at = whole.rfind("torch.");
            if (at != std::string::npos) input.dtype = whole.substr(at, whole.size() - at - 1);
            input.shape = withHints(recording, *state, value.text("shape"));
            input.stride = withHints(recording, *state, value.text("stride"));
            input.requiresGrad = value.number("requires_grad") != 0;
        } else if (value.kind == "ConstantVariable") {
            input.value = value.text("value");
        } else if (value.kind == "SymNodeVariable") {
            const std::string symbol =
                withHints(recording, *state, '[' + std::string(value.text("value")) + ']');
            input.value = symbol.substr(1, symbol.size() - 2);
        } else {
            continue;
        }
        out.insert_or_assign(std::string(source), std::move(input));
    }
    return out;
}

std::vector<FailedGuard> recordedFailures(const Recording& recording, std::size_t compile) {
    std::vector<FailedGuard> out;
    std::optional<CallInputs> inputs;
    for (const std::string& reason : recording.compiles()[compile].recompileReasons) {
        FailedGuard guard = readFailedGuard(reason);
        if (guard.actual.empty() && !guard.subject.empty()) {
            if (!inputs) inputs = inputsOf(recording, compile);
            const auto found = std::find_if(inputs->begin(), inputs->end(), [&](const auto& input) {
                return input.first == guard.subject || input.first == "L['" + guard.subject + "']";
            });
            if (found != inputs->end()) guard.actual = found->second.value;
        }
        out.push_back(std::move(guard));
    }
    return out;
}

GuardVerdict checkGuard(const RecordedGuard& guard, const CallInputs& call) {
    if (guard.kind == "TENSOR_MATCH") return checkTensor(guard.check, call);
    return checkComparison(guard.check, call);
}

std::vector<CodeEntries> codeEntries(const Recording& recording) {
    std::vector<CodeEntries> out;
    std::map<std::string_view, std::size_t> known;
    std::set<std::string_view> ids;
    std::uint32_t resets = 0;
    for (std::size_t i = 0; i < recording.compiles().size(); ++i) {
        const CompileInfo& compile = recording.compiles()[i];
        // torch._dynamo.reset() empties the caches, and ids begin anew.
        if (!ids.insert(compile.id).second) {
            ids = {compile.id};
            known.clear();
            ++resets;
        }
        const auto [at, isNew] = known.try_emplace(frameOf(compile.id), out.size());
        if (isNew) out.push_back({compile.function, compile.file, compile.firstLine, resets, {}});
        out[at->second].compiles.push_back(i);
    }
    std::stable_sort(out.begin(), out.end(), [](const CodeEntries& a, const CodeEntries& b) {
        return a.compiles.size() > b.compiles.size();
    });
    return out;
}

RecordedBackend backendOf(const Recording& recording, const CodeEntries& code, std::size_t call) {
    const auto read = [](std::string_view reason, std::string_view before) {
        RecordedBackend out;
        const std::size_t begin = reason.find(before);
        const std::size_t id = reason.find(" (id=", begin);
        if (!reason.starts_with("BACKEND_MATCH") || begin == std::string_view::npos ||
            id == std::string_view::npos)
            return out;
        out.text = reason.substr(begin + before.size(), id - begin - before.size());
        out.identity = std::hash<std::string_view>{}(reason.substr(id, reason.find(')', id) - id)) | 1U;
        return out;
    };
    const CompileInfo& own = recording.compiles()[code.compiles[call]];
    for (const std::string& reason : own.recompileReasons)
        if (RecordedBackend out = read(withoutEntry(reason), "New backend: "); out.identity != 0) return out;
    for (const std::size_t other : code.compiles)
        if (const auto reason = recordedReason(recording.compiles()[other], own.id))
            if (RecordedBackend out = read(*reason, "Cached backend: "); out.identity != 0) return out;
    return {};
}

CacheSimulation simulateCache(const Recording& recording, const CodeEntries& code,
                              std::span<const CallToSimulate> calls, std::size_t limit) {
    struct Known {
        CallInputs inputs;
        std::vector<RecordedGuard> guards;
        RecordedBackend backend;
    };
    CacheSimulation out;
    std::map<std::size_t, Known> known;
    for (const CallToSimulate& made : calls) {
        if (made.call >= code.compiles.size()) continue;
        const auto [at, isNew] = known.try_emplace(made.call);
        if (!isNew) continue;
        at->second.inputs = inputsOf(recording, code.compiles[made.call]);
        at->second.backend = backendOf(recording, code, made.call);
        for (const std::string& text : recording.compiles()[code.compiles[made.call]].guards)
            at->second.guards.push_back(readRecordedGuard(text));
    }
    CodeCache cache(limit);
    for (const CallToSimulate& made : calls) {
        const auto now = known.find(made.call);
        if (now == known.end()) continue;
        const CompileInfo& compile = recording.compiles()[code.compiles[made.call]];
        const auto ask = [&](std::size_t entry) -> std::optional<std::string> {
            const std::size_t maker = out.madeBy[entry];
            if (maker == made.call) return std::nullopt; // the very call that it was made for
            // Backends have been compared before.
            if (auto said = recordedReason(compile, recording.compiles()[code.compiles[maker]].id);
                said && !said->starts_with("BACKEND_MATCH"))
                return said;
            for (const RecordedGuard& guard : known[maker].guards)
                if (const GuardVerdict verdict = checkGuard(guard, now->second.inputs);
                    verdict.kind == Kind::Fails)
                    return guard.check + ": expected " + verdict.expected + ", actual " + verdict.actual;
            return std::nullopt;
        };
        const std::size_t identity = made.backend.empty()
                                         ? now->second.backend.identity
                                         : std::hash<std::string>{}(made.backend) & ~std::size_t{1};
        SimulatedCall simulated{made.call, cache.call(Backend{identity, {}, {}}, ask)};
        if (simulated.answer.kind == CacheAnswer::Kind::Compiled) out.madeBy.push_back(made.call);
        out.calls.push_back(std::move(simulated));
    }
    return out;
}

} // namespace dynascope::dynamo
