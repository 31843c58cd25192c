// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/bytecode_panel.h"

#include "views/base/aligned_text.h"
#include "views/base/code_view.h"
#include "views/workspace/labels.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>

namespace dynascope::views {

struct BytecodePanel::Private {
    QComboBox* objects = nullptr;
    QLabel* counts = nullptr;
    session::SessionPtr session;
    int compile = -1, object = -1;
};

BytecodePanel::BytecodePanel(Workspace& workspace, Theme& theme, QWidget* parent)
    : CodePanel(workspace, theme, tr("Bytecode"), parent)
    , d(std::make_unique<Private>()) {
    d->objects = new QComboBox;
    d->objects->setAccessibleName(tr("Code object"));
    d->objects->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    headerRow()->addWidget(d->objects);
    addHint()->setText(tr("original beside modified by Dynamo"));
    headerRow()->addStretch(1);
    d->counts = addHint();
    addDifferenceKeys();
    connect(d->objects, &QComboBox::activated, this, [this](int index) {
        d->object = index;
        d->compile = -1;
        invalidate();
    });
}

BytecodePanel::~BytecodePanel() = default;

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
            d->counts->setText(lineCounts(text.counts));
            CodeView::Options options;
            options.signs = true;
            options.fold = true;
            view()->setRows(text.document[0], text.document[1], std::move(text.rows), options);
        });
}

} // namespace dynascope::views
