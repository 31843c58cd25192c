// SPDX-License-Identifier: BSD-3-Clause
#include "core/answers/answer.h"

#include "core/answers/parts.h"
#include "core/base/log.h"
#include "core/base/words.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace dynascope::answers {

std::string_view questionText(Question question) {
    switch (question) {
    case Question::Breaks:
        return "Why did the graph break, and what to change first?";
    case Question::Recompiles:
        return "Why was it compiled again?";
    case Question::Compiled:
        return "What was compiled, how often, and how long did it take?";
    case Question::Caches:
        return "Why did a cache miss?";
    case Question::Stages:
        return "Is every stage still right?";
    case Question::CudaGraphs:
        return "What would be a CUDA graph, what not, and why?";
    case Question::Memory:
        return "What does memory peak at, and what holds it?";
    case Question::RunTime:
        return "Where does the run time go?";
    case Question::Ranks:
        return "Do the ranks agree?";
    case Question::Reading:
        return "Was everything read?";
    }
    return {};
}

std::string_view questionName(Question question) {
    switch (question) {
    case Question::Breaks:
        return "breaks";
    case Question::Recompiles:
        return "recompiles";
    case Question::Compiled:
        return "compiled";
    case Question::Caches:
        return "caches";
    case Question::Stages:
        return "stages";
    case Question::CudaGraphs:
        return "cuda_graphs";
    case Question::Memory:
        return "memory";
    case Question::RunTime:
        return "run_time";
    case Question::Ranks:
        return "ranks";
    case Question::Reading:
        return "reading";
    }
    return {};
}

std::string_view standingText(Standing standing) {
    switch (standing) {
    case Standing::Change:
        return "to change";
    case Standing::Know:
        return "to know";
    case Standing::Checking:
        return "being checked";
    case Standing::InOrder:
        return "in order";
    case Standing::NotHere:
        return "not answered";
    }
    return {};
}

std::string_view standingName(Standing standing) {
    switch (standing) {
    case Standing::Change:
        return "change";
    case Standing::Know:
        return "know";
    case Standing::Checking:
        return "checking";
    case Standing::InOrder:
        return "in_order";
    case Standing::NotHere:
        return "not_here";
    }
    return {};
}

bool isSlow(Question question) {
    return question == Question::CudaGraphs || question == Question::Memory ||
           question == Question::RunTime || question == Question::Ranks;
}

namespace {

Answer answered(const session::Session& session, Question question, const TaskContext& task) {
    switch (question) {
    case Question::Breaks:
        return detail::breaksAnswer(session);
    case Question::Recompiles:
        return detail::recompilesAnswer(session);
    case Question::Compiled:
        return detail::compiledAnswer(session);
    case Question::Caches:
        return detail::cachesAnswer(session);
    case Question::Stages:
        return stagesAnswer(session, {});
    case Question::CudaGraphs:
        return detail::cudaGraphsAnswer(session, task);
    case Question::Memory:
        return detail::memoryAnswer(session, task);
    case Question::RunTime:
        return detail::runTimeAnswer(session, task);
    case Question::Ranks:
        return detail::ranksAnswer(session, task);
    case Question::Reading:
        return detail::readingAnswer(session);
    }
    return {};
}

} // namespace

Answer answer(const session::Session& session, Question question, const TaskContext& task) {
    const log::Stopwatch watch;
    Answer out = answered(session, question, task);
    log::write(log::Topic::Answers, session.title, ": ", questionName(question), ": ",
               standingText(out.standing), " after ", watch.ms(), " ms");
    return out;
}

std::string commandFor(const Answer& answer, std::string_view path) {
    constexpr std::string_view word = "CAPTURE";
    std::string out = answer.command;
    const std::size_t at = out.rfind(word);
    if (at != std::string::npos && !path.empty()) out.replace(at, word.size(), shellWord(path));
    return out;
}

std::string answerText(const Answer& answer) {
    std::string out(questionText(answer.question));
    out += '\n';
    if (!answer.figure.empty()) out += "  " + answer.figure + ' ' + answer.of + ".\n";
    if (!answer.sentence.empty()) out += "  " + answer.sentence + '\n';
    if (!answer.change.isEmpty() && !answer.change.code.empty()) {
        std::string code = answer.change.code;
        for (std::size_t at = 0; (at = code.find('\n', at)) != std::string::npos; at += 5)
            code.replace(at, 1, "\n    ");
        out += "    " + code + '\n';
    }
    if (!answer.note.empty()) out += "  " + answer.note + '\n';
    if (!answer.command.empty()) out += "    " + answer.command + '\n';
    return out;
}

namespace detail {

void keepFirst(Answer& answer, std::size_t most, std::size_t always) {
    if (answer.items.size() <= most + 1) return; // "and 1 more" takes the place of one
    if (always != nowhere && always >= most) std::swap(answer.items[most - 1], answer.items[always]);
    answer.moreItems += answer.items.size() - most;
    answer.items.resize(most);
}

bool hasCompiles(const session::Session& session) {
    return std::any_of(session.compiles.begin(), session.compiles.end(), [](const session::Compile& compile) {
        return compile.status != session::Status::Exported && !compile.id.empty();
    });
}

Answer notHere(Question question, std::string sentence, std::string command) {
    Answer out;
    out.question = question;
    out.standing = Standing::NotHere;
    out.sentence = std::move(sentence);
    out.command = std::move(command);
    return out;
}

Answer noRun(const session::Session& session, Question question) {
    return notHere(question,
                   session.compiles.empty() ? "This capture is no trace of a compilation."
                                            : "This capture holds graphs, not the run that compiled them.",
                   std::string(traceCommand));
}

std::string percent(double part, double whole) {
    const double share = 100 * part / whole;
    if (share > 0 && share < 1) return "under 1 %";
    return std::to_string(std::lround(share)) + " %";
}

std::string sentenceOf(std::string_view words) {
    std::string out(words);
    while (!out.empty() && (out.back() == '.' || out.back() == ' '))
        out.pop_back();
    if (out.empty()) return out;
    const auto first = static_cast<unsigned char>(out.front());
    if (std::islower(first) && first < 0x80) out.front() = static_cast<char>(std::toupper(first));
    return out + '.';
}

} // namespace detail

} // namespace dynascope::answers
