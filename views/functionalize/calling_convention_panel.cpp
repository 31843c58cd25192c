// SPDX-License-Identifier: BSD-3-Clause
#include "views/functionalize/calling_convention_panel.h"
#include "views/functionalize/op_story.h"

#include "views/workspace/labels.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

namespace dynascope::views {

namespace {

/// Headings strong, names in mono, changed inputs in the colour of writes, breaks as links.
class ConventionDelegate : public QStyledItemDelegate {
public:
    ConventionDelegate(Theme& theme, QObject* parent)
        : QStyledItemDelegate(parent)
        , m_theme(theme) {}

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        const Colours& c = m_theme.colours();
        const bool heading = !index.parent().isValid();
        const int column = index.column();
        const bool isMono = column == CallingConventionModel::Name || column == CallingConventionModel::Type;
        option->font = m_theme.font(heading  ? FontRole::Strong
                                    : isMono ? FontRole::CodeSmall
                                             : FontRole::Text);
        QColor colour = heading || column == CallingConventionModel::Name ? c.text : c.text2;
        if (!heading && column == CallingConventionModel::What &&
            index.data(CallingConventionModel::WrittenRole).toBool())
            colour = c.op(ir::OpKind::Write);
        if (!heading && column == CallingConventionModel::Why &&
            index.data(CallingConventionModel::BreakRole).toInt() >= 0) {
            colour = c.accentText();
            option->font.setUnderline(true);
        }
        option->palette.setColor(QPalette::Text, colour);
        option->palette.setColor(QPalette::HighlightedText, colour);
    }

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        return {QStyledItemDelegate::sizeHint(option, index).width(), m_theme.scaled(24)};
    }

private:
    Theme& m_theme;
};

} // namespace

CallingConventionPanel::CallingConventionPanel(Workspace& workspace, Stepper& stepper, Theme& theme,
                                               QWidget* parent)
    : Panel(workspace, theme, parent)
    , m_stepper(stepper)
    , m_model(new CallingConventionModel(this))
    , m_tree(new QTreeView)
    , m_forms(new QButtonGroup(this))
    , m_note(new QLabel) {
    m_tree->setObjectName(QStringLiteral("calling.tree"));
    setObjectName(QStringLiteral("callingConvention"));
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(12, 6, 12, 6);
    bar->setSpacing(6);
    const auto form = [&](const QString& text, const char* name, bool caller, const QString& tip) {
        auto* button = new QToolButton;
        button->setObjectName(QLatin1String(name));
        button->setText(text);
        button->setCheckable(true);
        button->setToolTip(tip);
        m_forms->addButton(button, caller ? 1 : 0);
        bar->addWidget(button);
    };
    form(tr("copy_ in the graph"), "conventionGraph", false,
         tr("The graph ends with the writes to its inputs, as torch.func.functionalize leaves it"));
    form(tr("Extra outputs"), "conventionCaller", true,
         tr("New values of inputs are outputs, and the caller writes them back, as AOTAutograd's runtime "
            "does"));
    m_note->setTextFormat(Qt::PlainText);
    m_note->setObjectName(QStringLiteral("calling.note"));
    m_note->setProperty("role", "hint");
    m_note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    bar->addWidget(m_note, 1);
    column->addLayout(bar);
    m_tree->setAccessibleName(tr("Calling convention"));
    m_tree->setModel(m_model);
    m_tree->setItemDelegate(new ConventionDelegate(theme, m_tree));
    m_tree->setUniformRowHeights(true);
    m_tree->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_tree->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_tree->setTextElideMode(Qt::ElideRight);
    m_tree->setIndentation(theme.scaled(12));
    m_tree->setExpandsOnDoubleClick(false);
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->header()->setSectionResizeMode(CallingConventionModel::Why, QHeaderView::Stretch);
    column->addWidget(m_tree, 1);
    setContent(page);
    addCopyRows(m_tree, [](const QModelIndex& row) {
        return row.parent().isValid() ? tabbedRow(row, CallingConventionModel::ColumnCount)
                                      : row.data().toString();
    });

    connect(m_forms, &QButtonGroup::idClicked, this, [this](int id) {
        m_stepper.setMode({m_stepper.mode().removesViews, id == 1});
        invalidate(); // until the other form is computed, this one is shown
    });
    connect(m_tree, &QTreeView::clicked, this, [this](const QModelIndex& index) {
        const int group = index.data(CallingConventionModel::BreakRole).toInt();
        if (index.column() == CallingConventionModel::Why && group >= 0) this->workspace().showBreak(group);
    });
    connect(m_tree, &QTreeView::activated, this, [this](const QModelIndex& index) {
        const QString node = index.data(CallingConventionModel::NodeRole).toString();
        if (!node.isEmpty())
            emit nodeActivated(node, index.data(CallingConventionModel::InResultRole).toBool());
    });
    connect(&m_stepper, &Stepper::recordingChanged, this, &Panel::invalidate);
    restyle();
}

void CallingConventionPanel::restyle() {
    fitColumns();
}

void CallingConventionPanel::resizeEvent(QResizeEvent* event) {
    Panel::resizeEvent(event);
    fitColumns();
}

void CallingConventionPanel::fitColumns() {
    const int room = std::max(1, width());
    m_tree->setColumnWidth(CallingConventionModel::Number, theme().scaled(40));
    m_tree->setColumnWidth(CallingConventionModel::Name, std::clamp(room / 4, 110, theme().scaled(240)));
    m_tree->setColumnWidth(CallingConventionModel::Type, std::clamp(room / 8, 80, theme().scaled(150)));
    m_tree->setColumnWidth(CallingConventionModel::What, std::clamp(room / 6, 110, theme().scaled(190)));
}

void CallingConventionPanel::refresh() {
    const computed::FunctionalRecording* recording = m_stepper.recording();
    if (!recording) {
        m_model->setConvention({});
        showMessage(tr("Run functionalize to see how its graph is called."));
        return;
    }
    showContent();
    m_model->setConvention(
        computed::callingConvention(*recording, forcingBreaks(workspace(), recording->run())));
    for (int section = 0; section < m_model->rowCount(); ++section)
        m_tree->setFirstColumnSpanned(section, {}, true);
    m_tree->expandAll();
    const bool caller = m_model->convention().callerWritesBack;
    m_forms->button(caller ? 1 : 0)->setChecked(true);
    m_note->setText(m_model->convention().epilogue.empty()
                        ? tr("The program changes none of its inputs: both forms are the same.")
                    : caller
                        ? tr("The graph has no write at all: its first outputs are new values of inputs.")
                        : tr("The graph computes new values and writes them into its inputs at the end."));
    fitColumns();
}

} // namespace dynascope::views
