// SPDX-License-Identifier: BSD-3-Clause
#include "views/answers/answers_page.h"

#include "core/profile/facts.h"
#include "views/answers/answer_card.h"
#include "views/answers/answer_links.h"
#include "views/answers/stage_checker.h"
#include "views/base/page_parts.h"
#include "views/workspace/joined_profiles.h"
#include "views/workspace/labels.h"
#include "views/workspace/task_runner.h"

#include <QClipboard>
#include <QGridLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPalette>
#include <QPushButton>
#include <QScrollArea>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>

namespace dynascope::views {

namespace {

using answers::Answer;
using answers::Question;
using answers::Standing;

constexpr int columns = 6; // of the grid; a card takes two, three, four or all

const QString fastTag = QStringLiteral("answers");

QString slowTag(Question question) {
    return QStringLiteral("answers.") + toQString(questionName(question));
}

/// How many columns each of `n` cards takes, row by row; `wideFirst` gives the first of them two thirds.
std::vector<int> spansOf(std::size_t n, bool wideFirst, bool narrow) {
    std::vector<int> out;
    if (narrow) {
        if (wideFirst && n > 0) out.push_back(columns);
        while (out.size() < n)
            out.push_back(3);
        // The last one of an odd number takes its row.
        if ((n - (wideFirst && n > 0 ? 1 : 0)) % 2 == 1) out.back() = columns;
        return out;
    }
    if (wideFirst && n > 0) {
        if (n == 1) return {columns};
        out = {4, 2};
    }
    while (out.size() < n) {
        const std::size_t left = n - out.size();
        const std::size_t row = left == 1 ? 1 : left == 2 || left == 4 ? 2 : 3;
        out.insert(out.end(), row, columns / int(row));
    }
    return out;
}

} // namespace

struct AnswersPage::Private {
    QLabel* title = nullptr;
    std::array<QLabel*, 5> counts{};
    QScrollArea* scroll = nullptr;
    QWidget* sheet = nullptr;
    QGridLayout* grid = nullptr;
    std::map<Question, AnswerCard*> cards;
    std::map<Question, Answer> known;
    std::set<Question> unsaid;   ///< known, and not yet in its card
    std::vector<Question> order; ///< as the cards stand
    StageChecker* checker = nullptr;
    QTimer soon;
    session::SessionPtr session;
    bool narrow = false;
};

AnswersPage::AnswersPage(Workspace& workspace, Theme& theme, Rederivations& rederived, QWidget* parent)
    : Panel(workspace, theme, parent)
    , d(std::make_unique<Private>()) {
    setObjectName(QStringLiteral("answers"));
    d->checker = new StageChecker(workspace, rederived, this);
    // From the outside in: whatever gets a parent later is given its style again, with all that it holds.
    auto* page = new QWidget(this);
    setContent(page);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    QHBoxLayout* row = nullptr;
    QWidget* header = headerBar(row);
    column->addWidget(header);
    row->addWidget(d->title = plainLabel({}, "strong"));
    row->addSpacing(8);
    for (QLabel*& count : d->counts)
        row->addWidget(count = plainLabel({}, "label"));
    row->addStretch(1);
    auto* copyAll = new QPushButton(tr("Copy as text"));
    copyAll->setToolTip(tr("Copy all answers as text"));
    copyAll->setObjectName(QStringLiteral("answers.copy"));
    row->addWidget(copyAll);
    connect(copyAll, &QPushButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(text()); });

    d->scroll = new QScrollArea;
    d->scroll->setWidgetResizable(true);
    d->scroll->setFrameShape(QFrame::NoFrame);
    column->addWidget(d->scroll, 1);
    d->sheet = new QWidget;
    d->scroll->setWidget(d->sheet);
    d->grid = new QGridLayout(d->sheet);
    d->grid->setContentsMargins(12, 12, 12, 12);
    d->grid->setSpacing(12);
    for (int i = 0; i < columns; ++i)
        d->grid->setColumnStretch(i, 1);
    for (const Question question : answers::questions) {
        auto* card = new AnswerCard(theme, question, d->sheet);
        card->hide();
        d->cards[question] = card;
        connect(card, &AnswerCard::proofAsked, this,
                [this, card] { openProof(this->workspace(), card->answer()); });
        connect(card, &AnswerCard::itemAsked, this, [this, card](int item) {
            if (item < int(card->answer().items.size()))
                openItem(this->workspace(), card->answer(), card->answer().items[std::size_t(item)]);
        });
    }
    connect(d->cards[Question::Stages], &AnswerCard::buttonPressed, this, [this] {
        if (d->checker->isRunning())
            d->checker->stop();
        else
            d->checker->start();
    });
    // Each compile that is checked says so, and a capture may have thousands.
    d->soon.setSingleShot(true);
    d->soon.setInterval(100);
    connect(d->checker, &StageChecker::changed, &d->soon, qOverload<>(&QTimer::start));
    connect(&d->soon, &QTimer::timeout, this, [this] {
        if (d->session) takeStages();
    });
    connect(&workspace.tasks(), &TaskRunner::failed, this, [this](const QString& tag, const QString& why) {
        for (const Question question : answers::questions)
            if (d->session && tag == slowTag(question)) giveUp(question, {why.toStdString()});
    });
    setFocusProxy(d->scroll);
    restyle();
}

AnswersPage::~AnswersPage() = default;

AnswerCard* AnswersPage::card(Question question) const {
    const auto at = d->cards.find(question);
    return at == d->cards.end() ? nullptr : at->second;
}

StageChecker& AnswersPage::checker() const {
    return *d->checker;
}

bool AnswersPage::isSettled() const {
    return !d->checker->isRunning() && !d->soon.isActive();
}

void AnswersPage::restyle() {
    QPalette palette = d->sheet->palette();
    palette.setColor(QPalette::Window, theme().colours().bg0);
    for (QWidget* ground : {d->sheet, d->scroll->viewport()}) {
        ground->setPalette(palette);
        ground->setAutoFillBackground(true);
    }
    tellCounts();
}

void AnswersPage::refresh() {
    if (showNothingOpen()) {
        d->session.reset();
        return workspace().profiles().cancel(this);
    }
    showContent();
    if (d->session == workspace().capture()->session) return;
    d->session = workspace().capture()->session;
    d->known.clear();
    d->unsaid.clear();
    ask();
}

void AnswersPage::ask() {
    std::vector<Question> fast;
    for (const Question question : answers::questions)
        if (!answers::isSlow(question) && question != Question::Stages) fast.push_back(question);
    setLoading(true);
    workspace().tasks().run<std::vector<Answer>>(
        fastTag, this,
        [session = d->session, fast](const TaskContext& task) {
            std::vector<Answer> out;
            for (const Question question : fast)
                if (!task.cancelled()) out.push_back(answers::answer(*session, question, task));
            return out;
        },
        [this, session = d->session](std::vector<Answer> found) {
            if (session != d->session) return;
            setLoading(false);
            for (Answer& answer : found)
                know(std::move(answer));
            takeStages();
        });
    for (const Question question : answers::questions) {
        if (!answers::isSlow(question)) continue;
        Answer waiting;
        waiting.question = question;
        waiting.standing = Standing::Checking;
        waiting.sentence = tr("Reading the graphs...").toStdString();
        know(std::move(waiting));
        if (question != Question::RunTime || d->session->profiles.empty())
            work(question, [session = d->session, question](const TaskContext& task) {
                return answers::answer(*session, question, task);
            });
    }
    askRunTime();
}

void AnswersPage::askRunTime() {
    if (d->session->profiles.empty()) return workspace().profiles().cancel(this);
    workspace().tasks().cancel(slowTag(Question::RunTime)); // of the capture before
    workspace().profiles().ask(d->session, 0, this, [this](const Result<JoinedProfilePtr>& joined) {
        if (!joined) return giveUp(Question::RunTime, joined.error());
        work(Question::RunTime, [profile = *joined](const TaskContext&) {
            const std::lock_guard lock(profile->mutex);
            return answers::runTimeAnswer(*profile->facts);
        });
    });
}

void AnswersPage::work(Question question, std::function<Answer(const TaskContext&)> answer) {
    workspace().tasks().run<Answer>(slowTag(question), this, std::move(answer),
                                    [this, session = d->session](Answer found) {
                                        if (session == d->session) take(std::move(found));
                                    });
}

void AnswersPage::giveUp(Question question, const Error& why) {
    Answer out;
    out.question = question;
    out.sentence = why.isCancelled()
                       ? tr("This was cancelled.").toStdString()
                       : tr("A fault of Dynascope's own: %1.").arg(toQString(why.message)).toStdString();
    take(std::move(out));
}

void AnswersPage::know(Answer answer) {
    d->unsaid.insert(answer.question);
    d->known[answer.question] = std::move(answer);
}

void AnswersPage::take(Answer answer) {
    const Question question = answer.question;
    const auto before = d->known.find(question);
    const bool stays = d->cards[question]->isVisibleTo(d->sheet) && before != d->known.end() &&
                       before->second.standing == answer.standing;
    know(std::move(answer));
    if (stays)
        say(question);
    else
        layOut();
}

void AnswersPage::say(Question question) {
    if (d->unsaid.erase(question) == 0) return;
    const Answer& answer = d->known.at(question);
    const std::string path = d->session ? d->session->path : std::string();
    d->cards[question]->setAnswer(answer, proofTitle(workspace(), answer),
                                  toQString(commandFor(answer, path)));
}

void AnswersPage::takeStages() {
    const answers::StageChecks checks = d->checker->checks();
    const Answer answer = stagesAnswer(*d->session, checks);
    const bool left = checks.stages > checks.checked();
    d->cards[Question::Stages]->setButton(d->checker->isRunning()          ? tr("Stop")
                                          : left && checks.trouble.empty() ? tr("Check now")
                                                                           : QString());
    take(answer);
}

void AnswersPage::layOut() {
    // What asks for nothing and has nothing to look at stands below, in low cards.
    const auto isLow = [](const Answer& answer) {
        return answer.standing == Standing::NotHere ||
               (answer.standing == Standing::InOrder && answer.items.empty());
    };
    std::vector<const Answer*> here, low;
    for (const auto& [question, answer] : d->known)
        (isLow(answer) ? low : here).push_back(&answer);
    for (auto* list : {&here, &low})
        std::stable_sort(list->begin(), list->end(),
                         [](const Answer* a, const Answer* b) { return a->standing < b->standing; });
    d->narrow = width() < theme().scaled(1000);
    const bool wideFirst = !here.empty() && here.front()->picture == answers::Picture::Ranking;
    std::vector<int> spans = spansOf(here.size(), wideFirst, d->narrow);
    const std::vector<int> behind = spansOf(low.size(), false, d->narrow);
    spans.insert(spans.end(), behind.begin(), behind.end());
    here.insert(here.end(), low.begin(), low.end());

    d->sheet->setUpdatesEnabled(false);
    d->grid->setEnabled(false); // each card that is shown would lay out all of them
    while (d->grid->count() > 0)
        delete d->grid->takeAt(0);
    int row = 0, at = 0;
    d->order.clear();
    QWidget* before = nullptr;
    for (std::size_t i = 0; i < here.size(); ++i) {
        const Answer& answer = *here[i];
        AnswerCard* card = d->cards[answer.question];
        say(answer.question);
        card->setWide(spans[i] >= 4 && !d->narrow);
        if (at + spans[i] > columns) {
            ++row;
            at = 0;
        }
        d->grid->addWidget(card, row, at, 1, spans[i]);
        at += spans[i];
        card->show();
        for (QWidget* stop : card->tabStops()) {
            if (before) setTabOrder(before, stop);
            before = stop;
        }
        d->order.push_back(answer.question);
    }
    for (const auto& [question, card] : d->cards)
        if (!d->known.contains(question)) card->hide();
    for (int r = 0; r < d->grid->rowCount(); ++r)
        d->grid->setRowStretch(r, 0); // an earlier arrangement had its end elsewhere
    d->grid->setRowStretch(row + 1, 1);
    d->grid->setEnabled(true);
    d->grid->activate();
    d->sheet->setUpdatesEnabled(true);
    tellCounts();
}

void AnswersPage::tellCounts() {
    std::array<int, 5> counts{};
    for (const auto& [question, answer] : d->known)
        ++counts[std::size_t(answer.standing)];
    d->title->setText(countText(d->known.size(), tr("question"), tr("questions")));
    const Colours& c = theme().colours();
    const std::array colours{c.removed, c.text2, c.accent, c.added, c.text3};
    for (std::size_t i = 0; i < counts.size(); ++i) {
        d->counts[i]->setVisible(counts[i] > 0);
        d->counts[i]->setText(
            QStringLiteral("%1 %2").arg(counts[i]).arg(toQString(standingText(static_cast<Standing>(i)))));
        d->counts[i]->setStyleSheet(QStringLiteral("color:%1").arg(colours[i].name()));
    }
}

void AnswersPage::resizeEvent(QResizeEvent* event) {
    Panel::resizeEvent(event);
    if (d->session && d->narrow != (width() < theme().scaled(1000))) layOut();
}

void AnswersPage::showEvent(QShowEvent* event) {
    Panel::showEvent(event);
    d->checker->setWatched(true);
}

void AnswersPage::hideEvent(QHideEvent* event) {
    Panel::hideEvent(event);
    d->checker->setWatched(false);
}

QString AnswersPage::text() const {
    QString out = d->session ? toQString(d->session->title) + u'\n' : QString();
    for (const Question question : d->order)
        out += u'\n' + d->cards.at(question)->text();
    return out;
}

} // namespace dynascope::views
