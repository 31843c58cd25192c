// SPDX-License-Identifier: BSD-3-Clause
#include "views/answers/answer_card.h"

#include "views/answers/answer_picture.h"
#include "views/base/page_parts.h"
#include "views/theme/picture.h"
#include "views/theme/theme.h"
#include "views/workspace/labels.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>

namespace dynascope::views {

namespace {

using answers::Standing;

constexpr qsizetype mostText = 600;

QLabel* wrapped(const char* role) {
    QLabel* out = plainLabel({}, role);
    out->setWordWrap(true);
    out->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return out;
}

QString shown(const std::string& text) {
    return shownText(toQString(text), mostText);
}

/// Shown only where there is something to show.
void fill(QLabel* label, const QString& text) {
    label->setText(text);
    label->setVisible(!text.isEmpty());
}

QToolButton* textButton(const QString& name) {
    auto* out = new QToolButton;
    out->setObjectName(name);
    out->setToolButtonStyle(Qt::ToolButtonTextOnly);
    out->setFocusPolicy(Qt::StrongFocus);
    out->setAutoRaise(true);
    return out;
}

void colour(QWidget* widget, const QColor& text, const QString& more = {}) {
    widget->setStyleSheet(QStringLiteral("color:%1;%2").arg(text.name(), more));
}

void copy(const QString& text) {
    QGuiApplication::clipboard()->setText(text);
}

} // namespace

AnswerCard::AnswerCard(Theme& theme, answers::Question question, QWidget* parent)
    : QFrame(parent)
    , m_theme(theme)
    , m_picture(new AnswerPicture(theme)) {
    setObjectName(QStringLiteral("answer-") + toQString(questionName(question)));
    setAccessibleName(toQString(questionText(question)));
    m_answer.question = question;
    build();
    connect(&m_theme, &Theme::changed, this, &AnswerCard::restyle);
    connect(m_link, &QToolButton::clicked, this, &AnswerCard::proofAsked);
    connect(m_button, &QToolButton::clicked, this, &AnswerCard::buttonPressed);
    connect(m_picture, &AnswerPicture::activated, this, &AnswerCard::itemAsked);
    connect(m_copyChange, &QToolButton::clicked, this, [this] { copy(toQString(m_answer.change.code)); });
    connect(m_copyCommand, &QToolButton::clicked, this, [this] { copy(m_command); });
}

void AnswerCard::build() {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 10, 12, 10);
    column->setSpacing(6);
    auto* head = new QHBoxLayout;
    head->setSpacing(8);
    head->addWidget(m_icon = new QLabel);
    head->addWidget(m_question = wrapped("section"), 1);
    head->addWidget(m_button = textButton(QStringLiteral("answer.button")));
    head->addWidget(m_link = textButton(QStringLiteral("answer.link")));
    m_button->hide();
    column->addLayout(head);

    m_figures = new QWidget;
    auto* figures = new QHBoxLayout(m_figures);
    figures->setContentsMargins(0, 0, 0, 0);
    figures->setSpacing(8);
    figures->addWidget(m_figure = plainLabel({}, "figure"), 0, Qt::AlignBaseline);
    figures->addWidget(m_of = wrapped("label"), 1, Qt::AlignBaseline);
    column->addWidget(m_figures);
    column->addWidget(m_sentence = wrapped("answer"));

    m_body = new QBoxLayout(QBoxLayout::TopToBottom);
    m_body->setSpacing(10);
    auto* left = new QVBoxLayout;
    left->setSpacing(4);
    left->addWidget(m_axis = wrapped("hint"));
    left->addWidget(m_picture);
    left->addStretch(1);
    m_body->addLayout(left, 5);
    m_change = new QWidget;
    auto* change = new QVBoxLayout(m_change);
    change->setContentsMargins(0, 0, 0, 0);
    change->setSpacing(4);
    change->addWidget(m_changeTitle = wrapped("strong"));
    change->addWidget(m_before = wrapped("code"));
    change->addWidget(m_code = wrapped("code"));
    change->addWidget(m_changeText = wrapped("hint"));
    change->addWidget(m_copyChange = textButton(QStringLiteral("answer.copyChange")), 0, Qt::AlignLeft);
    m_copyChange->setText(tr("Copy change"));
    change->addStretch(1);
    m_body->addWidget(m_change, 2);
    column->addLayout(m_body);

    column->addWidget(m_note = wrapped("hint"));
    m_commandRow = new QWidget;
    auto* command = new QHBoxLayout(m_commandRow);
    command->setContentsMargins(0, 0, 0, 0);
    command->addWidget(m_commandText = wrapped("code"), 1);
    m_commandText->setObjectName(QStringLiteral("answer.command"));
    m_commandText->setMinimumWidth(1); // a long path in it makes no card wider
    command->addWidget(m_copyCommand = textButton(QStringLiteral("answer.copyCommand")), 0, Qt::AlignTop);
    m_copyCommand->setText(tr("Copy"));
    m_copyCommand->setToolTip(tr("Copy the command"));
    column->addWidget(m_commandRow);
    column->addStretch(1);
    restyle();
}

std::vector<QWidget*> AnswerCard::tabStops() const {
    return {m_button, m_link, m_picture, m_copyChange, m_copyCommand};
}

QColor AnswerCard::tone() const {
    const Colours& c = m_theme.colours();
    switch (m_answer.standing) {
    case Standing::Change:
        return m_answer.question == answers::Question::Recompiles ? c.changed : c.removed;
    case Standing::Checking:
        return c.accent;
    case Standing::InOrder:
        return c.added;
    case Standing::Know:
    case Standing::NotHere:
        break;
    }
    return c.text;
}

void AnswerCard::restyleStanding() {
    const Colours& c = m_theme.colours();
    static constexpr std::array icons{"warning", "info", "clock", "tick", "minus"};
    QString icon = QLatin1String(icons[std::size_t(m_answer.standing)]);
    if (m_answer.standing == Standing::Change && m_answer.question == answers::Question::Breaks)
        icon = QStringLiteral("scissors");
    const bool here = m_answer.standing != Standing::NotHere;
    const int size = m_theme.scaled(16);
    m_icon->setPixmap(m_theme.icon(icon, here ? tone() : c.text3).pixmap(size, size));
    m_icon->setToolTip(toQString(standingText(m_answer.standing)));
    m_icon->setAccessibleName(m_icon->toolTip());
    QFont sentence = m_theme.font(here ? FontRole::Title : FontRole::Text);
    sentence.setWeight(here ? QFont::Medium : QFont::Normal);
    m_sentence->setFont(sentence);
    colour(m_figure, tone());
    colour(m_sentence, here ? c.text : c.text2);
    update();
}

void AnswerCard::restyle() {
    const Colours& c = m_theme.colours();
    m_figure->setFont(m_theme.font(FontRole::KeyFigure));
    m_question->setFont(m_theme.font(FontRole::Strong));
    for (QLabel* code : {m_before, m_code, m_commandText})
        code->setFont(m_theme.font(FontRole::Code));
    colour(m_question, c.text2);
    const auto box = [](const DiffColours& colours) {
        return QStringLiteral("background:%1;border-radius:4px;padding:4px 6px;").arg(colours.fill.name());
    };
    colour(m_before, c.text, box(c.diff(diff::Change::Removed)));
    colour(m_code, c.text, box(c.diff(diff::Change::Added)));
    colour(m_commandText, c.text,
           QStringLiteral("background:%1;border:1px solid %2;border-radius:4px;padding:4px 6px;")
               .arg(c.bg1.name(), c.line.name()));
    for (QToolButton* link : {m_link, m_button, m_copyChange, m_copyCommand})
        link->setStyleSheet(
            QStringLiteral("QToolButton{color:%1;border:1px solid transparent;padding:1px 3px;}"
                           "QToolButton:focus{border-color:%1;}")
                .arg(c.accent.name()));
    restyleStanding();
}

void AnswerCard::setAnswer(const answers::Answer& answer, const QString& link, const QString& command) {
    const bool sameStanding = m_answer.standing == answer.standing;
    m_answer = answer;
    m_command = command;
    const bool here = answer.standing != Standing::NotHere;
    m_question->setText(toQString(questionText(answer.question)));
    m_link->setText(link.isEmpty() ? QString() : link + QStringLiteral(" ›"));
    m_link->setVisible(!link.isEmpty());
    m_link->setToolTip(tr("Open what shows it"));
    m_figure->setText(shown(answer.figure));
    m_of->setText(shown(answer.of));
    m_figures->setVisible(!answer.figure.empty());
    fill(m_sentence, shown(answer.sentence));
    fill(m_axis, answer.items.empty() ? QString() : shown(answer.axis));
    fill(m_note, shown(answer.note));
    m_picture->setAnswer(answer);
    m_picture->setVisible(!answer.items.empty());
    const answers::Change& change = answer.change;
    m_change->setVisible(!change.isEmpty());
    fill(m_changeTitle, shown(change.title));
    fill(m_before, change.before.empty() ? QString() : QStringLiteral("− ") + shown(change.before));
    fill(m_code, shown(change.code));
    fill(m_changeText, shown(change.text));
    m_copyChange->setVisible(!change.code.empty());
    m_commandRow->setVisible(!here && !command.isEmpty());
    m_commandText->setText(shownText(command, mostText));
    m_commandText->setToolTip(plainToolTip(command));
    if (!sameStanding) restyleStanding(); // a style sheet costs more than all texts
    update();
    arrange();
}

void AnswerCard::setButton(const QString& text) {
    m_button->setText(text);
    m_button->setVisible(!text.isEmpty());
}

void AnswerCard::setWide(bool wide) {
    m_wide = wide;
    arrange();
}

/// The change stands beside the picture where its code, which does not wrap, leaves the picture room.
void AnswerCard::arrange() {
    const int room = contentsRect().width() - m_change->minimumSizeHint().width() - m_body->spacing();
    m_body->setDirection(m_wide && room >= m_theme.scaled(300) ? QBoxLayout::LeftToRight
                                                               : QBoxLayout::TopToBottom);
}

void AnswerCard::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    arrange();
}

QString AnswerCard::text() const {
    answers::Answer answer = m_answer;
    answer.command = m_command.toStdString();
    return toQString(answerText(answer));
}

void AnswerCard::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu;
    menu.addAction(tr("Copy answer"), this, [this] { copy(text()); });
    if (!m_answer.change.code.empty())
        menu.addAction(tr("Copy change"), this, [this] { copy(toQString(m_answer.change.code)); });
    if (!m_command.isEmpty()) menu.addAction(tr("Copy command"), this, [this] { copy(m_command); });
    if (m_link->isVisible()) menu.addAction(tr("Open %1").arg(m_link->text()), this, &AnswerCard::proofAsked);
    addPictureActions(menu, *this, QStringLiteral("answer"));
    menu.exec(event->globalPos());
}

void AnswerCard::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Colours& c = m_theme.colours();
    painter.setPen(c.line);
    painter.setBrush(m_answer.standing == Standing::NotHere ? c.bg2 : c.bg1);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
    if (m_answer.standing == Standing::Checking) painter.fillRect(QRect(5, 0, width() - 10, 2), c.accent);
}

} // namespace dynascope::views
