// SPDX-License-Identifier: BSD-3-Clause
#include "views/text/bytecode_panel.h"

#include "views/models/labels.h"
#include "views/text/aligned_text.h"
#include "views/text/code_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QShortcut>
#include <QSignalBlocker>
#include <QVBoxLayout>

namespace dynascope::views {

struct BytecodePanel::Private {
    CodeView* view = nullptr;
    QComboBox* objects = nullptr;
    QLabel *names = nullptr, *counts = nullptr;
    session::SessionPtr session;
    int compile = -1, object = -1;
};

BytecodePanel::BytecodePanel(Workspace& workspace, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
    , d(std::make_unique<Private>()) {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* header = new QWidget;
    header->setProperty("header", true);
    header->setAttribute(Qt::WA_StyledBackground);
    auto* row = new QHBoxLayout(header);
    row->setContentsMargins(8, 2, 12, 2);
    row->setSpacing(10);
    d->objects = new QComboBox;
    d->objects->setAccessibleName(tr("Code object"));
    d->objects->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    d->names = new QLabel(tr("original beside modified by Dynamo"));
    d->names->setProperty("role", "hint");
    d->counts = new QLabel;
    for (QLabel* label : {d->names, d->counts})
        label->setTextFormat(Qt::PlainText);
    d->counts->setProperty("role", "hint");
    row->addWidget(d->objects);
    row->addWidget(d->names);
    row->addStretch(1);
    row->addWidget(d->counts);
    column->addWidget(header);
    d->view = new CodeView(theme);
    d->view->setAccessibleName(tr("Bytecode"));
    column->addWidget(d->view, 1);
    setContent(page);
    setFocusProxy(d->view);
    takeFilterKeys(d->view);
    connect(d->objects, &QComboBox::activated, this, [this](int index) {
        d->object = index;
        d->compile = -1;
        invalidate();
    });
    for (const int direction : {1, -1}) {
        auto* key = new QShortcut(QKeySequence(direction > 0 ? Qt::Key_F7 : Qt::SHIFT | Qt::Key_F7), d->view);
        key->setContext(Qt::WidgetWithChildrenShortcut);
        connect(key, &QShortcut::activated, this, [this, direction] { d->view->nextDifference(direction); });
    }
}

BytecodePanel::~BytecodePanel() = default;

CodeView* BytecodePanel::view() const {
    return d->view;
}

void BytecodePanel::focusFilter() {
    d->view->openFind();
}

void BytecodePanel::refresh() {
    if (showNothingOpen()) return;
    const session::Compile* compile = workspace().compile();
    if (!compile || compile->bytecode.empty()) {
        d->session.reset();
        if (!compile)
            showMessage(tr("No compile is selected."));
        else
            showMessage(tr("No bytecode is recorded for %1: this trace has no bytecode artifact of it.")
                            .arg(toQString(compile->id.toString())));
        return;
    }
    showContent();
    const session::SessionPtr session = workspace().capture()->session;
    const int index = workspace().place().compile;
    if (session == d->session && index == d->compile) return;
    const bool sameCompile = session == d->session && d->compile == -1 && d->object >= 0;
    if (!sameCompile) {
        const QSignalBlocker block(d->objects);
        d->objects->clear();
        for (const session::Bytecode& code : compile->bytecode)
            d->objects->addItem(toQString(code.name));
        d->object = 0;
    }
    d->object = std::clamp(d->object, 0, int(compile->bytecode.size()) - 1);
    d->session = session;
    d->compile = index;
    d->objects->setCurrentIndex(d->object);
    d->objects->setEnabled(compile->bytecode.size() > 1);
    const session::Bytecode code = compile->bytecode[std::size_t(d->object)];
    setLoading(true);
    workspace().tasks().run<AlignedText>(
        QStringLiteral("bytecode"), this,
        [code](const TaskContext&) { return alignBytecode(code.original.text(), code.modified.text()); },
        [this](AlignedText text) {
            setLoading(false);
            const auto count = [&](diff::Change c) { return text.counts[std::size_t(c)]; };
            d->counts->setText(tr("+%1 −%2 ~%3")
                                   .arg(count(diff::Change::Added))
                                   .arg(count(diff::Change::Removed))
                                   .arg(count(diff::Change::Changed)));
            CodeView::Options options;
            options.signs = true;
            options.fold = true;
            d->view->setRows(text.document[0], text.document[1], std::move(text.rows), options);
        });
}

} // namespace dynascope::views
