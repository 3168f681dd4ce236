"""Builtin Python functions around emitted code (``PyMethodDef``), and its table of pointers."""

from __future__ import annotations

import ctypes
import importlib
import platform
import sys
import sysconfig
from collections.abc import Callable
from typing import Any

import numpy as np

from phalanx.kernel.call.description import Description
from phalanx.kernel.call.emit_call import Slot

HEAD_BYTES = object.__basicsize__
_METH_FASTCALL_KEYWORDS = 0x0080 | 0x0002
_API_NEW_FROM_DESCR = 94
_OUT = sys.intern("out")


def available() -> bool:
    """Whether this interpreter lays out objects the way the emitted code reads them."""
    return (
        platform.python_implementation() == "CPython"
        and not sysconfig.get_config_var("Py_GIL_DISABLED")
        and ctypes.sizeof(ctypes.c_void_p) == 8
        and HEAD_BYTES == 16
    )


def pointer_table(dtype: np.dtype[Any], result_type: type) -> Any:
    """The table of this process; keep it and its arguments alive as long as the code."""
    slots: dict[Slot, int | None] = {
        Slot.ARRAY_TYPE: id(np.ndarray),
        Slot.DTYPE: id(dtype),
        Slot.NEW_ARRAY: _numpy_api()[_API_NEW_FROM_DESCR],
        Slot.VECTORCALL: _python_function("PyObject_Vectorcall"),
        Slot.INCREMENT: _python_function("Py_IncRef"),
        Slot.DECREMENT: _python_function("Py_DecRef"),
        Slot.RESULT_TYPE: id(result_type),
        Slot.OUT: id(_OUT),
        Slot.NO_MEMORY: _python_function("PyErr_NoMemory"),
    }
    return (ctypes.c_void_p * len(Slot))(*(slots[slot] for slot in Slot))


def _python_function(name: str) -> int | None:
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value


def _numpy_api() -> Any:
    """NumPy's table of C functions."""
    umath = importlib.import_module("numpy._core._multiarray_umath")
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype = ctypes.c_void_p
    get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    address = get_pointer(umath._ARRAY_API, None)
    return ctypes.cast(address, ctypes.POINTER(ctypes.c_void_p))


class _MethodDefinition(ctypes.Structure):
    """CPython's ``PyMethodDef``."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def method_definition(description: Description, address: int) -> _MethodDefinition:
    """Build a ``PyMethodDef`` for emitted code; the builtin's ``self`` must keep it alive."""
    name, text = description.name.encode(), description.definition.encode()
    return _MethodDefinition(name, address, _METH_FASTCALL_KEYWORDS, text)


def builtin(definition: _MethodDefinition, general: Callable[..., Any]) -> Callable[..., Any]:
    """A builtin function over emitted code, with the general call as its ``self``."""
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype = ctypes.py_object
    make.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    return make(ctypes.addressof(definition), general, None)
