// SPDX-License-Identifier: BSD-3-Clause
#include "core/lessons/lesson_fields.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace dynascope::lessons {

namespace {

constexpr std::size_t mostChoices = 12;

using Kind = Question::Kind;
constexpr std::array<std::pair<std::string_view, Kind>, 5> kinds{{{"choose one", Kind::ChooseOne},
                                                                  {"choose all", Kind::ChooseAll},
                                                                  {"number", Kind::Number},
                                                                  {"text", Kind::Text},
                                                                  {"capture", Kind::Capture}}};

/// "a | b | c": the first part is taken off.
std::string_view takePart(std::string_view& text) {
    if (text.starts_with("| ")) {
        text.remove_prefix(2);
        return {};
    }
    const std::size_t bar = text.find(" | ");
    const std::string_view part = trimmed(text.substr(0, bar));
    text.remove_prefix(bar == std::string_view::npos ? text.size() : bar + 3);
    return part;
}

/// The value up to a blank, or up to the closing quote. False where a quote has no end.
bool takeValue(std::string_view& text, std::string& value) {
    if (!text.starts_with('"')) {
        const std::size_t end = text.find(' ');
        value = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end);
        return true;
    }
    const std::size_t end = text.find('"', 1);
    if (end == std::string_view::npos) return false;
    value = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    return true;
}

std::string takeCall(const Field& field, Call& call) {
    std::string_view rest = field.value;
    call = {};
    call.line = field.line;
    const std::size_t end = rest.find(' ');
    call.name = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end);
    if (call.name.empty()) return std::string(field.key) + " names nothing";
    while (!(rest = trimmed(rest)).empty()) {
        const std::size_t equals = rest.find('=');
        if (equals == std::string_view::npos || equals == 0 || rest.find(' ') < equals)
            return "after its name " + std::string(field.key) + " has words like key=value";
        const std::string key(rest.substr(0, equals));
        rest.remove_prefix(equals + 1);
        std::string value;
        if (!takeValue(rest, value)) return "a quote has no end";
        if (!call.values.emplace(key, std::move(value)).second) return key + " stands there twice";
    }
    return {};
}

/// Of a question that is answered by a recording several may be right.
bool bothSolve(const Choice& one, const Choice& other) {
    return one.right && other.right && isPath(one.text) && isPath(other.text) && one.text != other.text;
}

std::string takeChoice(const Field& field, Question& question) {
    if (question.choices.size() >= mostChoices) return "a question has twelve choices at most";
    std::string_view rest = field.value;
    Choice choice;
    choice.right = field.key == "right";
    choice.line = field.line;
    choice.key = takePart(rest);
    choice.text = takePart(rest);
    choice.hint = trimmed(rest);
    if (choice.key.empty()) return "a choice has a key: right: KEY | text";
    for (const Choice& other : question.choices)
        if (other.key == choice.key && !bothSolve(other, choice))
            return "two choices have the key '" + choice.key + "'";
    if (!choice.right && choice.hint.empty())
        return "a wrong choice has a hint: wrong: KEY | text | what it overlooks";
    question.choices.push_back(std::move(choice));
    return {};
}

std::string takeMiss(const Field& field, Question& question) {
    std::string_view rest = field.value;
    Miss miss;
    miss.line = field.line;
    miss.answer = takePart(rest);
    miss.hint = trimmed(rest);
    if (miss.answer.empty() || miss.hint.empty())
        return "miss has a wrong answer and its hint: miss: 4 | hint";
    question.misses.push_back(std::move(miss));
    return {};
}

std::string takeKind(const Field& field, Question& question) {
    for (const auto& [name, kind] : kinds)
        if (field.value == name) {
            question.kind = kind;
            return {};
        }
    return "kind is one of choose one, choose all, number, text, capture";
}

std::string lackOfChoices(const Question& question) {
    const auto right = std::count_if(question.choices.begin(), question.choices.end(),
                                     [](const Choice& choice) { return choice.right; });
    if (question.choices.size() < 2) return "a question to choose from has two choices at least";
    if (right == 0) return "a question to choose from has a right choice";
    if (right != 1 && question.kind == Kind::ChooseOne) return "choose one has one right choice";
    if (question.kind != Kind::Capture && claimed(question).size() != std::size_t(right))
        return "two right choices have one key";
    return {};
}

std::string lackOfTyped(const Question& question) {
    int number = 0;
    if (!question.choices.empty()) return "a number or text has an answer, no right or wrong";
    if (question.answer.empty()) return "a number or text has an answer";
    if (question.kind == Kind::Number && !readNumber(question.answer, number))
        return "the answer is no number";
    if (question.misses.empty()) return "a number or text has a wrong answer: miss: ANSWER | hint";
    return {};
}

std::string lackOfCapture(const Question& question) {
    for (const Choice& choice : question.choices)
        if (!isPath(choice.text))
            return "'" + choice.key + "' names a recording beside the lesson: wrong: " + choice.key +
                   " | FILE | hint";
    return lackOfChoices(question);
}

} // namespace

Field fieldOf(std::string_view line, std::size_t number) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return {{}, trimmed(line), number};
    return {trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1)), number};
}

bool readNumber(std::string_view text, int& out) {
    int number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || stop != text.data() + text.size() || text.empty()) return false;
    out = number;
    return true;
}

bool isFileName(std::string_view text) {
    if (text.empty() || text.front() == '.') return false;
    return std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
               c == '_' || c == '.';
    });
}

bool isPath(std::string_view text) {
    while (true) {
        const std::size_t slash = text.find('/');
        if (!isFileName(text.substr(0, slash))) return false;
        if (slash == std::string_view::npos) return true;
        text.remove_prefix(slash + 1);
    }
}

std::vector<std::string> wordsOf(std::string_view text) {
    std::vector<std::string> words;
    while (!(text = trimmed(text)).empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        words.emplace_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return words;
}

std::string takeStep(const Field& field, Step& step) {
    if (field.key == "open") return takeCall(field, step.open.emplace());
    if (field.key == "aside") {
        step.aside = field.value;
        return {};
    }
    return "a step has open and aside, no '" + std::string(field.key) + "'";
}

std::string takeQuestion(const Field& field, Question& question) {
    const std::string_view key = field.key;
    if (key == "kind") return takeKind(field, question);
    if (key == "right" || key == "wrong") return takeChoice(field, question);
    if (key == "miss") return takeMiss(field, question);
    if (key == "judge") return takeCall(field, question.judge);
    if (key == "then") return takeCall(field, question.then.emplace());
    if (field.value.empty()) return "'" + std::string(key) + "' says nothing";
    if (key == "hint") {
        question.hints.emplace_back(field.value);
        return {};
    }
    std::string* const text = key == "ask"       ? &question.ask
                              : key == "answer"  ? &question.answer
                              : key == "because" ? &question.because
                                                 : nullptr;
    if (!text) return "a question has no '" + std::string(key) + "'";
    if (!text->empty()) return "'" + std::string(key) + "' stands there twice";
    *text = field.value;
    return {};
}

std::string lackOf(const Question& question) {
    if (question.ask.empty()) return "a question asks something: ask: ...";
    if (question.judge.name.empty()) return "a question has a judge";
    if (question.kind == Kind::Capture) return lackOfCapture(question);
    if (question.kind == Kind::Number || question.kind == Kind::Text) return lackOfTyped(question);
    return lackOfChoices(question);
}

} // namespace dynascope::lessons
