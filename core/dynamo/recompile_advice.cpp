// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/recompile_advice.h"

#include "core/dynamo/size_guard.h"
#include "core/session/resume.h"
#include "core/session/symbol_hints.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace dynascope::dynamo {

namespace {

using Kind = FailedGuard::Kind;

constexpr std::string_view adviceForModules =
    "A number that a module holds is a constant of the entry: keep it as a tensor (register_buffer), or set "
    "torch._dynamo.config.allow_unspec_int_on_nn_module for ints";
// Not so of globals and defaults (is_int_specialization_case), and of 0 and 1 in some versions.
constexpr std::string_view adviceForInts =
    "An int that a frame takes in is a constant of its first entry and symbolic from its second value on, "
    "unless "
    "torch._dynamo.config.specialize_int is set: passed as a tensor it needs no second entry";
constexpr std::string_view adviceForConstantInts =
    "The int is a constant of this entry though it had another value before, as with "
    "torch.compile(dynamic=False) or "
    "torch._dynamo.config.specialize_int: without them, or as a tensor, it needs no entry for each value";

/// What to do about a Python value that is a constant of the entry: it depends on what it is.
std::string adviceForValue(const FailedGuard& guard) {
    const std::string_view value = guard.expected;
    if (value == "None" || value == "not None")
        return "Whether the argument is None decides what is compiled: an entry for each is as few as can be";
    if (value == "True" || value == "False")
        return "A bool is a constant of the entry: two entries serve both values";
    if (value.starts_with('\'') || value.starts_with('"'))
        return "A string is a constant of the entry, each value costs one: decide outside the compiled "
               "function";
    if (!isNumber(value))
        return "The value is a constant of the entry: pass it as a tensor if it changes often";
    // Dynamo makes an int argument symbolic at its second value, but not one of a module.
    if (guard.subject.starts_with("self.")) return std::string(adviceForModules);
    // wrap_symfloat() of torch/_dynamo/variables/builder.py.
    if (value.find_first_of(".e") != std::string_view::npos)
        return "A float is a constant of its first entry and symbolic from its second value on, unless "
               "torch._dynamo.config.specialize_float is set, Inductor makes CUDA graphs, or an operator "
               "takes it as a plain number (alpha=): passed as a tensor it needs no second entry";
    if (value != "0" && value != "1" && guard.subject.find_first_of(".[") == std::string::npos)
        return std::string(adviceForInts);
    return "The number is a constant of the entry: pass it as a tensor if it changes often";
}

constexpr std::string_view adviceForSizes = "One entry serves every size once it is symbolic: ";

/// What a frame takes in that goes on after a graph break is no argument that the program could mark.
constexpr std::string_view adviceElsewhere =
    "One entry serves every size once it is symbolic: torch.compile(dynamic=True), or mark_dynamic for the "
    "argument that this tensor is made from";

std::string markDynamic(std::string_view name, int dimension) {
    return "torch._dynamo.mark_dynamic(" + std::string(name) + ", " +
           (dimension < 0 ? "i" : std::to_string(dimension)) + ")";
}

} // namespace

std::string adviceFor(const FailedGuard& guard) {
    switch (guard.kind) {
    case Kind::Size:
        if (guard.isRange)
            return "The size is symbolic already: the entry serves sizes in this range, and others need one "
                   "of "
                   "their own, as 0 and 1 do unless the code treats them alike";
        [[fallthrough]];
    case Kind::Stride:
        // ___stack0 is Dynamo's own name of what lay on the stack where the graph broke.
        if (guard.subject.starts_with("___")) return std::string(adviceElsewhere);
        return std::string(adviceForSizes) + markDynamic(guard.subject, guard.dimension) +
               ", or torch.compile(dynamic=True)";
    case Kind::Rank:
        return "Each number of dimensions needs an entry of its own; reshape before the call";
    case Kind::Dtype:
    case Kind::Device:
        return "Convert before the call, or expect an entry for each";
    case Kind::RequiresGrad:
        return "Call it with and without gradients from two torch.compile objects, or detach before the call";
    case Kind::Value:
        return adviceForValue(guard);
    case Kind::Type:
        return "Pass one type only: an int where a float is meant costs an entry";
    case Kind::Object:
        return "The guard is on the identity of the object; create it once, outside the compiled function";
    case Kind::Freed:
        if (guard.subject.find("___stack") != std::string::npos)
            return "The entry went with what lay on the stack at the graph break, such as a bound method, "
                   "which "
                   "each call makes anew: without the break there is no such guard";
        return "The entry went with an object that its guards hold by identity, and each call that brings a "
               "new one needs another: create the object once and keep it";
    case Kind::Length:
        return "The number of elements is specialized; pad, or stack them into a tensor";
    case Kind::Alias:
        return "Whether two inputs are one tensor is specialized; pass a copy if they need not be";
    case Kind::Mode:
        return "Set the mode once, outside the loop that calls";
    case Kind::Backend:
        return "Each backend has entries of its own";
    case Kind::Other:
        break;
    }
    return {};
}

namespace {

/// Whether the frame's local of that name is a module, as its parameters or submodules among the inputs and guards say.
bool isModule(std::string_view name, const session::Compile& made) {
    const std::string source = "L['" + std::string(name) + "']";
    const auto isWithin = [&source](std::string_view inner) {
        if (!inner.starts_with(source)) return false;
        inner.remove_prefix(source.size());
        // "._modules", or "['_modules']" of its "__dict__".
        constexpr std::string_view own = ".__dict__['";
        inner.remove_prefix(inner.starts_with(own) ? own.size() : std::min<std::size_t>(1, inner.size()));
        return inner.starts_with("_modules") || inner.starts_with("_parameters") ||
               inner.starts_with("_buffers");
    };
    return std::ranges::any_of(made.inputs, isWithin, &session::TensorInput::source) ||
           std::ranges::any_of(made.guards, isWithin, &session::Guard::source);
}

/// Advice on a number that needs more than its guard's text.
void adviseOnNumber(FailedGuard& guard, const session::Compile& made) {
    if (guard.kind != Kind::Value || !isNumber(guard.expected)) return;
    const std::size_t dot = guard.subject.find('.');
    if (dot != std::string::npos && guard.subject.find_first_of(".[(", dot + 1) == std::string::npos &&
        isModule(std::string_view(guard.subject).substr(0, dot), made))
        guard.advice = adviceForModules;
}

/// An int that had another value before an entry was compiled, and is a constant of that entry all the same.
void adviseOnConstantInts(std::vector<FailedGuard>& guards) {
    const auto number = [](const FailedGuard& guard) {
        const std::size_t slash = guard.entry.rfind('/');
        int out = -1;
        if (slash != std::string::npos)
            std::from_chars(guard.entry.data() + slash + 1, guard.entry.data() + guard.entry.size(), out);
        return out;
    };
    for (FailedGuard& guard : guards)
        if (guard.advice == adviceForInts && std::ranges::any_of(guards, [&](const FailedGuard& earlier) {
                return earlier.kind == Kind::Value && earlier.subject == guard.subject &&
                       earlier.expected != guard.expected && number(earlier) < number(guard);
            }))
            guard.advice = adviceForConstantInts;
}

/// The symbol that a size was in this compile; null for none.
const session::SymbolInfo* symbolOfSize(const FailedGuard& guard, const session::Compile& made) {
    if (guard.kind != Kind::Size || guard.isRange || guard.dimension < 0 || guard.subject.empty())
        return nullptr;
    const std::string dimension = ".size()[" + std::to_string(guard.dimension) + ']';
    const std::string source = localSource(guard.subject) + dimension;
    const auto found = std::ranges::find_if(made.symbols, [&](const session::SymbolInfo& symbol) {
        return symbol.source == source || symbol.source == guard.subject + dimension;
    });
    return found == made.symbols.end() ? nullptr : &*found;
}

/// Whether something made a number of it.
bool isSpecialized(const session::SymbolInfo& symbol) {
    return !symbol.became.empty() && symbol.became.find_first_not_of("0123456789") == std::string::npos;
}

std::string adviceWhereSpecialized(const session::SymbolInfo& symbol) {
    return "The size was symbolic here too, and " + session::specialisation(symbol) +
           ": each size needs an entry as long as the program needs one value there, whatever is marked "
           "dynamic";
}

/// "mask" and 1 of "L['mask'].size()[1]"; nothing of what is no argument of the frame.
std::optional<std::pair<std::string_view, int>> argumentSize(std::string_view source) {
    constexpr std::string_view before = "L['", between = "'].size()[";
    const std::size_t end = source.find(between);
    if (!source.starts_with(before) || end == std::string_view::npos || !source.ends_with(']')) return {};
    const std::string_view name = source.substr(before.size(), end - before.size());
    if (name.find('\'') != std::string_view::npos || name.starts_with("___")) return {};
    const std::string_view digits = source.substr(end + between.size());
    int dimension = -1;
    std::from_chars(digits.data(), digits.data() + digits.size(), dimension);
    if (dimension < 0) return {};
    return std::pair(name, dimension);
}

/// Sizes of one value that turned symbolic together are marked together: where the program holds two of them
/// against each other, marking one alone ends in "your code specialized it to be a constant".
void adviseOnSizesAlike(FailedGuard& guard, const session::Compile& made) {
    if (guard.kind != Kind::Size || guard.isRange || guard.actual.empty()) return;
    const std::string own = markDynamic(guard.subject, guard.dimension);
    std::string others;
    bool hasOwn = false;
    for (const session::SymbolInfo& symbol : made.symbols) {
        const auto size = argumentSize(symbol.source);
        if (!size || symbol.value != guard.actual || !symbol.became.empty()) continue;
        const std::string mark = markDynamic(size->first, size->second);
        if (mark == own)
            hasOwn = true;
        else
            others += " and " + mark;
    }
    if (hasOwn && !others.empty())
        guard.advice = std::string(adviceForSizes) + own + others +
                       ", which were alike here, or torch.compile(dynamic=True)";
}

/// Whether the compile that would serve every size failed in the backend: marking the size asks for the same.
bool failedInBackend(const session::Compile& made) {
    return made.status == session::Status::Failed &&
           (made.failType == "InductorError" || made.failType == "BackendCompilerFailed");
}

std::string adviceWhereItFailed(const session::Compile& made) {
    return "This size was symbolic here, and the backend failed (" + made.failType +
           "): marking it dynamic asks for such a graph again. Keep it at one value, or compile an entry for "
           "each, "
           "torch.compile(dynamic=False), and report the error";
}

/// A learning rate that had changed, so that Dynamo made it symbolic, and that the graph made a constant again; null
/// where none was.
const session::SymbolInfo* specializedRate(const session::Compile& made) {
    const auto found = std::ranges::find_if(made.symbols, [](const session::SymbolInfo& symbol) {
        return symbol.source.ends_with("['lr']") && isNumber(symbol.became);
    });
    return found == made.symbols.end() ? nullptr : &*found;
}

std::string adviceForOptimizer(const session::Compile& made) {
    const std::string state = "An optimizer makes its state in its first step, so that its step is compiled "
                              "twice: nothing to change";
    const session::SymbolInfo* rate = specializedRate(made);
    if (!rate) return state;
    return state +
           " about that. But the learning rate had changed too and is a constant of this entry (lr == " +
           rate->value +
           "), so that each change has the step compiled again: make it a tensor, "
           "lr=torch.tensor(...), with capturable=True where foreach=True is given";
}

/// A list that was longer each time, as where the compiled code appends to it.
void adviseOnGrowth(std::vector<FailedGuard>& guards) {
    const auto number = [](const std::string& text) {
        int out = -1;
        std::from_chars(text.data(), text.data() + text.size(), out);
        return out;
    };
    const auto grew = [&](const FailedGuard& guard) {
        return guard.kind == Kind::Length && number(guard.expected) >= 0 &&
               number(guard.expected) < number(guard.actual);
    };
    for (FailedGuard& guard : guards) {
        const bool appends = guard.addedAt.code.find(".append(") != std::string::npos ||
                             guard.addedAt.code.find(".extend(") != std::string::npos;
        if (!grew(guard) || !appends) continue;
        if (std::ranges::all_of(guards, [&](const FailedGuard& other) {
                return other.kind != Kind::Length || other.subject != guard.subject || grew(other);
            }))
            guard.advice = "The length is a constant of each entry, and it was longer in each call that was "
                           "compiled: append outside the compiled function";
    }
}

} // namespace

void adviseBy(const session::Compile& made, std::vector<FailedGuard>& guards) {
    const ir::SourceLocation* at = made.location();
    // What a wrapper of Dynamo's takes in, args[0] of external_utils.py around a torch.nn module, is no argument.
    const bool isWrapper = at && at->file.find("/torch/_dynamo/") != std::string::npos;
    const bool isOptimizer = at && at->file.find("/torch/optim/") != std::string::npos;
    for (FailedGuard& guard : guards) {
        adviseOnNumber(guard, made);
        const bool isSize = (guard.kind == Kind::Size && !guard.isRange) || guard.kind == Kind::Stride;
        if (isSize && (isWrapper || session::parseResumedFunction(made.function)))
            guard.advice = adviceElsewhere;
        else
            adviseOnSizesAlike(guard, made);
        if (guard.kind == Kind::Length && guard.subject.starts_with("self.state") && isOptimizer)
            guard.advice = adviceForOptimizer(made);
        if (const session::SymbolInfo* symbol = symbolOfSize(guard, made)) {
            if (isSpecialized(*symbol))
                guard.advice = adviceWhereSpecialized(*symbol);
            else if (symbol->became.empty() && failedInBackend(made))
                guard.advice = adviceWhereItFailed(made);
        }
    }
    adviseOnConstantInts(guards);
    adviseOnGrowth(guards);
}

} // namespace dynascope::dynamo
