"""Scripts whose report people read through `head`."""
import os
import sys


def end(main):
    """Runs main and exits with what it returns. A reader that has seen enough ends it quietly, as SIGPIPE ends other programs."""
    try:
        code = main()
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains when it flushes at the end
        code = 128 + 13  # what a shell says of SIGPIPE
    sys.exit(code)
