"""Textures and surfaces: handles that are none, coordinates far outside, operands that are no coordinates, absurd extents."""
from run import case, ptx

REGISTERS = (".reg .b32 x, y, z, w, i; .reg .f32 f; .reg .b64 t; .reg .b16 h; .reg .pred p; ld.param.u64 t, [n];")
TEXTURE, SURFACE = "--arg=n:texture f32[4x4x2]=iota", "--arg=n:surface f32[4x4x2]=iota"

# Coordinates next to the ends of their types, in every geometry; texels of a cube of a texture that is none.
FAR = ("-2147483648", "2147483647", "-1", "0")
REAL = ("0f7F800000", "0fFF800000", "0f7FFFFFFF", "0f7F7FFFFF", "0fFF7FFFFF", "0f4F000000", "0fCF000001", "0f00000001")
SHAPES = {"1d": "{{{0}}}", "2d": "{{{0}, {0}}}", "3d": "{{{0}, {0}, {0}, {0}}}", "a1d": "{{-1, {0}}}", "a2d": "{{-1, {0}, {0}, {0}}}"}
for geometry, shape in SHAPES.items():
    body = "".join(f"tex.{geometry}.v4.f32.s32 {{x, y, z, w}}, [t, {shape.format(at)}];" for at in FAR)
    body += "".join(f"tex.{geometry}.v4.f32.f32 {{x, y, z, w}}, [t, {shape.format(at)}];" for at in REAL)
    for how in ("", ".linear", ".linear.normalized.wrap", ".normalized.mirror", ".border.linear"):
        case(f"no point of a texture is too far outside: .{geometry}{how}",
             {"f.ptx": ptx(f"{REGISTERS} {body} ret;", parameters=".param .u64 n")}, exit=0,
             more=[TEXTURE.replace("texture", "texture" + how)])
    for at in ("-2147483648", "2147483644", "-4"):
        for what in ("suld.b.{}.b32.{} {{x}}, [t, {}];", "sust.b.{}.b32.{} [t, {}], {{x}};"):
            for outside, code in (("trap", 4), ("clamp", 0), ("zero", 0)):
                case(f"a surface's place far outside: {what.format(geometry, outside, shape.format(at))}",
                     {"f.ptx": ptx(f"{REGISTERS} {what.format(geometry, outside, shape.format(at))} ret;", parameters=".param .u64 n")},
                     exit=code, more=[SURFACE], **({"says": "out-of-bounds access of 4 bytes"} if code else {}))
for geometry, shape in (("cube", "{{{0}, {0}, {0}, {0}}}"), ("acube", "{{-1, {0}, {0}, {0}}}")):
    body = "".join(f"tex.{geometry}.v4.f32.f32 {{x, y, z, w}}, [t, {shape.format(at)}];" for at in REAL)
    case(f"a texture that is no cube map is read as one: .{geometry}",
         {"f.ptx": ptx(f"{REGISTERS} {body} ret;", parameters=".param .u64 n")}, exit=0, more=[TEXTURE])

# Accesses of a surface that are wider than its rows.
for access in ("suld.b.1d.v4.b32.{} {{x, y, z, w}}, [t, {{0}}];", "sust.b.1d.v4.b32.{} [t, {{0}}], {{x, y, z, w}};"):
    for outside, code in (("trap", 4), ("clamp", 0), ("zero", 0)):
        case(f"an access wider than a surface's row: {access.format(outside)}",
             {"f.ptx": ptx(f"{REGISTERS} {access.format(outside)} ret;", parameters=".param .u64 n")}, exit=code,
             more=["--arg=n:surface u8[3]=iota"])

# Handles that are none: numbers, addresses of memory, a handle with an offset, a module's variable.
for what in ("0", "18446744073709551615", "0x700000000000"):
    for read in ("tex.1d.v4.f32.s32 {x, y, z, w}, [t, {0}];", "sust.b.1d.b8.zero [t, {0}], {h};", "txq.width.b32 x, [t];", "suq.width.b32 x, [t];",
                 "tld4.r.2d.v4.f32.f32 {x, y, z, w}, [t, {0f00000000, 0f00000000}];"):
        case(f"{what} is no handle: {read}", {"f.ptx": ptx(f"{REGISTERS} {read} ret;", parameters=".param .u64 n")}, exit=4,
             more=[f"--arg=n:u64={what}"], says="is the handle of no (texture|surface) object")
case("a pointer is no handle", {"f.ptx": ptx(f"{REGISTERS} tex.1d.v4.f32.s32 {{x, y, z, w}}, [t, {{0}}]; ret;", parameters=".param .u64 n")},
     exit=4, more=["--arg=n:f32[64]=iota"], says="is the handle of no texture object")
case("a variable is no handle", {"f.ptx": ptx(f"{REGISTERS} tex.1d.v4.f32.s32 {{x, y, z, w}}, [v, {{0}}]; ret;", parameters=".param .u64 n",
                                              before=".global .u64 v = 1;")}, exit=4, more=[TEXTURE], says="is the handle of no texture object")
case("a handle is no address", {"f.ptx": ptx(f"{REGISTERS} ld.global.u32 x, [t]; ret;", parameters=".param .u64 n")}, exit=4, more=[TEXTURE],
     says="null address")

# Operands that are no coordinates, and instructions that are not here.
for body in ("tex.1d.v4.f32.s32 {x, y, z, w}, [t];", "tex.1d.v4.f32.s32 {x, y, z, w}, [t, {0, 0}];", "tex.2d.v4.f32.s32 {x, y, z, w}, [t, {0}];",
             "tex.1d.v4.f32.s32 {x, y, z}, [t, {0}];", "tex.1d.v4.f32.s32 x, [t, {0}];", "tex.1d.v4.f32.s32 {x, y, z, w}, [t, t, {0}];",
             "tex.1d.v4.f32.s32 {x, y, p, w}, [t, {0}];", "tex.1d.v4.f32.s32 {x, y, z, w}, [t, {p}];", "tex.1d.v4.f32.s32 {x, y, z, w}, [t, {{0}}];",
             "tex.1d.v4.f32.s32 {x, y, z, w}, [t, [t]];", "tex.1d.v4.f32.s32 {x, y, z, w}, [p, {0}];", "ld.global.u32 x, [t, {0}];",
             "suld.b.1d.b32.trap {x}, [t];", "sust.b.1d.b32.trap [t], {x};", "sust.b.1d.v2.b32.trap [t, {0}], {x};", "suld.b.1d.b32 {x}, [t, {0}];",
             "suld.b.1d.v4.b64.trap {t, t, t, t}, [t, {0}];", "sust.p.1d.v4.b32.trap [t, {0}], {x, y, z, w};", "sured.b.add.1d.u32.trap [t, {0}], x;",
             "tex.2dms.v4.f32.s32 {x, y, z, w}, [t, {0, 0, 0, 0}];", "txq.channel_order.b32 x, [t];"):
    case(f"operands that are none of a texture's: {body}", {"f.ptx": ptx(f"{REGISTERS} {body} ret;", parameters=".param .u64 n")}, exit=(2, 4),
         more=[TEXTURE], says="not a form|not implemented|wrong type|predicate|unexpected operand|expected", never="internal error|crash")
case("64-bit destinations and coordinates are read as what they are",
     {"f.ptx": ptx(f"{REGISTERS} tex.1d.v4.f32.s32 {{t, y, z, w}}, [t, {{t}}]; ret;", parameters=".param .u64 n")}, exit=(0, 2, 4), more=[TEXTURE],
     never="internal error|crash")

# What fetches take is charged: a kernel of nothing else ends as soon as any.
case("an endless loop of fetches ends at its budget",
     {"f.ptx": ptx(f"{REGISTERS} mov.u32 i, 0; L: tex.3d.v4.f32.f32 {{x, y, z, w}}, [t, {{f, f, f, f}}]; bra L;", parameters=".param .u64 n")}, exit=4,
     more=[TEXTURE.replace("texture", "texture.linear.normalized.mirror"), "--budget=20000000"], says="did not end within 20000000")

# Extents that no memory holds, and words that are none.
for spec in ("texture f32[131072x131072x131072]=zeros", "texture f32x4[131072x131072]=zeros", "surface u8[131072x131072x16]=zeros",
             "texture f32[18446744073709551616]=zeros", "texture f32[-1]=zeros", "texture f32[]=zeros", "texture f32[4x]=zeros", "texture f32[x4]=zeros",
             "texture [4]=zeros", "texture f32x[4]=zeros", "texture f32x0[4]=zeros", "texture f32x4294967297[4]=zeros", "texture. f32[4]=zeros",
             "texture" + ".linear" * 2000 + " f32[4]=iotas", "texture f32[2]={1,2,3}", "texture f32[4]=@/dev/zero"):
    case(f"an argument that is no texture: {spec[:60]}", {"f.ptx": ptx(f"{REGISTERS} ret;", parameters=".param .u64 n")}, exit=(2, 4),
         more=[f"--arg=n:{spec}"], says="--arg|memory", never="internal error|crash")
