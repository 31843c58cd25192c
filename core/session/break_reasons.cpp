// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/break_reasons.h"

#include "core/base/python_text.h"
#include "core/base/text.h"
#include "core/session/branch_ways.h"

#include <algorithm>
#include <array>
#include <optional>

namespace dynascope::session {

namespace {

/// What the short form of a kind is filled with.
enum class Fill : std::uint8_t {
    None,
    Quoted,    ///< the first `name` of the explanation
    Method,    ///< `method` of class `Class`
    Skipped,   ///< the function that is marked as skipped
    Operator,  ///< the operator of the debug context, without ".default"
    Condition, ///< the condition of the source line
};

enum class Way : std::uint8_t {
    Hints, ///< only what the hints say
    Remove,
    Logging,
    Cond,
    ScalarOutputs,
    DynamicShapes,
    MoveOut,
    FakeKernel,
    Rewrite,
};

struct BreakKind {
    std::string_view title;     ///< of GraphBreak, exact or its beginning
    std::string_view shortForm; ///< "{}" takes the fill; used only when there is one
    Fill fill;
    Way way;
};

constexpr std::array<BreakKind, 31> kinds = {{
    {"Failed to trace builtin operator", "Builtin {} cannot be traced", Fill::Quoted, Way::Rewrite},
    {"Data-dependent branching", "Branch on tensor data: {}", Fill::Condition, Way::Cond},
    {"Data-dependent jump", "Branch on tensor data: {}", Fill::Condition, Way::Cond},
    {"Data-dependent assertion", "Assertion on tensor data: {}", Fill::Condition, Way::MoveOut},
    {"Unsupported Tensor.item() call", "Tensor.item() with capture_scalar_outputs=False", Fill::None,
     Way::ScalarOutputs},
    {"Unsupported Tensor.tolist() call", "Tensor.tolist() with capture_scalar_outputs=False", Fill::None,
     Way::ScalarOutputs},
    {"Call to `torch._dynamo.graph_break()`", "Call to torch._dynamo.graph_break()", Fill::None, Way::Remove},
    {"ComptimeContext graph break", "Call to comptime.graph_break()", Fill::None, Way::Remove},
    {"Attempted to call function marked as skipped", "Function marked as skipped: {}", Fill::Skipped,
     Way::MoveOut},
    {"Attempted to inline function marked as skipped", "Function marked as skipped: {}", Fill::Skipped,
     Way::MoveOut},
    {"Skip calling `torch.compiler.disable()`d function",
     "Call to a function under torch.compiler.disable: {}", Fill::Quoted, Way::MoveOut},
    {"Skip inlining `torch.compiler.disable()`d function",
     "Call to a function under torch.compiler.disable: {}", Fill::Quoted, Way::MoveOut},
    {"Dynamic shape operator (no meta kernel)", "Dynamic shape operator {} has no meta kernel",
     Fill::Operator, Way::Hints},
    {"Dynamic shape operator", "Dynamic shape operator {}", Fill::Operator, Way::DynamicShapes},
    {"Data dependent operator", "Data-dependent operator {}", Fill::Operator, Way::ScalarOutputs},
    {"Data-dependent operator", "Data-dependent operator {}", Fill::Operator, Way::ScalarOutputs},
    {"Missing FakeTensor support for operator", "Operator {} has no fake kernel", Fill::Operator, Way::Hints},
    {"Operator does not support running with fake tensors", "Operator {} has no fake kernel", Fill::Operator,
     Way::FakeKernel},
    {"Unsupported method call", "Method {} cannot be traced", Fill::Method, Way::Rewrite},
    {"Unsupported function call", "Function {} cannot be traced", Fill::Quoted, Way::Rewrite},
    {"Unsupported context manager", "Context manager {} cannot be traced", Fill::Quoted, Way::MoveOut},
    {"Graph break under GenericContextWrappingVariable", "Break inside a context manager: {}", Fill::Quoted,
     Way::MoveOut},
    {"Unsupported Tensor.backward() call", "Tensor.backward() inside the compiled function", Fill::None,
     Way::MoveOut},
    {"Unsupported Tensor.requires_grad_() call", "Tensor.requires_grad_() inside the compiled function",
     Fill::None, Way::MoveOut},
    {"setattr() on Tensor.requires_grad", "Assignment to Tensor.requires_grad", Fill::None, Way::MoveOut},
    {"Observed exception", "Exception raised while tracing", Fill::None, Way::Rewrite},
    {"Backend compiler exception", "The backend failed on the graph", Fill::None, Way::Hints},
    {"Unsupported custom jvp", "autograd.Function with its own jvp", Fill::None, Way::Rewrite},
    {"Failed to mutate tensor data attribute to different dtype",
     "Assignment to Tensor.data of another dtype", Fill::None, Way::Rewrite},
    {"Attempted to wrap unbacked SymInt", "Unbacked SymInt as an input", Fill::None, Way::Hints},
    {"Encountered unconverted argument", "Argument of an operator cannot be traced", Fill::None,
     Way::Rewrite},
}};

const BreakKind* kindOf(std::string_view title) {
    const auto found = std::find_if(kinds.begin(), kinds.end(),
                                    [&](const BreakKind& kind) { return title.starts_with(kind.title); });
    return found == kinds.end() ? nullptr : &*found;
}

std::string withoutBackticks(std::string_view text) {
    std::string out(text);
    std::erase(out, '`');
    return out;
}

/// The n-th `quoted` piece of a text.
std::string backticked(std::string_view text, int n = 0) {
    for (std::size_t at = text.find('`'); at != std::string_view::npos; at = text.find('`', at + 1)) {
        const std::size_t end = text.find('`', at + 1);
        if (end == std::string_view::npos) return {};
        if (n-- == 0) {
            std::string out(text.substr(at + 1, end - at - 1));
            while (out.ends_with('.'))
                out.pop_back();
            return out;
        }
        at = end;
    }
    return {};
}

/// The value of "key: value, " in a debug context.
std::string contextValue(std::string_view context, std::string_view key) {
    const std::size_t at = context.find(key);
    if (at == std::string_view::npos) return {};
    context.remove_prefix(at + key.size());
    return std::string(context.substr(0, context.find(", ")));
}

std::string skippedFunction(const GraphBreak& graphBreak) {
    constexpr std::size_t longest = 48;
    const std::string module = contextValue(graphBreak.context, "module: ");
    const std::string name = contextValue(graphBreak.context, "qualname: ");
    if (name.empty()) return backticked(graphBreak.explanation);
    const bool plain = module.empty() || module == "None" || module.size() + name.size() > longest;
    return plain ? name : module + '.' + name;
}

std::string operatorName(const GraphBreak& graphBreak) {
    constexpr std::string_view introduced = "unsupported operator: ";
    std::string_view context = graphBreak.context;
    if (context.starts_with(introduced)) context.remove_prefix(introduced.size());
    std::string name(context.substr(0, context.find_first_of(" \n")));
    if (name.empty() || name.find('.') == std::string::npos) name = backticked(graphBreak.explanation);
    if (name.ends_with(".default")) name.resize(name.size() - 8);
    return name;
}

std::string fillFor(const GraphBreak& graphBreak, Fill fill) {
    switch (fill) {
    case Fill::None:
        return {};
    case Fill::Quoted:
        return backticked(graphBreak.explanation);
    case Fill::Skipped:
        return skippedFunction(graphBreak);
    case Fill::Operator:
        return operatorName(graphBreak);
    case Fill::Condition:
        return graphBreak.location() ? branchCondition(graphBreak.location()->code) : std::string();
    case Fill::Method: {
        const std::string method = backticked(graphBreak.explanation);
        const std::string type = backticked(graphBreak.explanation, 1);
        return type.empty() ? method : type + '.' + method;
    }
    }
    return {};
}

/// A hint that names a setting becomes one to copy.
std::optional<WayOut> settingOf(const std::string& hint) {
    constexpr std::string_view prefix = "torch._dynamo.config.";
    const std::size_t at = hint.find(prefix);
    if (at == std::string::npos) return std::nullopt;
    std::size_t end = at + prefix.size();
    while (end < hint.size() && isNameByte(hint[end]))
        ++end;
    const std::string name = hint.substr(at + prefix.size(), end - at - prefix.size());
    std::string code = hint.substr(at, end - at);
    for (const std::string_view assignment : {" = ", "="}) {
        if (hint.compare(end, assignment.size(), assignment) != 0) continue;
        const std::size_t value = end + assignment.size();
        std::size_t valueEnd = value;
        while (valueEnd < hint.size() && isNameByte(hint[valueEnd]))
            ++valueEnd;
        code += " = " + hint.substr(value, valueEnd - value);
        break;
    }
    return WayOut{"setting", "Set " + name, withoutBackticks(hint), std::move(code)};
}

/// The first sentence, cut at a word.
std::string headline(std::string_view text) {
    constexpr std::size_t limit = 56;
    const std::size_t sentence = std::min(text.find(". "), text.find('\n'));
    text = text.substr(0, sentence);
    if (text.ends_with('.')) text.remove_suffix(1);
    if (text.size() <= limit) return std::string(text);
    const std::size_t blank = text.rfind(' ', limit);
    return std::string(text.substr(0, blank == std::string_view::npos ? limit : blank)) + " ...";
}

WayOut hintWay(const std::string& hint) {
    if (std::optional<WayOut> setting = settingOf(hint)) return *setting;
    if (hint.find("report an issue") != std::string::npos || hint.find("file an issue") != std::string::npos)
        return {"report", "Report it to PyTorch", withoutBackticks(hint), {}};
    if (hint.find("allow_in_graph") != std::string::npos)
        return {"rewrite", "Wrap it as a custom operator", withoutBackticks(hint),
                "@torch.library.custom_op"};
    if (hint.find("dont_skip_tracing") != std::string::npos)
        return {"rewrite", "Trace into it", withoutBackticks(hint), "@torch._dynamo.dont_skip_tracing"};
    if (hint.find("torch.cond") != std::string::npos)
        return {"rewrite", "torch.cond", withoutBackticks(hint),
                "torch.cond(pred, true_fn, false_fn, operands)"};
    if (hint.find("https://") < 80) return {"read", "Read PyTorch's note", withoutBackticks(hint), {}};
    if (hint.find("Remove") != std::string::npos)
        return {"remove", "Remove the call", withoutBackticks(hint), {}};
    return {"rewrite", headline(withoutBackticks(hint)), withoutBackticks(hint), {}};
}

bool isLoggingCall(const std::string& name) {
    static constexpr std::array<std::string_view, 5> names = {"print", "warnings.warn", "warn", "logging",
                                                              "log"};
    return std::any_of(names.begin(), names.end(),
                       [&](std::string_view item) { return name == item || name.starts_with("logging."); });
}

/// Whether a file is PyTorch's own, of an installed one or of a checkout.
bool isPyTorchs(std::string_view file) {
    static constexpr std::array<std::string_view, 3> roots = {"/site-packages/torch/",
                                                              "/dist-packages/torch/", "/pytorch/torch/"};
    return std::ranges::any_of(roots, [&](std::string_view root) { return file.find(root) != file.npos; });
}

/// Whether the condition of the broken line asks for the value: "if loss.item() > 10:". A value that is only bound or
/// compared with None there decides nothing.
bool decides(const GraphBreak& graphBreak) {
    const ir::SourceLocation* at = graphBreak.location();
    if (!at) return false;
    const std::string_view code = trimmed(at->code);
    static constexpr std::array<std::string_view, 3> words = {"if ", "elif ", "while "};
    std::string condition;
    if (std::ranges::any_of(words, [code](std::string_view word) { return code.starts_with(word); })) {
        condition = branchCondition(code);
    } else if (const std::size_t begin = code.find(" if "), end = code.find(" else ", begin);
               end != std::string_view::npos) {
        condition = code.substr(begin, end - begin);
    }
    const auto has = [&condition](std::string_view text) {
        return condition.find(text) != std::string::npos;
    };
    return (has(".item(") || has(".tolist(")) && !has(":=") && !has(" is ");
}

WayOut scalarWay(const GraphBreak& graphBreak) {
    if (!decides(graphBreak))
        return {
            "setting", "capture_scalar_outputs",
            "The value then becomes an unbacked symbol of the graph; where the program decides by it, the "
            "graph breaks there.",
            "torch._dynamo.config.capture_scalar_outputs = True"};
    WayOut out = branchWay(graphBreak);
    out.text = "The line decides by the value: with capture_scalar_outputs alone the graph breaks at the "
               "decision instead. " +
               out.text;
    return out;
}

/// What the program could do about a call that Dynamo does not trace.
WayOut moveOutWay(const GraphBreak& graphBreak) {
    // _patch_track_step_called of torch/optim/lr_scheduler.py; what a skipped function calls is compiled.
    const std::string module = contextValue(graphBreak.context, "module: ");
    if (graphBreak.context.find("/torch/optim/lr_scheduler.py") != std::string::npos &&
        module.starts_with("torch.optim.") && module != "torch.optim.lr_scheduler" &&
        contextValue(graphBreak.context, "qualname: ").ends_with(".step"))
        return {"leave",
                "Leave it",
                "A learning-rate scheduler wraps the optimizer's step() in a function that Dynamo does not "
                "trace: it runs eagerly, and the step that it calls is compiled by itself.",
                {}};
    const ir::SourceLocation* at = graphBreak.location();
    if (!at || !isInstalled(at->file))
        return {"move out",
                "Move the call out",
                "Done before or after the compiled function, it cuts no graph.",
                {}};
    const ir::SourceLocation* caller = callerInProgram(graphBreak);
    return {"move out",
            "Call it before compiling, or move it out",
            "The line is not the program's. If it only sets something up, one call before torch.compile "
            "takes it out of the graph; else what calls it" +
                (caller ? ", line " + std::to_string(caller->line) + "," : std::string()) +
                " belongs before or after the compiled function.",
            {}};
}

std::optional<WayOut> knownWay(const GraphBreak& graphBreak, Way way) {
    switch (way) {
    case Way::Hints:
        return std::nullopt;
    case Way::Remove:
        return WayOut{"remove",
                      "Remove the call",
                      std::string(graphBreak.hints.empty() ? "" : "PyTorch's own hint. ") +
                          "The code after it then joins the graph before it.",
                      {}};
    case Way::Logging: {
        const std::string name = backticked(graphBreak.explanation);
        return WayOut{"setting", "reorderable_logging_functions",
                      "Calls of " + name + " then run after the graph, which goes on.",
                      "torch._dynamo.config.reorderable_logging_functions.add(" + name + ")"};
    }
    case Way::Cond:
        return branchWay(graphBreak);
    case Way::ScalarOutputs:
        return scalarWay(graphBreak);
    case Way::DynamicShapes:
        return WayOut{"setting", "capture_dynamic_output_shape_ops",
                      "The size of the output then becomes an unbacked symbol of the graph.",
                      "torch._dynamo.config.capture_dynamic_output_shape_ops = True"};
    case Way::MoveOut:
        return moveOutWay(graphBreak);
    case Way::FakeKernel: {
        const std::string name = operatorName(graphBreak);
        const bool own =
            name.find('.') != std::string::npos && !name.starts_with("aten.") && !name.starts_with("prims.");
        if (own)
            return WayOut{
                "rewrite", "Give the operator a fake kernel",
                "Dynamo calls operators on tensors without values, to know the shapes of what they give.",
                "@torch.library.register_fake(\"" + std::string(name).replace(name.find('.'), 1, "::") +
                    "\")"};
        return WayOut{
            "rewrite",
            "Use another operator",
            "Dynamo calls operators on tensors without values, and this one of PyTorch's has no kernel for "
            "them in this version.",
            {}};
    }
    case Way::Rewrite:
        return WayOut{"rewrite",
                      "Use what Dynamo can trace",
                      "An operation on tensors or a traceable function in its place.",
                      {}};
    }
    return std::nullopt;
}

} // namespace

std::string settingToTry(const WayOut& way) {
    constexpr std::string_view prefix = "torch._dynamo.config.";
    if (!way.code.starts_with(prefix)) return {};
    const auto made = [](std::string_view text, bool dots) {
        return !text.empty() &&
               std::ranges::all_of(text, [dots](char c) { return isNameByte(c) || (dots && c == '.'); });
    };
    const std::string_view setting = std::string_view(way.code).substr(prefix.size());
    if (const std::size_t sign = setting.find(" = "); sign != std::string_view::npos) {
        const std::string_view name = setting.substr(0, sign), value = setting.substr(sign + 3);
        if (made(name, false) && made(value, true)) return std::string(name) + '=' + std::string(value);
    }
    constexpr std::string_view add = ".add(";
    if (const std::size_t call = setting.find(add);
        call != std::string_view::npos && setting.ends_with(')')) {
        const std::string_view name = setting.substr(0, call);
        const std::string_view function =
            setting.substr(call + add.size(), setting.size() - call - add.size() - 1);
        if (made(name, false) && made(function, true))
            return std::string(name) + "+=" + std::string(function);
    }
    return {};
}

bool isAskedFor(const GraphBreak& graphBreak) {
    constexpr std::string_view words = "asked for in Dynascope's live mode"; // of plugins/capture/.../live.py
    return graphBreak.context.find(words) != std::string::npos ||
           graphBreak.explanation.find(words) != std::string::npos;
}

bool isInstalled(std::string_view file) {
    static constexpr std::array<std::string_view, 3> folders = {"/site-packages/", "/dist-packages/",
                                                                "/lib/python3."};
    return isPyTorchs(file) || std::ranges::any_of(folders, [&](std::string_view folder) {
               return file.find(folder) != file.npos;
           });
}

const ir::SourceLocation* callerInProgram(const GraphBreak& graphBreak) {
    const ir::SourceLocation* at = graphBreak.location();
    if (!at || !isInstalled(at->file)) return nullptr;
    const ir::StackTrace& stack = graphBreak.userStack;
    const auto own = std::find_if(stack.rbegin(), stack.rend(),
                                  [](const ir::SourceLocation& frame) { return !isInstalled(frame.file); });
    return own == stack.rend() ? nullptr : &*own;
}

std::string shortReason(const GraphBreak& graphBreak) {
    if (isAskedFor(graphBreak)) return "Asked for in the live bar";
    const BreakKind* kind = kindOf(graphBreak.title);
    if (!kind) return withoutBackticks(graphBreak.title);
    if (kind->fill == Fill::None) return std::string(kind->shortForm);
    const std::string fill = withoutBackticks(fillFor(graphBreak, kind->fill));
    if (fill.empty()) return withoutBackticks(graphBreak.title);
    std::string out(kind->shortForm);
    return out.replace(out.find("{}"), 2, fill);
}

std::vector<WayOut> waysOut(const GraphBreak& graphBreak) {
    std::vector<WayOut> out;
    if (isAskedFor(graphBreak)) return out;
    const BreakKind* kind = kindOf(graphBreak.title);
    Way way = kind ? kind->way : Way::Hints;
    const bool builtin = kind && kind->fill == Fill::Quoted && way == Way::Rewrite;
    const bool logging = builtin && isLoggingCall(backticked(graphBreak.explanation));
    if (logging) way = Way::Logging;
    if (const ir::SourceLocation* at = graphBreak.location();
        way == Way::Remove && at != nullptr && isPyTorchs(at->file))
        return {{"leave",
                 "Leave it",
                 "PyTorch's own code breaks the graph here on purpose; no line of the program asks for it.",
                 {}}};
    if (std::optional<WayOut> known = knownWay(graphBreak, way)) out.push_back(std::move(*known));
    if (!out.empty() && out.front().kind == "leave") return out;
    if (logging) out.push_back({"remove", "Remove the call", "Nothing else in the graph depends on it.", {}});

    std::vector<WayOut> reports;
    for (const std::string& hint : graphBreak.hints) {
        // PyTorch gives this hint for every builtin, exec included.
        if (builtin && !logging && hint.find("reorderable_logging_functions") != std::string::npos) continue;
        if (hint.starts_with("This graph break is fundamental")) continue; // a verdict, not a way out
        if (way == Way::Cond && hint.find("torch.cond") != std::string::npos)
            continue; // said, or does not hold
        if (way == Way::ScalarOutputs && out.front().kind != "setting" &&
            hint.find("capture_scalar_outputs") != std::string::npos)
            continue; // it moves the break
        WayOut found = hintWay(hint);
        const bool known = std::any_of(out.begin(), out.end(), [&](const WayOut& other) {
            return (!found.code.empty() && other.code.starts_with(found.code)) ||
                   (found.kind == "remove" && other.kind == "remove");
        });
        if (known) continue;
        (found.kind == "report" ? reports : out).push_back(std::move(found));
    }
    out.insert(out.end(), reports.begin(), reports.end());
    if (out.empty())
        out.push_back({"rewrite",
                       "Use what Dynamo can trace",
                       graphBreak.explanation.empty() ? withoutBackticks(graphBreak.title)
                                                      : withoutBackticks(graphBreak.explanation),
                       {}});
    return out;
}

} // namespace dynascope::session
