// SPDX-License-Identifier: BSD-3-Clause
//
// The part of CompareView that says what its panes show, and what it waits for.
#include "views/canvas/compare_private.h"

#include <QLocale>

namespace dynascope::views {

using canvas::GraphCanvas;

namespace {

constexpr int showProgressAfterMs = 100;

QString counted(std::size_t n, const char* one, const char* many) {
    return QLocale::c().toString(static_cast<qulonglong>(n)) + ' ' + QLatin1String(n == 1 ? one : many);
}

} // namespace

void CompareView::Private::showMessages() {
    const auto message = [this](Side side, GraphCanvas& target) {
        const StageView& stage = workspace.stage(side);
        if (stage.graph) return;
        if (!stage.stage) {
            if (const session::Compile* compile = workspace.compile();
                compile != nullptr && compile->stages.empty()) {
                // What it is, in one line that fits; the inspector has the whole message.
                QString reason = QString::fromStdString(!compile->failReason.empty() ? compile->failReason
                                                                                     : compile->failType)
                                     .section(u'\n', 0, 0);
                if (!compile->failReason.empty() && compile->failReason.find('\n') != std::string::npos)
                    reason += tr("\nThe inspector has the whole message.");
                target.setMessage(
                    compile->status == session::Status::GraphBreak
                        ? tr("This compile has no graph: Dynamo broke before it made one")
                        : tr("This compile has no graph: its status is %1")
                              .arg(QString::fromUtf8(
                                  session::statusName(compile->status).data(),
                                  static_cast<qsizetype>(session::statusName(compile->status).size()))),
                    reason);
            } else {
                target.setMessage(tr("Nothing is open"),
                                  tr("Open a trace or a graph text. Drop it here, or Ctrl+O."));
            }
        } else if (stage.loading) {
            target.setMessage(tr("Reading %1").arg(QString::fromStdString(stage.stage->label())));
        } else if (!stage.error.isEmpty()) {
            target.setMessage(
                tr("%1 cannot be read as a graph").arg(QString::fromStdString(stage.stage->label())),
                stage.error);
        } else {
            target.setMessage(tr("%1 is code, not a graph").arg(QString::fromStdString(stage.stage->label())),
                              tr("Its text is in the Output code panel."));
        }
    };
    message(Side::A, *a.canvas);
    message(Side::B, *b.canvas);
}

void CompareView::Private::tick() {
    checkSettled();
    if (!busy() || busySince.elapsed() < showProgressAfterMs) return;
    const StageView& stageA = workspace.stage(Side::A);
    const StageView& stageB = workspace.stage(Side::B);
    for (const auto& [stage, pane] : {std::pair{&stageA, &a}, std::pair{&stageB, &b}}) {
        if (!stage->loading) continue;
        pane->header->setProgress(tr("Reading"));
        if (pane->canvas->scene()) pane->canvas->setScene(nullptr, GraphCanvas::Transition::None);
    }
    if (!working && !processA.isRunning() && !processB.isRunning()) return;
    const std::size_t nodes =
        (stageA.graph ? stageA.graph->size() : 0) + (stageB.graph ? stageB.graph->size() : 0);
    const QString text = tr("Laying out %1, %2 s")
                             .arg(counted(nodes, "node", "nodes"))
                             .arg(static_cast<double>(busySince.elapsed()) / 1000, 0, 'f', 1);
    const PaneWidgets& pane = effectiveMode() == Mode::Merged ? merged : b.box->isVisible() ? b : a;
    pane.header->setProgress(text);
}

void CompareView::Private::checkSettled() {
    if (busy()) return;
    progressTimer.stop();
    for (const PaneWidgets* pane : {&a, &b, &merged})
        pane->header->setProgress({});
    if (reported) return;
    reported = true;
    emit q.settled();
}

void CompareView::Private::updateHeaders() {
    const auto detail = [this](const ir::GraphPtr& graph, const GraphCanvas& target,
                               const std::optional<canvas::LaidOut>& drawn) {
        if (!graph) return QString();
        QString text = counted(graph->size(), "node", "nodes");
        const canvas::ScenePtr& scene = target.scene();
        if (drawn && !drawn->source.only.empty())
            text = tr("%1 of %2").arg(drawn->source.only.size()).arg(text);
        else if (scene && scene->graph->size() > scene->items.size())
            text += QStringLiteral(", %1 drawn").arg(scene->items.size());
        if (drawn && drawn->source.kernels && drawn->source.tree) text += kernelsText(drawn->source);
        return text;
    };
    const auto name = [this](Side side) {
        const StageView& stage = workspace.stage(side);
        return stage.stage ? QString::fromStdString(stage.stage->label()) : tr("No stage");
    };
    const auto diff = workspace.diff();
    a.header->setStage(name(Side::A), detail(workspace.stage(Side::A).graph, *a.canvas, picture.a));
    b.header->setStage(name(Side::B), detail(workspace.stage(Side::B).graph, *b.canvas, picture.b));
    a.header->setCounts(effectiveMode() == Mode::Single && !isAlone() ? diff.get() : nullptr);
    b.header->setCounts(isAlone() ? nullptr : diff.get()); // a graph differs from itself in nothing
    merged.header->setStage(
        name(Side::A) + QStringLiteral(" → ") + name(Side::B),
        detail(picture.mergedGraph ? picture.mergedGraph->graph : nullptr, *merged.canvas, picture.merged));
    merged.header->setCounts(diff.get());
    for (const auto& [pane, drawn] :
         {std::pair{&a, &picture.a}, std::pair{&b, &picture.b}, std::pair{&merged, &picture.merged}})
        pane->header->setPart(*drawn && !(*drawn)->source.only.empty());
}

} // namespace dynascope::views
