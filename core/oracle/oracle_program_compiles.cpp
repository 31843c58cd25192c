// SPDX-License-Identifier: BSD-3-Clause
//
// What kind `dynamo_program` says of single compiles.
#include "core/dynamo/describe.h"
#include "core/oracle/oracle_program.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace dynascope::engine::program {

namespace {

using nlohmann::json;
using namespace dynamo;

std::string attemptName(const json& object) {
    return stringField(object, "compile_id") + '#' + std::to_string(natural(object, "attempt"));
}

class CompilesJudge {
public:
    CompilesJudge(const json& oracleCase, const Recording& recording, CaseReport& report)
        : m_case(oracleCase)
        , m_recording(recording)
        , m_report(report) {
        for (std::uint32_t i = 0; i < recording.attempts().size(); ++i) {
            const AttemptInfo& attempt = recording.attempts()[i];
            m_attempts[attempt.compileId + '#' + std::to_string(attempt.number)] = i;
            m_last[attempt.compileId] = i;
        }
    }

    void run() {
        part("graph inputs", "graphs", &CompilesJudge::differentGraph);
        part("guards", "guards", &CompilesJudge::differentGuards);
        part("bytecode", "bytecode", &CompilesJudge::differentBytecode);
        part("metrics", "metrics", &CompilesJudge::differentMetrics);
        add("steps", differentSteps());
        add("counters", differentCounters());
    }

private:
    void add(const std::string& what, const std::string& difference) {
        m_report.parts.push_back(
            {what, difference.empty() ? CaseVerdict::Passed : CaseVerdict::Failed, difference});
    }

    void part(const char* what, const char* key, std::string (CompilesJudge::*differs)(const json&) const) {
        std::string difference = std::string_view(key) == "guards" || std::string_view(key) == "metrics"
                                     ? differentIds(key)
                                     : std::string();
        for (const json& entry : list(m_case, key)) {
            if (!difference.empty()) break;
            difference = (this->*differs)(entry);
            if (difference.empty()) continue;
            difference = stringField(entry, "compile_id") + ": " + difference;
            break;
        }
        add(what, difference);
    }

    /// Each compile that was installed has its entry.
    [[nodiscard]] std::string differentIds(const char* key) const {
        std::set<std::string> wanted, got;
        for (const json& entry : list(m_case, key))
            wanted.insert(stringField(entry, "compile_id"));
        // Metrics are of every compile, those that raised among them.
        const bool all = std::string_view(key) == "metrics";
        for (const CompileInfo& compile : m_recording.compiles())
            if (all || compile.status == "compiled") got.insert(compile.id);
        return differ(key, json(wanted).dump(), json(got).dump());
    }

    /// The state at the end of the attempt, or of a compile's last one. Null where there is none.
    [[nodiscard]] const State* stateOf(const json& entry) const {
        const auto& places = entry.contains("attempt") ? m_attempts : m_last;
        const auto found =
            places.find(entry.contains("attempt") ? attemptName(entry) : stringField(entry, "compile_id"));
        return found == places.end() ? nullptr : m_recording.stateAfter(found->second);
    }

    /// "FakeTensor[2] torch.float32 rg=False", "SymInt s77".
    [[nodiscard]] std::string exampleOf(const State& state, std::uint32_t node, std::string& source) const {
        for (ValueId id = 1; id <= state.values.size(); ++id) {
            const ValueInfo value = m_recording.value(state, id);
            if (value.field("node") == nullptr || value.number("node") != node) continue;
            source = value.text("source");
            if (value.text("dtype").empty()) return "SymInt " + std::string(value.text("value"));
            const std::string rest = comptimeText(m_recording, state, id);
            return "FakeTensor" + std::string(value.text("shape")) + ' ' +
                   rest.substr(rest.find("dtype=") + 6, rest.size() - rest.find("dtype=") - 7) +
                   " rg=" + (value.number("requires_grad") != 0 ? "True" : "False");
        }
        return {};
    }

    /// Whether the text names a symbol for which there is a replacement.
    [[nodiscard]] bool replaces(const State& state, const std::string& text) const {
        for (std::size_t i = 0; i < state.facts.size(); ++i) {
            const std::string_view fact = m_recording.text(state.facts[i].text);
            if (m_recording.text(state.facts[i].kind) == "replacement" &&
                text.find(fact.substr(0, fact.find(' '))) != std::string::npos)
                return true;
        }
        return false;
    }

    [[nodiscard]] std::string differentGraph(const json& graph) const {
        const State* state = stateOf(graph);
        if (state == nullptr) return "not recorded";
        const std::vector<GraphLine> lines = graphLines(m_recording, *state, 0);
        std::string different =
            differ("nodes", field(graph, "n_nodes").dump(), std::to_string(lines.size() - 1));
        json names = json::array(), wanted = json::array();
        for (const json& input : list(graph, "inputs"))
            wanted.push_back(field(input, "name"));
        for (const GraphLine& line : lines) {
            if (line.node == 0 || line.node > state->nodes.size()) continue;
            const NodeInfo node = m_recording.node(*state, line.node);
            if (node.op != "placeholder") continue;
            names.push_back(node.name);
            std::string source;
            const std::string example = exampleOf(*state, line.node, source);
            if (replaces(*state, example)) continue; // since it was traced, a symbol became a number
            const std::size_t i = names.size() - 1;
            if (i >= list(graph, "inputs").size() || example.empty()) continue;
            const json& input = list(graph, "inputs")[i];
            if (different.empty())
                different = differ("input " + std::string(node.name), stringField(input, "example"), example);
            if (different.empty() && !source.empty())
                different =
                    differ("source of " + std::string(node.name), stringField(input, "source"), source);
        }
        if (different.empty()) different = differ("inputs", wanted.dump(), names.dump());
        if (different.empty()) different = differentCode(graph, *state);
        return different.empty() ? differentSymbols(field(graph, "symbols"), *state) : different;
    }

    /// The readable form names every call.
    [[nodiscard]] std::string differentCode(const json& graph, const State& state) const {
        const std::string code = stringField(graph, "code");
        if (!code.starts_with("class GraphModule(torch.nn.Module):\n"))
            return "its code is no class GraphModule";
        for (const GraphLine& line : graphLines(m_recording, state, 0)) {
            if (line.node == 0) continue;
            const NodeInfo node = m_recording.node(state, line.node);
            if (node.op.starts_with("call_") && code.find(node.name) == std::string::npos)
                return "its code lacks " + std::string(node.name);
        }
        return {};
    }

    [[nodiscard]] std::string differentSymbols(const json& symbols, const State& state) const {
        std::map<std::string, std::string> hints, ranges;
        for (const SymbolState& symbol : state.symbols) {
            const std::string name(m_recording.text(symbol.name));
            hints[name] = m_recording.text(symbol.hint);
            ranges[name] = m_recording.text(symbol.range);
        }
        for (const auto& [name, hint] : field(symbols, "hints").items()) {
            const std::string& recorded = hints[name]; // empty where it came later than the symbol
            const std::string wanted = hint.is_string() ? hint.get<std::string>() : hint.dump();
            if (!recorded.empty() && recorded != wanted) return differ("hint of " + name, wanted, recorded);
        }
        for (const auto& [name, range] : field(symbols, "ranges").items()) {
            if (!ranges.contains(name)) continue; // made before the attempt was recorded
            const std::string wanted =
                range.is_array() && range.size() == 2 && range[0].is_string() && range[1].is_string()
                    ? '[' + range[0].get<std::string>() + ", " + range[1].get<std::string>() + ']'
                    : range.dump();
            if (std::string different = differ("range of " + name, wanted, ranges[name]); !different.empty())
                return different;
        }
        return {};
    }

    [[nodiscard]] std::string differentGuards(const json& compile) const {
        const State* state = stateOf(compile);
        if (state == nullptr) return "not recorded";
        std::set<std::string> wanted, got;
        for (const json& guard : list(compile, "guards"))
            wanted.insert(masked(stringField(guard, "source") + ' ' + stringField(guard, "name") + ' ' +
                                 stringField(guard, "create_fn")));
        for (std::size_t i = 0; i < state->guards.size(); ++i)
            if (!state->guards[i].gone)
                got.insert(masked(std::string(m_recording.text(state->guards[i].source)) + ' ' +
                                  std::string(m_recording.text(state->guards[i].name)) + ' ' +
                                  std::string(m_recording.text(state->guards[i].create))));
        std::string different = differ("guards", json(wanted).dump(), json(got).dump());
        const Code* code = codeOf(compile);
        if (different.empty() && code != nullptr)
            different =
                differ("function",
                       stringField(compile, "code") + ':' + std::to_string(natural(compile, "firstlineno")),
                       code->name + ':' + std::to_string(code->firstLine));
        return different.empty() ? differentTree(compile) : different;
    }

    /// The guards as they were built, in the order of the tree. Where each came from, behind "#", PyTorch
    /// writes only with its logs on; the global state is that of a machine.
    [[nodiscard]] std::string differentTree(const json& compile) const {
        const std::string tree = stringField(compile, "tree"), id = stringField(compile, "compile_id");
        if (!tree.starts_with("\nTREE_GUARD_MANAGER:\n+- RootGuardManager\n"))
            return "the tree of guards has no root";
        std::vector<std::string> wanted, got;
        const auto add = [](std::vector<std::string>& to, std::string_view guard) {
            const std::size_t colon = guard.find(": ");
            if (colon == std::string_view::npos || guard.starts_with("GLOBAL_STATE") ||
                guard.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") != colon)
                return;
            guard = guard.substr(0, guard.find("  # "));
            to.push_back(masked(std::string(guard.substr(0, guard.find_last_not_of(' ') + 1))));
        };
        for (std::size_t at = 0; at < tree.size();) {
            const std::size_t end = std::min(tree.find('\n', at), tree.size());
            const std::string_view line = std::string_view(tree).substr(at, end - at);
            if (const std::size_t sign = line.find("+- "); sign != std::string_view::npos)
                add(wanted, line.substr(sign + 3));
            at = end + 1;
        }
        for (const CompileInfo& one : m_recording.compiles())
            if (one.id == id && one.status == "compiled")
                for (const std::string& guard : one.guards)
                    add(got, guard);
        return got.empty() ? std::string() : differ("tree", json(wanted).dump(), json(got).dump());
    }

    [[nodiscard]] const Code* codeOf(const json& entry) const {
        const auto found = m_last.find(stringField(entry, "compile_id"));
        return found == m_last.end() ? nullptr : m_recording.code(m_recording.attempts()[found->second].code);
    }

    /// Dynamo takes a jump on None apart before it traces (remove_jump_if_none of
    /// bytecode_transformation.py).
    static std::vector<std::string> asTraced(const std::vector<std::string>& original) {
        std::vector<std::string> out;
        for (const std::string& op : original) {
            const std::size_t at = op.rfind("_IF_");
            const std::string when = at == std::string::npos ? std::string() : op.substr(at);
            if (when != "_IF_NONE" && when != "_IF_NOT_NONE") {
                out.push_back(op);
                continue;
            }
            out.insert(out.end(), {"LOAD_CONST", "IS_OP",
                                   op.substr(0, at) + (when == "_IF_NONE" ? "_IF_TRUE" : "_IF_FALSE")});
        }
        return out;
    }

    /// In the code before or after; a module that Dynamo imported has a name of Dynamo's.
    [[nodiscard]] static bool isNamed(const json& compile, const std::string& name) {
        return name.starts_with("__import_") ||
               stringField(compile, "original").find(name) != std::string::npos ||
               stringField(compile, "modified").find(name) != std::string::npos;
    }

    [[nodiscard]] std::string differentBytecode(const json& compile) const {
        const Code* code = codeOf(compile);
        if (code == nullptr) return "not recorded";
        std::vector<std::string> got;
        for (const Instruction& instruction : code->instructions)
            got.emplace_back(instruction.op);
        const std::vector<std::string> original = instructionsOf(stringField(compile, "original"));
        std::string different = differ("instructions", json(asTraced(original)).dump(), json(got).dump());
        const auto check = [&](const char* key, const json& recorded) {
            if (different.empty()) different = differ(key, field(compile, key).dump(), recorded.dump());
        };
        check("n_instructions_original", original.size());
        check("firstlineno", code->firstLine);
        check("code", code->name);
        check("co_freevars", code->free);
        check("co_cellvars", code->cells);
        check("qualname", code->qualname);
        check("co_varnames", code->locals);
        for (const json& name : list(compile, "co_names"))
            if (different.empty() && (!name.is_string() || !isNamed(compile, name.get<std::string>())))
                different = "its code names no " + name.dump();
        if (different.empty())
            different = differ("n_instructions_modified", field(compile, "n_instructions_modified").dump(),
                               std::to_string(instructionsOf(stringField(compile, "modified")).size()));
        return different;
    }

    [[nodiscard]] std::string differentMetrics(const json& compile) const {
        const State* state = stateOf(compile);
        const Code* code = codeOf(compile);
        if (state == nullptr || code == nullptr) return {};
        std::string different;
        const auto check = [&](const char* key, const json& recorded) {
            if (different.empty() && compile.contains(key))
                different = differ(key, field(compile, key).dump(), recorded.dump());
        };
        const std::string id = stringField(compile, "compile_id");
        const bool compiled = std::any_of(
            m_recording.compiles().begin(), m_recording.compiles().end(), [&](const CompileInfo& one) {
                return one.id == id && (one.status == "compiled" || one.status == "skipped");
            });
        check("has_guarded_code", compiled);
        const std::string nth = id.substr(id.rfind('/') + 1);
        if (different.empty() && compile.contains("cache_size"))
            different = differ("cache_size", field(compile, "cache_size").dump(), nth);
        check("co_name", code->name);
        check("co_firstlineno", code->firstLine);
        const auto last = m_last.find(stringField(compile, "compile_id"));
        if (!handedOver(m_recording, last->second)) return different;
        std::size_t calls = 0, inputs = 0, nodes = 0;
        for (const GraphLine& line : graphLines(m_recording, *state, 0)) {
            if (line.node == 0) continue;
            const std::string_view op = m_recording.node(*state, line.node).op;
            ++nodes;
            calls += op.starts_with("call_") ? 1 : 0;
            inputs += op == "placeholder" ? 1 : 0;
        }
        check("graph_op_count", calls);
        check("graph_node_count", nodes);
        check("graph_input_count", inputs);
        return different;
    }

    [[nodiscard]] std::string differentCounters() const {
        const json& counters = field(m_case, "counters");
        const json& total = field(field(counters, "frames"), "total");
        const json& graphs = field(field(counters, "stats"), "unique_graphs");
        std::string different;
        if (total.is_number())
            different = differ("frames", total.dump(), std::to_string(list(m_case, "frames").size()));
        if (different.empty() && graphs.is_number())
            different = differ("graphs", graphs.dump(), std::to_string(list(m_case, "graphs").size()));
        std::set<std::string> disassembled;
        for (const json& compile : list(m_case, "bytecode"))
            disassembled.insert(stringField(compile, "compile_id"));
        for (const CompileInfo& compile : m_recording.compiles())
            if (different.empty() && compile.status == "compiled" && !disassembled.contains(compile.id))
                different = "there is no bytecode of " + compile.id;
        return different;
    }

    /// PyTorch's own log leaves out an instruction at which a failed speculation is honoured.
    [[nodiscard]] std::string differentSteps() const {
        const json& log = field(m_case, "step_log");
        if (!log.is_object()) return {};
        std::map<std::string, std::vector<std::string>> wanted, got;
        std::size_t count = 0;
        for (const json& entry : list(log, "lines")) {
            const std::string line = entry.is_string() ? entry.get<std::string>() : std::string();
            const std::size_t space = line.find(' ');
            if (line.empty() || line.front() < '0' || line.front() > '9' || space == std::string::npos)
                continue;
            const std::string rest = line.substr(space + 1);
            wanted[line.substr(0, space)].push_back(rest.substr(0, rest.find(' ')));
            ++count;
        }
        for (std::uint32_t i = 0; i < m_recording.steps().size(); ++i) {
            const Instruction* instruction = m_recording.instructionAt(i);
            const AttemptInfo& attempt =
                m_recording.attempts()[m_recording.frames()[m_recording.steps()[i].frame].attempt];
            got[attempt.compileId + '#' + std::to_string(attempt.number)].push_back(
                instruction ? std::string(instruction->op) : std::string());
        }
        std::string different = differ("n_ops", field(log, "n_ops").dump(), std::to_string(count));
        if (field(log, "truncated") == true)
            return different.empty() ? "the log is whole, and said to be cut off" : std::string();
        for (const auto& [name, number] : field(log, "ops_per_compile_attempt").items())
            if (different.empty())
                different = differ("steps of " + name, number.dump(), std::to_string(wanted[name].size()));
        for (const auto& [name, ops] : wanted) {
            if (!different.empty()) break;
            const std::vector<std::string>& recorded = got[name];
            std::size_t next = 0;
            for (const std::string& op : recorded)
                next += next < ops.size() && ops[next] == op ? 1 : 0;
            const std::size_t extra = recorded.size() - std::min(recorded.size(), ops.size());
            if (next != ops.size() || extra > 1)
                different = differ("steps of " + name, json(ops).dump(), json(recorded).dump());
        }
        for (const auto& [name, ops] : got)
            if (different.empty() && !ops.empty() && !wanted.contains(name))
                different = name + " was recorded only here";
        return different;
    }

    const json& m_case;
    const Recording& m_recording;
    CaseReport& m_report;
    std::map<std::string, std::uint32_t> m_attempts, m_last; ///< by "0/0#1" and by "0/0"
};

} // namespace

void judgeCompiles(const json& oracleCase, const Recording& recording, CaseReport& report) {
    CompilesJudge(oracleCase, recording, report).run();
}

} // namespace dynascope::engine::program
