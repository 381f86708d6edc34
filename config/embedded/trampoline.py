"""The last step before a child becomes its program: bind its life to its parent's.

Run as a bare script (``python -I -S trampoline.py PARENT SIGNAL MODE UID GID COMMAND...``)
between fork and exec, so that no Python code has to run in a forked copy of a process that may
have threads. Standard library only, and few modules: it runs before every server and child.

- PARENT, SIGNAL: the kernel sends SIGNAL when PARENT dies, ``kill -9`` included.
- MODE ``direct``: nothing more. ``namespace``: enter a user namespace in which the caller's uid
  and gid appear as UID and GID. PostgreSQL refuses to run as root; seen from inside it does not,
  while files stay the caller's and no user is made nor any permission changed.
  ``user``: become UID and GID.
"""

import ctypes
import os
import signal
import sys

CLONE_NEWUSER = 0x10000000
PR_SET_PDEATHSIG = 1
# Told apart from anything the program itself answers with.
EXIT_NO_NAMESPACE = 97
EXIT_CANNOT_RUN = 127  # as shells say it


def main(arguments: list[str]) -> None:
    """Do what the module says, then become COMMAND."""
    parent, death_signal = int(arguments[0]), int(arguments[1])
    mode, uid, gid = arguments[2], int(arguments[3]), int(arguments[4])
    command = arguments[5:]
    # The keeper waits for its signals blocked; a server that inherited that could not be stopped.
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    if mode == "namespace":
        enter_namespace(uid, gid)
    elif mode == "user":
        os.setgroups([])
        os.setresgid(gid, gid, gid)
        os.setresuid(uid, uid, uid)
    # After the change of user, which clears it.
    if not end_with(parent, death_signal):
        sys.exit(f"process {parent} died before {command[0]} was started")
    try:
        os.execvp(command[0], command)  # noqa: S606 (the whole purpose)
    except OSError as error:
        sys.stderr.write(f"cannot run {command[0]}: {error.strerror}\n")
        sys.exit(EXIT_CANNOT_RUN)


def end_with(parent: int, death_signal: int) -> bool:
    """Have the kernel send us ``death_signal`` when our parent dies; whether ``parent`` is our parent.

    Asked for first and checked then: a parent that died before is not our parent any more.
    """
    libc().prctl(PR_SET_PDEATHSIG, ctypes.c_ulong(death_signal))
    return os.getppid() == parent


def libc() -> ctypes.CDLL:
    """The C library: Python 3.11 has neither unshare nor prctl."""
    return ctypes.CDLL(None, use_errno=True)


def enter_namespace(uid: int, gid: int) -> None:
    """Enter a user namespace where we are ``uid`` and ``gid``, or exit with EXIT_NO_NAMESPACE."""
    outer_uid, outer_gid = os.geteuid(), os.getegid()
    try:
        if libc().unshare(CLONE_NEWUSER) != 0:
            raise OSError(ctypes.get_errno(), "unshare")
        write("/proc/self/setgroups", "deny")
        write("/proc/self/uid_map", f"{uid} {outer_uid} 1")
        write("/proc/self/gid_map", f"{gid} {outer_gid} 1")
    except OSError as error:
        sys.stderr.write(f"no user namespace: {error}\n")
        sys.exit(EXIT_NO_NAMESPACE)


def write(path: str, text: str) -> None:
    """Write a kernel file in one go, as these files require."""
    with open(path, "w") as file:
        file.write(text)


if __name__ == "__main__":
    main(sys.argv[1:])
