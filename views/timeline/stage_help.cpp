// SPDX-License-Identifier: BSD-3-Clause
#include "views/timeline/stage_help.h"

#include "views/workspace/labels.h"

#include <QStringList>
#include <array>

namespace dynascope::views {

namespace {

struct Entry {
    std::string_view name;
    const char* what;
    const char* printedBy;
};

constexpr std::array byName{
    Entry{"dynamo_output_graph",
          "The graph that Dynamo traced from the bytecode: torch-level calls, one placeholder per input, "
          "writes in place "
          "still in place.",
          "torch/_dynamo/output_graph.py"},
    Entry{"optimize_ddp_split_graph", "Dynamo's graph cut at the buckets of DistributedDataParallel.",
          "torch/_dynamo/backends/distributed.py"},
    Entry{"optimize_ddp_split_child",
          "One piece of the graph that was cut at the buckets of DistributedDataParallel.",
          "torch/_dynamo/backends/distributed.py"},
    Entry{"compiled_autograd_graph", "The backward pass as compiled autograd captured it, hooks included.",
          "torch/_dynamo/compiled_autograd.py"},
    Entry{"before_pre_grad_graph",
          "Dynamo's graph as Inductor receives it, before its passes on torch-level ops.",
          "torch/_inductor/compile_fx.py"},
    Entry{"after_pre_grad_graph",
          "The torch-level graph after Inductor's pre-grad passes, such as fusing of batch norms.",
          "torch/_inductor/compile_fx.py"},
    Entry{"aot_joint_graph",
          "Forward and backward in one functional ATen graph: tangents are inputs, gradients are outputs.",
          "torch/_functorch/_aot_autograd/graph_compile.py"},
    Entry{"before_joint_graph",
          "The joint graph before Inductor's joint passes, with its decompositions applied.",
          "torch/_inductor/fx_passes/joint_graph.py"},
    Entry{"after_joint_graph",
          "The graph after Inductor's joint passes: constants folded, random ops replaced, patterns matched.",
          "torch/_inductor/fx_passes/joint_graph.py"},
    Entry{"aot_inference_graph",
          "The functional ATen graph of a call without gradients. Writes in place have become new values, "
          "copied back at the end.",
          "torch/_functorch/_aot_autograd/graph_compile.py"},
    Entry{"aot_forward_graph",
          "The forward half of the joint graph as the partitioner cut it. Extra outputs are saved for the "
          "backward pass.",
          "torch/_functorch/_aot_autograd/graph_compile.py"},
    Entry{"aot_backward_graph",
          "The backward half of the joint graph: takes the saved values and the tangents.",
          "torch/_functorch/_aot_autograd/graph_compile.py"},
    Entry{"aot_saved_tensors_hooks_graphs",
          "The pack and unpack functions of saved-tensor hooks, traced to be inlined.",
          "torch/_functorch/_aot_autograd/graph_compile.py"},
    Entry{"before_post_grad_graph",
          "A forward, backward or inference graph before Inductor's post-grad passes.",
          "torch/_inductor/compile_fx.py"},
    Entry{"after_post_grad_graph", "The graph after Inductor's post-grad passes, as it is lowered.",
          "torch/_inductor/compile_fx.py"},
    Entry{"inductor_post_grad_graph",
          "The graph after Inductor's post-grad passes, as it is lowered: views and writes are put back in "
          "place where safe.",
          "torch/_inductor/compile_fx.py"},
    Entry{"functionalize_mutations", "PyTorch's own functionalization of the case; views stay views.",
          "torch/_functorch"},
    Entry{"functionalize_mutations_and_views",
          "PyTorch's own functionalization of the case; every view became its copying form.",
          "torch/_functorch"},
    Entry{"aot_fw_graph", "What AOTAutograd hands to its compiler for the case.", "torch/_functorch"},
    Entry{"functionalize",
          "The same program without writes: each in-place op became an op that makes a new tensor, and views "
          "were regenerated from the changed base.",
          "dynascope-engine, with PyTorch's own dispatcher kernels"},
    Entry{"normalize_ir",
          "torch-level calls, methods and operators written as one op each; in-place ops became functional "
          "ones where the pass holds that to be safe.",
          "dynascope-engine"},
    Entry{"decompose", "Composite ops replaced by the simpler ops that they are made of.",
          "dynascope-engine, with PyTorch's CompositeImplicit kernels"},
    Entry{"dce", "Nodes whose result nobody reads are gone; writes and random ops stay.", "dynascope-engine"},
    Entry{"cse", "Nodes that compute the same value twice became one.", "dynascope-engine"},
    Entry{"inline_hooks",
          "Saved-tensors hooks are in the graph: forward packs what it saves, backward unpacks it.",
          "dynascope-engine, after torch/_functorch/_aot_autograd/graph_compile.py"},
    Entry{"shapes", "The same nodes with shape, stride and dtype worked out for each.", "dynascope-engine"},
    Entry{"inductor_output_code", "The generated Python wrapper with its kernels. It has no graph.",
          "torch/_inductor/codecache.py"},
};

Entry byPhase(session::Phase phase) {
    using session::Phase;
    switch (phase) {
    case Phase::Dynamo:
        return {"", "A graph that Dynamo traced from the bytecode.", "torch/_dynamo"};
    case Phase::Text:
        return {"", "A graph that was printed as text, which does not say who traced it.", ""};
    case Phase::Export:
        return {"", "A program that torch.export made: a graph that ran nowhere yet.", "torch/export"};
    case Phase::PreGrad:
        return {"", "A torch-level graph in Inductor, before AOTAutograd.", "torch/_inductor"};
    case Phase::Joint:
        return {"", "Forward and backward in one functional ATen graph.", "torch/_functorch"};
    case Phase::Inference:
        return {"", "A functional ATen graph of a call without gradients.", "torch/_functorch"};
    case Phase::Forward:
        return {"", "A forward graph after the partitioner.", "torch/_functorch"};
    case Phase::Backward:
        return {"", "A backward graph after the partitioner.", "torch/_functorch"};
    case Phase::Hooks:
        return {"", "A graph of saved-tensor hooks.", "torch/_functorch"};
    case Phase::PostGradForward:
        return {"", "A forward or inference graph in Inductor, after AOTAutograd.", "torch/_inductor"};
    case Phase::PostGradBackward:
        return {"", "A backward graph in Inductor, after AOTAutograd.", "torch/_inductor"};
    case Phase::Code:
        return {"", "Generated code. It has no graph.", "torch/_inductor"};
    case Phase::Computed:
        return {"", "A graph that the engine computed from another stage.", "dynascope-engine"};
    }
    return {};
}

} // namespace

StageHelp stageHelp(std::string_view name, session::Phase phase) {
    for (const Entry& entry : byName)
        if (entry.name == name) return {QString::fromUtf8(entry.what), QString::fromUtf8(entry.printedBy)};
    const Entry entry = byPhase(phase);
    return {QString::fromUtf8(entry.what), QString::fromUtf8(entry.printedBy)};
}

namespace {
constexpr qsizetype longestNotes = 400; ///< in a tooltip
}

QString marksText(const StageMarks& marks) {
    QStringList nodes, all;
    if (marks.notes > 0)
        nodes << countText(qulonglong(marks.notes), QObject::tr("note"), QObject::tr("notes"));
    if (marks.bookmarks > 0)
        nodes << countText(qulonglong(marks.bookmarks), QObject::tr("bookmark"), QObject::tr("bookmarks"));
    if (!marks.own.note.isEmpty()) all << QObject::tr("Note: %1").arg(marks.own.note);
    if (marks.own.bookmark) all << QObject::tr("Bookmarked");
    if (!nodes.isEmpty()) all << QObject::tr("%1 at its nodes").arg(nodes.join(QObject::tr(" and ")));
    return all.join(u'\n');
}

QString stageToolTip(const session::Stage& stage, const QString& size, const QString& change,
                     const QString& notes) {
    const StageHelp help = stageHelp(stage.name, stage.phase);
    QString html =
        QStringLiteral("<b>%1</b>").arg(shownText(toQString(stage.label()), longestNotes).toHtmlEscaped());
    html += QStringLiteral("<br>%1").arg(help.what.toHtmlEscaped());
    QStringList facts{size};
    if (stage.attempt > 0) facts << QStringLiteral("attempt %1").arg(stage.attempt);
    if (!change.isEmpty()) facts << change;
    html += QStringLiteral("<br><br>%1<br>%2 %3")
                .arg(shownText(facts.join(QStringLiteral(", ")), longestNotes).toHtmlEscaped(),
                     stage.phase == session::Phase::Computed ? QStringLiteral("Computed by")
                                                             : QStringLiteral("Printed by"),
                     help.printedBy.toHtmlEscaped());
    if (!notes.isEmpty())
        html +=
            QStringLiteral("<br><br>%1<br>")
                .arg(shownText(notes, longestNotes).toHtmlEscaped().replace(u'\n', QStringLiteral("<br>")));
    html += QStringLiteral("<br>Click shows it as B, Shift+click as A");
    return markupToolTip(QStringLiteral("<div style='max-width:340px'>%1</div>").arg(html));
}

} // namespace dynascope::views
