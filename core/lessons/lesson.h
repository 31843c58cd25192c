// SPDX-License-Identifier: BSD-3-Clause
//
// A lesson as its Markdown says it: text beside the live program, step by step, each with the place that it is about
// and a question. What is right is not believed of the text alone: a judge (judge.h) computes it from the capture.
// CONTRIBUTING, "Write a lesson", has the form of the file.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::lessons {

/// "stage.nodes compile=0/0 stage=dynamo_output_graph": a name, and values by key. A value with blanks is in quotes.
struct Call {
    std::string name;
    std::map<std::string, std::string, std::less<>> values;
    std::size_t line = 0; ///< in the lesson's file, from 1

    [[nodiscard]] std::string_view value(std::string_view key) const; ///< empty where the key is missing
    /// `otherwise` where the key is missing, or is no number.
    [[nodiscard]] int number(std::string_view key, int otherwise) const;
    friend bool operator==(const Call&, const Call&) = default;
};

/// Of a question of kind Capture: what the judge may say of a capture.
struct Choice {
    std::string key; ///< a word that the judge knows: "r"
    std::string
        text; ///< what else stands there, may be empty; of Capture a recording beside the lesson that is so
    bool right = false;
    std::string hint; ///< why choosing it is wrong, or leaving it out
    std::size_t line = 0;
};

/// A wrong answer that deserves a hint of its own: a number, or keys or names with blanks between them.
struct Miss {
    std::string answer, hint;
    std::size_t line = 0;
};

struct Question {
    enum class Kind : std::uint8_t {
        ChooseOne,
        ChooseAll,
        Number,
        Text,    ///< one name, or several with blanks or commas between them
        Capture, ///< the reader records something, and what is open is judged
    };
    Kind kind = Kind::ChooseOne;
    std::string ask;
    std::vector<Choice> choices;
    std::vector<Miss> misses;
    Call judge;
    std::string answer;             ///< of Number and Text
    std::vector<std::string> hints; ///< in the order in which they are given
    std::string because;            ///< said once it is answered; may be empty
    std::optional<Call> then;       ///< the place to go to once it is answered
    std::size_t line = 0;
};

struct Step {
    std::string title;
    std::string aside; ///< beside the title in the list of steps; may be empty
    std::string text;  ///< Markdown: paragraphs, lists, `code`, **bold**, fenced code
    /// The page to go to and where in it: "stages compile=0/0 a=dynamo_output_graph b=aot_inference_graph node=add".
    std::optional<Call> open;
    std::optional<Question> question;
    std::size_t line = 0;
};

struct Lesson {
    std::string name, title, about;
    std::string capture; ///< beside the lesson, or "samples/NAME"; empty for none
    int minutes = 0, order = 0;
    std::vector<Step> steps;
};

/// Reads a lesson's file. Any text gets an answer: a lesson, or the line and the cause of the first thing that is wrong.
/// Linear in the text.
[[nodiscard]] Result<Lesson> readLesson(std::string_view text, const std::string& file);

/// What the text says is right: keys or names, sorted; a number as one.
[[nodiscard]] std::vector<std::string> claimed(const Question& question);
/// What a reader typed or chose, as judges compare it: "c, r" is c and r.
[[nodiscard]] std::vector<std::string> answerOf(std::string_view text);

} // namespace dynascope::lessons
