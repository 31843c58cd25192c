# SPDX-License-Identifier: BSD-3-Clause
"""Steps of Inductor's scheduler besides fusion: what they remove, how they order nodes, and the orders that they weigh."""

import functools
import inspect

from . import pass_tags as tags
from .pass_ir import origins_of

# Steps of the scheduler that may change the list of nodes.
_STEPS = ("dead_node_elimination", "create_foreach_nodes", "merge_loops", "finalize_multi_template_buffers", "create_combo_kernel_nodes",
          "process_grouped_nodes")
_REORDERINGS = (
    ("torch._inductor.comms", "decide_global_ordering_of_comms"),
    ("torch._inductor.comms", "reorder_compute_and_comm_for_overlap"),
    ("torch._inductor.memory", "reorder_for_peak_memory"),
)


def install(recorder, hooks, watch):
    from torch._inductor import scheduler

    kind = scheduler.Scheduler
    orders = _Orders(recorder, watch)
    for name in _STEPS:
        if name in kind.__dict__:
            hooks.wrap(kind, name, functools.partial(orders.step, name))
    for name in ("maybe_reorder_for_minimizing_partition", "reorder_for_partition_with_simple_dependency"):
        if name in kind.__dict__:
            hooks.wrap(kind, name, functools.partial(orders.reordering, name, 1))
    for module, name in _REORDERINGS:
        module = hooks.module(module)
        if module is not None:
            hooks.wrap(module, name, functools.partial(orders.reordering, name, 0))
            if hasattr(module, "estimate_peak_memory"):
                hooks.wrap(module, "estimate_peak_memory", orders.estimate)
    if "graph_partition" in kind.__dict__:
        hooks.wrap(kind, "graph_partition", orders.partition)


def _methods(reorder, arguments, named):
    """Names of the ways to order that are tried."""
    bound = inspect.signature(reorder).bind(*arguments, **named)
    bound.apply_defaults()
    return [getattr(method, "__name__", "") for method in bound.arguments.get("methods") or ()]


class _Orders:
    def __init__(self, recorder, watch):
        self._recorder, self._watch = recorder, watch
        self.estimates = None  # (order, what it takes), while orders are compared

    def step(self, name, original):
        def step(scheduler, *rest, **named):
            schedule = self._recorder.guarded(self._watch.of, scheduler)
            before = list(scheduler.nodes) if schedule is not None else None
            began = self._recorder.clock()
            result = original(scheduler, *rest, **named)
            if schedule is not None:
                spent = self._recorder.clock() - began
                self._recorder.guarded(self._compare, schedule, name, before, list(scheduler.nodes), spent)
            return result

        return step

    def reordering(self, name, which, original):
        def reorder(*arguments, **named):
            schedule = self._watch.current
            began = self._recorder.clock()
            before = list(arguments[which]) if schedule is not None and len(arguments) > which else None
            outer, self.estimates = self.estimates, []
            try:
                result = original(*arguments, **named)
                estimates = self.estimates
            finally:
                self.estimates = outer
            if before is not None and isinstance(result, list):
                spent = self._recorder.clock() - began
                self._recorder.guarded(self._compare, schedule, name, before, result, spent)
                if name == "reorder_for_peak_memory":
                    self._recorder.guarded(self._write_orders, schedule, _methods(original, arguments, named), estimates, result)
            return result

        return reorder

    def estimate(self, original):
        def estimate_peak_memory(nodes, *rest, **named):
            result = original(nodes, *rest, **named)
            if self.estimates is not None:
                self.estimates.append((nodes, result))
            return result

        return estimate_peak_memory

    def _write_orders(self, schedule, methods, estimates, taken):
        """The order that was there and those that were tried, each with the bytes that live at its steps."""
        names = ["baseline", *methods]
        rows = []
        for index, (nodes, (peak, live)) in enumerate(estimates):
            rows.append({"method": names[index] if len(names) == len(estimates) else "", "peak": peak, "live": list(live)[:len(nodes)],
                         "order": [self._watch.number(schedule, node) for node in nodes]})
        if rows:
            found = next((index for index, (nodes, _) in enumerate(estimates) if nodes is taken), None)
            self._watch.write(tags.SCHEDULE, schedule, "orders", orders=rows, taken=found)

    def _compare(self, schedule, name, before, after, spent):
        same = len(before) == len(after) and all(a is b for a, b in zip(before, after))
        more = {}
        if not same and not schedule.fusing:
            names = [[node.get_name() for node in nodes] for nodes in (before, after)]
            if set(names[0]) != set(names[1]):
                kept = set(names[1])
                more["removed"] = [[node.get_name(), origins_of(node.node, self._recorder.numbers)] for node in before
                                   if node.get_name() not in kept]
            else:
                more["names"] = names[1]
        elif not same:
            more = {"before": [self._watch.number(schedule, node) for node in before], "order": [self._watch.number(schedule, node) for node in after]}
        self._watch.write(tags.SCHEDULE, schedule, name, changed=not same, time_us=round(spent * 1e6), **more)

    def partition(self, original):
        def graph_partition(scheduler, *rest, **named):
            result = original(scheduler, *rest, **named)
            schedule = self._recorder.schedules.get(scheduler)
            if schedule is not None:
                self._recorder.guarded(lambda: self._watch.write(
                    tags.SCHEDULE, schedule, "graph_partition",
                    partitions=[[self._watch.number(schedule, node) for node in part] for part in result[0]]))
            return result

        return graph_partition
