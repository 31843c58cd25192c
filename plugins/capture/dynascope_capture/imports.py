# SPDX-License-Identifier: BSD-3-Clause
"""Doing something once a module has been imported, whoever imports it."""

import importlib.machinery
import sys


class AfterImport:
    """Finds one module as everybody else does, and calls `action` with it once it is loaded: at once if it is there."""

    def __init__(self, name, action):
        self._name = name
        self._action = action
        module = sys.modules.get(name)
        if module is not None:
            action(module)
        else:
            sys.meta_path.insert(0, self)

    def cancel(self):
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(self, name, path=None, target=None):
        if name != self._name:
            return None
        self.cancel()
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def exec_module(module):
                load(module)
                self._action(module)

            spec.loader.exec_module = exec_module
        return spec
