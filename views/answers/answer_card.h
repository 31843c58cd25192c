// SPDX-License-Identifier: BSD-3-Clause
//
// One answer of the page Answers: question and link, figure, sentence, picture, the change to make. What does
// not apply is a line with the command that would make it apply.
#pragma once

#include "core/answers/answer.h"

#include <QFrame>
#include <vector>

class QBoxLayout;
class QLabel;
class QToolButton;

namespace dynascope::views {

class AnswerPicture;
class Theme;

/// GUI thread only.
class AnswerCard : public QFrame {
    Q_OBJECT
public:
    AnswerCard(Theme& theme, answers::Question question, QWidget* parent = nullptr);

    /// `link` names what proves the answer, `command` is the answer's for the capture that is shown.
    void setAnswer(const answers::Answer& answer, const QString& link, const QString& command);
    /// A button beside the link; hidden where `text` is empty.
    void setButton(const QString& text);
    /// The picture beside the change to make, where there is room.
    void setWide(bool wide);
    [[nodiscard]] const answers::Answer& answer() const { return m_answer; }
    [[nodiscard]] AnswerPicture* picture() const { return m_picture; }
    /// What the tab key goes to, in the order in which it lies.
    [[nodiscard]] std::vector<QWidget*> tabStops() const;
    /// As answerText(), with the command.
    [[nodiscard]] QString text() const;

signals:
    void proofAsked();
    void itemAsked(int item);
    void buttonPressed();

protected:
    void contextMenuEvent(QContextMenuEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void build();
    void restyle();
    void restyleStanding(); ///< what depends on the answer's standing
    void arrange();
    [[nodiscard]] QColor tone() const;

    Theme& m_theme;
    answers::Answer m_answer;
    QString m_command;
    QLabel *m_icon, *m_question, *m_figure, *m_of, *m_sentence, *m_axis, *m_note;
    QLabel *m_changeTitle, *m_before, *m_code, *m_changeText;
    QWidget *m_figures, *m_change, *m_commandRow;
    QToolButton *m_link, *m_button, *m_copyChange, *m_copyCommand;
    QLabel* m_commandText;
    AnswerPicture* m_picture;
    QBoxLayout* m_body;
    bool m_wide = false;
};

} // namespace dynascope::views
