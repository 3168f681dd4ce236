"""Import hook for one faulty module, and a record of executed lines.

Every Python process of a judgement has it: the first calls ``begin``, and those that tests start
(ranks, workers, commands) find this folder on PYTHONPATH and import it as they start. It is small
because they all wait for it.
"""

import importlib.machinery
import os
import sys

MUTANT = "PHALANX_MUTANT"  # a folder with the files "module" and "source"; "loaded" appears
TRACE = "PHALANX_MUTANT_TRACE"  # a folder, and after os.pathsep the package to look at
MOST = 5000  # line events of one function that are looked at


class _FaultyLoader(importlib.machinery.SourceFileLoader):
    """A module of its usual name and path, from other text."""

    def __init__(self, name, path, folder):
        super().__init__(name, path)
        self.folder = folder

    def get_code(self, fullname):
        with open(os.path.join(self.folder, "source"), "rb") as file:
            code = self.source_to_code(file.read(), self.path)
        with open(os.path.join(self.folder, "loaded"), "wb"):
            return code


class _FaultyFinder:
    """Finds one module, and leaves all others to the rest of ``sys.meta_path``."""

    def __init__(self, folder):
        self.folder = folder
        with open(os.path.join(folder, "module")) as file:
            self.name = file.read()

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None:
            spec.loader = _FaultyLoader(name, spec.origin, self.folder)
        return spec


class Record:
    """Lines of functions below a folder that this process executes."""

    def __init__(self, folder, package):
        self.folder = folder
        self.package = os.path.join(package, "")
        self.seen = {}  # by id, since hashing code is slow: code, lines, lines to come, events left

    def start(self):
        import threading

        threading.settrace(self.called)
        sys.settrace(self.called)

    def called(self, frame, event, arg):
        code = frame.f_code
        entry = self.seen.get(id(code))
        if entry is None:
            inside = code.co_filename.startswith(self.package) and code.co_flags & 1
            to_come = {line for *_, line in code.co_lines() if line} if inside else set()
            entry = self.seen[id(code)] = [code, set(), to_come, MOST]
        return self.line if entry[2] and entry[3] > 0 else None

    def line(self, frame, event, arg):
        if event == "line":
            entry = self.seen[id(frame.f_code)]
            entry[1].add(frame.f_lineno)
            entry[2].discard(frame.f_lineno)
            entry[3] -= 1
            if not entry[2] or entry[3] <= 0:
                frame.f_trace_lines = False
        return self.line

    def write(self):
        import json
        import threading

        sys.settrace(None)
        threading.settrace(None)
        files = {}
        for code, lines, *_ in list(self.seen.values()):
            if lines:
                files.setdefault(code.co_filename, set()).update(lines)
        content = {file[len(self.package) :]: sorted(lines) for file, lines in files.items()}
        with open(os.path.join(self.folder, f"{os.getpid()}.json"), "w") as file:
            json.dump(content, file)


def begin():
    """Do what the environment says; the record, if there is to be one."""
    if folder := os.environ.get(MUTANT):
        sys.meta_path.insert(0, _FaultyFinder(folder))
    if place := os.environ.get(TRACE):
        record = Record(*place.split(os.pathsep))
        record.start()
        return record
    return None


if __name__ == "sitecustomize":
    _record = begin()
    if _record is not None:
        import atexit

        atexit.register(_record.write)
