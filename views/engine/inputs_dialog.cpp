// SPDX-License-Identifier: BSD-3-Clause
#include "views/engine/inputs_dialog.h"

#include "core/ir/meta.h"
#include "views/workspace/labels.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QShortcut>
#include <QTableWidget>
#include <QVBoxLayout>

namespace dynascope::views {

namespace {

std::string* textOf(engine::InputRow& row, int column) {
    switch (column) {
    case InputsDialog::Dtype:
        return &row.dtype;
    case InputsDialog::Shape:
        return &row.shape;
    case InputsDialog::Strides:
        return &row.stride;
    case InputsDialog::Memory:
        return &row.memory;
    case InputsDialog::Offset:
        return &row.offset;
    case InputsDialog::Values:
        return &row.values;
    default:
        return nullptr;
    }
}

/// "float32" for f32 and torch.float32.
std::string fullName(const std::string& dtype) {
    std::string full = ir::fullDtype(ir::shortDtype(dtype));
    constexpr std::string_view prefix = "torch.";
    if (full.starts_with(prefix)) full.erase(0, prefix.size());
    return full.empty() ? dtype : full;
}

/// Constants lie contiguously in memory of their own.
bool takes(const engine::InputRow& row, int column) {
    return column != InputsDialog::Name &&
           !(row.constant && column >= InputsDialog::Strides && column <= InputsDialog::Offset);
}

} // namespace

InputsDialog::InputsDialog(Theme& theme, const QString& title, std::vector<engine::InputRow> rows,
                           const QString& accept, QWidget* parent)
    : QDialog(parent)
    , m_theme(theme)
    , m_rows(std::move(rows))
    , m_table(new QTableWidget(this))
    , m_state(new QLabel(this)) {
    m_table->setObjectName(QStringLiteral("inputs.table"));
    m_state->setObjectName(QStringLiteral("inputs.state"));
    setWindowTitle(title);
    setObjectName(QStringLiteral("inputsDialog"));
    resize(theme.scaled(860), theme.scaled(std::min(220 + 30 * int(m_rows.size()), 620)));
    auto* hint =
        new QLabel(tr("What the graph's text does not tell has to be given to run it. Values are numbers in "
                      "the order of the elements, one number for all, or a seed; left empty they are made "
                      "from a seed. Inputs with the same word under Memory share it."),
                   this);
    hint->setWordWrap(true);
    hint->setProperty("role", "label");
    m_state->setTextFormat(Qt::PlainText);
    m_state->setWordWrap(true);
    m_table->setAccessibleName(tr("Inputs and constants"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_accept = buttons->addButton(accept, QDialogButtonBox::AcceptRole);
    m_accept->setObjectName(QStringLiteral("inputs.accept"));
    m_accept->setDefault(true);
    buttons->button(QDialogButtonBox::Cancel)->setIcon({});
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* box = new QVBoxLayout(this);
    box->addWidget(hint);
    box->addWidget(m_table, 1);
    box->addWidget(m_state);
    box->addWidget(buttons);
    fill();
    connect(m_table, &QTableWidget::itemChanged, this, [this](QTableWidgetItem* item) {
        std::string* text = textOf(m_rows[std::size_t(item->row())], item->column());
        if (!text) return;
        std::string typed = item->text().trimmed().toStdString();
        if (typed == *text) return; // a change that was taken back, or none
        m_changes.resize(m_made);
        m_changes.push_back({item->row(), item->column(), *text, typed});
        m_made = m_changes.size();
        *text = std::move(typed);
        check();
    });
    // In a cell that is being edited, the keys are the editor's.
    for (const auto key : {QKeySequence::Undo, QKeySequence::Redo}) {
        auto* shortcut = new QShortcut(this);
        shortcut->setKeys(key);
        connect(shortcut, &QShortcut::activated, this, [this, key] { step(key == QKeySequence::Undo); });
    }
    check();
    // Where something is missing first.
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const engine::InputRow& asked = m_rows[std::size_t(row)];
        if (engine::lackOf(asked).empty()) continue;
        m_table->setCurrentCell(row, asked.dtype.empty() ? Dtype : asked.isNumber() ? Values : Shape);
        break;
    }
    m_table->setFocus();
}

void InputsDialog::step(bool back) {
    if (back ? m_made == 0 : m_made == m_changes.size()) return;
    const Change& change = m_changes[back ? --m_made : m_made++];
    const std::string& text = back ? change.before : change.after;
    *textOf(m_rows[std::size_t(change.row)], change.column) = text;
    m_table->item(change.row, change.column)->setText(toQString(text));
    m_table->setCurrentCell(change.row, change.column);
    check();
}

void InputsDialog::fill() {
    m_table->setColumnCount(ColumnCount);
    m_table->setRowCount(int(m_rows.size()));
    const struct {
        QString title, tip;
        int width;
    } columns[] = {
        {tr("Name"), tr("Inputs first, then constants that the graph reads (get_attr)"), 220},
        {tr("Dtype"), tr("float32, int64, bool, ... also f32 or torch.float32; int or float for a number"),
         100},
        {tr("Shape"), tr("2, 3; [] for a scalar"), 110},
        {tr("Strides"), tr("In elements; empty: contiguous"), 100},
        {tr("Memory"), tr("Any word: inputs with the same one share memory; empty: memory of its own"), 90},
        {tr("Offset"), tr("In that memory, in elements; empty: 0"), 70},
        {tr("Values"), tr("1 2 3, one number for all, or seed 7; empty: made from a seed"), 200}};
    for (int column = 0; column < ColumnCount; ++column) {
        auto* head = new QTableWidgetItem(columns[column].title);
        head->setToolTip(plainToolTip(columns[column].tip));
        m_table->setHorizontalHeaderItem(column, head);
        m_table->setColumnWidth(column, m_theme.scaled(columns[column].width));
    }
    m_table->setTextElideMode(Qt::ElideMiddle); // names of parameters differ at their end
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_table->verticalHeader()->hide();
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::SelectedClicked |
                             QAbstractItemView::EditKeyPressed | QAbstractItemView::AnyKeyPressed);
    const Colours& c = m_theme.colours();
    for (int row = 0; row < m_table->rowCount(); ++row) {
        engine::InputRow& of = m_rows[std::size_t(row)];
        for (int column = 0; column < ColumnCount; ++column) {
            const std::string* text = textOf(of, column);
            auto* item = new QTableWidgetItem(text ? toQString(*text) : toQString(of.name));
            item->setFont(m_theme.font(FontRole::Code));
            if (column == Name)
                item->setToolTip(plainToolTip(
                    (of.constant ? tr("%1, a constant") : tr("%1, an input")).arg(item->text())));
            if (!takes(of, column)) {
                if (column != Name) item->setText(QStringLiteral("–"));
                item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
                if (column != Name) item->setFlags(Qt::NoItemFlags);
                item->setForeground(c.text2);
            }
            m_table->setItem(row, column, item);
        }
    }
}

std::vector<engine::InputRow> InputsDialog::rows() const {
    std::vector<engine::InputRow> out = m_rows;
    for (engine::InputRow& row : out)
        if (!row.isNumber()) row.dtype = fullName(row.dtype);
    return out;
}

void InputsDialog::check() {
    const auto values = engine::formValues(rows());
    const Colours& c = m_theme.colours();
    m_state->setText(
        values ? tr("Complete. Values that are not given are made from a seed; in memory that has some "
                    "values they are 0.")
               : toQString(values.error().message));
    m_state->setStyleSheet(QStringLiteral("color: %1").arg((values ? c.text2 : c.removed).name()));
    m_accept->setEnabled(values.has_value());
}

} // namespace dynascope::views
