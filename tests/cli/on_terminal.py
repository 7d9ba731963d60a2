#!/usr/bin/env python3
"""Runs a command with a terminal as its standard error, and prints what the terminal got.

usage: on_terminal.py FILE COMMAND…     FILE: where standard output goes; -: to the terminal, too
"""
import os
import pty
import subprocess
import sys


def main():
    master, terminal = pty.openpty()
    with open(os.devnull if sys.argv[1] == "-" else sys.argv[1], "wb") as file:
        child = subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL, stderr=terminal,
                                 stdout=terminal if sys.argv[1] == "-" else file)
    os.close(terminal)
    text = b""
    try:
        while piece := os.read(master, 65536):
            text += piece
    except OSError:  # EIO: nobody has the other end any more
        pass
    sys.stdout.write(text.decode().replace("\r\n", "\n"))
    sys.exit(child.wait())


if __name__ == "__main__":
    main()
