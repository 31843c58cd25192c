// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/bytecode_run.h"
#include "core/session/bytecode_values.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

namespace dynascope::session {

namespace {

constexpr std::size_t mostSteps = 100'000, mostPaths = 256, mostItems = mostCodeItems;

CodeValuePtr unknown() {
    return codeValue(CodeKind::Unknown);
}

bool isPadding(std::string_view name) {
    constexpr std::array words = std::to_array<std::string_view>(
        {"CACHE", "COPY_FREE_VARS", "EXTENDED_ARG", "KW_NAMES", "MAKE_CELL", "NOP", "PRECALL", "RESUME"});
    return std::find(words.begin(), words.end(), name) != words.end();
}

/// One path through the code.
struct Path {
    std::size_t at = 0;
    std::vector<CodeValuePtr> stack;
    std::map<std::string, CodeValuePtr> locals;

    [[nodiscard]] Path fork(std::size_t to) const {
        Path out;
        out.at = to;
        CodeCopies copies;
        for (const CodeValuePtr& entry : stack)
            out.stack.push_back(copyOf(entry, copies));
        for (const auto& [name, entry] : locals)
            out.locals[name] = copyOf(entry, copies);
        return out;
    }
};

class Machine {
public:
    explicit Machine(const std::vector<CodeOp>& code)
        : m_code(code) {
        for (std::size_t i = 0; i < code.size(); ++i)
            if (!code[i].label.empty()) m_at.emplace(code[i].label, i);
    }

    std::vector<ResumeCall> run() {
        m_paths.emplace_back();
        std::size_t paths = 0, steps = 0;
        while (!m_paths.empty() && paths++ < mostPaths) {
            m_path = std::move(m_paths.back());
            m_paths.pop_back();
            while (m_path.at < m_code.size() && ++steps < mostSteps && step(m_code[m_path.at])) {
            }
        }
        return std::move(m_calls);
    }

    std::map<std::string, CodeValuePtr> prologue(const std::vector<CodeValuePtr>& arguments) {
        for (const CodeOp& op : m_code)
            if (op.name.ends_with("_FAST") && op.argument >= 0 &&
                static_cast<std::size_t>(op.argument) < arguments.size() && !op.detail.empty())
                m_path.locals.emplace(op.detail, arguments[static_cast<std::size_t>(op.argument)]);
        for (std::size_t steps = 0; m_path.at < m_code.size() && steps < mostSteps; ++steps) {
            const CodeOp& op = m_code[m_path.at];
            if (op.name == "JUMP_FORWARD") return std::move(m_path.locals);
            if (!step(op)) break;
        }
        return {};
    }

private:
    CodeValuePtr pop() {
        if (m_path.stack.empty()) return unknown();
        CodeValuePtr out = std::move(m_path.stack.back());
        m_path.stack.pop_back();
        return out;
    }
    void drop(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i)
            (void)pop();
    }
    void push(CodeValuePtr entry) { m_path.stack.push_back(std::move(entry)); }
    std::vector<CodeValuePtr> popMany(std::size_t count) {
        std::vector<CodeValuePtr> out(count);
        for (std::size_t i = count; i-- > 0;)
            out[i] = pop();
        return out;
    }
    [[nodiscard]] bool has(std::size_t depth) const { return depth > 0 && m_path.stack.size() >= depth; }

    /// False at the end of the path, and where an instruction is not known.
    bool step(const CodeOp& op) {
        ++m_path.at;
        const std::string_view name = op.name;
        if (name.find("JUMP") != std::string_view::npos || name == "FOR_ITER") return jump(op);
        if (name.starts_with("RETURN") || name.starts_with("RAISE") || name.starts_with("RERAISE"))
            return false;
        return stackOp(op) || localOp(op) || containerOp(op) || callOp(op) || plainOp(op);
    }

    bool jump(const CodeOp& op) {
        const std::string_view name = op.name;
        const auto found = m_at.find(std::string(jumpTarget(op)));
        if (found == m_at.end()) return false;
        const bool conditional =
            name != "JUMP_FORWARD" && name != "JUMP_ABSOLUTE" && !name.starts_with("JUMP_BACKWARD");
        if (!conditional || m_taken.insert(m_path.at).second) {
            Path other = m_path.fork(found->second);
            if (!conditional) {
                // A loop says nothing new the second time.
                if (found->second < m_path.at && !m_taken.insert(m_path.at).second) return false;
                m_path = std::move(other);
                return true;
            }
            if (name.find("OR_POP") == std::string_view::npos && !other.stack.empty()) other.stack.pop_back();
            m_paths.push_back(std::move(other));
        }
        if (name == "FOR_ITER") {
            push(unknown());
        } else {
            (void)pop();
        }
        return true;
    }

    bool stackOp(const CodeOp& op) {
        const std::string_view name = op.name;
        const auto n = static_cast<std::size_t>(std::max(op.argument, 0));
        std::vector<CodeValuePtr>& stack = m_path.stack;
        if (name == "PUSH_NULL") {
            push(codeValue(CodeKind::Null));
        } else if (name == "POP_TOP") {
            (void)pop();
        } else if (name == "COPY" && has(n)) {
            push(CodeValuePtr(stack[stack.size() - n]));
        } else if (name == "SWAP" && has(n)) {
            std::swap(stack.back(), stack[stack.size() - n]);
        } else if (name == "DUP_TOP" && has(1)) {
            push(CodeValuePtr(stack.back()));
        } else if (name == "ROT_TWO" && has(2)) {
            std::rotate(stack.end() - 2, stack.end() - 1, stack.end());
        } else if (name == "ROT_THREE" && has(3)) {
            std::rotate(stack.end() - 3, stack.end() - 1, stack.end());
        } else if (name == "ROT_N" && has(n)) {
            std::rotate(stack.end() - static_cast<std::ptrdiff_t>(n), stack.end() - 1, stack.end());
        } else {
            return false;
        }
        return true;
    }

    CodeValuePtr local(const std::string& name) {
        CodeValuePtr& entry = m_path.locals[name];
        if (!entry) entry = codeValue(CodeKind::Local, 0, name);
        return entry;
    }

    bool localOp(const CodeOp& op) {
        const std::string_view name = op.name;
        const std::size_t comma = op.detail.find(", ");
        if (comma != std::string::npos && name.find("_FAST") != std::string_view::npos) {
            const std::string first = op.detail.substr(0, comma), second = op.detail.substr(comma + 2);
            if (name.starts_with("STORE_FAST")) m_path.locals[first] = pop();
            if (name.starts_with("LOAD_FAST")) push(local(first));
            if (name.ends_with("STORE_FAST")) m_path.locals[second] = pop();
            if (name.find("LOAD_FAST", 1) != std::string_view::npos) push(local(second));
            return true;
        }
        if (name.starts_with("LOAD_FAST") || name == "LOAD_DEREF" || name == "LOAD_CLOSURE") {
            push(local(op.detail));
        } else if (name == "STORE_FAST" || name == "STORE_DEREF") {
            m_path.locals[op.detail] = pop();
        } else if (name == "DELETE_FAST" || name == "DELETE_DEREF") {
            m_path.locals[op.detail] = unknown();
        } else if (name == "LOAD_CONST") {
            const auto number = decimal(op.detail);
            push(number ? codeValue(CodeKind::Integer, *number)
                        : codeValue(op.detail == "None" ? CodeKind::None : CodeKind::Unknown));
        } else if (name == "LOAD_GLOBAL" || name == "LOAD_NAME") {
            std::string_view text = op.detail;
            const bool nullBefore = text.starts_with("NULL + "), nullAfter = text.ends_with(" + NULL");
            if (nullBefore) text.remove_prefix(7);
            if (nullAfter) text.remove_suffix(7);
            if (nullBefore) push(codeValue(CodeKind::Null));
            push(codeValue(CodeKind::Global, 0, std::string(text)));
            if (nullAfter) push(codeValue(CodeKind::Null));
        } else {
            return false;
        }
        return true;
    }

    bool containerOp(const CodeOp& op) {
        const std::string_view name = op.name;
        const auto n = static_cast<std::size_t>(std::max(op.argument, 0));
        if (name == "BUILD_LIST" || name == "BUILD_TUPLE" || name == "BUILD_SLICE") {
            if (n > mostItems) return false;
            CodeValuePtr out = codeValue(name == "BUILD_SLICE" ? CodeKind::Slice : CodeKind::Sequence);
            out->items = popMany(n);
            push(std::move(out));
        } else if (name == "BINARY_SUBSCR" || name == "BINARY_SLICE") {
            CodeValuePtr key = pop();
            if (name == "BINARY_SLICE") {
                CodeValuePtr slice = codeValue(CodeKind::Slice);
                slice->items = {pop(), key};
                key = slice;
            }
            const CodeValuePtr container = pop();
            push(itemOf(*container, *key));
        } else if (name == "STORE_SUBSCR" || name == "STORE_SLICE") {
            CodeValuePtr key = pop();
            if (name == "STORE_SLICE") {
                CodeValuePtr slice = codeValue(CodeKind::Slice);
                slice->items = {pop(), key};
                key = slice;
            }
            const CodeValuePtr container = pop(), stored = pop();
            storeItem(*container, *key, stored);
        } else if (name == "DELETE_SUBSCR") {
            const CodeValuePtr key = pop(), container = pop();
            if (container->kind != CodeKind::Sequence) return true;
            if (const auto at = itemPosition(*key, container->items.size()))
                container->items.erase(container->items.begin() + static_cast<std::ptrdiff_t>(*at));
            else
                storeItem(*container, *key, nullptr);
        } else if (name == "LIST_EXTEND" || name == "LIST_APPEND") {
            const CodeValuePtr added = pop();
            if (!has(n)) return false;
            CodeValue& list = *m_path.stack[m_path.stack.size() - n];
            if (list.kind != CodeKind::Sequence) return true;
            if (name == "LIST_APPEND") {
                list.items.push_back(added);
            } else if (added->kind == CodeKind::Sequence &&
                       list.items.size() + added->items.size() <= mostItems) {
                const std::vector<CodeValuePtr> items = added->items;
                list.items.insert(list.items.end(), items.begin(), items.end());
            } else {
                list.kind = CodeKind::Unknown;
            }
        } else if (name == "LIST_TO_TUPLE" || (name == "CALL_INTRINSIC_1" && op.argument == 6)) {
            const CodeValuePtr list = pop();
            push(std::make_shared<CodeValue>(*list));
        } else if (name == "UNPACK_SEQUENCE") {
            const CodeValuePtr sequence = pop();
            for (std::size_t i = std::min(n, mostItems); i-- > 0;)
                push(itemOf(*sequence, *codeValue(CodeKind::Integer, static_cast<std::int64_t>(i))));
        } else {
            return false;
        }
        return true;
    }

    CodeValuePtr called(const CodeValue& callable, const std::vector<CodeValuePtr>& arguments) {
        if (callable.kind != CodeKind::Global) return unknown();
        if (callable.text.starts_with("__compiled_fn")) return codeValue(CodeKind::GraphResults);
        constexpr std::string_view resume = "__resume_at_";
        if (callable.text.starts_with(resume)) {
            std::string offset = callable.text.substr(resume.size());
            offset = offset.substr(0, offset.find('_'));
            CodeCopies copies;
            std::vector<CodeValuePtr> held;
            for (const CodeValuePtr& argument : arguments)
                held.push_back(copyOf(argument, copies));
            m_calls.push_back({std::move(offset), std::move(held)});
        }
        return unknown();
    }

    bool callOp(const CodeOp& op) {
        const std::string_view name = op.name;
        const auto n = static_cast<std::size_t>(std::max(op.argument, 0));
        if (n > mostItems) return false;
        if (name == "CALL_FUNCTION_EX") {
            if ((op.argument & 1) != 0) (void)pop();
            const CodeValuePtr arguments = pop();
            CodeValuePtr callable = pop();
            if (callable->kind == CodeKind::Null)
                callable = pop(); // 3.13 has the marker above the function
            else if (!m_path.stack.empty() && m_path.stack.back()->kind == CodeKind::Null)
                (void)pop();
            push(called(*callable, arguments->kind == CodeKind::Sequence ? arguments->items
                                                                         : std::vector<CodeValuePtr>()));
        } else if (name == "CALL" || name == "CALL_METHOD") {
            const std::vector<CodeValuePtr> arguments = popMany(n);
            const CodeValuePtr upper = pop(), lower = pop();
            const CodeValue& callable = lower->kind == CodeKind::Null ? *upper : *lower;
            push(called(callable, arguments));
        } else if (name == "CALL_FUNCTION") {
            const std::vector<CodeValuePtr> arguments = popMany(n);
            push(called(*pop(), arguments));
        } else if (name == "CALL_KW" || name == "CALL_FUNCTION_KW") {
            drop(n + (name == "CALL_KW" ? 3 : 2));
            push(unknown());
        } else {
            return false;
        }
        return true;
    }

    /// Instructions whose result is not followed: so many values off the stack, so many unknown ones on it.
    bool plainOp(const CodeOp& op) {
        struct Plain {
            std::string_view name;
            std::size_t pops, pushes;
        };
        constexpr std::array plains = std::to_array<Plain>({
            {"BEFORE_WITH", 1, 2},
            {"CALL_INTRINSIC_1", 1, 1},
            {"CALL_INTRINSIC_2", 2, 1},
            {"COMPARE_OP", 2, 1},
            {"CONTAINS_OP", 2, 1},
            {"DELETE_ATTR", 1, 0},
            {"DELETE_GLOBAL", 0, 0},
            {"DICT_MERGE", 1, 0},
            {"DICT_UPDATE", 1, 0},
            {"FORMAT_SIMPLE", 1, 1},
            {"GET_ITER", 1, 1},
            {"GET_LEN", 0, 1},
            {"IMPORT_FROM", 0, 1},
            {"IMPORT_NAME", 2, 1},
            {"IS_OP", 2, 1},
            {"LOAD_ASSERTION_ERROR", 0, 1},
            {"LOAD_BUILD_CLASS", 0, 1},
            {"LOAD_METHOD", 1, 2},
            {"MAP_ADD", 2, 0},
            {"SET_ADD", 1, 0},
            {"SET_UPDATE", 1, 0},
            {"STORE_ATTR", 2, 0},
            {"STORE_GLOBAL", 1, 0},
            {"STORE_NAME", 1, 0},
            {"END_FOR", 1, 0},
            {"TO_BOOL", 1, 1},
        });
        const auto n = static_cast<std::size_t>(std::max(op.argument, 0));
        const std::string_view name = op.name;
        const auto put = [&](std::size_t pops, std::size_t pushes) {
            if (pops > mostItems) return false;
            drop(pops);
            for (std::size_t i = 0; i < pushes; ++i)
                push(unknown());
            return true;
        };
        for (const Plain& plain : plains)
            if (plain.name == name) return put(plain.pops, plain.pushes);
        if (name == "LOAD_ATTR") return put(1, op.detail.starts_with("NULL|self") ? 2 : 1);
        if (name.starts_with("UNARY_")) return put(1, 1);
        if (name.starts_with("BINARY_") || name.starts_with("INPLACE_")) return put(2, 1);
        if (name == "BUILD_MAP") return put(2 * n, 1);
        if (name == "BUILD_CONST_KEY_MAP") return put(n + 1, 1);
        if (name == "BUILD_SET" || name == "BUILD_STRING") return put(n, 1);
        if (name == "FORMAT_VALUE") return put((op.argument & 4) != 0 ? 2 : 1, 1);
        if (name == "MAKE_FUNCTION")
            return put(1 + static_cast<std::size_t>(std::popcount(static_cast<unsigned>(op.argument))), 1);
        return isPadding(name);
    }

    const std::vector<CodeOp>& m_code;
    std::map<std::string, std::size_t> m_at; ///< by label
    std::set<std::size_t> m_taken;           ///< jumps of which both ways are known
    std::vector<Path> m_paths;               ///< to go
    Path m_path;
    std::vector<ResumeCall> m_calls;
};

} // namespace

std::vector<ResumeCall> resumeCallsOf(const std::vector<CodeOp>& code) {
    return Machine(code).run();
}

std::map<std::string, CodeValuePtr> localsAfterPrologue(const std::vector<CodeOp>& code,
                                                        const std::vector<CodeValuePtr>& arguments) {
    return Machine(code).prologue(arguments);
}

} // namespace dynascope::session
