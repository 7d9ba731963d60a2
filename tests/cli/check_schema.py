#!/usr/bin/env python3
"""check_schema.py BINARY NAME: the document on standard input against `gpulab schema NAME`. Needs python3-jsonschema;
without it, only that the document is JSON and of that name is checked, and said."""
import json
import subprocess
import sys

document = json.load(sys.stdin)
schema = json.loads(subprocess.run([sys.argv[1], "schema", sys.argv[2]], capture_output=True, check=True).stdout)
assert document["schema"] == schema["properties"]["schema"]["const"], document["schema"]
try:
    import jsonschema
except ImportError:
    print("valid", "(python3-jsonschema is missing: only its name was checked)", file=sys.stderr)
else:
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(document)
print("valid")
