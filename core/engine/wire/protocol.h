// SPDX-License-Identifier: BSD-3-Clause
//
// What client and engine agree on: JSON-RPC 2.0 in Content-Length frames.
//
//   initialize {protocol, client}                   -> {protocol, engine, torch, devices, confinement}
//   environment {}                                  -> {torch, threads, confinement, cuda}     see below
//   load       {text}                               -> {graph, nodes}         `graph` is graphHash(text)
//   coverage   {graph}                              -> {unsupported: [{node, target, reason, obstacle}]}
//   execute    {graph, inputs, attrs, grad, ...}    -> {outputs, post, ...}       see below
//   pass       {graph, passes, inputs, attrs, ...}  -> {graph, attrs, steps, nodes_before, nodes_after, ...}
//   passes     {}                                   -> {passes: [{name, description, origin}], problems}
//   plugins    {}                                   -> {folders, plugins, backends}            see below
//   verify     {graph, computed | passes, ...}      -> {verdict, checks, first_difference, reason, ...}
//   tensor     {graph, inputs, attrs, node, item}   -> {dtype, shape, bytes} and bulk data
//   aot        {graph, inputs, attrs, ...}          -> {joint, graph, metadata, ...}        see below
//   record     {graph, inputs, attrs, backend, ...} -> {plan, recording}
//   replay     {plans, iterations, verify, ...}     -> {run, recordings, ...}
//   drop       {plans}                              -> {plans}                what is left
//   status     {}                                   -> {busy, method, queued, graphs}   answered at once
//   cancel     {id}                                 -> {cancelled}                      answered at once
//   credit     {id, count}                          -> {}                               answered at once
//   shutdown   {}                                   -> {}
//
// environment: what the engine has to work with, for `doctor`. confinement: {landlock (ABI, 0: none),
// writes_files, reads_files (others than libraries), opens_sockets, starts_programs, other_threads (that ran
// when it was confined), memory_limit_bytes (0: none), seccomp, no_new_privileges}, tried out; the last two
// as the kernel says of the process. cuda: {plugin (path), plugin_problem (empty where it can be used),
// device_files, and where it can be: driver (version), problem (why no device can be used, else empty), cupti
// (version), cupti_problem, devices: [{name, bytes, capability}]}.
//
// A pass's `origin` is "builtin" or the plugin's path; `problems` has a line for each plugin that was not
// loaded.
//
// plugins: what was found when the engine started. folders: paths that were searched, in order. plugins:
// [{path, name, owner, torch (PyTorch that it is built for; empty: any), passes: [names], loaded, problems:
// [cause]}], one for each *.so, or for a folder from which none is loaded; `loaded` where at least one pass
// came of it. backends: [{path, name, loaded, problems}], the modules of the engine's own for devices.
//
// pass {graph, passes, inputs, attrs, options, runs, scorecard, verify, shapes} -> {
//   graph, attrs         text and constants of the result
//   meta                 with `shapes`: {node: "f32[4, 5][5, 1]cpu"}, as the source says where the node is
//   its
//                        own, else at the example inputs' sizes; nodes whose shape is not known are left out
//   nodes_before, nodes_after, median_us
//   warnings             sentences: what may be unsound here, and what was done about it
//   verified             true, false, or null where eager itself raises or nothing was checked
//   differences          [{aspect, text}]
//   passes               one object a pass: {pass, nodes_before, nodes_after, time_us, warnings, provenance:
//                        [[node before, node after]]}, and of functionalize also
//                        method: "pytorch" (PyTorch's own kernels and graph) or "cells" (storages as flat
//                        cells, where PyTorch's graph would part from eager; warnings name the cause),
//                        write_back: [{input, position, bytes, how, nodes, output, shape, stride, offset}]:
//                        one for each changed input; `how` is a list of "resize_", "as_strided_", "copy_",
//                        "set_"; `nodes` do it in the graph, or `output` is the result that the caller writes
//   steps                one object a source node, of all passes in order }
// `options` holds strings: remove = mutations | mutations_and_views, write_back = graph | caller, faithful =
// yes (PyTorch's graph, right or wrong), cells = yes (values of storages with at most 64 cells); each may
// also be a member of the request (booleans for the last two).
//
// A step: {pass, source, target, why, end, emitted, changed, removed, ...}. `source` is a node of the graph
// before, `why` a sentence (absent where there is nothing to say), `end` the size of the result after the
// step, so that the graph so far is the first `end` nodes of the result. emitted: [{node, why}], `why` being
// "operator", "inverse", "regeneration" or "write_back" in functionalize. changed: [{before, after, why}],
// removed: [{node, replacement, why}]. With `scorecard` a step of functionalize has also:
//   phases    [{phase: "sync" | "emit" | "commit" | "sync" | "write_back", nodes}], in the order in which the
//             step went through them; a commit has {storage, from, to} (generations) and no nodes
//   storages  [{storage, base, generation, pending_updates, values}]: storages that the step touched, as they
//             stand after it; storages are numbered from 0 in order of first sight; `base` is the functional
//             node that holds the storage's content. `values` (with cells) is its content, row-major
//   scorecard [{value, storage, base, current, views, generation, storage_generation, stale, regenerated,
//             pending_updates, shape, stride, offset, cells, values}]: tensors that the step read or made, as
//             they stand after it. `value` is the source node that holds the tensor, `current` the functional
//             node with its content, `views` its view chain from the base on, such as
//             ["select(dim 1, index 0)"]; `stale`: a later write to the storage is not in `current` yet;
//             `regenerated`: this step rebuilt it from the base. `cells` (with cells) are the base's cells
//             that it sees and `values` what it sees there, stale ones included. A tensor that no later step
//             lists keeps its row; it turns stale when its storage's generation rises
//   updates   [{storage, from, to, value, views, inverse: [{node, text}]}]: writes that the step queued on a
//             storage: the written value, the views it was written through, and the nodes that carry it back
//
// verify {graph, attrs, inputs, aliasing, strict, seed, and
//         computed, computed_attrs, write_back, steps    a graph that was loaded, with what "pass" said of it
//      or passes, and the options of "pass"              what these passes make of `graph`
// } -> {
//   verdict           "equal"; "different"; "order-dependent" (eager reads what it writes, in an order that
//                     nobody defined) and "random" (random numbers, or memory that nobody wrote) where that
//                     explains a difference; "declined" where eager raises, so that there is nothing to hold
//                     to
//   reason            one sentence; may be empty where equal
//   checks            [{what, property, ok, counts, expected, actual, max_abs, max_rel, close, cell}]:
//                     `what` is "output #0", "input x after the call", "storage 0 after the call", "gradient
//                     of x" or "the call"; `property` values, dtype, shape, strides, storage, identity,
//                     error. A check that does not count leaves the verdict alone: strides, storages and
//                     identities of outputs, which functionalization does not keep, count with `strict`
//                     only. The last four members come with values: how far apart, whether no further than
//                     1e-5 times the largest magnitude, and the first cell that differs; and `rounded`: in
//                     double precision the difference is a hundredth at most, and rounding can make as
//                     much of it, so that it does not count
//   in_double_precision  whether both ran in double precision too, as they do where values differ and where
//                     that is the same program
//   first_difference  null, or {computed, source, index, expected, actual, text, among, runs, how}: names of
//   the node
//                     at which the graphs part although all that it reads agrees, and of the source's node
//                     that it stands for (null: none); the first cell with both values; nodes of the computed
//                     graph that stand for none and lie before it, so that the fault may be theirs; runs of
//                     each graph that it took to find it
//   inputs, variants  with `aliasing` every way of sharing memory that the inputs allow is tried: which one
//                     the answer is about (the worst), and [{inputs, verdict, reason}] of all
//   matched           pairs of nodes that could be compared
//   graph, warnings   of the passes, where these ran }
//
// tensor: the value of `node` right after it ran, `item` being which one where it has several (0). The bytes
// are its elements in logical order, as the machine has them (little-endian).
//
// aot {graph, attrs, inputs (those that say requires_grad are differentiated), keep_input_mutations (true),
// grad_mode (around the function; without it on where an input requires grad), autocast (its dtype, such as
// "torch.bfloat16", where it is on around the function), symbolic_sizes (false: PyTorch's trace had numbers
// alone), unbounded ([]: names of its symbols without an upper bound), run (false)} -> {
//   joint            whether the graph is of forward and backward, or of forward alone
//   graph            what AOTAutograd traces, dead nodes included; its placeholders are the inner arguments
//                    and the tangents
//   values           {name of a node: "f32[4, 5][5, 1]cpu"} for those whose value is a tensor
//   readable         the graph as readable code, where it keeps graphs of its own
//   numbers_read     what the function read out of tensors (_local_scalar_dense), in that order; where it did
//   forward_outputs  how many of its results are forward's; one gradient (or None) an input follows
//   metadata_outer   ViewAndMutationMeta of the function, in the form of an oracle case's metadata_outer
//   metadata         the same for the graph, after repeated inputs and synthetic bases; its outputs also have
//                    requires_grad_for_backward
//   time_us          of metadata and graph
//   refused          AOTAutograd's words where it makes nothing of the function, but eager runs it and no
//                    gradients are asked for. Of what is above only the graph is there: that of
//                    functionalization over cells (cells/functionalize_cells.h) with the function's inputs
//   warnings         sentences: where PyTorch, calling this, may part from eager
//   graph_warnings   the same of the graph itself, whoever calls it
//   run              with `run`: what the function does when it is called through the graph and its layers,
//                    as "execute" answers, or {error: {message}}. Where the graph fails or graph_warnings
//                    take effect, and no gradients are asked for, the call goes through functionalization
//                    over cells; a warning says so }
//
// record runs the graph a few times and keeps a plan to replay it by (core/engine/replay/backend.h);
// `recording` is a replay::Recording (core/replay/recording.h). Optional: `backend` "cpu" or "cuda",
// `onednn` (true: the CPU's ops may use it), `threads` of an op (0: the engine chooses), `kept`: positions of
// inputs whose content stays as a run leaves it, `wires`: [{input, plan, and output or source}]: that input
// is an output, or an input, of a recorded plan, in the same memory. A plan that others were wired to lives
// as long as they do. `again`: a plan of the same graph that this one takes the place of; on a GPU its
// executable graph is updated where the driver can, and the recording's `rerecording` tells.
//
// replay runs the plans one after the other, `iterations` times; between batches of these the same graphs run
// node by node, unless `eager` is false. After that `node_iterations` more replays measure every node.
// `times`: what these measure: "nodes", "launch" (the whole, as the device itself tells it) or "both".
// `verify`: every how many replays the result is held against an eager run, bit by bit (0: never). `run` is a
// replay::ReplayRun; `recordings` are those that changed, by plan; with `outputs` also [[described outputs]
// by plan]. A replay that is cancelled leaves its plans usable. With `live` what happens in the replays comes
// as bulk data while they run, 30 times a second and sooner where there is much: each piece is a batch of
// events (core/replay/live_events.h), none is left out, and the answer's `live_events` says how many there
// were.
//
// tree_function {graph, inputs, attrs, name, tree} -> {tree, function}: adds a function to a program under
// CUDA-graph trees, a new one without `tree`. tree {tree, case, backend, verify (true)} -> {report}: runs
// once what `case` holds (functions and events of an oracle case of kind cudagraph_tree_trace, see
// core/replay/tree_simulator.h), every call held against an eager run with `verify`; `report` is a
// replay::TreeReport (core/replay/tree_report.h). A fresh argument is a copy of the function's own input.
// tree_begin, with the parameters of tree, -> {run}: a run that goes on as its client asks. tree_next {run,
// steps (1)} -> {part}: carries out so many events, or fewer at the end or where it is cancelled; `part` is a
// replay::TreeLogPart (core/replay/tree_log.h). tree_drop {run} gives it up; four are kept.
//
// Bulk data never crosses as JSON. It comes before the answer, in frames of at most 1 MiB with the header
// "Stream: ID" (framing.h), of which each costs a credit; the answer's `bytes` says how many there were. A
// request brings its first credits along (`credits` in its parameters), and the notification "credit" brings
// more. An engine without credits waits, while status, cancel and credit are still answered; after a minute
// the request fails.
//
// `inputs` and `attrs` have the form of an oracle case (tests/oracle/README.md), where a storage may also be
// {dtype, size, seed, low, high} and an input a number; graph_inputs.h makes such inputs for a captured
// graph. Without `inputs` they are made from the graph's own text, with `symbols` {"s0": 7} for symbolic
// sizes.
//
// `obstacle` is "hardware", "collective", "hook" (Python that the capture does not hold), "refused" (reaches
// outside the graph), "malformed" or "unknown".
//
// execute, optional parameters: `until`: name of the last node to run; `values`: true for every node's value;
// `watch`: [names] for those nodes' values only; `data`: false leaves out the elements of outputs and post;
// `grad`: true tracks gradients though no input requires one. Then the reply also has
//   values: [{node, kind: "tensor" | "scalar" | "list" | "none", text, version_bumped_by_node: [names], ...}]
// in order of execution, with, by kind,
//   tensor  dtype, shape, stride, offset, storage (same storage, same number), bytes, requires_grad, version,
//           is_input (position of the input that it is, or null), corner: rows of at most 8 x 8 elements, the
//           first of the last two dimensions, summary: {min, max, mean, std, nan, inf, zero: counts of
//           elements, histogram: {lo, hi, counts: 32 numbers}} over the finite elements, null where there are
//           none
//   scalar  dtype: Python's type;  text: its value
//   list    items: the same, without a node
// `version_bumped_by_node` names the nodes whose tensors this one wrote to. Numbers that JSON lacks are
// "nan", "inf", "-inf". In graphs of over 2,000 nodes only watched nodes have a histogram and a corner.
//   stopped_at: the name in `until` where the run ended there; outputs are empty then.
// An execute that fails has {node, target, values} in its error's data: what was computed before.
//
// While a request runs, the
// engine may send notifications "progress" {id, phase, done, total}.
#pragma once

#include <string>
#include <string_view>

namespace dynascope::engine {

/// Rises when an older client or engine could misread the other.
inline constexpr int protocolVersion = 1;

/// JSON-RPC error codes; those below -32000 are the standard's and the Language Server Protocol's.
enum class ErrorCode : int {
    ParseError = -32700,
    InvalidRequest = -32600,
    MethodNotFound = -32601,
    InvalidParams = -32602,
    Cancelled = -32800,
    Failed = 1,       ///< the request was understood and could not be carried out
    UnknownGraph = 2, ///< the engine does not hold this graph (any more): load it again
    UnknownPlan = 3,  ///< nor this recording: record it again
    NoBackend = 4,    ///< the backend that was asked for does not work here
};

/// Names a graph's text: MD5 in hexadecimal.
[[nodiscard]] std::string graphHash(std::string_view text);

} // namespace dynascope::engine
