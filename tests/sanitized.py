"""What tests of a program have to know of one that is built with AddressSanitizer."""
import pathlib
import re


def is_sanitized(binary):
    """Such a program cannot run others' in which our CUDA runtime is preloaded: the sanitizer wants to come first."""
    return b"__asan_init" in pathlib.Path(binary).read_bytes()


def without_notes(text):
    """Its note where an exception is thrown in a child whose isolation hides its own stack's bounds (/proc)."""
    return re.sub(r"^==\d+==WARNING: ASan is ignoring requested __asan_handle_no_return.*\n(?:False positive.*\n|For details.*\n)*", "",
                  text, flags=re.MULTILINE)
