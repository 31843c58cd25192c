// SPDX-License-Identifier: BSD-3-Clause
#include "views/theme/style_sheet.h"

#include "views/theme/theme.h"

#include <QHash>

namespace dynascope::views {

namespace {

constexpr auto surfaces = R"(
* { outline: 0; }
QMainWindow, QDialog { background: @bg1; }
QMainWindow::separator { background: @line; width: 1px; height: 1px; }
QMainWindow::separator:hover { background: @accent; }
QSplitter::handle { background: @line; }
QSplitter::handle:hover { background: @accent; }
QToolTip { background: @bg2; color: @text; border: 1px solid @line2; border-radius: 4px; padding: 6px 8px; }
QWidget[header="true"] { background: @bg2; border: 0; border-bottom: 1px solid @line; }
QFrame[box="field"] { background: @bg1; border: 1px solid @line2; border-radius: 4px; }
QFrame[box="card"] { background: @bg2; border: 1px solid @line; border-radius: 5px; }
QFrame[box="added"] { background: @addedFill; border: 1px solid @added; border-radius: 5px; }
QFrame[box="line"] { background: @line; border: 0; }
QFrame[box="line"][frameShape="4"] { max-height: 1px; min-height: 1px; }
QFrame[box="line"][frameShape="5"] { max-width: 1px; min-width: 1px; }
QScrollArea { border: 0; background: transparent; }
QStackedWidget { border: 0; }
QStatusBar { background: @bg2; color: @text2; border-top: 1px solid @line; min-height: 23px; max-height: 23px; }
QStatusBar::item { border: 0; }
QSizeGrip { image: none; width: 0; height: 0; }
QStatusBar QLabel { color: @text2; font-size: @small; padding: 0 6px; }
)";

constexpr auto menus = R"(
QMenuBar { background: @bg2; color: @text2; border: 0; border-bottom: 1px solid @line; padding: 2px 8px; }
QMenuBar::item { background: transparent; padding: 5px 6px; border-radius: 4px; }
QMenuBar::item:selected { background: @bg3; color: @text; }
QMenuBar::item:pressed { background: @accentBg; color: @text; }
QMenu { background: @bg1; color: @text; border: 1px solid @line2; padding: 5px; }
QMenu::item { padding: 5px 28px 5px 26px; border-radius: 4px; min-height: 16px; }
QMenu::item:selected { background: @row; color: @text; }
QMenu::item:disabled { color: @text3; background: transparent; }
QMenu::separator { height: 1px; background: @line; margin: 5px 6px; }
QMenu::icon { padding-left: 7px; }
QMenu::indicator { width: 14px; height: 14px; padding-left: 7px; }
QMenu::right-arrow { width: 10px; height: 10px; padding-right: 6px; }
)";

constexpr auto buttons = R"(
QToolBar { background: @bg1; border: 0; border-bottom: 1px solid @line; padding: 4px 8px; spacing: 4px; min-height: 29px; }
QToolBar::separator { background: @line; width: 1px; margin: 6px 6px; }
QToolBar::handle { width: 0; }
QToolButton { background: transparent; color: @text; border: 1px solid transparent; border-radius: 4px; padding: 3px 5px; }
QMenuBar QToolButton { padding: 3px 1px; }
QToolButton:hover { background: @bg3; }
QToolButton:pressed { background: @line2; }
QToolButton:checked { background: @accentBg; color: @accentText; border-color: @accentBg; }
QToolButton[plain="true"]:checked { background: transparent; border-color: transparent; }
QToolButton:focus, QToolButton[plain="true"]:checked:focus, QToolButton:checked:focus { border-color: @accent; }
QToolButton:disabled { color: @text3; background: transparent; }
QToolButton::menu-indicator { image: none; }
QToolButton[popupMode="1"] { padding-right: 14px; }
QToolButton[fold="true"], QToolButton[fold="true"]:hover, QToolButton[fold="true"]:pressed, QToolButton[fold="true"]:checked { background: transparent; border: 1px solid transparent; padding: 1px 0; color: @text2; }
QToolButton[fold="true"]:focus { border-color: @accent; }
QToolButton[chip="true"] { background: @bg3; color: @text2; border: 0; border-radius: 3px; padding: 2px 6px; font-size: @tiny; font-weight: 600; }
QToolButton[chip="true"]:hover { color: @text; }
QToolButton[chip="true"]:checked { background: @accentBg; color: @accentText; }
QToolButton[chip="true"]:focus { border: 1px solid @accent; padding: 1px 5px; }
QPushButton { background: @bg1; color: @text; border: 1px solid @line2; border-radius: 4px; padding: 4px 11px; min-height: 17px; font-weight: 500; }
QPushButton:hover { background: @bg3; }
QPushButton:pressed { background: @line2; }
QPushButton:focus { border-color: @accent; }
QPushButton:disabled { color: @text3; border-color: @line; background: @bg1; }
QPushButton:checked { background: @accentBg; color: @accentText; border-color: @accent; }
QPushButton[primary="true"], QPushButton:default { background: @accentBg; color: @accentText; border-color: @accent; }
QPushButton[primary="true"]:hover, QPushButton:default:hover { background: @row; }
QPushButton[primary="true"]:disabled, QPushButton:default:disabled { color: @text3; border-color: @line; background: @bg1; }
QPushButton[flat="true"] { background: transparent; border-color: transparent; }
QPushButton[flat="true"]:hover { background: @bg3; }
QPushButton[link="true"] { background: transparent; border: 0; color: @accent; padding: 0; text-align: left; min-height: 0; font-weight: 400; }
QPushButton[link="true"]:hover { text-decoration: underline; }
QPushButton[link="true"]:focus, QPushButton[flat="true"]:focus { border: 1px solid @accent; border-radius: 3px; }
QCheckBox, QRadioButton { color: @text; spacing: 6px; }
QCheckBox:focus, QRadioButton:focus { color: @accent; }
QCheckBox:disabled, QRadioButton:disabled { color: @text3; }
)";

constexpr auto fields = R"(
QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox { background: @field; color: @text; border: 1px solid @line2; border-radius: 4px; padding: 3px 7px; min-height: 17px; selection-background-color: @row; selection-color: @text; }
QLineEdit:hover, QSpinBox:hover, QComboBox:hover { border-color: @text3; }
QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus { border-color: @accent; }
QLineEdit:disabled, QSpinBox:disabled, QComboBox:disabled { color: @text3; border-color: @line; }
QLineEdit[error="true"] { border-color: @removed; }
QComboBox::drop-down { border: 0; width: 20px; }
QComboBox QAbstractItemView { background: @bg1; border: 1px solid @line2; padding: 4px; selection-background-color: @row; selection-color: @text; }
QSpinBox::up-button, QSpinBox::down-button { border: 0; width: 16px; }
QPlainTextEdit, QTextEdit, QTextBrowser { background: @bg1; color: @text; border: 0; selection-background-color: @row; selection-color: @text; }
QTextBrowser[role="fact"] { background: transparent; padding: 0; }
QPlainTextEdit[box="field"], QTextEdit[box="field"] { background: @field; border: 1px solid @line2; border-radius: 4px; }
QPlainTextEdit[box="field"]:focus, QTextEdit[box="field"]:focus { border-color: @accent; }
QProgressBar { background: transparent; border: 0; min-height: 2px; max-height: 2px; }
QProgressBar::chunk { background: @accent; }
QSlider::groove:horizontal { background: @line2; height: 2px; }
QSlider::handle:horizontal { background: @accent; width: 10px; height: 10px; margin: -4px 0; border-radius: 5px; }
)";

constexpr auto views = R"(
QTreeView, QTableView, QListView { background: @bg1; color: @text; border: 0; gridline-color: @line; alternate-background-color: @bg1; selection-background-color: @row; selection-color: @text; show-decoration-selected: 1; }
QTreeView::item { min-height: @treeRow; max-height: @treeRow; padding: 0 2px; border: 0; }
QTableView::item { padding: 0 8px; border: 0; }
QListView::item { min-height: @tableRow; padding: 0 6px; border: 0; }
QTreeView::item:hover, QTableView::item:hover, QListView::item:hover { background: @bg2; }
QTreeView::item:selected, QTableView::item:selected, QListView::item:selected { background: @row; color: @text; }
QHeaderView { background: @bg2; border: 0; }
QHeaderView::section { background: @bg2; color: @text2; border: 0; border-bottom: 1px solid @line; padding: 0 14px 0 8px; min-height: @header; font-size: @small; font-weight: 600; }
QHeaderView::section:hover { color: @text; }
QHeaderView::section:vertical { border-bottom: 0; padding: 0 6px; }
QTableCornerButton::section { background: @bg2; border: 0; }
QAbstractScrollArea::corner { background: transparent; border: 0; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: @handle; border-radius: 3px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::handle:hover, QScrollBar::handle:pressed { background: @text3; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
)";

constexpr auto tabsAndDocks = R"(
QTabWidget::pane { border: 0; border-top: 1px solid @line; }
QTabBar { background: @bg2; border: 0; font-size: @text12; }
QTabBar::tab { background: @bg2; color: @text2; border: 0; border-bottom: 2px solid transparent; padding: 0 11px; min-height: 26px; max-height: 26px; font-weight: 500; }
QMainWindow > QTabBar::tab { padding: 0 8px; }
QTabBar::tab:hover { color: @text; background: @bg3; }
QTabBar::tab:selected { color: @text; background: @bg1; border-bottom: 2px solid @accent; }
QTabBar::tab:selected:focus { color: @accent; }
QTabBar::tab:disabled { color: @text3; }
QTabBar::close-button { subcontrol-position: right; padding: 2px; }
QTabBar QToolButton { background: @bg2; border-radius: 0; }
QDockWidget { color: @text; font-weight: 600; titlebar-close-icon: none; titlebar-normal-icon: none; }
QDockWidget::title { background: @bg2; border-bottom: 1px solid @line; padding: 6px 10px; text-align: left; }
QGroupBox { border: 1px solid @line; border-radius: 5px; margin-top: 9px; padding: 8px; font-weight: 600; }
QGroupBox::title { subcontrol-origin: margin; left: 8px; padding: 0 4px; color: @text2; }
)";

constexpr auto labels = R"(
QLabel { background: transparent; }
QLabel[role="section"] { color: @text2; font-size: @small; font-weight: 600; }
QLabel[role="label"] { color: @text2; }
QLabel[role="hint"] { color: @text3; }
QLabel[role="title"] { font-size: @title; font-weight: 600; }
QLabel[role="figure"] { font-size: @figure; font-weight: 600; }
QLabel[role="strong"] { font-weight: 600; }
QLabel[role="link"] { color: @accent; }
QLabel[chip] { border-radius: 3px; padding: 1px 5px; font-size: @tiny; font-weight: 600; background: @bg3; color: @text2; }
QLabel[chip="accent"] { background: @accentBg; color: @accentText; }
QLabel[chip="added"] { background: @addedFill; color: @added; }
QLabel[chip="removed"] { background: @removedFill; color: @removed; }
QLabel[chip="changed"] { background: @changedFill; color: @changed; }
QLabel[chip="write"] { background: @writeFill; color: @write; }
QLabel[role="code"] { font-family: @codeFamily; font-size: @code; }
)";

QColor mix(const QColor& a, const QColor& b, double share) {
    return QColor::fromRgbF(static_cast<float>(a.redF() * (1 - share) + b.redF() * share),
                            static_cast<float>(a.greenF() * (1 - share) + b.greenF() * share),
                            static_cast<float>(a.blueF() * (1 - share) + b.blueF() * share));
}

} // namespace

QString makeStyleSheet(const Colours& c, int base, const QString& textFamily, const QString& codeFamily) {
    const auto px = [base](double pixels) { return QStringLiteral("%1px").arg(qRound(pixels * base / 12)); };
    const QColor write = c.op(ir::OpKind::Write);
    const QHash<QString, QString> values{
        {"bg0", c.bg0.name()},
        {"bg1", c.bg1.name()},
        {"bg2", c.bg2.name()},
        {"bg3", c.bg3.name()},
        {"line", c.line.name()},
        {"line2", c.line2.name()},
        {"edge", c.edge.name()},
        {"text", c.text.name()},
        {"text2", c.text2.name()},
        {"text3", c.text3.name()},
        {"accent", c.accent.name()},
        {"accentText", c.accentText().name()},
        {"accentBg", c.accentBg.name()},
        {"row", c.row.name()},
        {"field", (c.dark ? c.bg0 : c.bg1).name()},
        {"handle", mix(c.line2, c.bg1, 0.1).name()},
        {"added", c.added.name()},
        {"removed", c.removed.name()},
        {"changed", c.changed.name()},
        {"addedFill", c.diff(diff::Change::Added).fill.name()},
        {"removedFill", c.diff(diff::Change::Removed).fill.name()},
        {"changedFill", c.diff(diff::Change::Changed).fill.name()},
        {"write", write.name()},
        {"writeFill", mix(c.bg1, write, c.dark ? 0.2 : 0.12).name()},
        {"treeRow", px(22)},
        {"tableRow", px(24)},
        {"header", px(27)},
        {"small", px(11)},
        {"tiny", px(10)},
        {"code", px(11.5)},
        {"text12", px(12)},
        {"title", px(14)},
        {"figure", px(18)},
        {"textFamily", '"' + textFamily + '"'},
        {"codeFamily", '"' + codeFamily + '"'},
    };
    QString sheet;
    for (const char* part : {surfaces, menus, buttons, fields, views, tabsAndDocks, labels})
        sheet += QLatin1String(part);
    QString out;
    out.reserve(sheet.size() * 5 / 4);
    for (qsizetype i = 0; i < sheet.size();) {
        if (sheet[i] != '@') {
            out += sheet[i++];
            continue;
        }
        qsizetype end = i + 1;
        while (end < sheet.size() && sheet[end].isLetterOrNumber())
            ++end;
        out += values.value(sheet.mid(i + 1, end - i - 1));
        i = end;
    }
    return out;
}

} // namespace dynascope::views
