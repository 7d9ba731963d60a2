"""claim_time.py FROM TO N MS: a simulator's document as if an H200 had timed it, at another size."""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    document = json.load(file)
document["device"].update(kind="gpu", name="NVIDIA H200")
ms = float(sys.argv[4])
for result in document["results"]:
    result["params"]["n"] = int(sys.argv[3])
    result["timing"] = {"source": "cuda_events", "mode": "cold", "samples": 31, "q1_ms": ms, "median_ms": ms, "q3_ms": ms}
with open(sys.argv[2], "w", encoding="utf-8") as file:
    json.dump(document, file)
