// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/step_controls.h"

#include "views/base/page_parts.h"
#include "views/theme/theme.h"
#include "views/workspace/labels.h"

#include <QAction>
#include <QComboBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>

namespace dynascope::views {

namespace {

using dynamo::Direction;

bool shiftIsDown() {
    return QGuiApplication::keyboardModifiers() & Qt::ShiftModifier;
}

struct Target {
    const char* title;
    dynamo::Happening what;
};
constexpr Target targets[] = {
    {QT_TRANSLATE_NOOP("StepControls", "graph node"), dynamo::Happening::Node},
    {QT_TRANSLATE_NOOP("StepControls", "guard"), dynamo::Happening::Guard},
    {QT_TRANSLATE_NOOP("StepControls", "side effect"), dynamo::Happening::SideEffect},
    {QT_TRANSLATE_NOOP("StepControls", "graph break"), dynamo::Happening::GraphBreak},
    {QT_TRANSLATE_NOOP("StepControls", "exception"), dynamo::Happening::Exception},
    {QT_TRANSLATE_NOOP("StepControls", "end of a graph"), dynamo::Happening::GraphEnd},
    {QT_TRANSLATE_NOOP("StepControls", "symbol or fact"), dynamo::Happening::Symbol},
    {QT_TRANSLATE_NOOP("StepControls", "comptime call"), dynamo::Happening::Comptime},
};

/// A button of the header. `windowKey` is a key of the window, which every page that steps shares; `ownKey`
/// one of this page.
struct Button {
    StepCommand command;
    const char *text, *icon, *windowKey, *ownKey, *tip;
};
constexpr Button buttons[] = {
    {StepCommand::First, QT_TRANSLATE_NOOP("StepControls", "First step"), "first", "Ctrl+Shift+Home", "", ""},
    {StepCommand::BackRun,
     QT_TRANSLATE_NOOP("StepControls", "Back to the previous breakpoint or graph break"), "play-back",
     "Shift+F5", "", ""},
    {StepCommand::BackOver, QT_TRANSLATE_NOOP("StepControls", "Back over the last instruction"), "arrow-left",
     "Shift+F10", "", QT_TRANSLATE_NOOP("StepControls", "Calls that were inlined count as one instruction")},
    {StepCommand::BackIn, QT_TRANSLATE_NOOP("StepControls", "Back one instruction, into calls"), "previous",
     "", "Ctrl+F11", ""},
    {StepCommand::BackOut, QT_TRANSLATE_NOOP("StepControls", "Back to the call of this frame"), "", "",
     "Ctrl+Shift+F11", ""},
    {StepCommand::Over, QT_TRANSLATE_NOOP("StepControls", "Step over"), "arrow-right", "F10", "",
     QT_TRANSLATE_NOOP("StepControls", "Calls that were inlined count as one instruction")},
    {StepCommand::In, QT_TRANSLATE_NOOP("StepControls", "Step in"), "down", "F11", "",
     QT_TRANSLATE_NOOP("StepControls", "The next instruction that Dynamo traced, in whatever frame")},
    {StepCommand::Out, QT_TRANSLATE_NOOP("StepControls", "Step out"), "up", "Shift+F11", "",
     QT_TRANSLATE_NOOP("StepControls", "The caller's next instruction")},
    {StepCommand::Line, QT_TRANSLATE_NOOP("StepControls", "Next line"), "", "", "Ctrl+F10", ""},
    {StepCommand::BackLine, QT_TRANSLATE_NOOP("StepControls", "Previous line"), "", "", "Ctrl+Shift+F10", ""},
    {StepCommand::Run, QT_TRANSLATE_NOOP("StepControls", "Run to the next breakpoint or graph break"), "play",
     "F5", "", ""},
    {StepCommand::Last, QT_TRANSLATE_NOOP("StepControls", "Last step"), "last", "Ctrl+Shift+End", "", ""},
};

} // namespace

StepControls::StepControls(Theme& theme, QWidget& page)
    : QWidget(&page)
    , m_theme(theme)
    , m_recordings(new QComboBox)
    , m_condition(new QLineEdit)
    , m_search(new QLineEdit) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    QHBoxLayout* row = nullptr;
    column->addWidget(headerBar(row));
    m_recordings->setObjectName(QStringLiteral("dynamo.recordings"));
    m_recordings->setAccessibleName(tr("Recording"));
    row->addWidget(m_recordings);
    for (const Button& made : buttons) {
        auto* action = new QAction(tr(made.text), this);
        QString key = QLatin1String(made.windowKey);
        if (*made.ownKey != '\0') {
            key = QLatin1String(made.ownKey);
            action->setShortcut(QKeySequence(key));
            action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
            page.addAction(action);
        }
        key = QKeySequence(key).toString(QKeySequence::NativeText);
        QString tip = key.isEmpty() ? tr(made.text) : QStringLiteral("%1 (%2)").arg(tr(made.text), key);
        if (*made.tip != '\0') tip += u'\n' + tr(made.tip);
        action->setToolTip(tip);
        connect(action, &QAction::triggered, this,
                [this, command = made.command] { emit commanded(command); });
        if (*made.icon == '\0') continue;
        action->setIcon(m_theme.icon(QLatin1String(made.icon)));
        connect(&m_theme, &Theme::changed, action,
                [this, action, made] { action->setIcon(m_theme.icon(QLatin1String(made.icon))); });
        auto* button = new QToolButton;
        button->setDefaultAction(action);
        button->setFocusPolicy(Qt::TabFocus);
        row->addWidget(button);
    }
    auto* toggle = new QAction(tr("Breakpoint at this line"), this);
    toggle->setShortcut(QKeySequence(QStringLiteral("F9")));
    toggle->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    page.addAction(toggle);
    connect(toggle, &QAction::triggered, this, &StepControls::breakpointToggled);

    auto* run = new QToolButton;
    run->setText(tr("Run to"));
    run->setPopupMode(QToolButton::InstantPopup);
    run->setFocusPolicy(Qt::TabFocus);
    run->setToolTip(
        tr("To the next or previous step at which something happened. Menus of lines, instructions, nodes "
           "and guards run to those."));
    run->setMenu(runMenu());
    row->addWidget(run);

    m_condition->setObjectName(QStringLiteral("dynamo.condition"));
    m_condition->setPlaceholderText(tr("Run until: nodes > 10"));
    m_condition->setAccessibleName(tr("Run until"));
    m_condition->setToolTip(tr(
        "Enter goes to the next step at which the condition comes to hold, Shift+Enter to the one before:\n"
        "nodes > 10\nlocal x is tensor and x.dtype == f32\nguard on L['x']"));
    m_condition->setMinimumWidth(m_theme.scaled(140));
    m_condition->setMaximumWidth(m_theme.scaled(260));
    row->addWidget(m_condition, 1);
    row->addStretch(1);
    m_search->setObjectName(QStringLiteral("dynamo.search"));
    m_search->setPlaceholderText(tr("Search this recording"));
    m_search->setAccessibleName(tr("Search this recording"));
    m_search->setClearButtonEnabled(true);
    m_search->setToolTip(tr("Instructions, source, functions, nodes, guards and graph breaks (Ctrl+F)\n"
                            "Enter goes to the next place, Shift+Enter to the one before."));
    m_search->setMinimumWidth(m_theme.scaled(140));
    m_search->setMaximumWidth(m_theme.scaled(260));
    row->addWidget(m_search, 1);
    connect(m_recordings, &QComboBox::activated, this, &StepControls::recordingChosen);
    connect(m_condition, &QLineEdit::returnPressed, this, [this] { emit conditionEntered(shiftIsDown()); });
    connect(m_search, &QLineEdit::textEdited, this, &StepControls::searchEdited);
    connect(m_search, &QLineEdit::returnPressed, this, [this] { emit searchEntered(shiftIsDown()); });
}

void StepControls::setRecordings(const std::vector<dynamo::RecordingPtr>& recordings) {
    m_recordings->clear();
    for (const dynamo::RecordingPtr& recording : recordings)
        m_recordings->addItem(tr("recording %1, %2")
                                  .arg(m_recordings->count() + 1)
                                  .arg(countText(recording->steps().size(), tr("step"), tr("steps"))));
    m_recordings->setVisible(recordings.size() > 1);
}

void StepControls::setRecording(int index) {
    m_recordings->setCurrentIndex(index);
}

QString StepControls::condition() const {
    return m_condition->text();
}

QString StepControls::searched() const {
    return m_search->text().trimmed();
}

void StepControls::focusSearch() {
    m_search->setFocus(Qt::ShortcutFocusReason);
    m_search->selectAll();
}

QMenu* StepControls::runMenu() {
    auto* menu = new QMenu(this);
    for (const Direction direction : {Direction::Forward, Direction::Back}) {
        const bool back = direction == Direction::Back;
        for (const Target& target : targets) {
            const QString title =
                back ? tr("Previous %1").arg(tr(target.title)) : tr("Next %1").arg(tr(target.title));
            connect(menu->addAction(title), &QAction::triggered, this,
                    [this, what = target.what, direction] { emit happeningWanted(what, direction); });
        }
        connect(menu->addAction(back ? tr("Previous line") : tr("Next line")), &QAction::triggered, this,
                [this, back] { emit commanded(back ? StepCommand::BackLine : StepCommand::Line); });
        if (!back) menu->addSeparator();
    }
    return menu;
}

} // namespace dynascope::views
