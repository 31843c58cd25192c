// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/words.h"
#include "core/inductor/pass_condition.h"
#include "core/session/symbol_hints.h"
#include "views/base/row_table.h"
#include "views/inductor/inductor_private.h"
#include "views/workspace/labels.h"

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTabWidget>
#include <algorithm>

namespace dynascope::views {

namespace {

const QString searchTag = QStringLiteral("inductor.search");
const QString lineTag = QStringLiteral("inductor.line");

/// "train.py:40"; no line where it is none.
std::pair<std::string, std::uint32_t> lineOf(const QString& text) {
    const QString trimmed = text.trimmed();
    const auto colon = trimmed.lastIndexOf(u':');
    bool ok = false;
    const uint line = trimmed.mid(colon + 1).toUInt(&ok);
    if (colon <= 0 || !ok) return {};
    return {trimmed.left(colon).toStdString(), line};
}

} // namespace

void InductorPage::setEngine(Engine& engine) {
    d->checks = std::make_unique<PassChecks>(engine);
    d->verify->setVisible(!showsScheduler());
    connect(d->checks.get(), &PassChecks::changed, this, [this] { showChecks(); });
}

const PassChecks* InductorPage::checks() const {
    return d->checks.get();
}

void InductorPage::say(const QString& text) {
    d->said->setText(text);
    d->said->setToolTip(text);
}

void InductorPage::runUntil(const QString& text, bool back) {
    say({});
    if (text.trimmed().isEmpty() || d->row < 0) return;
    const auto condition = inductor::PassCondition::parse(text.toStdString());
    if (!condition) return say(toQString(condition.error().message));
    d->tasks.run<int>(
        searchTag, this,
        [passes = d->passes, condition = *condition, from = d->row, back](const TaskContext& task) {
            return inductor::PassSearch(passes).find(condition, from, back, task);
        },
        [this, back, session = d->session, compile = d->compile](int row) {
            if (session != d->session || compile != d->compile) return;
            if (row < 0)
                return say(back ? tr("at no pass before this one") : tr("at no pass after this one"));
            goTo(row);
        });
}

void InductorPage::verifyAll() {
    if (!d->checks || !d->passes.recording) return;
    if (d->checks->isRunning()) return d->checks->cancel();
    d->checks->start(d->passes, session::symbolHints(d->session->compiles[std::size_t(d->compile)]));
}

/// Verdicts came, or were forgotten.
void InductorPage::showChecks() {
    const bool running = d->checks && d->checks->isRunning();
    d->verify->setText(running ? tr("Stop verifying") : tr("Verify all passes"));
    const QString summary = d->checks ? d->checks->summary() : QString();
    d->verified->setText(summary);
    d->verified->setToolTip(summary);
    d->table->setColumnHidden(verdictColumn, !d->checks || d->checks->all().empty());
    if (d->row < 0) return;
    fillList();
    showNode();
    // What a reader looks for; one who went on reading is left where he is.
    if (!running && d->checks && !d->checks->all().empty() && d->checks->firstDifferent() >= 0)
        say(tr("%1 changed a value")
                .arg(toQString(d->passes.rows[std::size_t(d->checks->firstDifferent())].name())));
}

void InductorPage::showLine(const QString& text) {
    const auto [file, line] = lineOf(text);
    d->lineSteps.clear();
    d->lines->setRows({});
    if (file.empty()) {
        d->lines->setEmptyText(tr("Not a line of a file: train.py:40 is one."));
        return;
    }
    using Steps = Result<std::vector<inductor::LineStep>>;
    d->tasks.run<Steps>(
        lineTag, this,
        [passes = d->passes, file = file, line = line](const TaskContext& task) {
            return inductor::historyOfLine(passes, file, line, task);
        },
        [this, text, session = d->session, compile = d->compile](Steps steps) {
            if (session != d->session || compile != d->compile) return;
            d->lines->setEmptyText(steps ? tr("No graph has a node of %1.").arg(text.trimmed())
                                         : toQString(steps.error().message));
            if (!steps) return;
            d->lineSteps = std::move(*steps);
            d->lines->setRows(lineRows(d->passes, d->lineSteps));
        });
}

/// The line of the selected node, in the field, as long as nobody types there.
void InductorPage::offerLine(const ir::Node& node) {
    const ir::SourceLocation* at = node.location();
    if (at == nullptr || at->file.empty() || d->line->hasFocus()) return;
    const QString text = QStringLiteral("%1:%2").arg(toQString(baseName(at->file))).arg(at->line);
    if (d->line->text() == text) return;
    d->line->setText(text);
    showLine(text);
}

} // namespace dynascope::views
