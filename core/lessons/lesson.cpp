// SPDX-License-Identifier: BSD-3-Clause
#include "core/lessons/lesson.h"

#include "core/base/text.h"
#include "core/lessons/lesson_fields.h"

#include <algorithm>
#include <array>
#include <utility>

namespace dynascope::lessons {

namespace {

/// A lesson's lines, one after the other.
class Lines {
public:
    explicit Lines(std::string_view text)
        : m_rest(text) {}
    /// False at the end. `line` has no line end.
    bool next(std::string_view& line) {
        if (m_done) return false;
        const std::size_t end = m_rest.find('\n');
        line = m_rest.substr(0, end);
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        m_done = end == std::string_view::npos || end + 1 == m_rest.size();
        m_rest.remove_prefix(m_done ? m_rest.size() : end + 1);
        ++m_number;
        return true;
    }
    [[nodiscard]] std::size_t number() const { return m_number; }

private:
    std::string_view m_rest;
    std::size_t m_number = 0;
    bool m_done = false;
};

class Reader {
public:
    Reader(std::string_view text, const std::string& file)
        : m_lines(text)
        , m_file(file) {}

    Result<Lesson> read() {
        if (auto done = readFront(); !done) return tl::unexpected(done.error());
        if (auto done = readSteps(); !done) return tl::unexpected(done.error());
        if (m_lesson.steps.empty()) return fault("the lesson has no step: a heading ## begins one", 0);
        for (const Step& step : m_lesson.steps)
            if (auto done = check(step); !done) return tl::unexpected(done.error());
        return std::move(m_lesson);
    }

private:
    [[nodiscard]] tl::unexpected<Error> fault(std::string message, std::size_t line) const {
        return failure(std::move(message), m_file, line);
    }

    Result<void> readFront() {
        std::string_view line;
        if (!m_lines.next(line) || trimmed(line) != "---")
            return fault("a lesson begins with --- and its name, title, minutes and order", 1);
        while (m_lines.next(line)) {
            if (trimmed(line) == "---") return checkFront();
            if (trimmed(line).empty()) continue;
            const Field field = fieldOf(line, m_lines.number());
            if (auto done = takeFront(field); !done) return done;
        }
        return fault("the lines between --- and --- have no end", m_lines.number());
    }

    Result<void> takeFront(const Field& field) {
        const std::array<std::pair<std::string_view, std::string*>, 4> texts{
            {{"name", &m_lesson.name},
             {"title", &m_lesson.title},
             {"about", &m_lesson.about},
             {"capture", &m_lesson.capture}}};
        for (const auto& [key, to] : texts)
            if (field.key == key) {
                *to = field.value;
                return {};
            }
        const bool minutes = field.key == "minutes";
        if (!minutes && field.key != "order")
            return fault("'" + std::string(field.key) +
                             "' is none of name, title, about, capture, minutes, order",
                         field.line);
        int& number = minutes ? m_lesson.minutes : m_lesson.order;
        if (!readNumber(field.value, number) || number < 0 || number > 999)
            return fault(std::string(field.key) + " is a number from 0 to 999", field.line);
        return {};
    }

    Result<void> checkFront() const {
        if (m_lesson.name.empty() || !isFileName(m_lesson.name))
            return fault("name is missing, or has more than letters, digits, - and _", m_lines.number());
        if (m_lesson.title.empty()) return fault("title is missing", m_lines.number());
        if (!m_lesson.capture.empty() && !isPath(m_lesson.capture))
            return fault("capture names a file beside the lesson, or samples/NAME", m_lines.number());
        return {};
    }

    Result<void> readSteps() {
        std::string_view line;
        while (m_lines.next(line)) {
            if (line.starts_with("## ")) {
                Step step;
                step.title = trimmed(line.substr(3));
                step.line = m_lines.number();
                m_lesson.steps.push_back(std::move(step));
            } else if (m_lesson.steps.empty()) {
                if (!trimmed(line).empty())
                    return fault("text before the first heading ##", m_lines.number());
            } else if (line == "```step" || line == "```question") {
                if (auto done = readBlock(line == "```question"); !done) return done;
            } else if (line.starts_with("```")) {
                if (auto done = readFence(line); !done) return done;
            } else {
                m_lesson.steps.back().text += std::string(line) + '\n';
            }
        }
        return {};
    }

    /// Code that is shown: a line of it that looks like a heading is none.
    Result<void> readFence(std::string_view line) {
        const std::size_t begin = m_lines.number();
        std::string& text = m_lesson.steps.back().text;
        do {
            text += std::string(line) + '\n';
            if (m_lines.number() > begin && line.starts_with("```")) return {};
        } while (m_lines.next(line));
        return fault("``` has no end", begin);
    }

    Result<void> readBlock(bool question) {
        Step& step = m_lesson.steps.back();
        const std::size_t begin = m_lines.number();
        if (question && step.question) return fault("a step has one question", begin);
        if (question) {
            step.question.emplace();
            step.question->line = begin;
        }
        std::string_view line;
        while (m_lines.next(line)) {
            if (line.starts_with("```")) return {};
            if (trimmed(line).empty()) continue;
            const Field field = fieldOf(line, m_lines.number());
            const std::string wrong = question ? takeQuestion(field, *step.question) : takeStep(field, step);
            if (!wrong.empty()) return fault(wrong, field.line);
        }
        return fault("``` has no end", begin);
    }

    [[nodiscard]] Result<void> check(const Step& step) const {
        if (step.title.empty()) return fault("a step has a title", step.line);
        if (!step.question) return {};
        if (const std::string wrong = lackOf(*step.question); !wrong.empty())
            return fault(wrong, step.question->line);
        return {};
    }

    Lines m_lines;
    const std::string& m_file;
    Lesson m_lesson;
};

} // namespace

std::string_view Call::value(std::string_view key) const {
    const auto at = values.find(key);
    return at == values.end() ? std::string_view() : at->second;
}

int Call::number(std::string_view key, int otherwise) const {
    int number = otherwise;
    return readNumber(value(key), number) ? number : otherwise;
}

Result<Lesson> readLesson(std::string_view text, const std::string& file) {
    return Reader(text, file).read();
}

std::vector<std::string> answerOf(std::string_view text) {
    std::string spaced(text);
    std::replace(spaced.begin(), spaced.end(), ',', ' ');
    std::vector<std::string> names = wordsOf(spaced);
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<std::string> claimed(const Question& question) {
    if (question.choices.empty()) return answerOf(question.answer);
    std::vector<std::string> right;
    for (const Choice& choice : question.choices)
        if (choice.right) right.push_back(choice.key);
    std::sort(right.begin(), right.end());
    right.erase(std::unique(right.begin(), right.end()), right.end());
    return right;
}

} // namespace dynascope::lessons
