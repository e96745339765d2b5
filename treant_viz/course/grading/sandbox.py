"""A process that can do little harm: no network, no changes outside its folder, limits of time and memory.

On Linux the kernel sees to it: namespaces of its own for the network, the mounts (everything is read-only but
the folder) and the processes, of which none survives. Where the kernel does not grant them, and on other
systems, Python itself refuses (an audit hook, which stops honest mistakes and simple mischief, but not
somebody who calls the system past Python). `shut_in` says which of the two it was.

This module imports nothing but the standard library, so that it runs before anything starts threads.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from pathlib import Path
from typing import Any

NEW_USER, NEW_MOUNTS, NEW_PIDS, NEW_NETWORK = 0x10000000, 0x00020000, 0x20000000, 0x40000000  # sched.h
PRIVATE, BIND, RECURSIVE = 0x40000, 0x1000, 0x4000  # sys/mount.h
MOUNT_SETATTR, HERE, ALL_BELOW, READ_ONLY = 442, -100, 0x8000, 1  # linux/mount.h
DIE_WITH_PARENT = 1  # linux/prctl.h
BY_KERNEL, BY_PYTHON = "kernel", "python"
REFUSED = {"socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname"}
CHANGES = {"os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.chmod", "os.chown", "os.link", "os.truncate"}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Attributes(ctypes.Structure):
    """struct mount_attr"""

    _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "user_namespace")]


def shut_in(folder: Path, seconds: float, gigabytes: float) -> str:
    """From here on this process can no more than the module says. Returns who sees to it."""
    _limit(seconds, gigabytes)
    by = BY_PYTHON
    if sys.platform == "linux":
        try:
            _own_namespaces(folder)
            by = BY_KERNEL
        except OSError:
            pass
    sys.addaudithook(_Refusal(folder))
    return by


def _limit(seconds: float, gigabytes: float) -> None:
    """Of one process: CPU time, memory, the size of a file."""
    try:
        import resource
    except ImportError:  # Windows
        return
    whole = int(seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (whole, whole + 5))
    resource.setrlimit(resource.RLIMIT_AS, (int(gigabytes * 2**30),) * 2)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**28, 2**28))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _own_namespaces(folder: Path) -> None:
    """A network without devices, mounts that are read-only, and a child that goes on as process 1."""
    libc, user, group = ctypes.CDLL(None, use_errno=True), os.getuid(), os.getgid()
    libc.prctl(DIE_WITH_PARENT, signal.SIGKILL)
    if user:
        _granted(libc.unshare(NEW_USER))
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    _granted(libc.unshare(NEW_MOUNTS | NEW_PIDS | NEW_NETWORK))
    inside = os.fsencode(folder)
    _granted(libc.mount(b"none", b"/", None, RECURSIVE | PRIVATE, None))
    _granted(libc.mount(inside, inside, None, BIND, None))
    _mark(libc, b"/", ALL_BELOW, Attributes(set=READ_ONLY))
    _mark(libc, inside, 0, Attributes(clear=READ_ONLY))
    os.chdir(folder)  # the one that may be written to, no longer the one below it
    libc.mount(b"tmpfs", b"/dev/shm", b"tmpfs", 0, b"size=256m")  # where there is one, processes share it
    _go_on_as_child(libc)


def _mark(libc: Any, path: bytes, flags: int, attributes: Attributes) -> None:
    size = ctypes.sizeof(attributes)
    _granted(libc.syscall(MOUNT_SETATTR, HERE, path, flags, ctypes.byref(attributes), size))


def _granted(answer: int) -> None:
    if answer:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _go_on_as_child(libc: Any) -> None:
    """The child is the first of its process namespace: when it or we end, all it has started ends."""
    child = os.fork()
    if child == 0:
        libc.prctl(DIE_WITH_PARENT, signal.SIGKILL)
        return
    _, status = os.waitpid(child, 0)
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


class _Refusal:
    """An audit hook: connections, and changes outside the folder, raise PermissionError."""

    def __init__(self, folder: Path) -> None:
        self.inside = (os.path.realpath(folder) + os.sep, os.sep + "dev" + os.sep)

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in REFUSED:
            raise PermissionError("there is no network while notebooks are graded")
        if (event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITING) or event in CHANGES:
            self._only_inside(arguments[0])

    def _only_inside(self, path: Any) -> None:
        if isinstance(path, int):
            return
        if not (os.path.realpath(os.fsdecode(path)) + os.sep).startswith(self.inside):
            raise PermissionError(
                f"{os.fsdecode(path)}: nothing outside the notebook's folder may be changed"
            )


__all__ = ["BY_KERNEL", "BY_PYTHON", "shut_in"]
