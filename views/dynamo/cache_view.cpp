// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/cache_view.h"

#include "core/base/words.h"
#include "core/dynamo/recompiles.h"
#include "views/base/row_table.h"
#include "views/dynamo/controlled_box.h"
#include "views/theme/splitter.h"
#include "views/theme/theme.h"
#include "views/workspace/labels.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>

namespace dynascope::views {

namespace {

using dynamo::CacheAnswer;
using dynamo::GuardVerdict;
using Look = TableCell::Look;

constexpr int mostCalls = 1000; ///< of a sequence

TableCell verdictCell(const GuardVerdict& verdict) {
    switch (verdict.kind) {
    case GuardVerdict::Kind::Holds:
        return {CacheView::tr("holds"), Look::Chip, Tone::Good};
    case GuardVerdict::Kind::Fails:
        return {CacheView::tr("fails"), Look::Chip, Tone::Bad};
    case GuardVerdict::Kind::Unknown:
        break;
    }
    return {CacheView::tr("not checked"), Look::Quiet, Tone::None,
            CacheView::tr("The recording does not say what this guard asks about.")};
}

} // namespace

CacheView::CacheView(Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_codes(new QComboBox)
    , m_call(new QComboBox)
    , m_entries(new RowTable(
          tr("Cache entries"),
          {{tr("Entry"), {}, 70},
           {tr("Status"), {}, 90},
           {tr("Backend"), tr("The backend callable, where a reason of BACKEND_MATCH names it"), 120},
           {tr("Asked"),
            tr("The entry whose guard failed, in the order in which Dynamo checks: most recently used first"),
            70},
           {tr("First guard that failed"), {}, 300},
           {tr("Expected"), {}, 120},
           {tr("Actual"), {}, 120},
           {tr("Line"), tr("The user's line that added the guard"), 140}},
          theme))
    , m_guards(new RowTable(tr("Guards of the entry"),
                            {{tr("Guard"), {}, 360},
                             {tr("Kind"), {}, 150},
                             {tr("For the call"), {}, 90},
                             {tr("Expected"), {}, 140},
                             {tr("Actual"), {}, 120},
                             {tr("Line"), tr("The user's line that added the guard"), 140},
                             {tr("Step"), tr("The step that added it; Enter goes there"), 60, true},
                             {tr("Code of Dynamo"), tr("The code of Dynamo that added it"), 220}},
                            theme))
    , m_answers(new RowTable(
          tr("Cache lookups"),
          {{tr("Call"), {}, 70},
           {tr("Answer"), {}, 130},
           {tr("Entry"), tr("The call that the entry was made for"), 70},
           {tr("Checked before"), tr("Entries whose guards failed, in lookup order, and why"), 600}},
          theme))
    , m_sequence(new QLineEdit)
    , m_limit(new QSpinBox)
    , m_note(plainLabel({}, "hint")) {
    m_entries->setObjectName(QStringLiteral("dynamo.cacheEntries"));
    m_note->setObjectName(QStringLiteral("dynamo.cacheNote"));
    m_codes->setObjectName(QStringLiteral("dynamo.cacheCodes"));
    m_guards->setObjectName(QStringLiteral("dynamo.cacheGuards"));
    m_call->setObjectName(QStringLiteral("dynamo.cacheCall"));
    m_sequence->setObjectName(QStringLiteral("dynamo.cacheSequence"));
    m_limit->setObjectName(QStringLiteral("dynamo.cacheLimit"));
    m_answers->setObjectName(QStringLiteral("dynamo.cacheAnswers"));
    m_codes->setAccessibleName(tr("Code"));
    m_call->setAccessibleName(tr("Call"));
    m_call->setToolTip(tr("The recorded call that the guards are evaluated on"));
    m_sequence->setAccessibleName(tr("Sequence of calls"));
    m_sequence->setPlaceholderText(tr("Calls in order: 0 1 0 2"));
    m_sequence->setToolTip(
        tr("Numbers of recorded calls, as in 0/1. Each is what one compile was made for; 1@NAME "
           "makes the call with another backend.\n"
           "An entry is what was recorded for the call that makes it: whether Dynamo would have made "
           "a size dynamic in another order is not asked."));
    m_limit->setRange(1, 64);
    m_limit->setValue(int(dynamo::FrameCache::limit));
    m_limit->setPrefix(tr("limit "));
    m_limit->setToolTip(tr("torch._dynamo.config.recompile_limit"));

    auto* split = new Splitter(Qt::Vertical);
    split->addWidget(controlledBox(tr("Entries"), m_entries, {m_codes}));
    split->addWidget(controlledBox(tr("Guards evaluated on"), m_guards, {m_call}));
    split->addWidget(
        controlledBox(tr("What if it were called like this"), m_answers, {m_sequence, m_limit, m_note}));
    split->setSizes({220, 320, 200});
    for (int i = 0; i < split->count(); ++i)
        split->setCollapsible(i, false);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(split);
    m_answers->setEmptyText(tr("No call was looked up."));
    setFocusProxy(m_entries);
    m_sequence->setMinimumWidth(theme.scaled(220));
    for (QComboBox* box : {m_codes, m_call})
        box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    connect(m_codes, &QComboBox::activated, this, &CacheView::showCode);
    connect(m_call, &QComboBox::activated, this, &CacheView::showGuards);
    connect(m_entries, &RowTable::rowSelected, this, &CacheView::showGuards);
    connect(m_sequence, &QLineEdit::textChanged, this, &CacheView::simulate);
    connect(m_limit, &QSpinBox::valueChanged, this, &CacheView::simulate);
    connect(m_guards, &RowTable::rowActivated, this, [this](int row) {
        if (row >= 0 && std::size_t(row) < m_guardSteps.size() &&
            m_guardSteps[std::size_t(row)] != dynamo::noStep)
            emit stepChosen(m_guardSteps[std::size_t(row)]);
    });
}

QString CacheView::idOf(std::size_t position) const {
    return toQString(idText(m_recording->compiles()[m_code.compiles[position]]));
}

void CacheView::setRecording(dynamo::RecordingPtr recording) {
    m_recording = std::move(recording);
    m_all = m_recording ? dynamo::codeEntries(*m_recording) : std::vector<dynamo::CodeEntries>();
    m_codes->clear();
    for (const dynamo::CodeEntries& code : m_all) {
        QString text = QStringLiteral("%1 %2:%3, %4")
                           .arg(toQString(code.function), toQString(baseName(code.file)))
                           .arg(code.firstLine)
                           .arg(countText(code.compiles.size(), tr("compile"), tr("compiles")));
        if (code.resets > 0)
            text += code.resets == 1 ? tr(", after a reset") : tr(", after reset %1").arg(code.resets);
        m_codes->addItem(text);
    }
    showCode(0);
}

void CacheView::showCode(int index) {
    m_code =
        index >= 0 && std::size_t(index) < m_all.size() ? m_all[std::size_t(index)] : dynamo::CodeEntries();
    m_call->clear();
    QStringList calls;
    for (std::size_t i = 0; i < m_code.compiles.size(); ++i) {
        m_call->addItem(tr("the call of %1").arg(idOf(i)));
        calls << QString::number(i);
    }
    m_call->setCurrentIndex(m_call->count() - 1);
    showEntries();
    m_entries->select(m_code.compiles.empty() ? -1 : 0);
    showGuards();
    const QSignalBlocker blocker(m_sequence);
    m_sequence->setText(calls.join(u' '));
    simulate();
}

void CacheView::showEntries() {
    std::vector<TableRow> rows;
    for (std::size_t i = 0; i < m_code.compiles.size(); ++i) {
        const dynamo::CompileInfo& compile = m_recording->compiles()[m_code.compiles[i]];
        const bool good = compile.status == "compiled";
        const QString backend = toQString(dynamo::backendOf(*m_recording, m_code, i).text);
        TableRow row{{idOf(i), Look::Mono, Tone::None, {}, qulonglong(i)},
                     {compile.status.empty() ? tr("cut off") : toQString(compile.status), Look::Chip,
                      good ? Tone::Good : Tone::Warn, toQString(compile.error)},
                     {backend, Look::MonoQuiet, Tone::None, backend}};
        // What was asked last is the entry that was made first; the first one named is asked first.
        if (const auto reasons = dynamo::recordedFailures(*m_recording, m_code.compiles[i]);
            !reasons.empty()) {
            const dynamo::FailedGuard& failed = reasons.front();
            row.push_back({toQString(failed.entry), Look::Mono, Tone::None, [&] {
                               QStringList all;
                               for (const std::string& reason : compile.recompileReasons)
                                   all << toQString(reason);
                               return all.join(u'\n');
                           }()});
            row.push_back({toQString(failed.check), Look::Mono, Tone::None, toQString(failed.advice)});
            row.push_back({toQString(failed.expected), Look::Mono});
            row.push_back({toQString(failed.actual), Look::Mono, Tone::Warn});
            row.push_back(
                {placeText(failed.addedAt), Look::MonoQuiet, Tone::None, toQString(failed.addedAt.code)});
        }
        rows.push_back(std::move(row));
    }
    m_entries->setEmptyText(tr("No function was compiled in this recording."));
    m_entries->setRows(std::move(rows));
}

void CacheView::showGuards() {
    std::vector<TableRow> rows;
    m_guardSteps.clear();
    QString none = tr("Choose an entry to see its guards.");
    const int entry = m_entries->selected(), call = m_call->currentIndex();
    if (m_recording && entry >= 0 && std::size_t(entry) < m_code.compiles.size() && call >= 0) {
        const std::size_t compile = m_code.compiles[std::size_t(entry)];
        const dynamo::CompileInfo& info = m_recording->compiles()[compile];
        const QString status = info.status.empty() ? tr("cut off") : toQString(info.status);
        none = info.status == "compiled"
                   ? tr("The recording has no guards of %1.").arg(idOf(std::size_t(entry)))
                   : tr("%1 made no entry and so has no guards: it was %2.%3")
                         .arg(idOf(std::size_t(entry)), status,
                              info.error.empty() ? QString() : u'\n' + toQString(info.error));
        const dynamo::CallInputs inputs = dynamo::inputsOf(*m_recording, m_code.compiles[std::size_t(call)]);
        for (const dynamo::GuardOrigin& origin : dynamo::guardOrigins(*m_recording, compile)) {
            const GuardVerdict verdict = dynamo::checkGuard(origin.guard, inputs);
            const bool stepped = origin.step != dynamo::noStep;
            rows.push_back(
                {{toQString(origin.guard.check), Look::Mono, Tone::None, toQString(origin.guard.check)},
                 {toQString(origin.guard.kind), Look::MonoQuiet},
                 verdictCell(verdict),
                 {toQString(verdict.expected), Look::Mono, Tone::None, toQString(verdict.expected)},
                 {toQString(verdict.actual), Look::Mono},
                 {placeText(origin.guard.addedAt), Look::MonoQuiet, Tone::None, toQString(origin.guard.code)},
                 {stepped ? QString::number(origin.step) : QString(),
                  Look::Mono,
                  Tone::None,
                  {},
                  origin.step},
                 {toQString(origin.who), Look::MonoQuiet}});
            m_guardSteps.push_back(origin.step);
        }
    }
    m_guards->setEmptyText(none);
    m_guards->setRows(std::move(rows));
}

void CacheView::simulate() {
    std::vector<dynamo::CallToSimulate> calls;
    QStringList unknown;
    static const QRegularExpression separators(QStringLiteral("[\\s,]+"));
    for (const QString& word : m_sequence->text().split(separators, Qt::SkipEmptyParts)) {
        bool isNumber = false;
        const std::size_t number = word.section(u'@', 0, 0).section(u'/', -1).toULongLong(&isNumber);
        if (isNumber && number < m_code.compiles.size() && calls.size() < std::size_t(mostCalls))
            calls.push_back({number, word.section(u'@', 1).toStdString()});
        else
            unknown << word;
    }
    m_note->setText(unknown.isEmpty() ? QString() : tr("no such call: %1").arg(unknown.mid(0, 5).join(u' ')));
    std::vector<TableRow> rows;
    if (m_recording) {
        const dynamo::CacheSimulation simulation =
            dynamo::simulateCache(*m_recording, m_code, calls, std::size_t(m_limit->value()));
        for (const dynamo::SimulatedCall& call : simulation.calls) {
            const CacheAnswer& answer = call.answer;
            const bool limited = answer.kind == CacheAnswer::Kind::LimitReached;
            QStringList asked, whole;
            for (const dynamo::EntryLookup& lookup : answer.lookups) {
                if (lookup.reason.empty()) continue;
                const QString entry = idOf(simulation.madeBy[lookup.entry]) + QStringLiteral(": ");
                whole << entry + toQString(lookup.reason);
                // The guard alone; PyTorch pads it with blanks, its line and a stack.
                asked << entry + toQString(lookup.reason)
                                     .section(u'\n', 0, 0)
                                     .section(QStringLiteral("  #"), 0, 0)
                                     .trimmed();
            }
            rows.push_back({{idOf(call.call), Look::Mono},
                            {answer.kind == CacheAnswer::Kind::Hit ? tr("hit")
                             : limited                             ? tr("limit, runs eagerly")
                                                                   : tr("compiled"),
                             Look::Chip,
                             answer.kind == CacheAnswer::Kind::Hit ? Tone::Good
                             : limited                             ? Tone::Bad
                                                                   : Tone::Warn},
                            {limited ? QString() : idOf(simulation.madeBy[answer.entry]), Look::Mono},
                            {asked.join(QStringLiteral("; ")), Look::Mono, Tone::None, whole.join(u'\n')}});
        }
    }
    m_answers->setRows(std::move(rows));
}

} // namespace dynascope::views
