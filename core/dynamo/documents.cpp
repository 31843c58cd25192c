// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/documents.h"

#include "core/base/json.h"

#include <algorithm>
#include <array>
#include <map>

namespace dynascope::dynamo {

namespace json = capture::json;
using json::element;

std::vector<std::string> texts(const element& object, std::string_view key) {
    std::vector<std::string> out;
    simdjson::dom::array items;
    if (object[key].get(items) != simdjson::SUCCESS) return out;
    for (const element item : items) {
        std::string_view text;
        out.emplace_back(item.get(text) == simdjson::SUCCESS ? text : std::string_view());
    }
    return out;
}

std::vector<StackEntry> stackOf(const element& object) {
    std::vector<StackEntry> out;
    simdjson::dom::array items;
    if (object["stack"].get(items) != simdjson::SUCCESS) return out;
    for (const element item : items) {
        simdjson::dom::array entry;
        if (item.get(entry) != simdjson::SUCCESS || entry.size() != 3) continue;
        std::string_view file, name;
        std::int64_t line = 0;
        if (entry.at(0).get(file) != simdjson::SUCCESS || entry.at(1).get(line) != simdjson::SUCCESS ||
            entry.at(2).get(name) != simdjson::SUCCESS)
            continue;
        out.push_back({std::string(file),
                       static_cast<std::uint32_t>(std::clamp<std::int64_t>(line, 0, INT32_MAX)),
                       std::string(name)});
    }
    return out;
}

namespace {

/// A column of numbers: `set` is called with the instruction and the number, unless that is null.
template <typename Set>
void readNumbers(const element& columns, std::string_view key, std::vector<Instruction>& instructions,
                 Set set) {
    simdjson::dom::array column;
    if (columns[key].get(column) != simdjson::SUCCESS) return;
    std::size_t i = 0;
    for (const element item : column) {
        if (i == instructions.size()) return;
        std::int64_t number = 0;
        if (item.get(number) == simdjson::SUCCESS && number >= 0 && number <= INT32_MAX)
            set(instructions[i], static_cast<std::int32_t>(number));
        ++i;
    }
}

void readHandlers(const element& object, Code& code) {
    simdjson::dom::array ranges;
    if (object["handlers"].get(ranges) != simdjson::SUCCESS) return;
    const std::size_t most = code.instructions.size();
    for (const element item : ranges) {
        simdjson::dom::array numbers;
        if (item.get(numbers) != simdjson::SUCCESS || numbers.size() < 4) continue;
        std::array<std::uint64_t, 4> read{};
        bool good = true;
        for (std::size_t i = 0; i < read.size(); ++i)
            good = good && numbers.at(i).get(read[i]) == simdjson::SUCCESS && read[i] <= INT32_MAX;
        const auto [first, last, target, depth] = read;
        if (!good || first > last || last >= most || target >= most) continue;
        if (!code.handlers.empty() && first <= code.handlers.back().last) continue;
        code.handlers.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last),
                                 static_cast<std::uint32_t>(target), static_cast<std::uint32_t>(depth)});
    }
}

} // namespace

std::unique_ptr<Code> readCode(const element& object) {
    auto code = std::make_unique<Code>();
    code->name = json::text(object, "name");
    code->qualname = json::text(object, "qualname");
    code->file = json::text(object, "file");
    code->firstLine = static_cast<std::uint32_t>(std::max(json::smallInteger(object, "first_line", 0), 0));
    code->locals = texts(object, "locals");
    code->cells = texts(object, "cells");
    code->free = texts(object, "free");
    code->constants = texts(object, "constants");
    element columns;
    if (object["instructions"].get(columns) != simdjson::SUCCESS) return code;
    std::vector<std::string> arguments = texts(columns, "text");
    std::map<std::string, std::string_view> ops;
    for (std::string& op : texts(columns, "op")) {
        Instruction& made = code->instructions.emplace_back();
        std::string_view& kept = ops[op];
        if (kept.empty()) kept = code->texts.emplace_back(std::move(op));
        made.op = kept;
        const std::size_t i = code->instructions.size() - 1;
        if (i < arguments.size() && !arguments[i].empty())
            made.text = code->texts.emplace_back(std::move(arguments[i]));
    }
    auto& all = code->instructions;
    readNumbers(columns, "offset", all, [](Instruction& i, std::int32_t n) { i.offset = n; });
    readNumbers(columns, "line", all,
                [](Instruction& i, std::int32_t n) { i.line = static_cast<std::uint32_t>(n); });
    readNumbers(columns, "end_line", all,
                [](Instruction& i, std::int32_t n) { i.endLine = static_cast<std::uint32_t>(n); });
    readNumbers(columns, "column", all, [](Instruction& i, std::int32_t n) { i.column = n; });
    readNumbers(columns, "end_column", all, [](Instruction& i, std::int32_t n) { i.endColumn = n; });
    readNumbers(columns, "target", all, [](Instruction& i, std::int32_t n) { i.target = n; });
    readHandlers(object, *code);
    return code;
}

} // namespace dynascope::dynamo
