// SPDX-License-Identifier: BSD-3-Clause
//
// What kind `dynamo_program` says of compiles in metrics, logs and the shape environment, against what else it
// says of them and what was recorded.
#include "core/base/text.h"
#include "core/oracle/oracle_program.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace dynascope::engine::program {

namespace {

using nlohmann::json;
using namespace dynamo;

std::string baseName(std::string_view path) {
    return std::string(path.substr(path.rfind('/') + 1));
}

std::string oneLine(const std::string& text) {
    std::string out;
    for (const char c : text) {
        const bool space = c == ' ' || c == '\n';
        if (!space || (!out.empty() && out.back() != ' ')) out += space ? ' ' : c;
    }
    return out;
}

class FactsJudge {
public:
    FactsJudge(const json& oracleCase, const Recording& recording)
        : m_case(oracleCase)
        , m_recording(recording) {
        for (std::uint32_t i = 0; i < recording.attempts().size(); ++i) {
            const AttemptInfo& attempt = recording.attempts()[i];
            m_attempts[attempt.compileId + '#' + std::to_string(attempt.number)] = i;
            m_last[attempt.compileId] = i;
        }
    }

    [[nodiscard]] std::string differentMetrics(const json& metrics) const {
        const std::string id = stringField(metrics, "compile_id");
        std::string different;
        const auto check = [&](const char* key, const std::string& wanted) {
            if (different.empty() && metrics.contains(key))
                different = differ(key, field(metrics, key).dump(), wanted);
        };
        for (const json& compile : list(m_case, "guards")) {
            if (stringField(compile, "compile_id") != id) continue;
            check("guard_count", std::to_string(list(compile, "guards").size()));
            check("shape_env_guard_count", std::to_string(list(field(compile, "symbols"), "guards").size()));
        }
        // Entries of one function's cache: all of them, and those of the same objects.
        check("accumulated_cache_size", id.substr(id.rfind('/') + 1));
        if (different.empty()) different = differentFailure(metrics);
        const auto saysSo = [&](const json& list, const char* key, const std::string& reason) {
            return std::any_of(list.begin(), list.end(), [&](const json& entry) {
                return stringField(entry, "compile_id") == id &&
                       oneLine(stringField(entry, key)).find(oneLine(reason)) != std::string::npos;
            });
        };
        std::size_t restarts = 0;
        for (const json& reason : list(metrics, "restart_reasons")) {
            ++restarts;
            if (different.empty() && (!reason.is_string() || !saysSo(list(m_case, "subgraphs"), "reason",
                                                                     reason.get<std::string>())))
                different = "it restarted for no break of the program";
        }
        const auto last = m_last.find(id);
        if (different.empty() && restarts > 0 &&
            (last == m_last.end() || m_recording.attempts()[last->second].number == 0))
            different = "there was one attempt, and there are reasons of restarts";
        if (const std::string reason = stringField(metrics, "recompile_reason");
            different.empty() && !reason.empty()) {
            json recompiles = list(m_case, "recompiles");
            for (json& entry : recompiles)
                if (entry.is_object()) {
                    std::string words = stringField(entry, "text");
                    for (std::size_t at = 0; (at = words.find("\n    - ")) != std::string::npos;)
                        words.replace(at, 7, " ");
                    entry["text"] = words;
                }
            if (!saysSo(recompiles, "text", reason)) different = "the log of recompiles has another reason";
        }
        return different;
    }

    [[nodiscard]] std::string differentSymbols(const json& graph) const {
        for (const json& compile : list(m_case, "guards"))
            if (stringField(compile, "compile_id") == stringField(graph, "compile_id") &&
                field(compile, "symbols") != field(graph, "symbols"))
                return "the shape environment changed after the graph was made";
        const auto found = m_attempts.find(stringField(graph, "compile_id") + '#' +
                                           std::to_string(natural(graph, "attempt")));
        const State* state = found == m_attempts.end() ? nullptr : m_recording.stateAfter(found->second);
        if (state == nullptr) return {};
        const json& symbols = field(graph, "symbols");
        std::map<std::string, std::string> recorded;
        for (const SymbolState& symbol : state->symbols)
            recorded[std::string(m_recording.text(symbol.name))] = m_recording.text(symbol.sources);
        for (const auto& [name, sources] : field(symbols, "sources").items())
            for (const json& source : sources)
                if (const std::string& known = recorded[name];
                    !known.empty() &&
                    (!source.is_string() || known.find(source.get<std::string>()) == std::string::npos))
                    return differ("source of " + name, source.dump(), known);
        std::set<std::string> guards, asserts, wantedGuards, wantedAsserts;
        for (std::size_t i = 0; i < state->facts.size(); ++i) {
            const std::string_view kind = m_recording.text(state->facts[i].kind);
            if (kind == "guard") guards.emplace(m_recording.text(state->facts[i].text));
            if (kind == "runtime assert") asserts.emplace(m_recording.text(state->facts[i].text));
        }
        for (const json& guard : list(symbols, "guards"))
            wantedGuards.insert(stringField(guard, "expr"));
        for (const auto& [symbol, group] : field(symbols, "runtime_asserts").items())
            for (const json& expression : group)
                if (expression.is_string()) wantedAsserts.insert(expression.get<std::string>());
        // Guards are added to it until the compile's own are built.
        std::string different;
        for (const std::string& guard : guards)
            if (!wantedGuards.contains(guard)) different = "it lacks the guard " + guard;
        if (different.empty() && !field(graph, "name").is_null() && stringField(graph, "name").empty())
            different = "no name of a graph: " + field(graph, "name").dump();
        return different.empty() ? differ("runtime asserts", json(wantedAsserts).dump(), json(asserts).dump())
                                 : different;
    }

    /// How each guard is checked, and the user's line that asked for it.
    [[nodiscard]] std::string differentGuards(const json& compile) const {
        const std::string tree = stringField(compile, "tree");
        for (const json& expression : list(compile, "shape_env_code"))
            if (!expression.is_string() || tree.find(expression.get<std::string>()) == std::string::npos)
                return "its tree lacks " + expression.dump();
        for (const json& guard : list(compile, "guards")) {
            const std::string create = stringField(guard, "create_fn"), name = stringField(guard, "name"),
                              what = create + ' ' + name;
            for (const json& type : list(guard, "types"))
                if (!type.is_string() || !isCheckedAs(create, type.get<std::string>()))
                    return what + " is not checked as " + type.dump();
            for (const json& code : list(guard, "code"))
                if (!code.is_string() || !isChecked(create, name, code.get<std::string>(), tree))
                    return what + ": its tree lacks " + code.dump();
            const json& user = field(guard, "user");
            if (!user.is_null() && (!user.is_string() || !isLine(user.get<std::string>())))
                return what + ": no function that was traced has " + user.dump();
        }
        return {};
    }

    [[nodiscard]] std::string differentStructured(const json& record) const {
        const std::string kind = stringField(record, "kind");
        const json &where = field(record, "where"), &value = field(record, "value");
        if (!where.is_array() || where.size() != 2 || !where[0].is_string())
            return "a record of no compile: " + record.dump();
        const std::string id = where[0].get<std::string>();
        const auto found = m_attempts.find(id + '#' + where[1].dump());
        if (found == m_attempts.end()) return kind + " of an attempt that was not recorded: " + where.dump();
        const std::string words = value.is_string() ? value.get<std::string>() : std::string();
        if (kind == "dynamo_side_effects")
            return words.starts_with("Mutating object of type ") ? std::string() : "no side effect: " + words;
        if (kind == "dynamo_error") {
            const bool raised =
                std::any_of(m_recording.compiles().begin(), m_recording.compiles().end(),
                            [&](const CompileInfo& one) { return one.id == id && one.status == "raised"; });
            return raised && words.starts_with("Traceback (most recent call last):\n")
                       ? std::string()
                       : "no compile failed with: " + std::string(firstLine(words));
        }
        if (kind == "recompile_reasons") return differentReason(id, words);
        if (kind == "create_symbol" || kind == "create_unbacked_symbol")
            return differentSymbol(id, found->second, value);
        if (kind == "symbolic_shape_specialization" || kind == "guard_added") return {};
        return "no kind of record: " + kind;
    }

private:
    /// What a compile raised: its type, its words, and the line of the program.
    [[nodiscard]] std::string differentFailure(const json& metrics) const {
        const std::string type = stringField(metrics, "fail_type"),
                          reason = stringField(metrics, "fail_reason"),
                          id = stringField(metrics, "compile_id");
        if (type.empty() && reason.empty()) return {};
        const auto raised =
            std::find_if(m_recording.compiles().begin(), m_recording.compiles().end(),
                         [&](const CompileInfo& one) { return one.id == id && one.status == "raised"; });
        if (raised == m_recording.compiles().end()) return "it is said to have failed";
        const std::size_t colon = raised->error.find(": ");
        std::string different = differ("fail_type", type, raised->error.substr(0, colon));
        const std::string first = masked(raised->error.substr(colon + 2));
        if (different.empty() && firstLine(first) != firstLine(masked(reason)))
            different = differ("fail_reason", reason, first);
        const json& line = field(metrics, "fail_user_frame_lineno");
        const std::string number = line.dump();
        if (!different.empty() || line.is_null()) return different;
        for (const json& one : list(m_case, "unsupported_raised")) {
            const json& stack = field(one, "user_stack");
            if (stringField(one, "compile_id") == id && stack.is_array() && !stack.empty() &&
                stack.back().is_string() &&
                stack.back().get<std::string>().find(':' + number + " in ") != std::string::npos)
                return {};
        }
        return raised->error.find("line " + number + ", in ") != std::string::npos
                   ? std::string()
                   : "nothing that was raised is of line " + number;
    }

    /// Names of a guard's checks by the builder that made it (torch/_dynamo/guards.py).
    static bool isCheckedAs(const std::string& create, const std::string& type) {
        static const std::map<std::string, std::vector<std::string>> others{
            {"BUILTIN_MATCH", {"ID_MATCH"}},
            {"CLASS_MATCH", {"ID_MATCH"}},
            {"MODULE_MATCH", {"ID_MATCH"}},
            {"CONSTANT_MATCH", {"EQUALS_MATCH", "BOOL_MATCH", "NONE_MATCH"}},
            {"FUNCTION_MATCH", {"ID_MATCH"}},
            {"DICT_KEYS_MATCH", {"SEQUENCE_LENGTH"}},
            {"BOOL_MATCH", {"ID_MATCH"}},
            {"SEQUENCE_LENGTH", {"TYPE_MATCH"}},
            {"NONE_MATCH", {"ID_MATCH"}},
        };
        if (type == create) return true;
        const auto found = others.find(create);
        return found != others.end() &&
               std::find(found->second.begin(), found->second.end(), type) != found->second.end();
    }

    /// The tree has each check, but for some that it builds in words of its own.
    static bool isChecked(const std::string& create, const std::string& name, const std::string& code,
                          const std::string& tree) {
        if (tree.find(code) != std::string::npos) return true;
        if (const std::size_t both = code.find(" and "); create == "SHAPE_ENV")
            return both != std::string::npos && tree.find(code.substr(0, both)) != std::string::npos &&
                   tree.find(code.substr(both + 5)) != std::string::npos;
        static constexpr std::array<std::string_view, 5> forms{"___check_type_id(", "list(dict.keys(", "not ",
                                                               "len(", "hasattr("};
        return std::any_of(forms.begin(), forms.end(), [&](std::string_view form) {
            return code.starts_with(std::string(form) + name) ||
                   (form == "hasattr(" && code.starts_with(form));
        });
    }

    /// "FILE:LINE in FUNCTION" of one that was traced.
    [[nodiscard]] bool isLine(const std::string& place) const {
        for (std::uint32_t i = 1; const Code* code = m_recording.code(i); ++i)
            for (const Instruction& instruction : code->instructions)
                if (place ==
                    baseName(code->file) + ':' + std::to_string(instruction.line) + " in " + code->name)
                    return true;
        return false;
    }

    [[nodiscard]] std::string differentReason(const std::string& id, const std::string& words) const {
        for (const CompileInfo& compile : m_recording.compiles())
            for (const std::string& reason : compile.recompileReasons)
                if (compile.id == id &&
                    oneLine(masked(words)).find(oneLine(masked(reason)).substr(0, 24)) == std::string::npos)
                    return id + " was compiled again also since " + reason;
        return {};
    }

    /// "2.5" is written 2.50000000000000 as well.
    static bool isNumber(const std::string& number, const json& hint) {
        const std::string words = hint.is_string() ? hint.get<std::string>() : hint.dump();
        return !number.empty() && words.starts_with(number) &&
               words.find_first_not_of('0', number.size()) == std::string::npos;
    }

    /// A symbol, as the graphs of its compile say of it.
    [[nodiscard]] std::string differentInGraph(const std::string& id, const json& value) const {
        const std::string name = stringField(value, "symbol");
        for (const json& graph : list(m_case, "graphs")) {
            const json& hint = field(field(field(graph, "symbols"), "hints"), name.c_str());
            const json& sources = field(field(field(graph, "symbols"), "sources"), name.c_str());
            if (stringField(graph, "compile_id") != id) continue;
            if (value.contains("val") && !hint.is_null() && !isNumber(stringField(value, "val"), hint))
                return differ("hint of " + name, field(value, "val").dump(), hint.dump());
            if (value.contains("source") && sources.is_array() &&
                std::find(sources.begin(), sources.end(), field(value, "source")) == sources.end())
                return differ("source of " + name, field(value, "source").dump(), sources.dump());
        }
        return {};
    }

    [[nodiscard]] std::string differentSymbol(const std::string& id, std::uint32_t attempt,
                                              const json& value) const {
        const State* state = m_recording.stateAfter(attempt);
        if (state == nullptr) return {};
        const std::string name = stringField(value, "symbol"), range = stringField(value, "vr");
        const auto isBound = [](std::string_view bound) {
            bound.remove_prefix(bound.starts_with('-') ? 1 : 0);
            return bound == "oo" || bound == "int_oo" ||
                   (!bound.empty() && bound.find_first_not_of("0123456789.") == std::string_view::npos);
        };
        const std::size_t comma = range.find(", ");
        if (!range.starts_with('[') || !range.ends_with(']') || comma == std::string::npos ||
            !isBound(std::string_view(range).substr(1, comma - 1)) ||
            !isBound(std::string_view(range).substr(comma + 2, range.size() - comma - 3)))
            return "no range of " + name + ": " + range;
        for (const SymbolState& symbol : state->symbols) {
            if (m_recording.text(symbol.name) != name) continue;
            const std::string hint(m_recording.text(symbol.hint)), sources(m_recording.text(symbol.sources));
            std::string different;
            if (value.contains("val") && !hint.empty())
                different = differ("hint of " + name, stringField(value, "val"), hint);
            if (different.empty() && value.contains("source") && !sources.empty() &&
                sources.find(stringField(value, "source")) == std::string::npos)
                different = differ("source of " + name, stringField(value, "source"), sources);
            return different;
        }
        // Not recorded where it was made before the attempt, or the attempt came to nothing.
        for (const std::string_view prefix : {"s", "u", "zf", "zuf"})
            if (name.starts_with(prefix) && name.size() > prefix.size() &&
                name.find_first_not_of("0123456789", prefix.size()) == std::string::npos)
                return differentInGraph(id, value);
        return "no name of a symbol: " + name;
    }

    const json& m_case;
    const Recording& m_recording;
    std::map<std::string, std::uint32_t> m_attempts, m_last; ///< by "0/0#1" and by "0/0"
};

} // namespace

void judgeFacts(const json& oracleCase, const Recording& recording, CaseReport& report) {
    const FactsJudge judge(oracleCase, recording);
    const auto each = [&](const char* part, const char* key, auto differs) {
        std::string difference;
        for (const json& entry : list(oracleCase, key)) {
            if (!difference.empty()) break;
            difference = (judge.*differs)(entry);
            if (const std::string id = stringField(entry, "compile_id"); !difference.empty() && !id.empty())
                difference = id + ": " + difference;
        }
        report.parts.push_back(
            {part, difference.empty() ? CaseVerdict::Passed : CaseVerdict::Failed, difference});
    };
    each("metrics and logs", "metrics", &FactsJudge::differentMetrics);
    each("shape environment", "graphs", &FactsJudge::differentSymbols);
    each("checks of guards", "guards", &FactsJudge::differentGuards);
    each("structured records", "structured", &FactsJudge::differentStructured);
}

} // namespace dynascope::engine::program
