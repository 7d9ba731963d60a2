"""What kernels print: how much of it is kept, and what a terminal shows of it."""
from run import case, ptx

PRINTF = ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
CALL = ("{ .param .b64 a0; .param .b64 a1; .param .b32 r; .reg .u64 t; .local .align 8 .b8 v[64]; .reg .u64 l; "
        "mov.u64 l, v; cvta.local.u64 l, l; st.u64 [l], -1; st.u64 [l+8], 7; mov.u64 t, text; cvta.global.u64 t, t; "
        "st.param.b64 [a0], t; st.param.b64 [a1], l; call (r), vprintf, (a0, a1); }")


def text(content):
    data = ", ".join(str(b) for b in content.encode() + b"\0") if isinstance(content, str) else \
        ", ".join(str(b) for b in content + b"\0")
    size = len(content.encode() if isinstance(content, str) else content) + 1
    return f".global .align 1 .b8 text[{size}] = {{{data}}};\n" + PRINTF


def once(content):
    return {"f.ptx": ptx(CALL + "ret;", before=text(content))}


def often(content, times):
    return {"f.ptx": ptx(f".reg .u32 n; .reg .pred p; mov.u32 n, 0; L: {CALL} add.u32 n, n, 1; setp.lt.u32 p, n, {times}; "
                         "@p bra L; ret;", before=text(content))}


ONE = ["run", "f.ptx", "--device", "sim", "--kernel", "k", "--grid", "1", "--block", "1", "--budget", "20000000"]
JSON = ["--format", "json"]
for what, forged in {"a cleared screen": "\x1b[2J\x1b[H k  verified    passed\n", "a title": "\x1b]0;passed\x07",
                     "a carriage return": "wrong\rpassed", "a backspace": "wrong\b\b\b\b\bpassed", "C1 controls": "\u009b2J",
                     "a bell and a delete": "\x07\x7f", "text from right to left": "\u202edessap"}.items():
    case(f"{what} is shown, not obeyed", once(forged), ONE, never="[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u202e]",
         says=r"\\[xu]")
    case(f"{what} is a string in the JSON", once(forged), ONE + JSON, never="[\x00-\x08\x0b-\x1f]", stdout='"output"')
    case(f"{what} in the name of a source file is refused, and shown",
         {"f.ptx": ptx("st.global.u32 [0], 1; ret;", before=f'.file 1 "{forged.strip()}"\n')}, ONE, exit=2,
         never="[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u202e]", says="a file name without control characters")
    case(f"{what} in a file's own name is shown, not obeyed", {}, ["run", forged + ".cu", "--kernel", "k"], exit=2,
         never="[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u202e]", says=r"\\[xu]")
case("bytes that are no UTF-8 are shown by their numbers", once(b"\xff\xc0\x80\xed\xa0\x80\xf8"), ONE,
     says=r"\\xff\\xc0\\x80\\xed\\xa0\\x80\\xf8")
case("bytes that are no UTF-8 leave the JSON valid", once(b"\xff\xc0\x80"), ONE + JSON, stdout='"output"')
case("text of other scripts is shown as it is", once("größer als ∞ · 数"), ONE, says="größer als ∞ · 数")

case("what is printed beyond 1 MiB is cut, and counted", often("0123456789" * 10 + "\n", 100000), ONE + JSON,
     stdout='"output_cut": 9051424')
case("what is printed beyond the limit is cut, and told", often("0123456789\n", 100), [*ONE, "--print-limit", "50"],
     stdout=r"1,050 bytes more, which are left out \(--print-limit\)")
case("nothing is kept where nothing is asked for", once("hello"), [*ONE, "--print-limit", "0"], never="hello",
     stdout="5 bytes more")
QUICK = ("%*d",)
for spec in ("%999999d", "%-999999d", "%.999999d", "%0999999d", "%*d", "%.1048576f", "%999999s", "%999999c", "%2147483647d",
             "%99999999999999999999d"):
    case(f"{spec} in a loop ends", often(spec, 1 << 30), ONE, exit=4, says="did not end within", long=spec not in QUICK)
    case(f"{spec} 8,000 times in one text ends", often(spec * 8000, 1 << 30), ONE, exit=4, says="did not end within",
         long=spec not in QUICK)
case("lines without end take no memory without end", often("x" * 64 + "\n", 1 << 30), ONE, exit=4, says="did not end within",
     megabytes=300)
case("an empty text without end ends", often("", 1 << 30), ONE, exit=4, says="did not end within")
case("lines without end of many blocks take no memory without end", often("x" * 64 + "\n", 1 << 30),
     ["run", "f.ptx", "--device", "sim", "--kernel", "k", "--grid", "4096", "--block", "32", "--budget", "20000000"], exit=4,
     megabytes=300)
