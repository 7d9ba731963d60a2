"""change_document.py FROM TO: a run's document with its first result slower, its second wrong, and its third gone."""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    document = json.load(file)
slow, wrong = document["results"][:2]
slow["counters"]["warp_instructions"] = 9000000
slow["model"].update(time_ms=0.5, low_ms=0.4, high_ms=0.6)
wrong.update(status="wrong", message="out[0] is 1, not 2")
document["results"] = [slow, wrong]
with open(sys.argv[2], "w", encoding="utf-8") as file:
    json.dump(document, file)
