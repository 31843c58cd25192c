// SPDX-License-Identifier: BSD-3-Clause
#include "core/lessons/judge.h"

#include "core/lessons/judges.h"

#include <algorithm>
#include <array>

namespace dynascope::lessons {

namespace {

std::array<std::span<const JudgeEntry>, 4> tables() {
    return {captureJudges(), runJudges(), recordedJudges(), computedJudges()};
}

const JudgeEntry* entryOf(std::string_view name) {
    for (const std::span<const JudgeEntry> table : tables())
        for (const JudgeEntry& entry : table)
            if (entry.name == name) return &entry;
    return nullptr;
}

bool contains(const Keys& keys, const std::string& key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

} // namespace

tl::unexpected<Error> unknown(std::string why, const Question& question) {
    return failure(std::move(why), {}, question.judge.line);
}

FoundAnswer number(std::size_t value) {
    return {{std::to_string(value)}, {}};
}

const session::Compile* compileOf(const Call& call, const session::Session& session) {
    const std::string_view id = call.value("compile");
    if (id.empty()) return session.compiles.empty() ? nullptr : &session.compiles.front();
    return session.find(call.number("rank", session.ranks.empty() ? 0 : session.ranks.front()), id);
}

Result<const session::Session*> sessionFor(const Question& question, const JudgedFacts& facts) {
    if (!facts.session) return unknown("the capture of this step is not open", question);
    return facts.session.get();
}

Result<const session::Compile*> compileFor(const Question& question, const JudgedFacts& facts) {
    const auto session = sessionFor(question, facts);
    if (!session) return tl::unexpected(session.error());
    const session::Compile* compile = compileOf(question.judge, **session);
    if (!compile) return unknown("the capture has no compile that the question is about", question);
    return compile;
}

Result<ir::GraphPtr> graphFor(const Question& question, const JudgedFacts& facts) {
    const auto compile = compileFor(question, facts);
    if (!compile) return tl::unexpected(compile.error());
    const std::string name(question.judge.value("stage"));
    const session::StagePtr stage = (*compile)->findStage(name, question.judge.number("k", 0));
    if (!stage) return unknown("the compile has no stage '" + name + "'", question);
    return stage->graph();
}

FoundAnswer choicesThat(const Question& question, const std::function<bool(const std::string&)>& holds) {
    FoundAnswer found;
    for (const Choice& choice : question.choices)
        if (holds(choice.key)) found.keys.push_back(choice.key);
    return found;
}

Result<FoundAnswer> findAnswer(const Question& question, const JudgedFacts& facts) {
    if (question.judge.name == budgetJudge) return FoundAnswer{claimed(question), {}};
    const JudgeEntry* entry = entryOf(question.judge.name);
    if (!entry) return unknown("there is no judge '" + question.judge.name + "'", question);
    auto found = entry->find(question, facts);
    if (found) std::sort(found->keys.begin(), found->keys.end());
    return found;
}

Result<Judgement> judge(const Question& question, Keys answer, const JudgedFacts& facts) {
    std::sort(answer.begin(), answer.end());
    if (question.judge.name == budgetJudge) return judgeBudget(question, answer, facts);
    auto found = findAnswer(question, facts);
    if (!found) return tl::unexpected(found.error());
    const bool recorded = question.kind == Question::Kind::Capture;
    const bool right = recorded ? found->keys == claimed(question) : found->keys == answer;
    return Judgement{right, std::move(*found)};
}

std::string hintFor(const Question& question, const Keys& answer, const Judgement& verdict) {
    if (verdict.right) return {};
    const Keys& expected = verdict.found.keys;
    if (question.kind == Question::Kind::Capture) {
        for (const Choice& choice : question.choices)
            if (contains(expected, choice.key)) return choice.hint;
        return {};
    }
    Keys sorted = answer;
    std::sort(sorted.begin(), sorted.end());
    for (const Miss& miss : question.misses)
        if (answerOf(miss.answer) == sorted) return miss.hint;
    for (const bool chosen : {true, false})
        for (const Choice& choice : question.choices)
            if (!choice.hint.empty() && contains(answer, choice.key) == chosen &&
                contains(expected, choice.key) != chosen)
                return choice.hint;
    return {};
}

std::vector<std::string_view> judgeNames() {
    std::vector<std::string_view> names{budgetJudge};
    for (const std::span<const JudgeEntry> table : tables())
        for (const JudgeEntry& entry : table)
            names.push_back(entry.name);
    std::sort(names.begin(), names.end());
    return names;
}

} // namespace dynascope::lessons
