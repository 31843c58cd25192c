// SPDX-License-Identifier: BSD-3-Clause
#include "views/lessons/question_box.h"

#include "views/lessons/lesson_html.h"
#include "views/theme/theme.h"
#include "views/workspace/labels.h"

#include <QButtonGroup>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPushButton>
#include <QRadioButton>
#include <QVBoxLayout>

namespace dynascope::views {

namespace {

using Kind = lessons::Question::Kind;

bool asksForBreak(const lessons::Question& question) {
    return question.judge.name == "breaks.id";
}

QString howOf(const lessons::Question& question) {
    switch (question.kind) {
    case Kind::ChooseOne:
        return QuestionBox::tr("Choose one.");
    case Kind::ChooseAll:
        return QuestionBox::tr("Choose all that apply.");
    case Kind::Number:
        return QuestionBox::tr("A number.");
    case Kind::Text:
        return asksForBreak(question) ? QuestionBox::tr("The id of a graph break: GB and four digits.")
                                      : QuestionBox::tr("A name; several with blanks between them.");
    case Kind::Capture:
        break;
    }
    return QuestionBox::tr("Record your program, or open a recording of it. What is open then is judged.");
}

/// A choice: a button with its key, and words beside it. All of it can be clicked.
class ChoiceRow : public QFrame {
public:
    ChoiceRow(QAbstractButton* button, QLabel* words)
        : m_button(button) {
        setProperty("box", "field");
        auto* row = new QHBoxLayout(this);
        row->setContentsMargins(8, 5, 8, 5);
        row->addWidget(button, 0, Qt::AlignTop);
        row->addWidget(words, 1);
    }

protected:
    void mouseReleaseEvent(QMouseEvent*) override { m_button->click(); }

private:
    QAbstractButton* m_button;
};

QLabel* wrapped(const char* name, QWidget* parent) {
    auto* label = new QLabel(parent);
    label->setObjectName(QLatin1String(name));
    label->setWordWrap(true);
    label->setTextFormat(Qt::RichText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

QPushButton* linkButton(const char* name, const QString& text, QWidget* parent) {
    auto* button = new QPushButton(text, parent);
    button->setObjectName(QLatin1String(name));
    button->setProperty("link", true);
    button->setCursor(Qt::PointingHandCursor);
    return button;
}

QString coloured(const QString& html, const QColor& colour) {
    return QStringLiteral("<span style=\"color:%1\">%2</span>").arg(colour.name(), html);
}

} // namespace

QuestionBox::QuestionBox(Workspace& workspace, LessonRun& run, Theme& theme, QWidget* parent)
    : QFrame(parent)
    , m_workspace(workspace)
    , m_run(run)
    , m_theme(theme)
    , m_answers(new QVBoxLayout)
    , m_ask(wrapped("lesson.ask", this))
    , m_how(wrapped("lesson.how", this))
    , m_standing(wrapped("lesson.standing", this))
    , m_verdict(wrapped("lesson.verdict", this))
    , m_hints(wrapped("lesson.hints", this))
    , m_check(new QPushButton(tr("Chec&k answer"), this))
    , m_show(linkButton("lesson.show", tr("&Show answer"), this))
    , m_hint(linkButton("lesson.hint", tr("Hin&t"), this)) {
    setObjectName(QStringLiteral("lesson.question"));
    setProperty("box", "card");
    m_check->setObjectName(QStringLiteral("lesson.check"));
    m_check->setProperty("primary", true);
    m_standing->setWordWrap(false);
    m_answers->setSpacing(6);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(12);
    buttons->addWidget(m_check);
    buttons->addWidget(m_show);
    buttons->addStretch(1);
    buttons->addWidget(m_standing);
    auto* box = new QVBoxLayout(this);
    box->setContentsMargins(12, 10, 12, 10);
    box->setSpacing(8);
    box->addWidget(m_ask);
    box->addWidget(m_how);
    box->addLayout(m_answers);
    box->addLayout(buttons);
    box->addWidget(m_verdict);
    box->addWidget(m_hints);
    box->addWidget(m_hint, 0, Qt::AlignLeft);
    connect(m_check, &QPushButton::clicked, &m_run, &LessonRun::check);
    connect(m_show, &QPushButton::clicked, &m_run, &LessonRun::showAnswer);
    connect(m_hint, &QPushButton::clicked, &m_run, &LessonRun::nextHint);
}

void QuestionBox::rebuild() {
    delete m_controls;
    m_controls = nullptr;
    m_field = nullptr;
    m_choices.clear();
    const bool asks = m_run.isOpen() && m_run.step().question.has_value();
    setVisible(asks);
    if (!asks) return;
    const lessons::Question& question = *m_run.step().question;
    m_controls = new QWidget(this);
    auto* column = new QVBoxLayout(m_controls);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    m_answers->addWidget(m_controls);
    if (question.kind == Kind::Capture)
        addRecorder();
    else if (question.choices.empty())
        addField(question);
    else
        addChoices(question);
    refresh();
}

void QuestionBox::addChoices(const lessons::Question& question) {
    auto* group = new QButtonGroup(m_controls);
    group->setExclusive(question.kind == Kind::ChooseOne);
    for (const lessons::Choice& choice : question.choices) {
        const QString key = toQString(choice.key);
        QAbstractButton* button = question.kind == Kind::ChooseOne
                                      ? static_cast<QAbstractButton*>(new QRadioButton)
                                      : new QCheckBox;
        button->setText(QString(key).replace(u'&', QLatin1String("&&")));
        button->setObjectName(QStringLiteral("lesson.choice.") + key);
        button->setAccessibleName(key + u' ' + toQString(choice.text));
        button->setFont(m_theme.font(FontRole::NodeName));
        auto* words = wrapped("", nullptr);
        words->setTextInteractionFlags(Qt::NoTextInteraction);
        words->setText(coloured(lessonHtml(choice.text, m_theme), m_theme.colours().text2));
        group->addButton(button);
        m_controls->layout()->addWidget(new ChoiceRow(button, words));
        connect(button, &QAbstractButton::clicked, this, &QuestionBox::takeChoices);
        m_choices.push_back(button);
    }
}

void QuestionBox::addField(const lessons::Question& question) {
    m_field = new QLineEdit(m_controls);
    m_field->setObjectName(QStringLiteral("lesson.field"));
    m_field->setAccessibleName(tr("Answer"));
    m_field->setFont(m_theme.font(FontRole::Code));
    m_controls->layout()->addWidget(m_field);
    connect(m_field, &QLineEdit::textEdited, this,
            [this](const QString& text) { m_run.setAnswer(lessons::answerOf(text.toStdString())); });
    connect(m_field, &QLineEdit::returnPressed, &m_run, &LessonRun::check);
    if (question.kind != Kind::Text || asksForBreak(question)) return;
    auto* take = linkButton("lesson.takeNode", tr("Take the selected no&de"), m_controls);
    m_controls->layout()->addWidget(take);
    connect(take, &QPushButton::clicked, this, &QuestionBox::takeNode);
}

void QuestionBox::addRecorder() {
    auto* record = new QPushButton(tr("&Record a program..."), m_controls);
    record->setObjectName(QStringLiteral("lesson.record"));
    m_controls->layout()->addWidget(record);
    connect(record, &QPushButton::clicked, &m_run, &LessonRun::recordWanted);
}

void QuestionBox::takeChoices() {
    std::vector<std::string> answer;
    for (std::size_t i = 0; i < m_choices.size(); ++i)
        if (m_choices[i]->isChecked()) answer.push_back(m_run.step().question->choices[i].key);
    m_run.setAnswer(std::move(answer));
}

void QuestionBox::takeNode() {
    const ir::Node* node = m_workspace.selectedNode();
    if (!node) return;
    std::vector<std::string> answer = m_run.state().answer;
    if (std::find(answer.begin(), answer.end(), node->name) == answer.end()) answer.push_back(node->name);
    m_run.setAnswer(std::move(answer));
}

void QuestionBox::refresh() {
    if (!m_run.isOpen() || !m_run.step().question || !m_controls) return;
    const lessons::Question& question = *m_run.step().question;
    const StepState& state = m_run.state();
    const Colours& c = m_theme.colours();
    m_ask->setFont(m_theme.font(FontRole::Strong));
    m_ask->setText(lessonHtml(question.ask, m_theme));
    m_how->setText(coloured(howOf(question), c.text2));
    const auto chosen = [&](const std::string& key) {
        return std::find(state.answer.begin(), state.answer.end(), key) != state.answer.end();
    };
    for (std::size_t i = 0; i < m_choices.size(); ++i) {
        // An exclusive group does not let go of its last one.
        if (QButtonGroup* group = m_choices[i]->group(); group->exclusive() && state.answer.empty()) {
            group->setExclusive(false);
            m_choices[i]->setChecked(false);
            group->setExclusive(true);
        } else {
            m_choices[i]->setChecked(chosen(question.choices[i].key));
        }
    }
    if (m_field && lessons::answerOf(m_field->text().toStdString()) != state.answer) {
        QStringList words;
        for (const std::string& word : state.answer)
            words << toQString(word);
        m_field->setText(words.join(u' '));
    }
    m_check->setEnabled(question.kind == Kind::Capture || !state.answer.empty());
    m_show->setEnabled(!state.shown);
    const bool right = state.verdict && state.verdict->right;
    m_standing->setText(!state.verdict
                            ? coloured(state.done ? tr("answered before") : tr("not checked"), c.text2)
                        : state.shown ? coloured(tr("shown"), c.text2)
                        : right       ? coloured(QStringLiteral("\u2713 ") + tr("right"), c.added)
                                      : coloured(QStringLiteral("\u2717 ") + tr("not right"), c.removed));
    QStringList said;
    if (state.verdict && !state.verdict->found.words.empty())
        said << toQString(state.verdict->found.words).toHtmlEscaped();
    if (!state.hint.isEmpty()) said << lessonHtml(state.hint.toStdString(), m_theme);
    if (!state.trouble.isEmpty())
        said << coloured(tr("Not judged: %1.").arg(state.trouble).toHtmlEscaped(), c.changed);
    if ((right || state.shown) && !question.because.empty()) said << lessonHtml(question.because, m_theme);
    m_verdict->setText(said.join(QStringLiteral("<br>")));
    m_verdict->setVisible(!said.isEmpty());
    refreshHints();
}

void QuestionBox::refreshHints() {
    const lessons::Question& question = *m_run.step().question;
    const int given = m_run.state().hints, count = int(question.hints.size());
    QStringList lines;
    for (int i = 0; i < given; ++i)
        lines << coloured(tr("Hint %1 of %2").arg(i + 1).arg(count), m_theme.colours().text2) +
                     QStringLiteral("<br>") + lessonHtml(question.hints[std::size_t(i)], m_theme);
    m_hints->setText(lines.join(QStringLiteral("<br>")));
    m_hints->setVisible(given > 0);
    m_hint->setText(given == 0 ? tr("Hin&t") : tr("Next hin&t"));
    m_hint->setVisible(given < count);
}

} // namespace dynascope::views
