// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/handed_over.h"

#include "core/session/bytecode_run.h"
#include "core/session/resume.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace dynascope::session {

namespace {

const Bytecode* ownCode(const Compile& compile) {
    for (const Bytecode& code : compile.bytecode)
        if (code.name == compile.function) return &code;
    return nullptr;
}

/// "h" and the indices behind it of "L['h'][0]"; nothing for other sources.
struct LocalSource {
    std::string name;
    std::vector<std::size_t> items;
};
std::optional<LocalSource> localSource(std::string_view source) {
    if (!source.starts_with("L['")) return {};
    source.remove_prefix(3);
    const std::size_t end = source.find("']");
    if (end == std::string_view::npos) return {};
    LocalSource out{std::string(source.substr(0, end)), {}};
    source.remove_prefix(end + 2);
    while (!source.empty()) {
        std::size_t index = 0;
        const char* const begin = source.data() + 1;
        const auto [stop, status] = std::from_chars(begin, source.data() + source.size(), index);
        if (source.front() != '[' || status != std::errc() || stop == source.data() + source.size() ||
            *stop != ']')
            return {};
        out.items.push_back(index);
        source.remove_prefix(static_cast<std::size_t>(stop + 1 - source.data()));
    }
    return out;
}

class HandOver {
public:
    explicit HandOver(const Session& session)
        : m_session(session)
        , m_frames(session.compiles.size()) {}

    std::vector<std::vector<HandedInput>> run() {
        std::vector<std::vector<HandedInput>> out(m_session.compiles.size());
        for (std::size_t i = 0; i < out.size(); ++i) {
            if (!parseResumedFunction(m_session.compiles[i].function)) continue;
            for (const TensorInput& input : m_session.compiles[i].inputs) {
                if (input.source.empty()) continue;
                const auto made = origin(i, input.source, input.meta, 0);
                if (!made || made->compile == i) continue;
                out[i].push_back(*made);
                out[i].back().source = input.source;
            }
        }
        return out;
    }

private:
    struct Frame {
        bool known = false;
        std::vector<CodeOp> original;
        std::vector<ResumeCall> calls; ///< that its generated code makes
        bool traced = false;
        std::size_t caller = SIZE_MAX; ///< the compile that handed over to this one
        std::map<std::string, CodeValuePtr> locals;
    };

    Frame& frame(std::size_t index) {
        Frame& out = m_frames[index];
        if (std::exchange(out.known, true)) return out;
        if (const Bytecode* code = ownCode(m_session.compiles[index])) {
            out.original = readBytecode(code->original.text());
            out.calls = resumeCallsOf(readBytecode(code->modified.text()));
        }
        return out;
    }

    /// Finds who handed over: the last compile before this one whose code goes on where this function does.
    const Frame& traced(std::size_t index) {
        Frame& self = frame(index);
        if (std::exchange(self.traced, true)) return self;
        const Compile& compile = m_session.compiles[index];
        const std::size_t rest = opsFrom(self.original, resumedLabel(self.original));
        const auto resumed = parseResumedFunction(compile.function);
        if (!resumed || rest == 0) return self;
        for (std::size_t i = index; i-- > 0;) {
            const Compile& before = m_session.compiles[i];
            if (before.rank != compile.rank || originalFunction(before.function) != resumed->function)
                continue;
            const Frame& from = frame(i);
            const std::string goesOn = breaksIn(before, resumed->line)
                                           ? targetOf(from.calls, from.original, self.original)
                                           : std::string();
            for (const ResumeCall& call : from.calls) {
                const bool byCode = !goesOn.empty() && call.target == goesOn;
                if (opsFrom(from.original, call.target) != rest && !byCode) continue;
                self.locals = localsAfterPrologue(self.original, call.arguments);
                if (self.locals.empty()) continue;
                self.caller = i;
                return self;
            }
        }
        return self;
    }

    /// What made the input of a compile: its caller's graph, or another before that.
    std::optional<HandedInput> origin(std::size_t index, const std::string& source,
                                      const ir::TensorMeta& meta, int depth) {
        constexpr int longest = 200;
        const HandedInput itself{source, index, 0, source};
        if (depth > longest) return {};
        const Frame& self = traced(index);
        const auto wanted = localSource(source);
        if (self.caller == SIZE_MAX || !wanted) return namedResult(index, source, meta).value_or(itself);
        const auto found = self.locals.find(wanted->name);
        if (found == self.locals.end()) return itself;
        CodeValuePtr value = found->second;
        for (const std::size_t item : wanted->items) {
            if (value->kind == CodeValue::Kind::Local) {
                // One item of what the caller itself was given.
                auto inner = std::make_shared<CodeValue>(*value);
                inner->text += "\n" + std::to_string(item);
                value = inner;
            } else if (value->kind == CodeValue::Kind::Sequence && item < value->items.size()) {
                value = value->items[item];
            } else {
                return itself;
            }
        }
        if (value->kind == CodeValue::Kind::GraphOutput)
            return HandedInput{source, self.caller, static_cast<std::size_t>(value->number), {}};
        if (value->kind != CodeValue::Kind::Local) return itself;
        std::string outer = "L['" + value->text.substr(0, value->text.find('\n')) + "']";
        for (std::size_t at = value->text.find('\n'); at != std::string::npos;) {
            const std::size_t next = value->text.find('\n', at + 1);
            outer += '[' + value->text.substr(at + 1, next == std::string::npos ? next : next - at - 1) + ']';
            at = next;
        }
        return origin(self.caller, outer, meta, depth + 1);
    }

    /// Where the trace lacks the code of the frame before, as it does for the first one: Dynamo calls a node
    /// by the local that its value was stored in first.
    [[nodiscard]] std::optional<HandedInput> namedResult(std::size_t index, const std::string& source,
                                                         const ir::TensorMeta& meta) const {
        const Compile& compile = m_session.compiles[index];
        const auto resumed = parseResumedFunction(compile.function);
        const auto wanted = localSource(source);
        if (!resumed || !wanted || !wanted->items.empty()) return {};
        for (std::size_t i = index; i-- > 0;) {
            const Compile& before = m_session.compiles[i];
            if (before.rank != compile.rank || before.function != resumed->function ||
                !breaksAt(before, resumed->line))
                continue;
            if (const auto output = resultNamed(before, wanted->name, meta))
                return HandedInput{source, i, *output, {}};
            const bool givenOn =
                std::any_of(before.inputs.begin(), before.inputs.end(),
                            [&](const TensorInput& given) { return given.source == source; });
            return givenOn ? std::optional(HandedInput{source, i, 0, source}) : std::nullopt;
        }
        return {};
    }

    /// Whether a frame, which may itself go on after a break, is known to break at a line of its function.
    static bool breaksIn(const Compile& compile, std::uint32_t line) {
        const auto all = compile.finalBreaks();
        return !all.empty() && std::ranges::any_of(all.back()->userStack, [&](const ir::SourceLocation& at) {
            return at.line == line &&
                   (at.function == compile.function || at.function == originalFunction(compile.function));
        });
    }

    /// Whether the frame breaks at a line of its own function; true where the capture does not say.
    static bool breaksAt(const Compile& compile, std::uint32_t line) {
        const auto all = compile.finalBreaks();
        if (all.empty()) return false;
        for (const ir::SourceLocation& at : all.back()->userStack)
            if (at.function == compile.function) return at.line == line;
        return true;
    }

    static std::optional<std::size_t> resultNamed(const Compile& compile, const std::string& name,
                                                  const ir::TensorMeta& meta) {
        const StagePtr stage = compile.findStage("dynamo_output_graph");
        const auto graph = stage ? stage->graph() : Result<ir::GraphPtr>(nullptr);
        if (!graph || !*graph) return {};
        std::optional<std::size_t> out;
        for (const ir::NodePtr& node : (*graph)->nodes()) {
            if (node->op != ir::Op::Output || node->args.empty()) continue;
            const std::vector<ir::Argument>& items = node->args.front().items;
            for (std::size_t i = 0; i < items.size(); ++i) {
                const ir::NodeIndex at = items[i].isNode() ? (*graph)->find(items[i].text) : ir::npos;
                if (at == ir::npos || !isNumbered(items[i].text, name)) continue;
                const std::optional<ir::ValueMeta>& made = (*graph)->node(at).meta;
                if (made && made->tensor && made->tensor->dtype == meta.dtype &&
                    made->tensor->sizes.size() == meta.sizes.size())
                    out = i; // of "h" and "h_1" the later one is what the local holds at the end
            }
        }
        return out;
    }

    /// "h" and "h_1" of "h".
    static bool isNumbered(std::string_view node, std::string_view name) {
        if (!node.starts_with(name)) return false;
        node.remove_prefix(name.size());
        return node.empty() || (node.front() == '_' && node.size() > 1 &&
                                node.find_first_not_of("0123456789", 1) == std::string_view::npos);
    }

    const Session& m_session;
    std::vector<Frame> m_frames;
};

} // namespace

std::vector<std::vector<HandedInput>> handedOver(const Session& session) {
    return HandOver(session).run();
}

std::size_t forwardOutput(const ir::Graph& forward, std::size_t output) {
    const std::string wanted = "PlainAOTOutput(idx=" + std::to_string(output) + ')';
    for (const ir::NodePtr& node : forward.nodes()) {
        if (node->op != ir::Op::Output) continue;
        std::string_view rest = node->comment;
        for (std::size_t at = 0; !rest.empty(); ++at) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            if (rest.substr(0, end) == wanted) return at;
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }
    return SIZE_MAX;
}

} // namespace dynascope::session
