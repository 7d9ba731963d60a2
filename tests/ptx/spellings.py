#!/usr/bin/env python3
"""Every spelling that the PTX manual has of the instructions that the simulator knows, and those that ptxas takes beside it,
asked of ptxas and of the simulator.

usage: spellings.py PTXAS PROBE PINNED [--write]

PROBE is build/tests/ptx_spellings, PINNED the file with what they disagree on (spellings_pinned.txt): "ptxas SPELLING" is
taken by ptxas alone, "gpulab SPELLING" by the simulator alone. Exit code 1 where they disagree on anything else, 77 where
the file is of another version of ptxas; --write writes it anew.
"""
import itertools
import os
import re
import subprocess
import sys
import tempfile

INTEGERS = ".u16|.u32|.u64|.s16|.s32|.s64"
WORDS = ".b16|.b32|.b64"
ALL = ".b8|.b16|.b32|.b64|.u8|.u16|.u32|.u64|.s8|.s16|.s32|.s64|.f32|.f64"
ROUND = ".rn|.rz|.rm|.rp"
COMPARE = ".eq|.ne|.lt|.le|.gt|.ge|.lo|.ls|.hi|.hs|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan"
SPACES = ".global|.shared|.shared::cta|.shared::cluster|.local"

# One of (a|b), one or none of [a|b]; <T:a|b> is one of them, and T among the operands a register of that type. Operands
# that are no type's name stand as they are.
GRAMMAR = f"""
add[.sat|.cc]<T:{INTEGERS}|.u16x2|.s16x2>  T T T
sub[.sat|.cc]<T:{INTEGERS}>  T T T
(addc|subc)[.cc]<T:.u32|.s32|.u64|.s64>  T T T
(add|sub|mul)[{ROUND}][.ftz][.sat]<T:.f32|.f64|.f16|.f16x2|.bf16|.bf16x2>  T T T
(fma|mad)[{ROUND}][.ftz][.sat|.relu]<T:.f32|.f64|.f16|.f16x2|.bf16|.bf16x2>  T T T T
fma.rn.oob[.relu]<T:.f16|.f16x2|.bf16|.bf16x2>  T T T T
mul(.lo|.hi)<T:{INTEGERS}>  T T T
mul.wide.u16  %r1 %h1 %h2
mul.wide(.u32|.s32)  %rd1 %r1 %r2
mad(.lo|.hi)[.sat|.cc]<T:{INTEGERS}>  T T T T
madc(.lo|.hi)[.cc]<T:.u32|.s32|.u64|.s64>  T T T T
mad.wide(.u16|.s16)  %r1 %h1 %h2 %r2
mad.wide(.u32|.s32)  %rd1 %r1 %r2 %rd2
mul24(.lo|.hi)<T:.u32|.s32>  T T T
mad24(.lo|.hi)[.sat]<T:.u32|.s32>  T T T T
sad<T:{INTEGERS}>  T T T T
(div|rem)<T:{INTEGERS}>  T T T
div(.approx|.full|{ROUND})[.ftz]<T:.f32|.f64>  T T T
(abs|neg)[.ftz]<T:.s16|.s32|.s64|.f32|.f64|.f16|.f16x2|.bf16|.bf16x2|.u32>  T T
(min|max)[.relu]<T:{INTEGERS}|.u16x2|.s16x2>  T T T
(min|max)[.ftz][.NaN][.xorsign.abs]<T:.f32|.f64|.f16|.f16x2|.bf16|.bf16x2>  T T T
(min|max)[.ftz][.NaN][.abs].f32  %f1 %f2 %f3 %f4
popc<T:.b32|.b64>  %r1 T
clz<T:.b32|.b64>  %r1 T
bfind[.shiftamt]<T:.u32|.s32|.u64|.s64>  %r1 T
fns.b32  %r1 %r2 %r3 %r4
brev<T:.b32|.b64>  T T
bfe<T:.u32|.s32|.u64|.s64>  T T %r1 %r2
bfi<T:.b32|.b64>  T T T %r1 %r2
bmsk(.clamp|.wrap).b32  %r1 %r2 %r3
szext(.clamp|.wrap)<T:.u32|.s32>  T T %r1
dp4a(.u32|.s32)(.u32|.s32)  %r1 %r2 %r3 %r4
dp2a(.lo|.hi)(.u32|.s32)(.u32|.s32)  %r1 %r2 %r3 %r4
testp(.finite|.infinite|.number|.notanumber|.normal|.subnormal)<T:.f32|.f64>  %p1 T
copysign<T:.f32|.f64>  T T T
(rcp|sqrt)(.approx|{ROUND})[.ftz]<T:.f32|.f64>  T T
rcp.approx.ftz.f64  %fd1 %fd2
rsqrt.approx[.ftz]<T:.f32|.f64>  T T
(sin|cos|lg2).approx[.ftz].f32  %f1 %f2
ex2.approx[.ftz]<T:.f32|.f16|.f16x2|.bf16|.bf16x2>  T T
tanh.approx<T:.f32|.f16|.f16x2|.bf16|.bf16x2>  T T
set({COMPARE})[.ftz](.u32|.s32|.f32)<T:{INTEGERS}|{WORDS}|.f32|.f64>  %D T T
set({COMPARE})[.ftz](.f16|.bf16|.u16|.s16|.u32|.s32)<T:.f16|.bf16>  %D T T
set({COMPARE})[.ftz](.f16x2|.bf16x2)<T:.f16x2|.bf16x2>  %r1 T T
set(.lt|.eq)(.and|.or|.xor)[.ftz](.u32|.s32|.f32)<T:.s32|.u64|.f32>  %D T T %p1
setp({COMPARE})[.ftz]<T:{INTEGERS}|{WORDS}|.f32|.f64|.f16|.bf16>  %p1|%p2 T T
setp({COMPARE})[.ftz]<T:.f16x2|.bf16x2>  %p1|%p2 T T
setp(.lt|.eq)(.and|.or|.xor)<T:{INTEGERS}|.b32|.f32|.f64|.f16>  %p1 T T !%p2
selp<T:{INTEGERS}|{WORDS}|.f32|.f64|.f16|.pred>  T T T %p1
slct[.ftz]<T:{INTEGERS}|{WORDS}|.f32|.f64>.s32  T T T %r1
slct[.ftz]<T:{INTEGERS}|{WORDS}|.f32|.f64>.f32  T T T %f1
(and|or|xor)<T:.pred|{WORDS}|.u32|.s32>  T T T
not<T:.pred|{WORDS}|.u32>  T T
cnot<T:{WORDS}>  T T
lop3.b32  %r1 %r2 %r3 %r4 0x96
lop3(.or|.and).b32  %r1|%p1 %r2 %r3 %r4 0x96 %p2
shf(.l|.r)(.clamp|.wrap)<T:.b32>  T T T T
shl<T:{WORDS}|.u32|.s32>  T T %r1
shr<T:{WORDS}|{INTEGERS}>  T T %r1
mov<T:.pred|{WORDS}|{INTEGERS}|.f32|.f64|.f16|.bf16|.f16x2|.b128>  T T
prmt.b32[.f4e|.b4e|.rc8|.ecl|.ecr|.rc16]  %r1 %r2 %r3 %r4
(ld|ldu)[{SPACES}|.const|.param]<T:{ALL}|.b128|.f16>  T [%rd1]
ld[.weak|.volatile|.relaxed.gpu|.acquire.cta|.relaxed.sys|.acquire.cluster|.mmio.relaxed.sys][{SPACES}]<T:.u32|.f64>  T [%rd1]
ld[.global]<C:.ca|.cg|.cs|.lu|.cv>[.L1::evict_first][.L2::128B]<T:.u32|.f32>  T [%rd1]
ld[.global][.L1::evict_normal|.L1::evict_unchanged|.L1::evict_first|.L1::evict_last|.L1::no_allocate][.L2::64B|.L2::128B|.L2::256B]<T:.u32|.b64>  T [%rd1]
ld.global[.ca|.cg|.cs].nc[.L1::no_allocate][.L2::256B]<T:{ALL}>  T [%rd1]
ld[.global|.shared|.local].v2<T:{ALL}>  {{T,T2}} [%rd1]
ld[.global|.shared|.local].v4<T:{ALL}>  {{T,T2,T3,T4}} [%rd1]
st[{SPACES}]<T:{ALL}|.b128|.f16>  [%rd1] T
st[.weak|.volatile|.relaxed.gpu|.release.cta|.relaxed.sys|.mmio.relaxed.sys][{SPACES}]<T:.u32|.f64>  [%rd1] T
st[.global][.wb|.cg|.cs|.wt][.L1::no_allocate]<T:.u32|.f32>  [%rd1] T
st[.global|.shared|.local].v2<T:{ALL}>  [%rd1] {{T,T2}}
st[.global|.shared|.local].v4<T:{ALL}>  [%rd1] {{T,T2,T3,T4}}
prefetch[.global|.local](.L1|.L2)  [%rd1]
prefetchu.L1  [%rd1]
isspacep(.global|.shared|.shared::cta|.shared::cluster|.local|.const|.param)  %p1 %rd1
cvta[.to](.global|.shared|.shared::cta|.shared::cluster|.local|.const|.param)(.u64|.u32)  %rd1 %rd2
cvt[.rn|.rz|.rm|.rp|.rni|.rzi|.rmi|.rpi|.rna][.ftz][.sat]<T:.u8|{INTEGERS}|.s8|.f16|.bf16|.f32|.f64><S:.u8|{INTEGERS}|.s8|.f16|.bf16|.f32|.f64>  T S
cvt(.rn|.rz)[.relu][.satfinite](.f16x2|.bf16x2).f32  %r1 %f1 %f2
cvt(.rn|.rz|.rna)[.relu][.satfinite].tf32.f32  %r1 %f1
cvt.rn.satfinite[.relu](.e4m3x2|.e5m2x2).f32  %h1 %f1 %f2
cvt.rn.satfinite[.relu](.e4m3x2|.e5m2x2).f16x2  %h1 %r1
cvt.rn[.relu].f16x2(.e4m3x2|.e5m2x2)  %r1 %h1
cvt.pack.sat(.u16|.s16).s32  %r1 %r2 %r3
cvt.pack.sat(.u8|.s8|.u4|.s4|.u2|.s2).s32.b32  %r1 %r2 %r3 %r4
atom[.relaxed|.acquire|.release|.acq_rel][.global|.shared|.shared::cta|.shared::cluster][.cta|.gpu|.sys|.cluster](.add.u32|.exch.b32)  %r1 [%rd1] %r2
atom[.global|.shared](.add|.inc|.dec|.min|.max|.and|.or|.xor|.exch)<T:.u32|.s32|.b32|.u64|.s64|.b64|.f32|.f64>  T [%rd1] T
atom[.global|.shared](.add.noftz|.add|.min|.max)<T:.f16|.f16x2|.bf16|.bf16x2>  T [%rd1] T
atom[.acquire][.global|.shared][.gpu].cas<T:.b16|.b32|.b64|.b128|.u32|.u64>  T [%rd1] T T
atom.exch.b128  %rq1 [%rd1] %rq2
red[.relaxed|.release][.global|.shared|.shared::cta|.shared::cluster][.cta|.gpu|.sys|.cluster].add.u32  [%rd1] %r2
red[.global|.shared](.add|.inc|.dec|.min|.max|.and|.or|.xor)<T:.u32|.s32|.b32|.u64|.s64|.b64|.f32|.f64>  [%rd1] T
red[.global|.shared](.add.noftz|.add)<T:.f16|.f16x2|.bf16|.bf16x2>  [%rd1] T
red.global[.v2|.v4].add.f32  [%rd1] {{%f1,%f2}}
shfl.sync(.up|.down|.bfly|.idx).b32  %r1|%p1 %r2 %r3 %r4 -1
shfl.sync(.up|.down|.bfly|.idx)(.u32|.s32|.f32)  %r1 %r2 %r3 %r4 -1
vote.sync(.all|.any|.uni).pred  %p1 !%p2 -1
vote.sync.ballot.b32  %r1 %p2 -1
match.any.sync<T:.b32|.b64>  %r1 T -1
match.all.sync<T:.b32|.b64>  %r1|%p1 T -1
activemask.b32  %r1
redux.sync(.add|.min|.max|.and|.or|.xor)<T:.u32|.s32|.b32>  T T -1
redux.sync(.min|.max)[.abs][.NaN].f32  %f1 %f2 -1
elect.sync  %r1|%p1 -1
bar.warp.sync  -1
(bar|barrier|barrier.cta)[.sync][.aligned]  0
(bar|barrier|barrier.cta).sync[.aligned]  1 64
(bar|barrier|barrier.cta).arrive[.aligned]  1 64
(bar|barrier|barrier.cta).red.popc[.aligned].u32  %r1 0 %p1
(bar|barrier|barrier.cta).red(.and|.or)[.aligned].pred  %p1 0 !%p2
barrier.cluster(.arrive|.arrive.release|.arrive.relaxed|.wait|.wait.acquire)[.aligned]
membar(.cta|.gl|.sys)
fence[.sc|.acq_rel](.cta|.cluster|.gpu|.sys)
fence.mbarrier_init.release.cluster
fence.proxy(.alias|.async|.async.global|.async.shared::cta|.async.shared::cluster)
mbarrier.init[.shared|.shared::cta].b64  [%rd1] %r1
mbarrier.inval[.shared|.shared::cta].b64  [%rd1]
mbarrier.arrive[.noComplete][.release][.cta|.cluster][.shared|.shared::cta].b64  %rd2 [%rd1] 1
mbarrier.arrive[.expect_tx][.release|.relaxed][.cta|.cluster][.shared|.shared::cta].b64  %rd2 [%rd1] %r1
mbarrier.arrive_drop[.shared].b64  %rd2 [%rd1]
mbarrier.expect_tx.relaxed.cta[.shared|.shared::cta].b64  [%rd1] %r1
mbarrier(.test_wait|.try_wait)[.acquire][.cta|.cluster][.shared|.shared::cta].b64  %p1 [%rd1] %rd2
mbarrier(.test_wait|.try_wait).parity[.acquire][.cta|.cluster][.shared|.shared::cta].b64  %p1 [%rd1] %r2
mbarrier.pending_count.b64  %r1 %rd1
cp.async(.ca|.cg)(.shared|.shared::cta).global[.L2::128B]  [%rd1] [%rd2] 16
cp.async.commit_group
cp.async.wait_group  0
cp.async.wait_all
cp.async.mbarrier.arrive[.noinc][.shared|.shared::cta].b64  [%rd1]
(ldmatrix).sync.aligned.m8n8.x1[.trans](.shared|.shared::cta).b16  {{%r1}} [%rd1]
stmatrix.sync.aligned.m8n8.x1[.trans](.shared|.shared::cta).b16  [%rd1] {{%r1}}
movmatrix.sync.aligned.m8n8.trans.b16  %r1 %r2
nanosleep.u32  %r1
griddepcontrol(.wait|.launch_dependents)
setmaxnreg(.inc|.dec).sync.aligned.u32  40
vadd(.u32|.s32)(.u32|.s32)(.u32|.s32)[.sat]  %r1 %r2 %r3
vadd(.u32|.s32)(.u32|.s32)(.u32|.s32)[.sat](.add|.min|.max)  %r1 %r2 %r3 %r4
(vsub|vabsdiff|vmin|vmax)(.u32|.s32)(.u32|.s32)(.u32|.s32)[.sat]  %r1 %r2 %r3
(vshl|vshr)(.u32|.s32)(.u32|.s32).u32[.sat](.clamp|.wrap)  %r1 %r2 %r3
vmad(.u32|.s32)(.u32|.s32)(.u32|.s32)[.sat][.shr7|.shr15]  %r1 %r2 %r3 %r4
vset(.u32|.s32)(.u32|.s32)(.eq|.ne|.lt|.le|.gt|.ge)  %r1 %r2 %r3
(vadd2|vsub2|vavrg2|vabsdiff2|vmin2|vmax2)(.u32|.s32)(.u32|.s32)(.u32|.s32)[.sat|.add]  %r1 %r2 %r3 %r4
(vadd4|vsub4|vavrg4|vabsdiff4|vmin4|vmax4)(.u32|.s32)(.u32|.s32)(.u32|.s32)[.sat|.add]  %r1 %r2 %r3 %r4
vset4(.u32|.s32)(.u32|.s32)(.eq|.lt)[.add]  %r1 %r2 %r3 %r4
(exit|trap|brkpt|ret|ret.uni)
pmevent  1
discard[.global].L2  [%rd1] 128
applypriority[.global].L2::evict_normal  [%rd1] 128
stacksave.u64  %rd1
stackrestore.u64  %rd1
alloca.u64  %rd1 %rd2
st.async[.weak][.shared::cluster].mbarrier::complete_tx::bytes<T:.b32|.u32|.s32|.f32|.b64|.u64|.s64|.f64>  [%rd1] T [%rd2]
mapa[.shared::cluster]<T:.u32|.u64>  T T %r1
getctarank[.shared::cluster]<T:.u32|.u64>  %r1 T
tex.1d.v4(.u32|.s32|.f32).f32  {{%r1,%r2,%r3,%r4}} [%rd1,{{%f1}}]
tex.level.1d.v4(.u32|.s32|.f32).f32  {{%r1,%r2,%r3,%r4}} [%rd1,{{%f1}}] %f5
tex.grad.1d.v4(.u32|.s32|.f32).f32  {{%r1,%r2,%r3,%r4}} [%rd1,{{%f1}}] {{%f5}} {{%f5}}
tex.1d.v4(.u32|.s32|.f32).s32  {{%r1,%r2,%r3,%r4}} [%rd1,{{%r5}}]
tex.2d.v4(.u32|.s32|.f32).f32  {{%r1,%r2,%r3,%r4}} [%rd1,{{%f1,%f2}}]
tex.level.2d.v4(.u32|.s32|.f32).f32  {{%r1,%r2,%r3,%r4}} [%rd1,{{%f1,%f2}}] %f5
tex.grad.2d.v4(.u32|.s32|.f32).f32  {{%r1,%r2,%r3,%r4}} [%rd1,{{%f1,%f2}}] {{%f5,%f5}} {{%f5,%f5}}
tex.2d.v4(.u32|.s32|.f32).s32  {{%r1,%r2,%r3,%r4}} [%rd1,{{%r5,%r6}}]
tex.3d.v4(.u32|.s32|.f32).f32  {{%r1,%r2,%r3,%r4}} [%rd1,{{%f1,%f2,%f3,%f3}}]
tex.level.3d.v4(.u32|.s32|.f32).f32  {{%r1,%r2,%r3,%r4}} [%rd1,{{%f1,%f2,%f3,%f3}}] %f5
tex.grad.3d.v4(.u32|.s32|.f32).f32  {{%r1,%r2,%r3,%r4}} [%rd1,{{%f1,%f2,%f3,%f3}}] {{%f5,%f5,%f5,%f5}} {{%f5,%f5,%f5,%f5}}
tex.3d.v4(.u32|.s32|.f32).s32  {{%r1,%r2,%r3,%r4}} [%rd1,{{%r5,%r6,%r7,%r7}}]
tex.a1d.v4(.u32|.s32|.f32).f32  {{%r1,%r2,%r3,%r4}} [%rd1,{{%r5,%f2}}]
tex.level.a1d.v4(.u32|.s32|.f32).f32  {{%r1,%r2,%r3,%r4}} [%rd1,{{%r5,%f2}}] %f5
tex.grad.a1d.v4(.u32|.s32|.f32).f32  {{%r1,%r2,%r3,%r4}} [%rd1,{{%r5,%f2}}] {{%f5}} {{%f5}}
tex.a1d.v4(.u32|.s32|.f32).s32  {{%r1,%r2,%r3,%r4}} [%rd1,{{%r5,%r6}}]
tex.a2d.v4(.u32|.s32|.f32).f32  {{%r1,%r2,%r3,%r4}} [%rd1,{{%r5,%f2,%f3,%f3}}]
tex.level.a2d.v4(.u32|.s32|.f32).f32  {{%r1,%r2,%r3,%r4}} [%rd1,{{%r5,%f2,%f3,%f3}}] %f5
tex.grad.a2d.v4(.u32|.s32|.f32).f32  {{%r1,%r2,%r3,%r4}} [%rd1,{{%r5,%f2,%f3,%f3}}] {{%f5,%f5}} {{%f5,%f5}}
tex.a2d.v4(.u32|.s32|.f32).s32  {{%r1,%r2,%r3,%r4}} [%rd1,{{%r5,%r6,%r7,%r7}}]
tex.cube.v4(.u32|.s32|.f32).f32  {{%r1,%r2,%r3,%r4}} [%rd1,{{%f1,%f2,%f3,%f3}}]
tex.level.cube.v4(.u32|.s32|.f32).f32  {{%r1,%r2,%r3,%r4}} [%rd1,{{%f1,%f2,%f3,%f3}}] %f5
tex.grad.cube.v4(.u32|.s32|.f32).f32  {{%r1,%r2,%r3,%r4}} [%rd1,{{%f1,%f2,%f3,%f3}}] {{%f5,%f5,%f5,%f5}} {{%f5,%f5,%f5,%f5}}
tex.acube.v4(.u32|.s32|.f32).f32  {{%r1,%r2,%r3,%r4}} [%rd1,{{%r5,%f2,%f3,%f4}}]
tex.level.acube.v4(.u32|.s32|.f32).f32  {{%r1,%r2,%r3,%r4}} [%rd1,{{%r5,%f2,%f3,%f4}}] %f5
tex.grad.acube.v4(.u32|.s32|.f32).f32  {{%r1,%r2,%r3,%r4}} [%rd1,{{%r5,%f2,%f3,%f4}}] {{%f5,%f5,%f5,%f5}} {{%f5,%f5,%f5,%f5}}
tld4(.r|.g|.b|.a).2d.v4(.u32|.s32|.f32).f32  {{%r1,%r2,%r3,%r4}} [%rd1,{{%f1,%f2}}]
txq(.width|.height|.depth|.array_size).b32  %r1 [%rd1]
suq(.width|.height|.depth|.array_size).b32  %r1 [%rd1]
suld.b(.1d)[.ca|.cg|.cs|.cv](.b8|.b16)(.trap|.clamp|.zero)  {{%h1}} [%rd1,{{%r5}}]
sust.b(.1d)[.wb|.cg|.cs|.wt](.b8|.b16)(.trap|.clamp|.zero)  [%rd1,{{%r5}}] {{%h1}}
suld.b(.1d)[.ca|.cg|.cs|.cv](.b32)(.trap|.clamp|.zero)  {{%r1}} [%rd1,{{%r5}}]
sust.b(.1d)[.wb|.cg|.cs|.wt](.b32)(.trap|.clamp|.zero)  [%rd1,{{%r5}}] {{%r1}}
suld.b(.1d)[.ca|.cg|.cs|.cv](.b64)(.trap|.clamp|.zero)  {{%rd2}} [%rd1,{{%r5}}]
sust.b(.1d)[.wb|.cg|.cs|.wt](.b64)(.trap|.clamp|.zero)  [%rd1,{{%r5}}] {{%rd2}}
suld.b(.1d)[.ca|.cg|.cs|.cv].v2(.b8|.b16)(.trap|.clamp|.zero)  {{%h1,%h2}} [%rd1,{{%r5}}]
sust.b(.1d)[.wb|.cg|.cs|.wt].v2(.b8|.b16)(.trap|.clamp|.zero)  [%rd1,{{%r5}}] {{%h1,%h2}}
suld.b(.1d)[.ca|.cg|.cs|.cv].v2(.b32)(.trap|.clamp|.zero)  {{%r1,%r2}} [%rd1,{{%r5}}]
sust.b(.1d)[.wb|.cg|.cs|.wt].v2(.b32)(.trap|.clamp|.zero)  [%rd1,{{%r5}}] {{%r1,%r2}}
suld.b(.1d)[.ca|.cg|.cs|.cv].v2(.b64)(.trap|.clamp|.zero)  {{%rd2,%rd3}} [%rd1,{{%r5}}]
sust.b(.1d)[.wb|.cg|.cs|.wt].v2(.b64)(.trap|.clamp|.zero)  [%rd1,{{%r5}}] {{%rd2,%rd3}}
suld.b(.1d)[.ca|.cg|.cs|.cv].v4(.b8|.b16)(.trap|.clamp|.zero)  {{%h1,%h2,%h3,%h4}} [%rd1,{{%r5}}]
sust.b(.1d)[.wb|.cg|.cs|.wt].v4(.b8|.b16)(.trap|.clamp|.zero)  [%rd1,{{%r5}}] {{%h1,%h2,%h3,%h4}}
suld.b(.1d)[.ca|.cg|.cs|.cv].v4(.b32)(.trap|.clamp|.zero)  {{%r1,%r2,%r3,%r4}} [%rd1,{{%r5}}]
sust.b(.1d)[.wb|.cg|.cs|.wt].v4(.b32)(.trap|.clamp|.zero)  [%rd1,{{%r5}}] {{%r1,%r2,%r3,%r4}}
suld.b(.2d|.a1d)[.ca|.cg|.cs|.cv](.b8|.b16)(.trap|.clamp|.zero)  {{%h1}} [%rd1,{{%r5,%r6}}]
sust.b(.2d|.a1d)[.wb|.cg|.cs|.wt](.b8|.b16)(.trap|.clamp|.zero)  [%rd1,{{%r5,%r6}}] {{%h1}}
suld.b(.2d|.a1d)[.ca|.cg|.cs|.cv](.b32)(.trap|.clamp|.zero)  {{%r1}} [%rd1,{{%r5,%r6}}]
sust.b(.2d|.a1d)[.wb|.cg|.cs|.wt](.b32)(.trap|.clamp|.zero)  [%rd1,{{%r5,%r6}}] {{%r1}}
suld.b(.2d|.a1d)[.ca|.cg|.cs|.cv](.b64)(.trap|.clamp|.zero)  {{%rd2}} [%rd1,{{%r5,%r6}}]
sust.b(.2d|.a1d)[.wb|.cg|.cs|.wt](.b64)(.trap|.clamp|.zero)  [%rd1,{{%r5,%r6}}] {{%rd2}}
suld.b(.2d|.a1d)[.ca|.cg|.cs|.cv].v2(.b8|.b16)(.trap|.clamp|.zero)  {{%h1,%h2}} [%rd1,{{%r5,%r6}}]
sust.b(.2d|.a1d)[.wb|.cg|.cs|.wt].v2(.b8|.b16)(.trap|.clamp|.zero)  [%rd1,{{%r5,%r6}}] {{%h1,%h2}}
suld.b(.2d|.a1d)[.ca|.cg|.cs|.cv].v2(.b32)(.trap|.clamp|.zero)  {{%r1,%r2}} [%rd1,{{%r5,%r6}}]
sust.b(.2d|.a1d)[.wb|.cg|.cs|.wt].v2(.b32)(.trap|.clamp|.zero)  [%rd1,{{%r5,%r6}}] {{%r1,%r2}}
suld.b(.2d|.a1d)[.ca|.cg|.cs|.cv].v2(.b64)(.trap|.clamp|.zero)  {{%rd2,%rd3}} [%rd1,{{%r5,%r6}}]
sust.b(.2d|.a1d)[.wb|.cg|.cs|.wt].v2(.b64)(.trap|.clamp|.zero)  [%rd1,{{%r5,%r6}}] {{%rd2,%rd3}}
suld.b(.2d|.a1d)[.ca|.cg|.cs|.cv].v4(.b8|.b16)(.trap|.clamp|.zero)  {{%h1,%h2,%h3,%h4}} [%rd1,{{%r5,%r6}}]
sust.b(.2d|.a1d)[.wb|.cg|.cs|.wt].v4(.b8|.b16)(.trap|.clamp|.zero)  [%rd1,{{%r5,%r6}}] {{%h1,%h2,%h3,%h4}}
suld.b(.2d|.a1d)[.ca|.cg|.cs|.cv].v4(.b32)(.trap|.clamp|.zero)  {{%r1,%r2,%r3,%r4}} [%rd1,{{%r5,%r6}}]
sust.b(.2d|.a1d)[.wb|.cg|.cs|.wt].v4(.b32)(.trap|.clamp|.zero)  [%rd1,{{%r5,%r6}}] {{%r1,%r2,%r3,%r4}}
suld.b(.3d|.a2d)[.ca|.cg|.cs|.cv](.b8|.b16)(.trap|.clamp|.zero)  {{%h1}} [%rd1,{{%r5,%r6,%r7,%r7}}]
sust.b(.3d|.a2d)[.wb|.cg|.cs|.wt](.b8|.b16)(.trap|.clamp|.zero)  [%rd1,{{%r5,%r6,%r7,%r7}}] {{%h1}}
suld.b(.3d|.a2d)[.ca|.cg|.cs|.cv](.b32)(.trap|.clamp|.zero)  {{%r1}} [%rd1,{{%r5,%r6,%r7,%r7}}]
sust.b(.3d|.a2d)[.wb|.cg|.cs|.wt](.b32)(.trap|.clamp|.zero)  [%rd1,{{%r5,%r6,%r7,%r7}}] {{%r1}}
suld.b(.3d|.a2d)[.ca|.cg|.cs|.cv](.b64)(.trap|.clamp|.zero)  {{%rd2}} [%rd1,{{%r5,%r6,%r7,%r7}}]
sust.b(.3d|.a2d)[.wb|.cg|.cs|.wt](.b64)(.trap|.clamp|.zero)  [%rd1,{{%r5,%r6,%r7,%r7}}] {{%rd2}}
suld.b(.3d|.a2d)[.ca|.cg|.cs|.cv].v2(.b8|.b16)(.trap|.clamp|.zero)  {{%h1,%h2}} [%rd1,{{%r5,%r6,%r7,%r7}}]
sust.b(.3d|.a2d)[.wb|.cg|.cs|.wt].v2(.b8|.b16)(.trap|.clamp|.zero)  [%rd1,{{%r5,%r6,%r7,%r7}}] {{%h1,%h2}}
suld.b(.3d|.a2d)[.ca|.cg|.cs|.cv].v2(.b32)(.trap|.clamp|.zero)  {{%r1,%r2}} [%rd1,{{%r5,%r6,%r7,%r7}}]
sust.b(.3d|.a2d)[.wb|.cg|.cs|.wt].v2(.b32)(.trap|.clamp|.zero)  [%rd1,{{%r5,%r6,%r7,%r7}}] {{%r1,%r2}}
suld.b(.3d|.a2d)[.ca|.cg|.cs|.cv].v2(.b64)(.trap|.clamp|.zero)  {{%rd2,%rd3}} [%rd1,{{%r5,%r6,%r7,%r7}}]
sust.b(.3d|.a2d)[.wb|.cg|.cs|.wt].v2(.b64)(.trap|.clamp|.zero)  [%rd1,{{%r5,%r6,%r7,%r7}}] {{%rd2,%rd3}}
suld.b(.3d|.a2d)[.ca|.cg|.cs|.cv].v4(.b8|.b16)(.trap|.clamp|.zero)  {{%h1,%h2,%h3,%h4}} [%rd1,{{%r5,%r6,%r7,%r7}}]
sust.b(.3d|.a2d)[.wb|.cg|.cs|.wt].v4(.b8|.b16)(.trap|.clamp|.zero)  [%rd1,{{%r5,%r6,%r7,%r7}}] {{%h1,%h2,%h3,%h4}}
suld.b(.3d|.a2d)[.ca|.cg|.cs|.cv].v4(.b32)(.trap|.clamp|.zero)  {{%r1,%r2,%r3,%r4}} [%rd1,{{%r5,%r6,%r7,%r7}}]
sust.b(.3d|.a2d)[.wb|.cg|.cs|.wt].v4(.b32)(.trap|.clamp|.zero)  [%rd1,{{%r5,%r6,%r7,%r7}}] {{%r1,%r2,%r3,%r4}}
istypep.texref  %p1 %rd1
cp.async.bulk(.shared::cluster|.shared::cta).global.mbarrier::complete_tx::bytes  [%rd1] [%rd2] %r1 [%rd3]
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster  [%rd1] [%rd2] %r1 [%rd3] %h1
cp.async.bulk(.shared::cluster|.shared::cta).global.mbarrier::complete_tx::bytes.L2::cache_hint  [%rd1] [%rd2] %r1 [%rd3] %rd4
cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes  [%rd1] [%rd2] %r1 [%rd3]
cp.async.bulk.global.shared::cta.bulk_group  [%rd1] [%rd2] %r1
cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint  [%rd1] [%rd2] %r1 %rd4
cp.async.bulk.prefetch.L2.global  [%rd1] %r1
cp.async.bulk.commit_group
cp.async.bulk.wait_group[.read]  0
cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes(.and|.or|.xor|.add|.inc|.dec|.min|.max)<T:.b32|.b64|.u32|.s32|.u64|.s64|.f32>  [%rd1] [%rd2] %r1 [%rd3]
cp.reduce.async.bulk.global.shared::cta.bulk_group(.and|.or|.xor|.add|.inc|.dec|.min|.max)<T:.b32|.b64|.u32|.s32|.u64|.s64|.f16|.bf16|.f32|.f64>  [%rd1] [%rd2] %r1
cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz(.f16|.bf16|.f32)  [%rd1] [%rd2] %r1
cp.async.bulk.tensor.1d(.shared::cluster|.shared::cta).global[.tile].mbarrier::complete_tx::bytes  [%rd1] [%rd2,{{%r1}}] [%rd3]
cp.async.bulk.tensor.1d.shared::cluster.global[.tile].mbarrier::complete_tx::bytes.multicast::cluster  [%rd1] [%rd2,{{%r1}}] [%rd3] %h1
cp.async.bulk.tensor.1d.shared::cluster.global[.tile].mbarrier::complete_tx::bytes.L2::cache_hint  [%rd1] [%rd2,{{%r1}}] [%rd3] %rd4
cp.async.bulk.tensor.1d.global.shared::cta[.tile].bulk_group  [%rd2,{{%r1}}] [%rd1]
cp.reduce.async.bulk.tensor.1d.global.shared::cta(.add|.min|.max|.inc|.dec|.and|.or|.xor)[.tile].bulk_group  [%rd2,{{%r1}}] [%rd1]
cp.async.bulk.prefetch.tensor.1d.L2.global[.tile]  [%rd2,{{%r1}}]
cp.async.bulk.tensor.2d(.shared::cluster|.shared::cta).global[.tile].mbarrier::complete_tx::bytes  [%rd1] [%rd2,{{%r1,%r2}}] [%rd3]
cp.async.bulk.tensor.2d.shared::cluster.global[.tile].mbarrier::complete_tx::bytes.multicast::cluster  [%rd1] [%rd2,{{%r1,%r2}}] [%rd3] %h1
cp.async.bulk.tensor.2d.shared::cluster.global[.tile].mbarrier::complete_tx::bytes.L2::cache_hint  [%rd1] [%rd2,{{%r1,%r2}}] [%rd3] %rd4
cp.async.bulk.tensor.2d.global.shared::cta[.tile].bulk_group  [%rd2,{{%r1,%r2}}] [%rd1]
cp.reduce.async.bulk.tensor.2d.global.shared::cta(.add|.min|.max|.inc|.dec|.and|.or|.xor)[.tile].bulk_group  [%rd2,{{%r1,%r2}}] [%rd1]
cp.async.bulk.prefetch.tensor.2d.L2.global[.tile]  [%rd2,{{%r1,%r2}}]
cp.async.bulk.tensor.3d(.shared::cluster|.shared::cta).global[.tile].mbarrier::complete_tx::bytes  [%rd1] [%rd2,{{%r1,%r2,%r3}}] [%rd3]
cp.async.bulk.tensor.3d.shared::cluster.global[.tile].mbarrier::complete_tx::bytes.multicast::cluster  [%rd1] [%rd2,{{%r1,%r2,%r3}}] [%rd3] %h1
cp.async.bulk.tensor.3d.shared::cluster.global[.tile].mbarrier::complete_tx::bytes.L2::cache_hint  [%rd1] [%rd2,{{%r1,%r2,%r3}}] [%rd3] %rd4
cp.async.bulk.tensor.3d.global.shared::cta[.tile].bulk_group  [%rd2,{{%r1,%r2,%r3}}] [%rd1]
cp.reduce.async.bulk.tensor.3d.global.shared::cta(.add|.min|.max|.inc|.dec|.and|.or|.xor)[.tile].bulk_group  [%rd2,{{%r1,%r2,%r3}}] [%rd1]
cp.async.bulk.prefetch.tensor.3d.L2.global[.tile]  [%rd2,{{%r1,%r2,%r3}}]
cp.async.bulk.tensor.4d(.shared::cluster|.shared::cta).global[.tile].mbarrier::complete_tx::bytes  [%rd1] [%rd2,{{%r1,%r2,%r3,%r4}}] [%rd3]
cp.async.bulk.tensor.4d.shared::cluster.global[.tile].mbarrier::complete_tx::bytes.multicast::cluster  [%rd1] [%rd2,{{%r1,%r2,%r3,%r4}}] [%rd3] %h1
cp.async.bulk.tensor.4d.shared::cluster.global[.tile].mbarrier::complete_tx::bytes.L2::cache_hint  [%rd1] [%rd2,{{%r1,%r2,%r3,%r4}}] [%rd3] %rd4
cp.async.bulk.tensor.4d.global.shared::cta[.tile].bulk_group  [%rd2,{{%r1,%r2,%r3,%r4}}] [%rd1]
cp.reduce.async.bulk.tensor.4d.global.shared::cta(.add|.min|.max|.inc|.dec|.and|.or|.xor)[.tile].bulk_group  [%rd2,{{%r1,%r2,%r3,%r4}}] [%rd1]
cp.async.bulk.prefetch.tensor.4d.L2.global[.tile]  [%rd2,{{%r1,%r2,%r3,%r4}}]
cp.async.bulk.tensor.5d(.shared::cluster|.shared::cta).global[.tile].mbarrier::complete_tx::bytes  [%rd1] [%rd2,{{%r1,%r2,%r3,%r4,%r5}}] [%rd3]
cp.async.bulk.tensor.5d.shared::cluster.global[.tile].mbarrier::complete_tx::bytes.multicast::cluster  [%rd1] [%rd2,{{%r1,%r2,%r3,%r4,%r5}}] [%rd3] %h1
cp.async.bulk.tensor.5d.shared::cluster.global[.tile].mbarrier::complete_tx::bytes.L2::cache_hint  [%rd1] [%rd2,{{%r1,%r2,%r3,%r4,%r5}}] [%rd3] %rd4
cp.async.bulk.tensor.5d.global.shared::cta[.tile].bulk_group  [%rd2,{{%r1,%r2,%r3,%r4,%r5}}] [%rd1]
cp.reduce.async.bulk.tensor.5d.global.shared::cta(.add|.min|.max|.inc|.dec|.and|.or|.xor)[.tile].bulk_group  [%rd2,{{%r1,%r2,%r3,%r4,%r5}}] [%rd1]
cp.async.bulk.prefetch.tensor.5d.L2.global[.tile]  [%rd2,{{%r1,%r2,%r3,%r4,%r5}}]
prefetch[.const|.param].tensormap  [%rd1]
red.async[.relaxed][.cluster][.shared::cluster].mbarrier::complete_tx::bytes(.inc|.dec|.min|.max|.add|.and|.or|.xor)<T:.u32|.s32|.b32|.u64|.s64|.b64>  [%rd1] T [%rd2]
tensormap.replace.tile(.global_address|.rank|.elemtype|.interleave_layout|.swizzle_mode|.fill_mode)[.global|.shared::cta].b1024(.b32|.b64)  [%rd1] 1
tensormap.replace.tile.global_address[.global|.shared::cta].b1024.b64  [%rd1] %rd2
tensormap.replace.tile(.box_dim|.global_dim|.element_stride)[.global|.shared::cta].b1024.b32  [%rd1] 0 %r1
tensormap.replace.tile.global_stride[.global|.shared::cta].b1024.b64  [%rd1] 0 %rd2
fence.proxy.tensormap::generic.release(.cta|.cluster|.gpu|.sys)
fence.proxy.tensormap::generic.acquire(.cta|.cluster|.gpu|.sys)  [%rd1] 128
tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release(.cta|.cluster|.gpu|.sys).sync.aligned  [%rd1] [%rd2] 128
"""

FILES = {8: "h", 16: "h", 32: "r", 64: "rd", 128: "rq"}


def register(kind, number):
    """The register of a type."""
    kind = kind.lstrip(".")
    if kind == "pred":
        return f"%p{number}"
    if kind in ("f32", "f64"):
        return f"%f{number}" if kind == "f32" else f"%fd{number}"
    return f"%{FILES[32 if kind.endswith('x2') else int(re.search('[0-9]+', kind).group())]}{number}"


def spellings():
    """(opcode, operands) of each line of the grammar."""
    for line in GRAMMAR.strip().splitlines():
        form, _, operands = line.partition("  ")
        parts = []
        for found in re.finditer(r"\(([^)]*)\)|\[([^]]*)\]|<(\w):([^>]*)>|([^(\[<]+)", form):
            one, maybe, name, named, literal = found.groups()
            choices = one if one is not None else maybe if maybe is not None else named if named else literal
            parts.append([(name, c) for c in ([""] if maybe is not None else []) + choices.split("|")])
        for chosen in itertools.product(*parts):
            types = {name: choice for name, choice in chosen if name}
            opcode = "".join(choice for _, choice in chosen)

            def operand(match, types=types, chosen=chosen):
                return register(types[match.group(1)], match.group(2) or str(operand.next()))

            counter = itertools.count(1)
            operand.next = lambda counter=counter: next(counter)
            text = re.sub(r"(?<![\w%])([TSC])([0-9]?)(?!\w)", operand, operands)
            if "%D" in text:  # set: the first of two types
                result = [c for n, c in chosen if c.startswith(".") and not n and re.fullmatch(r"\.[usbf]+[0-9]+(x2)?", c)]
                text = text.replace("%D", register(result[0], 9))
            yield opcode, text.replace(" ", ", ") if "{" not in text else ", ".join(text.split(" "))


def other_orders(opcode):
    """What ptxas takes beside the manual's spelling: two neighbouring modifiers in the other order."""
    name, *modifiers = re.findall(r"\.?[^.]+", opcode)
    for i in range(len(modifiers) - 1):
        swapped = modifiers[:i] + [modifiers[i + 1], modifiers[i]] + modifiers[i + 2:]
        yield name + "".join(swapped)


def all_spellings():
    """The manual's; in another order where they are rare enough to try: one of each shape."""
    known = dict.fromkeys(spellings())
    shapes = set()
    for opcode, operands in list(known):
        shape = re.sub(r"[0-9]+", "0", opcode)
        if shape in shapes or opcode.startswith(("cvt", "set")):
            continue
        shapes.add(shape)
        known.update((other, None) for other in ((o, operands) for o in other_orders(opcode)))
    return list(known)


HEAD = """.version 8.8
.target sm_90a
.address_size 64
"""
REGISTERS = ".reg .pred %p<9>; .reg .b16 %h<12>; .reg .b32 %r<12>; .reg .f32 %f<12>; .reg .b64 %rd<12>; .reg .f64 %fd<12>; .reg .b128 %rq<12>;"


def kernels(tried):
    """One kernel a line, from line 4 on."""
    lines = [f".visible .entry k{i}() {{ {REGISTERS} {opcode} {operands}; ret; }}"
             for i, (opcode, operands) in enumerate(tried)]
    return HEAD + "\n".join(lines) + "\n"


#: ptxas reports the errors of all lines, and after one it makes no code, which would take minutes.
LAST = ".visible .entry last() { no_such_instruction; }\n"


def refused_by_ptxas(ptxas, tried, folder):
    """Numbers of those that ptxas refuses. What it cannot parse at all hides the lines behind: it is taken out."""
    refused, path = set(), os.path.join(folder, "spellings.ptx")
    while True:
        left = [i for i in range(len(tried)) if i not in refused]
        with open(path, "w") as out:
            out.write(kernels([tried[i] for i in left]) + LAST)
        text = subprocess.run([ptxas, "-arch=sm_90a", "-O0", path, "-o", os.devnull], capture_output=True, text=True).stderr
        found = {left[int(n) - 4] for n in re.findall(r"line (\d+); (?:error|fatal)", text) if int(n) < len(left) + 4}
        hidden = re.search(r"Parsing error|syntax error", text)
        refused |= found
        if hidden and not found:
            sys.exit("ptxas: " + text[-2000:])
        if not hidden:
            return refused


def refused_by_simulator(probe, tried, folder):
    path = os.path.join(folder, "spellings.ptx")
    with open(path, "w") as out:
        out.write(kernels(tried))
    text = subprocess.run([probe, path], check=True, capture_output=True, text=True).stdout
    return {int(line.split()[0][1:]) for line in text.splitlines()}


def main():
    ptxas, probe, pinned = sys.argv[1:4]
    version = subprocess.run([ptxas, "--version"], check=True, capture_output=True, text=True).stdout
    version = "# ptxas " + re.search(r"V[0-9.]+", version).group()
    if "--write" not in sys.argv:
        with open(pinned) as known:
            old = known.read().splitlines()
        if old[0] != version:
            print(f"{pinned} is of another version: {old[0]}, not {version}")
            return 77
    tried = all_spellings()
    with tempfile.TemporaryDirectory() as folder:
        by_ptxas = refused_by_ptxas(ptxas, tried, folder)
        by_us = refused_by_simulator(probe, tried, folder)
    said = lambda i: " ".join(tried[i])
    differ = sorted({f"ptxas {said(i)}" for i in by_us - by_ptxas} | {f"gpulab {said(i)}" for i in by_ptxas - by_us})
    print(f"{len(tried)} spellings: ptxas takes {len(tried) - len(by_ptxas)}, the simulator {len(tried) - len(by_us)}; "
          f"{len(by_us - by_ptxas)} by ptxas alone, {len(by_ptxas - by_us)} by the simulator alone")
    if "--write" in sys.argv:
        with open(pinned, "w") as out:
            out.write("\n".join([version] + differ) + "\n")
        return 0
    for line in sorted(set(differ) ^ set(old[1:])):
        print(("new: " if line in differ else "gone: ") + line)
    return int(differ != old[1:])


if __name__ == "__main__":
    sys.exit(main())
