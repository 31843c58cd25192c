// SPDX-License-Identifier: BSD-3-Clause
//
// What a capture is opened on: each question that is asked first, with its answer, its number and one click
// to the proof. Answers are worked out on a worker; those that read every graph come when they are ready.
#pragma once

#include "core/answers/answer.h"
#include "views/base/panel.h"
#include "views/workspace/page_spec.h"

#include <functional>
#include <memory>

namespace dynascope::views {

class AnswerCard;
class StageChecker;

/// GUI thread only.
class AnswersPage : public Panel, public CentrePage {
    Q_OBJECT
public:
    static constexpr Page id = Page::Answers;
    AnswersPage(Workspace& workspace, Theme& theme, Rederivations& rederived, QWidget* parent = nullptr);
    ~AnswersPage() override;

    /// Null for a question that is not asked.
    [[nodiscard]] AnswerCard* card(answers::Question question) const;
    [[nodiscard]] StageChecker& checker() const;
    /// All answers as text, the most urgent first.
    [[nodiscard]] QString text() const;
    [[nodiscard]] bool isSettled() const override;

protected:
    void refresh() override;
    void restyle() override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    struct Private;
    void ask();
    void askRunTime();
    void work(answers::Question question, std::function<answers::Answer(const TaskContext&)> answer);
    void giveUp(answers::Question question, const Error& why);
    /// What say() has yet to put into its card.
    void know(answers::Answer answer);
    void say(answers::Question question);
    void take(answers::Answer answer);
    void takeStages();
    void layOut();
    void tellCounts();
    std::unique_ptr<Private> d;
};

/// The page that a capture is opened on: Answers where something was compiled, else what shows its graphs.
[[nodiscard]] Page firstPage(const Workspace::Capture& capture);

[[nodiscard]] PageSpec answersPageSpec();

} // namespace dynascope::views
