"""`gpulab mcp` as a process that tests talk to, a line at a time, without any client library."""
import json
import os
import queue
import subprocess
import threading

MODERN, HANDSHAKE = "2026-07-28", "2025-11-25"
META = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}


class Server:
    def __init__(self, gpulab, *options, folder=None, environment=None):
        self.process = subprocess.Popen([gpulab, "mcp", *options], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env={**os.environ, **(environment or {})})
        self.lines, self.notifications, self.log = queue.Queue(), [], []
        self.number = 0
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=lambda: self.log.extend(self.process.stderr), daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        code = self.process.wait(10)
        for stream in (self.process.stdout, self.process.stderr):
            stream.close()
        return False if code == 0 else None

    def send(self, message):
        self.raw(json.dumps(message).encode() + b"\n")

    def raw(self, line):
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def message(self, timeout=60):
        line = self.lines.get(timeout=timeout)
        assert line is not None, "the server has ended"
        assert line.endswith(b"\n") and b"\n" not in line[:-1]
        return json.loads(line)

    def answer(self, number, timeout=60):
        """The answer to that request; notifications are kept."""
        while True:
            message = self.message(timeout)
            if "method" in message:
                self.notifications.append(message)
                continue
            assert message.get("id") == number, message
            return message

    def request(self, method, params=None, meta=META):
        """Sends it and gives its id."""
        self.number += 1
        params = dict(params or {})
        if meta is not None:
            params["_meta"] = {**meta, **params.get("_meta", {})}
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        return self.number

    def ask(self, method, params=None, meta=META):
        return self.answer(self.request(method, params, meta))

    def call(self, tool, meta=META, **arguments):
        """The result of a tool's call."""
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments}, meta)
        assert "result" in answer, answer
        return answer["result"]

    def text(self, tool, **arguments):
        """What a call says that must be an error of ours."""
        result = self.call(tool, **arguments)
        assert result["isError"] is True and "structuredContent" not in result, result
        return result["content"][0]["text"]

    def shake_hands(self):
        answer = self.ask("initialize", {"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
                          meta=None)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer["result"]
