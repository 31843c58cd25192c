// SPDX-License-Identifier: BSD-3-Clause
#include "views/autograd/alias_panel.h"

#include "views/autograd/alias_rows.h"
#include "views/base/page_parts.h"
#include "views/theme/splitter.h"
#include "views/workspace/go_to.h"
#include "views/workspace/labels.h"

#include <QLabel>
#include <QVBoxLayout>

namespace dynascope::views {

struct AliasPanel::Private {
    RowTable *inputs = nullptr, *outputs = nullptr;
    QLabel *inputNote = nullptr, *outputNote = nullptr, *tangents = nullptr;
    computed::AliasTable table;
};

AliasPanel::AliasPanel(Workspace& workspace, Theme& theme, QWidget* parent)
    : CompilePanel(workspace, theme, parent)
    , d(std::make_unique<Private>()) {
    setObjectName(QStringLiteral("alias"));
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* split = new Splitter(Qt::Vertical);
    split->setChildrenCollapsible(false);
    const auto list = [&](const QString& name, QLabel*& note, RowTable* table) {
        const TitledBox box = titledBox(name, table);
        note = box.note;
        split->addWidget(box.widget);
        addCopyRows(table);
    };
    list(tr("Inputs"), d->inputNote, d->inputs = new RowTable(tr("Inputs"), inputAliasColumns(), theme));
    d->inputs->setObjectName(QStringLiteral("alias.inputs"));
    list(tr("Outputs"), d->outputNote, d->outputs = new RowTable(tr("Outputs"), outputAliasColumns(), theme));
    d->outputs->setObjectName(QStringLiteral("alias.outputs"));
    d->inputs->setEmptyText(tr("The graph has no inputs."));
    d->outputs->setEmptyText(tr("The graph has no outputs."));
    split->setSizes({500, 300});
    column->addWidget(split, 1);
    d->tangents = plainLabel({}, "label");
    d->tangents->setContentsMargins(12, 6, 12, 6);
    d->tangents->setWordWrap(true);
    d->tangents->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    d->tangents->setToolTip(tr("Backward is given these gradients, in this order: of inputs that the "
                               "caller writes back, of outputs "
                               "that are no aliases, of the bases of aliases."));
    column->addWidget(d->tangents);
    setContent(page);
    setFocusProxy(d->inputs);
    const auto show = [this](ir::NodeIndex node) {
        if (node != ir::npos && this->compile() >= 0)
            goToStage(this->workspace(), std::size_t(this->compile()), d->table.stage,
                      d->table.graph->node(node).name);
    };
    connect(d->inputs, &RowTable::rowActivated, this,
            [this, show](int row) { show(d->table.inputs[std::size_t(row)]); });
    connect(d->outputs, &RowTable::rowActivated, this,
            [this, show](int row) { show(d->table.outputs[std::size_t(row)]); });
}

AliasPanel::~AliasPanel() = default;

QString AliasPanel::tangentText() const {
    return d->tangents->text();
}

void AliasPanel::forget() {
    workspace().tasks().cancel(QStringLiteral("autograd.alias"));
    d->inputs->setRows({});
    d->outputs->setRows({});
    d->table = {};
}

void AliasPanel::begin(const session::SessionPtr& session, std::size_t compile) {
    workspace().tasks().run<computed::AliasTable>(
        QStringLiteral("autograd.alias"), this,
        [session, compile](const TaskContext&) { return computed::aliasTable(*session, compile); },
        [this](computed::AliasTable table) {
            setLoading(false);
            d->table = std::move(table);
            if (!d->table.metadata) {
                // An oracle case has a calling convention all the same.
                if (this->session()->kind == session::Kind::OracleCase)
                    return showMessage(
                        tr("No alias and mutation table: %1.").arg(toQString(d->table.problem)),
                        tr("Show the calling convention"), [this] { emit elsewhereRequested(); });
                return showMessage(
                    tr("No alias and mutation table: %1. PyTorch records it once AOTAutograd has "
                       "looked at a graph.")
                        .arg(toQString(d->table.problem)));
            }
            showContent();
            d->inputs->setRows(inputAliasRows(d->table));
            d->outputs->setRows(outputAliasRows(d->table));
            const auto& meta = d->table.metadata->meta;
            const std::size_t inGraph = meta.inputsOf(passes::aot::MutationType::InGraph).size();
            const std::size_t outGraph = meta.inputsOf(passes::aot::MutationType::OutGraph).size();
            d->inputNote->setText(tr("%1 of %2 written: %3 in the graph, %4 by the caller")
                                      .arg(inGraph + outGraph)
                                      .arg(countText(meta.inputs.size(), tr("input"), tr("inputs")))
                                      .arg(inGraph)
                                      .arg(outGraph));
            d->outputNote->setText(tr("%1 of %2 regenerated by the runtime")
                                       .arg(meta.aliasedOutputs().size())
                                       .arg(countText(meta.outputs.size(), tr("output"), tr("outputs"))));
            QStringList tangents;
            for (const QString& tangent : tangentTexts(d->table))
                tangents << tangent;
            d->tangents->setText(
                tangents.isEmpty() ? tr("No tangents: nothing that is returned or written needs a gradient.")
                                   : tr("Tangents: ") + tangents.join(QStringLiteral("; ")));
        });
}

} // namespace dynascope::views
