"""The lab of several GPUs as on real ones, by the driver's API and NCCL, which are the simulator's here: contexts, peers, copies, marks."""
import json
import pathlib
import subprocess

SHOW = '#include <cstdio>\n#include <cstdlib>\nint main() { puts(std::getenv("GPULAB_EXEC")); }\n'


def labs(tests, run, environment):
    lent = pathlib.Path(tests.binary).parent
    preloaded = [*sorted(lent.glob("cuda_runtime/libcudart.so.*")), lent / "cuda_runtime/libcuda.so.1"]
    nccl = lent / "cuda_libraries/libnccl.so.2"
    if not nccl.exists() or tests.word not in "several_gpus: allreduce":
        return
    (tests.folder / "options.cu").write_text(SHOW)
    options = json.loads(run([tests.binary, "exec", "--gpus", "3", "--no-counters", "--env", "GPULAB_EXEC", "options.cu"], tests.folder).stdout)
    options[1] = ""  # no record
    own = {**environment, "GPULAB_EXEC": json.dumps(options), "LD_PRELOAD": ":".join(map(str, preloaded)), "GPULAB_NCCL": str(nccl)}
    command = [tests.binary, "allreduce", "--device", "gpu", "--variant", "all", "--gpus", "2,3,4", "--n", "4099", "--reps", "1", "--warmup", "0",
               "--format", "json"]
    ran = subprocess.run(command, cwd=tests.folder, capture_output=True, text=True, timeout=300, env=own, check=False)
    results = json.loads(ran.stdout)["results"] if ran.stdout.startswith("{") else []
    for gpus, status, message in ((2, "ok", ""), (3, "ok", ""), (4, "skipped", "it takes 4 GPUs, and there are 3; --device sim has them")):
        got = {r["variant"]: (r["status"], r["message"]) for r in results if r["params"]["gpus"] == gpus}
        wrong = {name: one for name, one in got.items() if one != (status, message)}
        tests.note(f"several_gpus: allreduce on {gpus} GPUs", f"{wrong or 'nothing'} {ran.stderr[:500]}" if wrong or len(got) != 8 else "")
