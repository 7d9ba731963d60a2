#!/usr/bin/env python3
"""check_schema.py BINARY NAME: the document on standard input against `gpulab schema NAME`. Needs python3-jsonschema;
without it, only that the document is JSON and of that name is checked, and said."""
import json
import os
import subprocess
import sys

SYSTEM = "/usr/bin/python3"  # whose modules Debian's packages are; PATH may have another Python first
try:
    import jsonschema
except ImportError:
    jsonschema = None
    if os.path.realpath(sys.executable) != os.path.realpath(SYSTEM) and os.path.exists(SYSTEM):
        os.execv(SYSTEM, [SYSTEM, *sys.argv])

document = json.load(sys.stdin)
schema = json.loads(subprocess.run([sys.argv[1], "schema", sys.argv[2]], capture_output=True, check=True).stdout)
assert document["schema"] == schema["properties"]["schema"]["const"], document["schema"]
if jsonschema is None:
    print("valid", "(python3-jsonschema is missing: only its name was checked)", file=sys.stderr)
else:
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(document)
print("valid")
