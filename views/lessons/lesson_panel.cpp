// SPDX-License-Identifier: BSD-3-Clause
#include "views/lessons/lesson_panel.h"

#include "views/lessons/lesson_text.h"
#include "views/lessons/question_box.h"
#include "views/workspace/labels.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace dynascope::views {

namespace {
constexpr int padding = 14;

QPushButton* button(const char* name, const QString& text, const char* look = nullptr) {
    auto* made = new QPushButton(text);
    made->setObjectName(QLatin1String(name));
    if (look) made->setProperty(look, true);
    return made;
}
} // namespace

class LessonPanel::Progress : public QWidget {
public:
    Progress(LessonRun& run, Theme& theme)
        : m_run(run)
        , m_theme(theme) {
        setFixedHeight(3);
    }

protected:
    void paintEvent(QPaintEvent*) override {
        const int count = m_run.stepCount();
        if (count == 0) return;
        QPainter painter(this);
        const Colours& c = m_theme.colours();
        const double gap = 5, wide = (width() - gap * (count - 1)) / count;
        for (int i = 0; i < count; ++i)
            painter.fillRect(QRectF(i * (wide + gap), 0, wide, height()), i == m_run.index() ? c.accent
                                                                          : m_run.isDone(i)  ? c.edge
                                                                                             : c.bg3);
    }

private:
    LessonRun& m_run;
    Theme& m_theme;
};

LessonPanel::LessonPanel(Workspace& workspace, LessonRun& run, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
    , m_run(run)
    , m_title(new QLabel)
    , m_count(new QLabel)
    , m_lesson(new QLabel)
    , m_progress(new Progress(run, theme))
    , m_text(new LessonText(theme))
    , m_question(new QuestionBox(workspace, run, theme))
    , m_copy(button("lesson.copy", tr("C&opy the code"), "link"))
    , m_back(button("lesson.back", tr("&Back")))
    , m_next(button("lesson.next", tr("Ne&xt")))
    , m_place(button("lesson.place", tr("Back to this &place"), "link"))
    , m_steps(new QTreeWidget)
    , m_scroll(new QScrollArea) {
    auto* whole = new QWidget;
    auto* column = new QVBoxLayout(whole);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setWidget(makeReader());
    column->addWidget(m_scroll, 1);
    column->addWidget(makeFoot());
    setContent(whole);
    connect(&m_run, &LessonRun::lessonChanged, this, [this] {
        m_shown = -1;
        invalidate();
    });
    connect(&m_run, &LessonRun::stepChanged, this, &Panel::invalidate);
    connect(&m_run, &LessonRun::changed, this, &Panel::invalidate);
    connect(m_back, &QPushButton::clicked, this, [this] { m_run.goTo(m_run.index() - 1); });
    connect(m_next, &QPushButton::clicked, this, [this] { m_run.goTo(m_run.index() + 1); });
    connect(m_place, &QPushButton::clicked, &m_run, &LessonRun::goToPlace);
    connect(m_copy, &QPushButton::clicked, this, &LessonPanel::copyCode);
    connect(m_steps, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) {
        if (item) m_run.goTo(m_steps->indexOfTopLevelItem(item));
    });
    restyle();
}

QSize LessonPanel::sizeHint() const {
    return {theme().scaled(340), theme().scaled(600)};
}

QWidget* LessonPanel::makeReader() {
    m_title->setObjectName(QStringLiteral("lesson.title"));
    m_title->setWordWrap(true);
    m_lesson->setWordWrap(true);
    for (QLabel* label : {m_title, m_lesson})
        label->setTextFormat(Qt::PlainText);
    m_count->setObjectName(QStringLiteral("lesson.count"));
    m_steps->setObjectName(QStringLiteral("lesson.steps"));
    m_steps->setAccessibleName(tr("Steps of the lesson"));
    m_steps->setColumnCount(2);
    m_steps->setHeaderHidden(true);
    m_steps->setRootIsDecorated(false);
    m_steps->setUniformRowHeights(true);
    m_steps->setFrameShape(QFrame::NoFrame);
    m_steps->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_steps->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_steps->header()->setStretchLastSection(false);
    m_steps->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_steps->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    auto* reader = new QWidget;
    auto* column = new QVBoxLayout(reader);
    column->setContentsMargins(padding, 10, padding, 10);
    column->setSpacing(10);
    auto* head = new QHBoxLayout;
    head->addWidget(m_title, 1);
    head->addWidget(m_count, 0, Qt::AlignBottom);
    column->addWidget(m_lesson);
    column->addLayout(head);
    column->addWidget(m_progress);
    column->addWidget(m_text);
    column->addWidget(m_copy, 0, Qt::AlignLeft);
    column->addWidget(m_question);
    column->addSpacing(4);
    column->addWidget(m_steps);
    column->addStretch(1);
    return reader;
}

QWidget* LessonPanel::makeFoot() {
    auto* foot = new QWidget;
    auto* line = new QFrame;
    line->setProperty("box", "line");
    line->setFrameShape(QFrame::HLine);
    auto* rows = new QVBoxLayout(foot);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(8);
    rows->addWidget(line);
    auto* live = new QHBoxLayout;
    live->setContentsMargins(padding, 2, padding, 0);
    live->addWidget(new QLabel(tr("The page is live: step and look around.")), 1);
    live->addWidget(m_place);
    rows->addLayout(live);
    auto* buttons = new QHBoxLayout;
    buttons->setContentsMargins(padding, 0, padding, 10);
    buttons->addWidget(m_back);
    buttons->addStretch(1);
    buttons->addWidget(m_next);
    rows->addLayout(buttons);
    return foot;
}

void LessonPanel::restyle() {
    const Colours& c = theme().colours();
    m_title->setStyleSheet(QStringLiteral("font-size: %1px; font-weight: 600").arg(theme().scaled(17)));
    const QString quiet = QStringLiteral("color: %1").arg(c.text2.name());
    m_count->setStyleSheet(quiet);
    m_lesson->setStyleSheet(quiet);
    m_back->setIcon(theme().icon(QStringLiteral("back")));
    m_next->setIcon(theme().icon(QStringLiteral("forward")));
    m_next->setLayoutDirection(Qt::RightToLeft);
    m_shown = -1;
    invalidate();
}

void LessonPanel::refresh() {
    if (!m_run.isOpen()) {
        showMessage(tr("No lesson is open. Help > Lessons has them."));
        return;
    }
    showContent();
    if (m_shown != m_run.index()) showStep();
    m_question->refresh();
    fillSteps();
    m_progress->update();
    m_back->setEnabled(m_run.index() > 0);
    m_next->setEnabled(m_run.index() + 1 < m_run.stepCount());
    m_place->setEnabled(m_run.place() != nullptr);
}

void LessonPanel::showStep() {
    m_shown = m_run.index();
    const lessons::Step& step = m_run.step();
    m_lesson->setText(tr("Lesson: %1").arg(toQString(m_run.lesson().title)));
    m_title->setText(toQString(step.title));
    m_count->setText(tr("%1 of %2").arg(m_run.index() + 1).arg(m_run.stepCount()));
    m_text->setLesson(step.text);
    m_copy->setVisible(!LessonText::codeOf(step.text).isEmpty());
    m_question->rebuild();
    m_scroll->ensureVisible(0, 0);
}

void LessonPanel::fillSteps() {
    const QSignalBlocker quiet(m_steps);
    m_steps->clear();
    const Colours& c = theme().colours();
    for (int i = 0; i < m_run.stepCount(); ++i) {
        const lessons::Step& step = m_run.lesson().steps[std::size_t(i)];
        auto* item = new QTreeWidgetItem(m_steps);
        item->setText(0, toQString(step.title));
        item->setText(1, toQString(step.aside));
        item->setFont(1, theme().font(FontRole::CodeSmall));
        item->setForeground(1, c.text2);
        item->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
        const bool current = i == m_run.index();
        item->setIcon(0, theme().icon(current           ? QStringLiteral("play")
                                      : m_run.isDone(i) ? QStringLiteral("tick")
                                                        : QStringLiteral("more"),
                                      current ? c.accent : c.text2));
        if (!current && !m_run.isDone(i)) item->setForeground(0, c.text2);
        if (current) m_steps->setCurrentItem(item);
    }
    m_steps->setFixedHeight(m_run.stepCount() * std::max(1, m_steps->sizeHintForRow(0)) + 4);
}

void LessonPanel::copyCode() {
    QGuiApplication::clipboard()->setText(LessonText::codeOf(m_run.step().text));
}

} // namespace dynascope::views
