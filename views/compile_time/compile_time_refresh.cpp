// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/stage_order.h"
#include "views/compile_time/compile_time_private.h"
#include "views/compile_time/flame_legend.h"
#include "views/compile_time/timing_model.h"
#include "views/workspace/labels.h"

#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QTreeView>
#include <algorithm>

namespace dynascope::views {

namespace {

const QString metricsTag = QStringLiteral("metrics");

struct ReadMetrics {
    MetricTablePtr table;
    std::vector<session::KernelTime> kernels;
};

/// All compiles of the function that `compile` is one of.
std::vector<int> frameOf(const session::Session& session, int compile) {
    for (const session::Frame& frame : session.frames)
        if (std::find(frame.compiles.begin(), frame.compiles.end(), std::size_t(compile)) !=
            frame.compiles.end())
            return {frame.compiles.begin(), frame.compiles.end()};
    return {compile};
}

} // namespace

void CompileTimePanel::refresh() {
    const bool nothing = showNothingOpen();
    const session::SessionPtr session = nothing ? nullptr : workspace().capture()->session;
    const bool measured =
        session &&
        std::any_of(session->recordCounts.begin(), session->recordCounts.end(), [](const auto& type) {
            return type.first.find("compilation_metrics") != std::string::npos;
        });
    if (nothing || (session->timings.empty() && !measured)) {
        d->session.reset();
        d->metricsOf.reset();
        d->model->clear();
        if (nothing) return;
        showMessage(session->kind == session::Kind::TorchTrace
                        ? tr("This trace has no chromium_event record, so no phase was timed.")
                        : tr("This capture has no timing: only a TORCH_TRACE log records it."));
        return;
    }
    showContent();
    if (session->timings.empty() && d->view != View::Metrics) setView(View::Metrics);
    if (d->metricsOf != session) {
        d->kernels.clear();
        readMetrics();
    }
    const int compile = workspace().place().compile;
    std::vector<int> compiles;
    if (compile >= 0 && d->scope == Scope::Compile) compiles = {compile};
    if (compile >= 0 && d->scope == Scope::Frame) compiles = frameOf(*session, compile);
    if (session != d->session || compiles != d->compiles) {
        d->session = session;
        d->compiles = std::move(compiles);
        rebuild();
    }
    d->chart->setCompile(d->scope == Scope::Compile ? -1 : compile);
    d->metrics->setCompile(compile);
}

void CompileTimePanel::rebuild() {
    d->spans = std::make_shared<const session::SpanTree>(session::makeSpans(*d->session, d->compiles));
    d->merged = std::make_shared<const session::SpanTree>(session::mergedSpans(*d->spans));
    const bool merged = d->view == View::LeftHeavy;
    d->chart->setTree(d->session, merged ? d->merged : d->spans, merged);
    d->legend->setTree(*d->spans);
    d->model->set(*d->merged);
    d->tree->expandToDepth(1);
    std::vector<session::KernelTime> kernels;
    for (const session::KernelTime& kernel : d->kernels)
        if (d->compiles.empty() ||
            std::find(d->compiles.begin(), d->compiles.end(), kernel.compile) != d->compiles.end())
            kernels.push_back(kernel);
    d->kinds[3]->setEnabled(!kernels.empty());
    d->kinds[3]->setToolTip(
        kernels.empty() ? tr("These records do not time kernels one by one; PyTorch does it for Triton's")
                        : tr("Kernels that Triton compiled, with the nodes that they compute"));
    d->slow->set(*d->spans, std::move(kernels));
    search(d->filter->text());
}

void CompileTimePanel::showTotal() {
    if (!d->session || !d->merged) return;
    if (d->view == View::Metrics) {
        const session::MetricTable& table = d->metrics->metrics()->table();
        const auto differing =
            std::count_if(table.columns.begin(), table.columns.end(),
                          [](const session::MetricColumn& c) { return c.differs && !c.moment; });
        d->total->setText(table.rows.empty()
                              ? tr("no compilation_metrics record")
                              : tr("%1, %2 of %3 columns differ")
                                    .arg(countText(table.rows.size(), tr("record"), tr("records")))
                                    .arg(differing)
                                    .arg(table.columns.size()));
        return;
    }
    QString scope = tr("the whole capture");
    if (d->scope == Scope::Frame && !d->compiles.empty())
        scope = countText(d->compiles.size(), tr("compile"), tr("compiles"));
    else if (d->compiles.size() == 1)
        scope = toQString(d->session->compiles[std::size_t(d->compiles.front())].id.toString());
    const QString searched = d->filter->text();
    QString text = d->merged->spans.empty()
                       ? tr("no event in %1").arg(scope)
                       : tr("%1 of timing events in %2").arg(secondsText(d->model->totalUs() / 1e6), scope);
    if (!searched.isEmpty() && d->view != View::Tree)
        text = tr("%1 of %2")
                   .arg(d->chart->matchCount())
                   .arg(countText(d->spans->spans.size(), tr("event"), tr("events")));
    if (d->merged->leftOut > 0)
        text += tr(", %1 nested too deep").arg(countText(d->merged->leftOut, tr("event"), tr("events")));
    d->total->setText(text);
    d->total->setToolTip(tr(
        "Timing events begin before, and end after, what entire_frame_compile_time_s measures, and those "
        "that "
        "ran at once, as workers' do, count each. So this is not to the digit the compile time elsewhere."));
}

void CompileTimePanel::readMetrics() {
    const session::SessionPtr session = workspace().capture()->session;
    d->metricsOf = session;
    d->metrics->set(session, std::make_shared<const session::MetricTable>());
    setLoading(true);
    workspace().tasks().run<ReadMetrics>(
        metricsTag, this,
        [session](const TaskContext& task) {
            ReadMetrics out;
            out.table = std::make_shared<const session::MetricTable>(session::readMetrics(*session, task));
            out.kernels = session::kernelTimes(*session, *out.table);
            return out;
        },
        [this, session](ReadMetrics read) {
            setLoading(false);
            if (session != d->metricsOf) return;
            d->metrics->set(session, std::move(read.table));
            d->metrics->setCompile(workspace().place().compile);
            d->kernels = std::move(read.kernels);
            if (!d->kernels.empty() && d->session == session) rebuild();
            search(d->filter->text());
        });
}

void CompileTimePanel::showSpan(int span) {
    const SpanTreePtr& tree = d->chart->tree();
    if (!d->session || span < 0 || std::size_t(span) >= tree->spans.size()) return;
    const int compile = d->session->timings[tree->spans[std::size_t(span)].event].compile;
    if (compile < 0) return;
    const session::StageSpan stages = session::stagesOf(*d->session, *tree, span);
    Place place;
    place.capture = workspace().place().capture;
    place.compile = compile;
    place.page = Page::Stages;
    const session::Compile& of = d->session->compiles[std::size_t(compile)];
    const bool all = stages.first == 0 && stages.last + 1 == int(of.stages.size());
    // A span in which one stage was made is shown as that step, a longer one from its first stage to its
    // last.
    if (stages.first >= 0 && !all) {
        place.stageB = stages.last;
        place.stageA = stages.first < stages.last ? stages.first : std::max(0, predecessor(of, stages.last));
    }
    workspace().go(place);
}

void CompileTimePanel::showSlow(const QModelIndex& row) {
    if (!row.isValid()) return;
    if (const int name = row.data(SlowestModel::SpanNameRole).toInt(); name >= 0) {
        d->chart->selectLongest(std::uint32_t(name));
        return;
    }
    const session::KernelTime& kernel =
        d->slow->kernels()[std::size_t(row.data(SlowestModel::KernelRole).toInt())];
    if (kernel.compile < 0 || kernel.stage < 0) return;
    Place place;
    place.capture = workspace().place().capture;
    place.compile = kernel.compile;
    place.page = Page::Stages;
    place.stageB = kernel.stage;
    place.stageA = std::max(0, predecessor(d->session->compiles[std::size_t(kernel.compile)], kernel.stage));
    workspace().go(place);
    emit workspace().panelRequested(PanelId::OutputCode);
}

void CompileTimePanel::showRecord(int record) {
    emit workspace().recordRequested(workspace().place().capture, record);
}

} // namespace dynascope::views
