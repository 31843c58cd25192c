// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/effects_view.h"

#include "core/base/text.h"
#include "core/base/words.h"
#include "views/base/row_table.h"
#include "views/dynamo/controlled_box.h"
#include "views/theme/splitter.h"
#include "views/workspace/labels.h"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace dynascope::views {

namespace {

using dynamo::ReplayStep;
using dynamo::TrackedObject;
using Look = TableCell::Look;

QString nameOf(const TrackedObject& object) {
    if (!object.source.empty()) return toQString(object.source);
    if (!object.cell.empty()) return EffectsView::tr("cell %1").arg(toQString(object.cell));
    return EffectsView::tr("made in the frame");
}

QString storesText(const TrackedObject& object) {
    QStringList out;
    for (const dynamo::PendingStore& store : object.stores)
        out << (store.deleted ? EffectsView::tr("del %1") : QStringLiteral("%1")).arg(toQString(store.name));
    return out.join(QStringLiteral(", "));
}

QString placeOf(const dynamo::StackEntry& entry) {
    return entry.line == 0 ? QString() : toQString(baseName(entry.file)) + u':' + QString::number(entry.line);
}

TableCell storedCell(const TrackedObject& object) {
    using enum TrackedObject::Outcome;
    Tone tone = Tone::None;
    if (object.outcome == Done) tone = Tone::Good;
    if (object.outcome == Lost || object.outcome == Differs) tone = Tone::Bad;
    return {toQString(object.kept), Look::Text, tone, toQString(object.kept)};
}

TableRow objectRow(const TrackedObject& object) {
    const QString type = toQString(object.type.empty() ? object.base : object.type);
    QStringList stack;
    for (const dynamo::StackEntry& entry : object.changedAt)
        stack << placeOf(entry) + u' ' + toQString(entry.name);
    return {{nameOf(object), Look::Mono},
            {toQString(object.kind), Look::MonoQuiet, Tone::None,
             type.isEmpty() ? QString() : toQString(object.kind) + u' ' + type},
            {object.isNew() ? EffectsView::tr("made here") : EffectsView::tr("existed"), Look::Quiet,
             Tone::None, toQString(object.mutation)},
            {!object.live      ? EffectsView::tr("forgotten")
             : object.modified ? EffectsView::tr("modified")
                               : EffectsView::tr("as it was"),
             Look::Chip,
             !object.live      ? Tone::Other
             : object.modified ? Tone::Write
                               : Tone::None},
            {toQString(object.why)},
            {storesText(object), Look::Mono},
            {object.changedAt.empty() ? QString() : placeOf(object.changedAt.back()), Look::MonoQuiet,
             Tone::None, stack.join(u'\n')},
            storedCell(object)};
}

TableCell checkCell(ReplayStep::Check check) {
    using enum ReplayStep::Check;
    switch (check) {
    case Agrees:
        return {EffectsView::tr("agree"), Look::Chip, Tone::Good};
    case Differs:
        return {EffectsView::tr("differ"), Look::Chip, Tone::Bad};
    case Missing:
        return {EffectsView::tr("not stored"), Look::Chip, Tone::Bad};
    case NotChecked:
        break;
    }
    return {EffectsView::tr("not checked"), Look::Chip, Tone::Other};
}

QString phaseText(ReplayStep::Phase phase) {
    switch (phase) {
    case ReplayStep::Phase::Build:
        return EffectsView::tr("1 build");
    case ReplayStep::Phase::Load:
        return EffectsView::tr("1 load");
    case ReplayStep::Phase::Store:
        break;
    }
    return EffectsView::tr("2 store");
}

} // namespace

EffectsView::EffectsView(Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_graphs(new QComboBox)
    , m_objects(new RowTable(
          tr("Tracked objects"),
          {{tr("Object"), {}, 200},
           {tr("Tracker"), tr("Dynamo's class for it, and for objects of the program their own"), 190},
           {tr("Was"), {}, 90},
           {tr("Verdict"),
            tr("What SideEffects.is_modified says; an object that nothing reaches any more is forgotten "
               "before"),
            90},
           {tr("Why"), {}, 380},
           {tr("Waiting stores"),
            tr("Attributes and cell contents that Python does not see until the graph's end"), 160},
           {tr("Changed at"), tr("The user's line that changed it last"), 140},
           {tr("In the bytecode"), tr("The steps below that make it real, or what is missing"), 240}},
          theme))
    , m_replay(new RowTable(
          tr("How the changes are made real"),
          {{tr("Phase"),
            tr("First everything new is built and loaded, then everything is stored: the object that "
               "was tracked last comes first"),
            80},
           {tr("Object"), {}, 180},
           {tr("What"), {}, 360},
           {tr("Expected"), tr("Instructions, in this order; others may stand between them"), 220},
           {tr("Generated"), tr("The bytecode that Dynamo made for it"), 320},
           {tr("Rules and bytecode"), {}, 110}},
          theme))
    , m_refused(new RowTable(tr("Refused"),
                             {{tr("Step"), {}, 60, true},
                              {tr("Object"), {}, 220},
                              {tr("Line"), {}, 140},
                              {tr("Operator called in"), {}, 180},
                              {tr("Why"), {}, 460},
                              {tr("Ways out"), {}, 300}},
                             theme))
    , m_note(plainLabel({}, "hint"))
    , m_verdict(plainLabel({}, "hint")) {
    m_refused->setObjectName(QStringLiteral("dynamo.effectRefused"));
    m_note->setObjectName(QStringLiteral("dynamo.effectNote"));
    m_graphs->setObjectName(QStringLiteral("dynamo.effectGraphs"));
    m_objects->setObjectName(QStringLiteral("dynamo.effectObjects"));
    m_replay->setObjectName(QStringLiteral("dynamo.effectReplay"));
    m_graphs->setAccessibleName(tr("Graph"));
    auto* split = new Splitter(Qt::Vertical);
    auto* go = new QPushButton(tr("Go to the graph's end"));
    split->addWidget(controlledBox(tr("Tracked at the end of a graph"), m_objects, {m_graphs, go, m_note}));
    split->addWidget(controlledBox(tr("Two phases"), m_replay, {m_verdict}));
    split->addWidget(m_refusedBox = controlledBox(
                         tr("Changes that a higher-order operator's body must not make"), m_refused, {}));
    split->setSizes({300, 300, 160});
    for (int i = 0; i < split->count(); ++i)
        split->setCollapsible(i, false);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(split);
    m_objects->setEmptyText(tr("No object is tracked."));
    m_replay->setEmptyText(tr("No change has to be made real."));
    m_refused->setEmptyText(tr("Nothing was refused."));
    setFocusProxy(m_objects);
    m_graphs->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    connect(m_graphs, &QComboBox::activated, this, &EffectsView::showGraph);
    connect(go, &QPushButton::clicked, this, [this] {
        const int index = m_graphs->currentIndex();
        if (index >= 0 && std::size_t(index) < m_reports.graphs.size())
            emit stepChosen(m_reports.graphs[std::size_t(index)].step);
    });
    connect(m_refused, &RowTable::rowActivated, this, [this](int row) {
        if (row >= 0 && std::size_t(row) < m_reports.refused.size())
            emit stepChosen(m_reports.refused[std::size_t(row)].step);
    });
}

void EffectsView::setReports(dynamo::RecordingPtr recording, EffectReports reports) {
    m_recording = std::move(recording);
    m_reports = std::move(reports);
    m_graphs->clear();
    for (const dynamo::SideEffectReport& report : m_reports.graphs) {
        const dynamo::AttemptInfo& attempt = m_recording->attempts()[report.attempt];
        const dynamo::Code* code = m_recording->code(attempt.code);
        QString name = toQString(idText(attempt));
        if (attempt.number > 0) name += QStringLiteral(" #%1").arg(attempt.number);
        if (code) name += u' ' + toQString(code->name);
        m_graphs->addItem(
            tr("%1, %2").arg(name, countText(report.objects.size(), tr("object"), tr("objects"))));
    }
    std::vector<TableRow> rows;
    for (const dynamo::RefusedEffect& refused : m_reports.refused)
        rows.push_back(
            {{refused.step == dynamo::noStep ? QString() : QString::number(refused.step), Look::Mono},
             {toQString(refused.object), Look::Mono},
             {placeOf(refused.place), Look::MonoQuiet},
             {toQString(refused.called), Look::MonoQuiet},
             {toQString(refused.text), Look::Text, Tone::None, toQString(refused.text)},
             {toQString(joined(refused.waysOut, "; ")), Look::Text, Tone::None,
              toQString(joined(refused.waysOut, "\n"))}});
    m_refusedBox->setVisible(!rows.empty());
    m_refused->setRows(std::move(rows));
    showGraph(0);
}

void EffectsView::showGraph(int index) {
    std::vector<TableRow> objects, steps;
    m_note->clear();
    m_verdict->clear();
    if (index >= 0 && std::size_t(index) < m_reports.graphs.size()) {
        const dynamo::SideEffectReport& report = m_reports.graphs[std::size_t(index)];
        for (const TrackedObject& object : report.objects)
            objects.push_back(objectRow(object));
        for (const ReplayStep& step : report.steps) {
            const bool known = step.object < report.objects.size();
            steps.push_back({{phaseText(step.phase), Look::Mono},
                             {known ? nameOf(report.objects[step.object]) : QString(), Look::Mono},
                             {toQString(step.text)},
                             {toQString(joined(step.expected, ", ")), Look::Mono, Tone::None,
                              toQString(joined(step.expected, "\n"))},
                             {toQString(joined(step.generated, ", ")), Look::MonoQuiet, Tone::None,
                              toQString(joined(step.generated, "\n"))},
                             checkCell(step.check)});
        }
        m_note->setText(tr("%1 more existed and stayed as they were").arg(report.untouched));
        m_verdict->setText(report.faults.empty() ? toQString(dynamo::verdictOf(report))
                                                 : toQString(joined(report.faults, "; ")));
        m_verdict->setToolTip(plainToolTip(toQString(joined(report.faults, "\n"))));
    } else {
        m_note->setText(
            tr("No graph of this recording had side effects, or it was recorded without their table."));
    }
    m_objects->setRows(std::move(objects));
    m_replay->setRows(std::move(steps));
}

} // namespace dynascope::views
