#!/usr/bin/env python3
"""`gpulab mcp` under the client of PyPI's package mcp (2.3 or newer), in both revisions of the protocol; and how long a call
of a kernel of fifty lines takes when it has been compiled. The client holds each answer against the tool's output schema.

usage: pypi_client.py GPULAB [CALLS]     by a Python that has the package; without it: exit code 77
"""
import asyncio
import os
import sys
import time

try:
    import mcp
    from mcp import Client, StdioServerParameters
except ImportError:
    print("skipped: the package mcp is not there (pip install mcp)")
    sys.exit(77)

GPULAB = os.path.abspath(sys.argv[1])
CALLS = int(sys.argv[2]) if len(sys.argv) > 2 else 20
# A tiled transpose in fifty lines, most of them its comment.
SOURCE = "\n".join("// line %d" % i for i in range(34)) + """
__global__ void transpose(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (x < cols && y + k < rows)
      tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * cols + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (x < rows && y + k < cols)
      out[(y + k) * rows + x] = tile[threadIdx.x][threadIdx.y + k];
}
"""
LAUNCH = {"source": SOURCE, "grid": "4x4", "block": "32x8",
          "arguments": ["in:f32[16384]=iota", "out:f32[16384]=zeros", "rows:i32=128", "cols:i32=128"]}
CHECK = {"lab": "transpose", "source": "// gpulab: block 32x8 for 32x32\n" + SOURCE}


async def use(mode):
    told = []

    async def progress(value, total, message):
        told.append((value, total, message))

    async with Client(StdioServerParameters(command=GPULAB, args=["mcp"], env=dict(os.environ)), mode=mode) as client:
        tools = (await client.list_tools()).tools
        print(f"{mode}: {len(tools)} tools: {', '.join(tool.name for tool in tools)}")
        right = await client.call_tool("check_kernel", CHECK, progress_callback=progress)
        assert not right.is_error and right.structured_content["document"]["status"] == "passed", right
        assert told and told[0][2].startswith("check_kernel"), told
        bad = await client.call_tool("check_kernel", {"lab": "nothing", "source": "x"})
        assert bad.is_error and bad.structured_content is None, bad
        for name, arguments in [("list_labs", {}), ("capabilities", {}), ("explain_term", {"term": "warp"}), ("explain", LAUNCH)]:
            answer = await client.call_tool(name, arguments)
            assert not answer.is_error, answer
        for name, arguments in (("run_kernel", LAUNCH), ("check_kernel", CHECK)):
            times = []
            for i in range(CALLS + 1):  # the first one compiles
                start = time.monotonic()
                answer = await client.call_tool(name, arguments)
                assert not answer.is_error, answer
                times.append(time.monotonic() - start)
            times = sorted(times[1:])
            print(f"{mode}: {name}, {CALLS} calls: median {times[len(times) // 2]:.2f} s, p95 {times[int(len(times) * 0.95) - 1]:.2f} s")


print("mcp", getattr(mcp, "__version__", "?"))
for mode in ("legacy", "auto", "2026-07-28"):
    asyncio.run(use(mode))
