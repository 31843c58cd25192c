// SPDX-License-Identifier: BSD-3-Clause
#include "views/functionalize/source_ops.h"

#include "views/base/code_view.h"
#include "views/functionalize/op_story.h"
#include "views/theme/elided_name.h"
#include "views/theme/shown_text.h"
#include "views/values/value_text.h"
#include "views/workspace/labels.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QListView>
#include <QPainter>
#include <QVBoxLayout>
#include <map>

namespace dynascope::views {

namespace {
constexpr int mostCodeLines = 8;
constexpr int rowHeight = 36;
} // namespace

SourceOpsModel::SourceOpsModel(Stepper& stepper, QObject* parent)
    : QAbstractListModel(parent)
    , m_stepper(stepper)
    , m_rows(stepper.opCount()) {
    connect(&m_stepper, &Stepper::recordingChanged, this, [this] {
        beginResetModel();
        m_rows = m_stepper.opCount();
        endResetModel();
    });
    connect(&m_stepper, &Stepper::moved, this, [this] {
        if (m_rows > 0) emit dataChanged(index(0), index(m_rows - 1), {PlaceRole});
    });
}

int SourceOpsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : m_rows;
}

QVariant SourceOpsModel::data(const QModelIndex& index, int role) const {
    const computed::FunctionalRecording* recording = m_stepper.recording();
    if (!recording || !index.isValid() || index.row() >= recording->opCount()) return {};
    const int op = index.row();
    const ir::Node& node = recording->source(op);
    const auto emitted = [&](const QString& words) {
        const int count = int(recording->step(op).emitted.size()), dead = recording->deadCount(op);
        if (count == 0) return QString();
        QString text = words.arg(count);
        if (dead > 0) text += count == 1 ? tr(" dead") : tr(", %1 dead").arg(dead);
        return text;
    };
    switch (role) {
    case Qt::DisplayRole:
    case NameRole:
        return recording->isState(node.name) ? nameOf(*recording, node.name) : toQString(node.name);
    case TargetRole:
        return node.op == ir::Op::Placeholder ? tr("placeholder")
               : node.op == ir::Op::Output    ? QString()
                                              : toQString(ir::shortTarget(node.target));
    case CallRole: {
        if (node.op == ir::Op::Placeholder) {
            if (node.meta) return toQString(node.meta->shortForm());
            const auto& rows = recording->step(op).rows;
            return rows.empty() || rows.front().shape.empty() ? QString() : shapeText(rows.front().shape);
        }
        return toQString(recording->statementText(op));
    }
    case EmittedRole:
        return emitted(tr("emits %1"));
    case EmittedShortRole:
        return emitted(QStringLiteral("→ %1"));
    case ColourRole:
        return int(ir::opKind(node));
    case PlaceRole:
        return op < m_stepper.op() ? -1 : op > m_stepper.op() ? 1 : 0;
    case Qt::ToolTipRole: {
        QStringList names;
        for (const computed::EmittedNode& e : recording->step(op).emitted) {
            const char* why = e.why == wire::Emission::Operator ? "the op itself"
                              : e.why == wire::Emission::Inverse
                                  ? "carries the write through a view back into its base"
                              : e.why == wire::Emission::Regeneration ? "regenerates a view from its base"
                                                                      : "writes an input back";
            names << toQString(e.node) + QStringLiteral(": ") + tr(why) +
                         (recording->isDead(e.node) ? tr("; dead") : QString());
            if (names.size() == 12) break;
        }
        QString text = toQString(node.name) + QStringLiteral(" = ") + callText(node);
        return plainToolTip(names.isEmpty() ? text : text + u'\n' + names.join(u'\n'));
    }
    case Qt::AccessibleTextRole:
        return toQString(node.name) + QStringLiteral(", ") + emitted(tr("emits %1"));
    default:
        return {};
    }
}

SourceOpsDelegate::SourceOpsDelegate(Theme& theme, QObject* parent)
    : QStyledItemDelegate(parent)
    , m_theme(theme) {}

QSize SourceOpsDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
    return {100, m_theme.scaled(rowHeight)};
}

void SourceOpsDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const {
    const Colours& c = m_theme.colours();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QRect r = option.rect;
    const int place = index.data(SourceOpsModel::PlaceRole).toInt();
    painter->fillRect(r, place == 0 ? c.row : option.state.testFlag(QStyle::State_MouseOver) ? c.bg3 : c.bg1);
    painter->setPen(c.line);
    painter->drawLine(r.left(), r.bottom(), r.right(), r.bottom());
    const int icon = m_theme.scaled(14);
    if (place <= 0)
        m_theme
            .icon(place < 0 ? QStringLiteral("tick") : QStringLiteral("play"), place < 0 ? c.text3 : c.accent)
            .paint(painter, QRect(r.left() + m_theme.scaled(6), r.center().y() - icon / 2, icon, icon));
    const auto kind = ir::OpKind(index.data(SourceOpsModel::ColourRole).toInt());
    QColor stripe = c.op(kind);
    if (place > 0) painter->setOpacity(0.62);
    painter->setPen(Qt::NoPen);
    painter->setBrush(stripe);
    painter->drawRoundedRect(QRectF(r.left() + m_theme.scaled(27), r.top() + 5, 4, r.height() - 10), 2, 2);
    const int left = r.left() + m_theme.scaled(38), right = r.right() - m_theme.scaled(12);
    const int line = m_theme.scaled(16), top = r.top() + (r.height() - 2 * line) / 2;
    const auto row = [&](int y, const QString& a, const QFont& fontA, const QColor& colourA, const QString& b,
                         const QFont& fontB, const QColor& colourB, const QString& shorter = {}) {
        const QFontMetrics ma(fontA), mb(fontB);
        const int room = right - left, wa = std::min(ma.horizontalAdvance(a) + 2, room * 7 / 10);
        painter->setFont(fontA);
        painter->setPen(colourA);
        painter->drawText(QRect(left, y, wa, line), Qt::AlignLeft | Qt::AlignVCenter, elidedName(ma, a, wa));
        const int wb = room - wa - m_theme.scaled(10);
        // "emits 4, 1 dead" becomes "→ 4, 1 dead" before any of it is cut.
        const bool fits = mb.horizontalAdvance(b) <= wb || shorter.isEmpty();
        painter->setFont(fontB);
        painter->setPen(colourB);
        painter->drawText(QRect(right - wb, y, wb, line), Qt::AlignRight | Qt::AlignVCenter,
                          elided(mb, fits ? b : shorter, Qt::ElideRight, wb));
    };
    row(top, index.data(SourceOpsModel::NameRole).toString(), m_theme.font(FontRole::NodeName), c.text,
        index.data(SourceOpsModel::CallRole).toString(), m_theme.font(FontRole::CodeSmall), c.text2);
    row(top + line, index.data(SourceOpsModel::TargetRole).toString(), m_theme.font(FontRole::CodeSmall),
        stripe, index.data(SourceOpsModel::EmittedRole).toString(), m_theme.font(FontRole::Text),
        c.hint(place == 0), index.data(SourceOpsModel::EmittedShortRole).toString());
    if (option.state.testFlag(QStyle::State_HasFocus)) {
        painter->setOpacity(1);
        painter->setPen(QPen(c.accent, 1));
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(r.adjusted(0, 0, -1, -1));
    }
    painter->restore();
}

SourceOpsPanel::SourceOpsPanel(Workspace& workspace, Stepper& stepper, Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_workspace(workspace)
    , m_stepper(stepper)
    , m_theme(theme)
    , m_title(new QLabel(tr("Source ops")))
    , m_name(new QLabel)
    , m_code(new CodeView(theme))
    , m_list(new QListView)
    , m_totals(new QLabel)
    , m_head(new QWidget) {
    for (QLabel* label : {m_title, m_name, m_totals})
        label->setTextFormat(Qt::PlainText);
    auto* head = new QHBoxLayout(m_head);
    head->setContentsMargins(12, 0, 12, 0);
    head->addWidget(m_title);
    head->addStretch(1);
    head->addWidget(m_name);
    m_totals->setObjectName(QStringLiteral("sourceOps.totals"));
    m_list->setObjectName(QStringLiteral("sourceOps"));
    m_list->setAccessibleName(tr("Source ops"));
    m_list->setModel(new SourceOpsModel(m_stepper, this));
    m_list->setItemDelegate(new SourceOpsDelegate(m_theme, this));
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setUniformItemSizes(true);
    m_list->setMouseTracking(true);
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_head);
    column->addWidget(m_code);
    column->addWidget(m_list, 1);
    column->addWidget(m_totals);
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex& now) {
                if (now.isValid() && now.row() != m_stepper.op()) m_stepper.goTo(now.row());
            });
    connect(m_list, &QListView::clicked, this, [this](const QModelIndex& at) { m_stepper.goTo(at.row()); });
    connect(m_code, &CodeView::lineClicked, this, [this](int, int line) {
        for (std::size_t op = 0; op < m_lineOfOp.size(); ++op)
            if (m_lineOfOp[op] == line) {
                m_stepper.goTo(int(op));
                return;
            }
    });
    connect(&m_stepper, &Stepper::recordingChanged, this, &SourceOpsPanel::showRecording);
    connect(&m_stepper, &Stepper::moved, this, &SourceOpsPanel::showPlace);
    connect(&m_theme, &Theme::changed, this, &SourceOpsPanel::restyle);
    restyle();
    showRecording();
}

void SourceOpsPanel::restyle() {
    const Colours& c = m_theme.colours();
    m_head->setFixedHeight(m_theme.scaled(28));
    m_head->setStyleSheet(
        QStringLiteral("QWidget { background: %1; } QLabel { background: transparent; }").arg(c.bg2.name()));
    m_title->setFont(m_theme.font(FontRole::Section));
    m_name->setStyleSheet(QStringLiteral("color: %1").arg(c.text3.name()));
    m_totals->setStyleSheet(
        QStringLiteral("color: %1; background: %2; border-top: 1px solid %3; padding: 6px 12px")
            .arg(c.text2.name(), c.bg1.name(), c.line.name()));
    m_list->setStyleSheet(QStringLiteral("QListView { background: %1; }").arg(c.bg1.name()));
    showRecording();
}

void SourceOpsPanel::showRecording() {
    const computed::FunctionalRecording* recording = m_stepper.recording();
    m_lineOfOp.clear();
    m_name->setText(m_workspace.session() ? toQString(m_workspace.session()->title) : QString());
    if (!recording || !recording->run().graph) {
        m_totals->clear();
        m_code->clear();
        m_code->hide();
        return;
    }
    m_totals->setText(tr("%1 nodes in   %2 emitted   %3 after dce")
                          .arg(recording->run().source->size())
                          .arg(recording->run().graph->size())
                          .arg(recording->keptCount()));
    // Where the nodes know their lines: those lines. A case has its whole program instead.
    std::map<std::pair<std::string, std::uint32_t>, QString> lines;
    for (const ir::NodePtr& node : recording->run().source->nodes())
        if (const ir::SourceLocation* at = node->location(); at && !at->code.empty())
            lines[{at->file, at->line}] = toQString(at->code);
    QStringList code;
    std::map<std::pair<std::string, std::uint32_t>, int> lineAt;
    std::vector<int> numbers;
    if (!lines.empty()) {
        for (const auto& [place, text] : lines) {
            lineAt[place] = int(code.size());
            numbers.push_back(int(place.second));
            code << text;
        }
        for (const ir::NodePtr& node : recording->run().source->nodes()) {
            const ir::SourceLocation* at = node->location();
            const auto found = at ? lineAt.find({at->file, at->line}) : lineAt.end();
            m_lineOfOp.push_back(found == lineAt.end() ? -1 : found->second);
        }
    } else {
        const computed::ProgramText& program = recording->run().program;
        int last = 0;
        for (const computed::ProgramText::Statement& statement : program.statements) {
            const bool isDef = statement.text.starts_with("def ");
            code << (isDef ? QString() : QStringLiteral("  ")) + toQString(statement.text);
            numbers.push_back(statement.line == last ? 0 : statement.line);
            last = statement.line;
        }
        m_lineOfOp = program.statementOf;
    }
    while (!code.isEmpty() && code.last().trimmed().isEmpty())
        code.removeLast();
    m_code->setVisible(!code.isEmpty());
    if (!code.isEmpty()) {
        auto document = makeCodeDocument(code.join(u'\n'), Language::Python);
        for (std::size_t i = 0; i < document->lines.size() && i < numbers.size(); ++i)
            document->lines[i].number = numbers[i];
        m_code->setDocument(document, {});
        const int shown = std::min<int>(mostCodeLines, int(code.size()));
        m_code->setFixedHeight(shown * m_theme.scaled(18) + m_theme.scaled(16));
    }
    showPlace();
}

void SourceOpsPanel::showPlace() {
    const int op = m_stepper.op();
    const QModelIndex index = m_list->model()->index(op, 0);
    if (index.isValid() && m_list->currentIndex() != index) {
        m_list->setCurrentIndex(index);
        m_list->scrollTo(index);
    }
    if (std::size_t(op) < m_lineOfOp.size() && m_lineOfOp[std::size_t(op)] >= 0) {
        m_code->setHighlight(0, {m_lineOfOp[std::size_t(op)]}, {});
        m_code->reveal(0, m_lineOfOp[std::size_t(op)]);
    } else if (!m_code->isHidden()) {
        m_code->setHighlight(0, {}, {});
    }
}

} // namespace dynascope::views
