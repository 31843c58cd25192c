// SPDX-License-Identifier: BSD-3-Clause
#include "views/functionalize/op_story.h"

#include "core/ir/text.h"
#include "views/values/value_text.h"
#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <algorithm>
#include <cmath>
#include <ranges>

namespace dynascope::views {

namespace {

/// A verdict's word in its colour.
Token verdictToken(const QString& word, computed::StageVerdict::Kind kind, const Colours& c) {
    Token token = strong(word);
    token.colour = kind == computed::StageVerdict::Kind::Equal       ? c.added
                   : kind == computed::StageVerdict::Kind::Different ? c.removed
                   : kind == computed::StageVerdict::Kind::NotRun    ? c.text3
                                                                     : c.changed;
    return token;
}

Token emitted(const std::string& node) {
    return monoLink(toQString(node), QStringLiteral("emitted:") + toQString(node));
}

const computed::TensorViewState* viewOf(const computed::Scoreboard& board, const std::string& value) {
    const auto at = std::find_if(board.views.begin(), board.views.end(),
                                 [&](const computed::TensorViewState& v) { return v.value == value; });
    return at == board.views.end() ? nullptr : &*at;
}

/// The tensor that the op writes, by the state after the op.
const computed::TensorViewState* writtenView(const computed::Scoreboard& after,
                                             const computed::FunctionalRecording& recording, int op) {
    const computed::TensorViewState* found = nullptr;
    for (const computed::TensorViewState& view : after.views)
        if (view.active && view.behind == 0 && view.generation > 0 &&
            (!found || view.value == recording.source(op).name))
            found = &view;
    return found;
}

/// What a view is a part of. Over cells that is the whole storage, of which an input may be a part too.
Token baseToken(const computed::FunctionalRecording& recording, const computed::StorageState* storage) {
    if (!storage) return text(tr("its base"));
    return strong(recording.run().overCells ? tr("storage %1").arg(storage->group)
                                            : nameOf(recording, storage->origin));
}

void tellWrite(Tokens& out, const Stepper& stepper) {
    const computed::FunctionalRecording& recording = *stepper.recording();
    const int op = stepper.op();
    const computed::OpStep& step = recording.step(op);
    const computed::Scoreboard before = op > 0 ? recording.scoreboard(op - 1, 99) : computed::Scoreboard{};
    const computed::Scoreboard after = recording.scoreboard(op, 99);
    const computed::TensorViewState* written = writtenView(after, recording, op);
    const computed::OpPhase::Kind kind = recording.phases(op)[std::size_t(stepper.phase())].kind;
    out.push_back(strong(toQString(step.source)));
    const auto commit = [&] {
        const auto& phases = recording.phases(op);
        const auto at = std::find_if(phases.begin(), phases.end(), [](const computed::OpPhase& phase) {
            return phase.kind == computed::OpPhase::Kind::Commit;
        });
        return recording.scoreboard(op, int(at - phases.begin()));
    };
    if (!written) {
        // It writes through a view of its own, as setitem does.
        const computed::Scoreboard queued = commit();
        out.push_back(text(tr(" writes ")));
        for (const computed::StorageState& s : queued.storages)
            if (s.pending) {
                if (!step.updates.empty() && !step.updates.front().views.empty()) {
                    out.push_back(text(tr("the part ")));
                    out.push_back(mono(chainText(step.updates.front().views)));
                    out.push_back(text(tr(" of ")));
                }
                out.push_back(strong(nameOf(recording, s.origin)));
            }
        out.push_back(text(QStringLiteral(". ")));
    }
    const computed::StorageState* storage = nullptr;
    for (const computed::StorageState& s : after.storages)
        if (written && s.group == written->group) storage = &s;
    if (written && written->chain.empty()) {
        out.push_back(text(tr(" writes ")));
        out.push_back(strong(nameOf(recording, written->value)));
        out.push_back(text(QStringLiteral(". ")));
    } else if (written) {
        out.push_back(text(tr(" writes through ")));
        out.push_back(strong(nameOf(recording, written->value)));
        out.push_back(text(tr(", the part ")));
        out.push_back(mono(toQString(written->chain)));
        out.push_back(text(tr(" of ")));
        out.push_back(baseToken(recording, storage));
        out.push_back(text(QStringLiteral(". ")));
    }
    if (const computed::TensorViewState* was = written ? viewOf(before, written->value) : nullptr;
        was && was->behind > 0) {
        out.push_back(strong(nameOf(recording, written->value)));
        out.push_back(text(was->changedBy.empty()
                               ? tr(" was stale, ")
                               : tr(" was stale since %1, ").arg(toQString(was->changedBy))));
        out.push_back(text(tr("so it was regenerated from the base first (")));
        bool first = true;
        for (const computed::EmittedNode& e : step.emitted) {
            if (e.why != wire::Emission::Regeneration) break;
            if (!first) out.push_back(text(QStringLiteral(", ")));
            out.push_back(emitted(e.node));
            first = false;
        }
        out.push_back(text(QStringLiteral("). ")));
    }
    // Of several nodes, such as a constant and what reads it, the last is the result.
    for (const computed::EmittedNode& e : step.emitted | std::views::reverse)
        if (e.why == wire::Emission::Operator) {
            out.push_back(text(tr("The result ")));
            out.push_back(emitted(e.node));
            out.push_back(
                text(kind == computed::OpPhase::Kind::Apply || kind == computed::OpPhase::Kind::WriteBack
                         ? tr(" was queued on the storage")
                     : kind == computed::OpPhase::Kind::Commit ? tr(" is queued on the storage")
                                                               : tr(" will be queued on the storage")));
            break;
        }
    if (kind != computed::OpPhase::Kind::Apply) {
        out.push_back(text(QStringLiteral(".")));
        return;
    }
    QStringList inverse;
    for (const computed::EmittedNode& e : step.emitted)
        if (e.why == wire::Emission::Inverse) inverse << toQString(e.node);
    if (inverse.isEmpty()) {
        out.push_back(text(tr(" and is the new base as it stands.")));
    } else {
        out.push_back(text(tr(" and carried back into a new base (")));
        out.push_back(emitted(inverse.last().toStdString()));
        out.push_back(text(tr("). ")));
    }
    if (!step.emitted.empty() && step.emitted.back().why == wire::Emission::Regeneration) {
        const std::string& last = step.emitted.back().node;
        out.push_back(emitted(last));
        out.push_back(text(recording.isDead(last) ? tr(" takes the view from it again; nobody reads that.")
                                                  : tr(" takes the view from it again.")));
    }
}

void tellRead(Tokens& out, const Stepper& stepper) {
    const computed::FunctionalRecording& recording = *stepper.recording();
    const int op = stepper.op();
    const ir::Node& node = recording.source(op);
    const computed::OpStep& step = recording.step(op);
    const computed::Scoreboard after = recording.scoreboard(op, 99);
    const computed::TensorViewState* own = viewOf(after, node.name);
    out.push_back(strong(nameOf(recording, node.name)));
    if (own && !own->chain.empty()) {
        const computed::StorageState* storage = nullptr;
        for (const computed::StorageState& s : after.storages)
            if (s.group == own->group) storage = &s;
        out.push_back(text(tr(" is a view: it copies no data and covers the part ")));
        out.push_back(mono(toQString(own->chain)));
        out.push_back(text(tr(" of ")));
        out.push_back(baseToken(recording, storage));
        out.push_back(text(tr(", so it joins storage %1.").arg(own->group)));
        if (own->behind > 0)
            out.push_back(
                text(tr(" What it was taken from is stale, so it is too; it is regenerated when an op "
                        "reads it.")));
    } else if (own) {
        out.push_back(text(tr(" makes a new tensor, on storage %1 of its own.").arg(own->group)));
    } else {
        out.push_back(text(tr(" makes no tensor that functionalization keeps track of.")));
    }
    QStringList again;
    for (const computed::EmittedNode& e : step.emitted) {
        if (e.why != wire::Emission::Regeneration) break;
        again << toQString(e.node);
    }
    if (!again.isEmpty()) {
        out.push_back(
            text(tr(" It reads a tensor that was stale, which was taken from its base again first (")));
        for (qsizetype i = 0; i < again.size(); ++i) {
            if (i > 0) out.push_back(text(QStringLiteral(", ")));
            out.push_back(emitted(again[i].toStdString()));
        }
        out.push_back(text(QStringLiteral(").")));
    }
}

void tellOutput(Tokens& out, const Stepper& stepper) {
    const computed::OpStep& step = stepper.recording()->step(stepper.op());
    QStringList again, back;
    for (const computed::EmittedNode& e : step.emitted)
        (e.why == wire::Emission::WriteBack ? back : again) << toQString(e.node);
    out.push_back(text(tr("The program returns. ")));
    if (again.isEmpty()) {
        out.push_back(text(tr("Every output is up to date. ")));
    } else {
        out.push_back(text(tr("Outputs that were stale are taken from their bases now: ")));
        for (qsizetype i = 0; i < again.size(); ++i) {
            if (i > 0) out.push_back(text(QStringLiteral(", ")));
            out.push_back(emitted(again[i].toStdString()));
        }
        out.push_back(text(QStringLiteral(". ")));
    }
    if (!back.isEmpty()) {
        out.push_back(text(tr("Inputs that the program wrote get their last values: ")));
        for (qsizetype i = 0; i < back.size(); ++i) {
            if (i > 0) out.push_back(text(QStringLiteral(", ")));
            out.push_back(emitted(back[i].toStdString()));
        }
        out.push_back(text(QStringLiteral(". ")));
    }
}

/// "select_scatter(·, mul_1, 1, 0)": the base is the dot.
QString inverseText(const QString& call) {
    const qsizetype open = call.indexOf(u'('), comma = call.indexOf(u',');
    return open < 0 || comma < open ? call : call.left(open + 1) + QChar(0xB7) + call.mid(comma);
}

QString chainOf(const std::vector<std::string>& views) {
    return views.empty() ? tr("none: the base itself") : chainText(views);
}

/// "into its whole storage, in which b lies too"; empty where the input alone is written.
QString writeBackPlace(const computed::FunctionalRecording& recording, const computed::InputWriteBack& back) {
    QStringList shared;
    for (const std::string& other : back.sharedWith)
        shared << nameOf(recording, other);
    if (shared.isEmpty()) return back.wholeStorage ? tr("into its whole storage") : QString();
    const QString names = shared.join(QStringLiteral(", "));
    const bool one = shared.size() == 1;
    if (back.wholeStorage)
        return one ? tr("into its whole storage, in which %1 lies too").arg(names)
                   : tr("into its whole storage, in which %1 lie too").arg(names);
    return one ? tr("into its memory, in which %1 lies too").arg(names)
               : tr("into its memory, in which %1 lie too").arg(names);
}

/// "36 B by copy_, before the break at cap.py:6: 1/0 reads it as L['x']".
Tokens writeBackTokens(const computed::FunctionalRecording& recording, const computed::InputWriteBack& back,
                       const computed::ForcingBreaks& breaks) {
    QStringList how;
    for (const std::string& op : back.how)
        how << toQString(op);
    Tokens out{text(back.output >= 0
                        ? tr("%1 by the caller from output %2").arg(bytesText(back.bytes)).arg(back.output)
                        : tr("%1 by %2").arg(bytesText(back.bytes), how.join(QStringLiteral(", "))))};
    if (const QString where = writeBackPlace(recording, back); !where.isEmpty())
        out.push_back(text(QStringLiteral(" ") + where));
    const auto found = breaks.find(back.input);
    if (found == breaks.end()) return out;
    out.push_back(text(QStringLiteral(", ")));
    out.push_back(link(toQString(found->second.text()), QStringLiteral("break:%1").arg(found->second.group)));
    out.push_back(quiet(QStringLiteral(" (%1)").arg(toQString(found->second.reason))));
    if (!found->second.resumed.empty())
        out.push_back(text(QStringLiteral(": ") + toQString(found->second.resumed)));
    return out;
}

QString writeBackHelp() {
    return tr("The input's new value has to be in its memory once the graph returns. Where the frame breaks, "
              "the code after the break reads it there.");
}

Section writeBackSection(const computed::FunctionalRecording& recording,
                         const computed::ForcingBreaks& breaks) {
    Section section;
    section.title = tr("Write-backs");
    const auto& all = recording.run().writeBacks;
    if (all.empty()) {
        section.facts.push_back(paragraph({quiet(tr("None: no input was written."))}));
        return section;
    }
    section.chip = countText(all.size(), tr("input"), tr("inputs"));
    section.chipTone = QStringLiteral("write");
    for (const computed::InputWriteBack& back : all)
        section.facts.push_back(
            fact(nameOf(recording, back.input), writeBackTokens(recording, back, breaks), writeBackHelp()));
    return section;
}

/// The input whose storage `group` (as the scoreboard counts) is, if it is written back.
const computed::InputWriteBack* writeBackOf(const computed::FunctionalRecording& recording,
                                            const computed::StorageState& storage) {
    const auto& all = recording.run().writeBacks;
    const auto found = std::find_if(
        all.begin(), all.end(), [&](const computed::InputWriteBack& b) { return b.input == storage.origin; });
    return found == all.end() ? nullptr : &*found;
}

Section queueSection(const Stepper& stepper, const computed::ForcingBreaks& breaks) {
    const computed::FunctionalRecording& recording = *stepper.recording();
    const int op = stepper.op();
    if (recording.source(op).op == ir::Op::Output) return writeBackSection(recording, breaks);
    Section section;
    const computed::OpPhase::Kind kind = recording.phases(op)[std::size_t(stepper.phase())].kind;
    const auto& storages = stepper.scoreboard().storages;
    const auto pending = std::find_if(storages.begin(), storages.end(),
                                      [](const computed::StorageState& s) { return s.pending; });
    if (pending == storages.end()) {
        section.title = tr("Update queue");
        section.facts.push_back(paragraph(
            {quiet(kind == computed::OpPhase::Kind::Apply ? tr("Empty: the update was carried into the base.")
                                                          : tr("Empty."))}));
        return section;
    }
    const auto& updates = recording.step(op).updates;
    section.title = tr("Update queue of storage %1").arg(pending->group);
    section.chip = tr("%1 pending").arg(std::max<std::size_t>(1, updates.size()));
    section.chipTone = QStringLiteral("write");
    for (const wire::QueuedUpdate& update : updates) {
        section.facts.push_back(
            fact(tr("Value"), {emitted(update.value)}, tr("What the written tensor holds from now on.")));
        section.facts.push_back(
            fact(tr("View chain"), {mono(chainOf(update.views))},
                 tr("How the written tensor is taken from the base; replayed to regenerate it.")));
        for (const wire::InverseCall& call : update.inverse)
            section.facts.push_back(fact(tr("Inverse"), {mono(inverseText(toQString(call.text)))},
                                         tr("What puts the value back into the base (the dot).")));
        if (update.inverse.empty())
            section.facts.push_back(fact(tr("Inverse"), {quiet(tr("none: the value is the new base"))}));
    }
    if (const computed::InputWriteBack* back = writeBackOf(recording, *pending))
        section.facts.push_back(
            fact(tr("Written back"), writeBackTokens(*stepper.recording(), *back, breaks), writeBackHelp()));
    return section;
}

/// The verdict's word stands before its text, which may begin with it.
QString textAfter(const QString& word, const QString& text) {
    return text.startsWith(word + QLatin1Char(' ')) ? text.mid(word.size() + 1) : text;
}

Section checkSection(const Stepper& stepper, const computed::StageVerdict& verdict, const Colours& colours) {
    const computed::FunctionalRecording& recording = *stepper.recording();
    Section section;
    section.title = tr("Checks");
    // Each value against eager, as it was right after the op.
    const std::string& source = recording.source(stepper.op()).name;
    const auto eager = recording.run().eager.find(source);
    const computed::Scoreboard after = recording.scoreboard(stepper.op(), 99);
    const computed::TensorViewState* own = nullptr;
    for (const computed::TensorViewState& view : after.views)
        if (view.value == source || (view.active && view.behind == 0 && recording.writes(stepper.op())))
            own = &view;
    // Without the values of every cell nothing is said of them.
    if (eager != recording.run().eager.end() && own && !own->cells.empty() && own->behind == 0 &&
        eager->second.data.size() == own->cells.size()) {
        std::size_t same = 0, count = own->cells.size();
        for (std::size_t i = 0; i < count; ++i) {
            const double a = eager->second.data[i], b = own->cells[i].value;
            same += a == b || (a != a && b != b) || std::abs(a - b) <= 1e-5 * std::max(1.0, std::abs(a));
        }
        section.facts.push_back(
            fact(tr("Eager, this op"),
                 {verdictToken(same == count ? tr("equal") : tr("different"),
                               same == count ? computed::StageVerdict::Kind::Equal
                                             : computed::StageVerdict::Kind::Different,
                               colours),
                  text(tr(" %1 of %2 cells of %3").arg(same).arg(count).arg(nameOf(recording, own->value)))},
                 tr("The value that eager holds right after this op, element by element.")));
    }
    const QString word = toQString(computed::verdictName(verdict.kind));
    section.facts.push_back(fact(
        tr("Whole graph"),
        {verdictToken(verdict.isomorphic ? tr("isomorphic") : word,
                      verdict.isomorphic ? computed::StageVerdict::Kind::Equal : verdict.kind, colours),
         text(verdict.isomorphic     ? tr(" with PyTorch's %1").arg(toQString(verdict.twin))
              : verdict.text.empty() ? QString()
                                     : QStringLiteral(" ") + textAfter(word, toQString(verdict.text)))},
        tr("Outputs and inputs after the call against eager; isomorphic: the same graph as PyTorch's up to "
           "names.")));
    if (verdict.isomorphic)
        section.facts.push_back(fact(tr("Against eager"), {verdictToken(word, verdict.kind, colours)}));
    const bool overCells = recording.run().overCells;
    for (const std::string& warning : recording.run().warnings)
        section.facts.push_back(fact(
            overCells ? tr("Method") : tr("Warning"), {text(toQString(warning))},
            overCells ? tr("Each storage is one flat value: a view is read from it by as_strided, a write "
                           "put back by as_strided_scatter. Inputs that share memory share a storage.")
                      : QString()));
    int dead = 0, total = 0;
    for (int i = 0; i <= stepper.op(); ++i) {
        dead += recording.deadCount(i);
        total += int(recording.step(i).emitted.size());
    }
    section.facts.push_back(fact(tr("Dead so far"),
                                 {strong(QString::number(dead)), text(tr(" of %1 nodes").arg(total))},
                                 tr("Nodes that nobody reads: dead code elimination takes them away.")));
    return section;
}

QString inputText(const computed::FunctionalRecording& recording, int op) {
    const auto& rows = recording.step(op).rows;
    if (rows.empty()) return tr(" is an input that is no tensor.");
    QStringList others;
    for (int other = 0; other < recording.opCount(); ++other) {
        const auto& theirs = recording.step(other).rows;
        if (other != op && recording.source(other).op == ir::Op::Placeholder && !theirs.empty() &&
            theirs.front().storage == rows.front().storage)
            others << nameOf(recording, recording.source(other).name);
    }
    return others.isEmpty()
               ? tr(" is an input. It is wrapped with a storage of its own, generation 0: nothing was "
                    "written yet.")
               : tr(" is an input. It lies in one storage with %1, generation 0: nothing was written yet.")
                     .arg(others.join(QStringLiteral(", ")));
}

} // namespace

computed::ForcingBreaks forcingBreaks(const Workspace& workspace, const computed::FunctionalRun& run) {
    const Workspace::Capture* capture = workspace.capture();
    const session::Compile* compile = workspace.compile();
    if (!capture || !compile) return {};
    const session::Session& session = *capture->session;
    return computed::forcingBreaks(session, capture->breaks, std::size_t(compile - session.compiles.data()),
                                   run);
}

Facts opStory(const Stepper& stepper, const computed::StageVerdict& verdict,
              const computed::ForcingBreaks& breaks, const Colours& colours) {
    Facts facts;
    const computed::FunctionalRecording* recording = stepper.recording();
    if (!recording) return facts;
    const ir::Node& node = recording->source(stepper.op());
    Section what;
    what.title = tr("What this op did");
    Tokens tokens;
    if (node.op == ir::Op::Placeholder) {
        tokens = {strong(nameOf(*recording, node.name)), text(inputText(*recording, stepper.op()))};
    } else if (node.op == ir::Op::Output) {
        tellOutput(tokens, stepper);
    } else if (recording->writes(stepper.op())) {
        tellWrite(tokens, stepper);
    } else {
        tellRead(tokens, stepper);
    }
    what.facts.push_back(paragraph(std::move(tokens)));
    facts.sections.push_back(std::move(what));
    facts.sections.push_back(queueSection(stepper, breaks));
    facts.sections.push_back({tr("Generations"), {}, {}, {}});
    facts.sections.push_back(checkSection(stepper, verdict, colours));
    facts.sections.push_back({tr("Mode"), {}, {}, {}});
    return facts;
}

} // namespace dynascope::views
