// SPDX-License-Identifier: BSD-3-Clause
//
// What somebody asks first of a capture, answered from what it holds: one answer a question, each a figure
// and a sentence or two with the evidence to open. The page Answers shows them, and `dynascope-cli info` ends
// with them. Pure functions of a Session; any thread.
#pragma once

#include "core/base/task.h"
#include "core/session/breaks.h"
#include "core/session/session.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::profile {
class Facts;
}

namespace dynascope::answers {

enum class Question : std::uint8_t {
    Breaks,
    Recompiles,
    Compiled,
    Caches,
    Stages,
    CudaGraphs,
    Memory,
    RunTime,
    Ranks,
    Reading
};
inline constexpr std::array questions{
    Question::Breaks,     Question::Recompiles, Question::Compiled, Question::Caches, Question::Stages,
    Question::CudaGraphs, Question::Memory,     Question::RunTime,  Question::Ranks,  Question::Reading};
/// "Why did the graph break, and what to change first?"
[[nodiscard]] std::string_view questionText(Question question);
/// "breaks", of JSON and object names; never changed.
[[nodiscard]] std::string_view questionName(Question question);

/// What an answer means for the reader, the most urgent first.
enum class Standing : std::uint8_t {
    Change,   ///< something to change
    Know,     ///< something to know
    Checking, ///< not answered yet
    InOrder,
    NotHere ///< the capture does not say, or nobody looked; Answer::command would
};
/// "to change", "to know", "being checked", "in order", "not answered".
[[nodiscard]] std::string_view standingText(Standing standing);
/// "change", of JSON; never changed.
[[nodiscard]] std::string_view standingName(Standing standing);

inline constexpr std::size_t nowhere = SIZE_MAX;

/// Where the proof of an item is.
struct Target {
    std::size_t compile = nowhere; ///< into Session::compiles
    std::size_t group = nowhere;   ///< into BreakSummary::groups
    std::size_t record = nowhere;  ///< into Session::records
    session::StagePtr stage{};     ///< of `compile`
    std::string node{};            ///< of `stage`
    [[nodiscard]] bool isEmpty() const {
        return compile == nowhere && group == nowhere && record == nowhere && !stage;
    }
};

/// One line, bar, cell or column of an answer's picture.
struct Item {
    enum class Meaning : std::uint8_t { Plain, Good, Bad, Warn };
    std::string label; ///< "Call to torch._dynamo.graph_break()", "0/0"
    std::string place; ///< ":27"; empty where there is none
    std::string text;  ///< its value in words: "5.29 s"
    std::string chip;  ///< a word on what to do: "setting"
    std::size_t count = 0;
    double value = 0;
    double second = 0; ///< Picture::Pairs: the value again
    Meaning meaning = Meaning::Plain;
    Target target{};
};

enum class Picture : std::uint8_t {
    None,
    Ranking, ///< rows of label, place, count, value with a bar, chip
    Pairs,   ///< columns in twos: value and second
    Shares,  ///< one bar, cut by value; with a legend
    Tally,   ///< rows of count and label
    Cells,   ///< cells with labels, by meaning
    Columns  ///< columns of one value
};

/// A change to make, as code.
struct Change {
    std::string title;  ///< "Remove the call"
    std::string before; ///< the user's line as it is; empty where it is not known
    std::string code;   ///< to copy; may be empty
    std::string text;   ///< what it does, a sentence or two
    [[nodiscard]] bool isEmpty() const { return title.empty(); }
};

struct Answer {
    Question question = Question::Reading;
    Standing standing = Standing::NotHere;
    std::string figure;   ///< "16"; empty where no number says it
    std::string of;       ///< what the figure counts: "graph breaks for 7 reasons"
    std::string sentence; ///< the answer
    /// What limits it, in a sentence: what was not counted, what an estimate rests on. Mostly empty.
    std::string note;
    /// NotHere: what would tell, with "CAPTURE" for the capture's path; see commandFor(). May be empty.
    std::string command;
    Picture picture = Picture::None;
    std::vector<Item> items;
    std::size_t moreItems = 0; ///< left out of `items`
    std::string axis;          ///< what the picture shows: "Compile time of each frame"
    Change change{};
    Target proof{}; ///< of the answer as a whole; empty where its page says it all
};

/// Questions that read every graph, or hold ranks against each other: for a worker.
[[nodiscard]] bool isSlow(Question question);

/// One question. What was cancelled is NotHere without a command. Stages without `checked` says that none
/// was.
[[nodiscard]] Answer answer(const session::Session& session, Question question, const TaskContext& task = {});

/// Question::RunTime of Session::profiles' first, where that is joined already. Reads graphs: for a worker, which has
/// `facts` for itself.
[[nodiscard]] Answer runTimeAnswer(profile::Facts& facts);

/// What is known of the stages that can be derived anew (engine::Rederived, counted by stage).
struct StageChecks {
    std::size_t stages = 0; ///< that can be derived
    std::size_t isomorphic = 0, equivalent = 0, different = 0, declined = 0, notDerived = 0;
    bool running = false;
    std::string trouble;        ///< why no engine runs; empty where one does
    std::string firstDifferent; ///< "0/0 aot_joint_graph: REASON"
    Target first{};             ///< of that
    std::vector<Item> cells;    ///< by compile
    [[nodiscard]] std::size_t checked() const {
        return isomorphic + equivalent + different + declined + notDerived;
    }
};
/// Whether AOTAutograd made the stage of another one, so that it can be derived.
[[nodiscard]] bool isDerivable(const session::Stage& stage);
[[nodiscard]] Answer stagesAnswer(const session::Session& session, const StageChecks& checks);

/// Answer::command for the capture at `path`, quoted for a shell; as it is where `path` is empty.
[[nodiscard]] std::string commandFor(const Answer& answer, std::string_view path);

/// One answer as it is printed: the question, the figure, the sentence, and the note or the command.
[[nodiscard]] std::string answerText(const Answer& answer);

} // namespace dynascope::answers
