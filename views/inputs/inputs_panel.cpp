// SPDX-License-Identifier: BSD-3-Clause
#include "views/inputs/inputs_panel.h"

#include "views/base/name_filter.h"
#include "views/base/nothing_matches.h"
#include "views/inputs/inputs_model.h"
#include "views/inputs/storage_strip.h"
#include "views/inspector/fact_view.h"
#include "views/theme/elided_name.h"
#include "views/theme/splitter.h"
#include "views/workspace/labels.h"

#include <QEvent>
#include <QHeaderView>
#include <QLineEdit>
#include <QScrollArea>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>
#include <utility>

namespace dynascope::views {

namespace {

/// Letters that fill any column.
constexpr qsizetype longestMeasured = 1000;

/// Cuts what does not fit as qualified names are cut.
class NameDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        if (!option->widget || option->rect.width() <= 0) return;
        const QStyle* style = option->widget->style();
        const int margin = style->pixelMetric(QStyle::PM_FocusFrameHMargin, option, option->widget) + 1;
        // The style lays the whole text out to say where it goes, and a name may have 10,000 letters.
        const QString text = std::exchange(option->text, option->text.left(longestMeasured));
        const QRect room = style->subElementRect(QStyle::SE_ItemViewItemText, option, option->widget);
        option->text = elidedPath(option->fontMetrics, text, room.width() - 2 * margin);
    }
};

} // namespace

struct InputsPanel::Private {
    InputsModel* model = nullptr;
    NameFilter* proxy = nullptr;
    QTableView* table = nullptr;
    QLineEdit* filter = nullptr;
    StorageStrip* strip = nullptr;
    FactView* symbols = nullptr;
    Splitter* split = nullptr;
    session::SessionPtr session;
    int compile = -1;
    int nameWidth = 0; ///< of the longest name as a whole
};

InputsPanel::InputsPanel(Workspace& workspace, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
    , d(std::make_unique<Private>()) {
    d->split = new Splitter(Qt::Vertical);
    auto* top = new QWidget;
    auto* column = new QVBoxLayout(top);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(8, 6, 8, 6);
    d->table = new QTableView;
    d->table->setObjectName(QStringLiteral("inputs.table"));
    d->filter = addFilter(tr("Filter inputs"), d->table);
    d->filter->setObjectName(QStringLiteral("inputs.filter"));
    bar->addWidget(d->filter);
    column->addLayout(bar);
    d->model = new InputsModel(this);
    d->proxy = new NameFilter(InputsModel::SearchRole, InputsModel::NameRole, this);
    d->proxy->setSourceModel(d->model);
    d->table->setAccessibleName(tr("Inputs"));
    d->table->setModel(d->proxy);
    d->table->setShowGrid(false);
    d->table->setWordWrap(false);
    d->table->setItemDelegateForColumn(InputsModel::Source, new NameDelegate(d->table));
    d->table->verticalHeader()->hide();
    d->table->setSelectionBehavior(QAbstractItemView::SelectRows);
    d->table->horizontalHeader()->setStretchLastSection(true);
    d->table->horizontalHeader()->setHighlightSections(false);
    d->table->viewport()->installEventFilter(this);
    column->addWidget(d->table);
    d->split->addWidget(top);
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    d->strip = new StorageStrip(theme);
    scroll->setWidget(d->strip);
    d->split->addWidget(scroll);
    d->symbols = new FactView(theme);
    d->split->addWidget(d->symbols);
    d->split->setSizes({180, 300, 140});
    setContent(d->split);
    addCopyRows(d->table, [](const QModelIndex& row) {
        const QString source = row.data(InputsModel::SourceRole).toString(),
                      cells = tabbedRow(row, InputsModel::ColumnCount);
        return source.isEmpty() ? cells : source + cells.mid(cells.indexOf(u'\t'));
    });
    connect(d->filter, &QLineEdit::textChanged, d->proxy, &NameFilter::setText);
    new NothingMatches(theme, *d->table, *d->filter, tr("No input matches %1."));
    connect(d->table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& now) {
                d->strip->setSelectedInput(d->model->inputOfRow(d->proxy->mapToSource(now).row()));
            });
    connect(d->strip, &StorageStrip::inputClicked, this, [this](int input) {
        const QModelIndex row = d->proxy->mapFromSource(d->model->index(d->model->rowOfInput(input), 0));
        if (row.isValid()) d->table->selectRow(row.row());
        d->strip->setSelectedInput(input);
    });
    restyle();
}

InputsPanel::~InputsPanel() = default;

void InputsPanel::restyle() {
    d->table->setFont(theme().font(FontRole::CodeSmall));
    d->table->verticalHeader()->setDefaultSectionSize(theme().scaled(24));
    d->compile = -1;
}

bool InputsPanel::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) fitColumns();
    return Panel::eventFilter(watched, event);
}

// A name and its shape are seen without scrolling; what does not fit is cut in the name.
void InputsPanel::fitColumns() {
    if (d->nameWidth == 0) return;
    const int room = d->table->viewport()->width() - d->table->columnWidth(InputsModel::Shape);
    d->table->setColumnWidth(InputsModel::Source,
                             std::min(d->nameWidth, std::max(room, theme().scaled(150))));
}

void InputsPanel::refresh() {
    const session::Compile* compile = workspace().compile();
    const bool nothing = showNothingOpen();
    if (nothing || !compile || (compile->inputs.empty() && compile->symbols.empty())) {
        d->model->setCompile(nullptr, 0);
        d->strip->setCompile(nullptr, 0);
        d->session.reset();
        d->compile = -1;
        if (!nothing)
            showMessage(
                compile
                    ? tr("This compile has no input tensors: the trace has no describe_tensor record for it.")
                    : tr("No compile is selected."));
        return;
    }
    showContent();
    const session::SessionPtr session = workspace().capture()->session;
    const int index = workspace().place().compile;
    if (session == d->session && index == d->compile) return;
    d->session = session;
    d->compile = index;
    d->model->setCompile(session, std::size_t(index));
    d->strip->setCompile(session, std::size_t(index));
    d->table->resizeColumnsToContents();
    // A stranger's shape may have 10,000 characters; what is beside it has to be seen.
    const int most = theme().scaled(400);
    for (int column = 0; column < InputsModel::ColumnCount; ++column)
        if (column != InputsModel::Source)
            d->table->setColumnWidth(column, std::min(d->table->columnWidth(column), most));
    d->nameWidth = d->table->columnWidth(InputsModel::Source);
    fitColumns();
    Facts facts;
    if (!compile->symbols.empty()) {
        Section section;
        section.title = tr("Symbols");
        section.chip = QString::number(compile->symbols.size());
        for (const session::SymbolInfo& symbol : compile->symbols) {
            Tokens tokens{mono(toQString(symbol.value))};
            for (const std::string* part : {&symbol.range, &symbol.source})
                if (!part->empty())
                    tokens.push_back(
                        {QStringLiteral("  ") + toQString(*part), Token::Look::MonoQuiet, {}, {}});
            if (!symbol.userStack.empty()) {
                tokens.push_back(text(QStringLiteral("  ")));
                tokens.push_back(placeLink(symbol.userStack.back()));
            }
            section.facts.push_back(fact(toQString(symbol.symbol), std::move(tokens),
                                         tr("A size that may differ between calls: its value in this call, "
                                            "its known range, where it was read.")));
        }
        facts.sections.push_back(std::move(section));
    }
    d->symbols->setFacts(facts);
    d->symbols->setVisible(!compile->symbols.empty());
}

} // namespace dynascope::views
