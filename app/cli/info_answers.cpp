// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/info.h"

#include "core/base/words.h"
#include "core/session/session.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace dynascope::cli {

namespace {

using answers::Answer;
using answers::Question;

/// Graph text that is read for a summary without being asked for; the page of the window reads it in the
/// background.
constexpr std::uint64_t mostGraphBytes = 32 << 20;

std::string_view commandFor(Question question) {
    return question == Question::Ranks ? "dynascope-cli compare CAPTURE" : "dynascope-cli cudagraphs CAPTURE";
}

std::uint64_t graphBytes(const session::Session& session) {
    std::uint64_t out = 0;
    for (const session::Compile& compile : session.compiles)
        for (const session::StagePtr& stage : compile.stages)
            if (stage->content == session::Stage::Content::Graph) out += stage->payload.length;
    return out;
}

} // namespace

std::vector<Answer> infoAnswers(const session::Session& session) {
    const std::uint64_t bytes = graphBytes(session);
    std::vector<Answer> out;
    for (const Question question : answers::questions) {
        const bool applies = (question != Question::Ranks || session.ranks.size() > 1) &&
                             (question != Question::RunTime || !session.profiles.empty());
        if (answers::isSlow(question) && applies && bytes > mostGraphBytes) {
            Answer large;
            large.question = question;
            large.sentence = "Not worked out here: that reads " + formatBytes(bytes) + " of graphs.";
            large.command = question == Question::Memory ? "dynascope CAPTURE" : commandFor(question);
            out.push_back(std::move(large));
            continue;
        }
        out.push_back(answers::answer(session, question));
    }
    for (Answer& answer : out)
        answer.command = commandFor(answer, session.path);
    std::stable_sort(out.begin(), out.end(),
                     [](const Answer& a, const Answer& b) { return a.standing < b.standing; });
    return out;
}

std::string answersText(const session::Session& session) {
    std::string out = "\nAnswers\n";
    for (const Answer& answer : infoAnswers(session)) {
        std::string text = answerText(answer);
        text.pop_back(); // its last line end
        for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 3)
            text.replace(at, 1, "\n  ");
        out += "  " + text + '\n';
    }
    return out;
}

nlohmann::ordered_json answersJson(const session::Session& session) {
    nlohmann::ordered_json out = nlohmann::ordered_json::array();
    for (const Answer& answer : infoAnswers(session))
        out.push_back({{"question", questionName(answer.question)},
                       {"standing", standingName(answer.standing)},
                       {"figure", answer.figure},
                       {"of", answer.of},
                       {"sentence", answer.sentence},
                       {"change", {{"title", answer.change.title}, {"code", answer.change.code}}},
                       {"note", answer.note},
                       {"command", answer.command}});
    return out;
}

} // namespace dynascope::cli
