"""A headless Chromium, driven through a pipe by its DevTools protocol (https://chromedevtools.github.io/devtools-protocol/):
no framework, no network."""
import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PATIENCE = 60  # seconds for an answer
KEYS = {"Tab": 9, "Enter": 13}  # what Chromium does by itself it does by their numbers


def program():
    """Chromium's path, or None."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Browser:
    """One window."""

    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_it, self.write_end = os.pipe()
        self.read_end, from_it = os.pipe()

        def as_three_and_four():  # where it looks for them
            asks, answers = (fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (to_it, from_it))  # out of the way
            os.dup2(asks, 3)
            os.dup2(answers, 4)

        self.process = subprocess.Popen(
            [program(), "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
             "--disable-background-networking", "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}", "about:blank"],
            preexec_fn=as_three_and_four, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_it)
        os.close(from_it)
        self.rest, self.number, self.events, self.session = b"", 0, [], None
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(one["targetId"] for one in targets if one["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.write_end)
        os.close(self.read_end)
        self.profile.cleanup()

    def message(self):
        deadline = time.monotonic() + PATIENCE
        while b"\0" not in self.rest:
            if not select.select([self.read_end], [], [], max(0, deadline - time.monotonic()))[0]:
                raise TimeoutError("Chromium does not answer")
            piece = os.read(self.read_end, 1 << 20)
            if not piece:
                raise EOFError("Chromium has ended")
            self.rest += piece
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def call(self, method, **parameters):
        self.number += 1
        asked = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            asked["sessionId"] = self.session
        os.write(self.write_end, json.dumps(asked).encode() + b"\0")
        while True:
            got = self.message()
            if got.get("id") == self.number:
                if "error" in got:
                    raise RuntimeError(f"{method}: {got['error']}")
                return got["result"]
            self.events.append(got)

    def run(self, expression):
        """What it comes to; a promise is waited for."""
        got = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in got:
            raise RuntimeError(json.dumps(got["exceptionDetails"])[:2000])
        return got["result"].get("value")

    def wait(self, expression):
        deadline = time.monotonic() + PATIENCE
        while not self.run(expression):
            if time.monotonic() > deadline:
                raise TimeoutError(f"never true: {expression}")
            time.sleep(0.02)

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)

    def open(self, file, width=1280, height=900, dark=False, media=""):
        """A file on a screen of that size. What pages before it said is forgotten."""
        self.size(width, height)
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url="about:blank")  # the same file once more is a new page, too
        self.events.clear()
        self.call("Page.navigate", url=f"file://{file}")
        self.wait("document.readyState === 'complete' && location.protocol === 'file:'")

    def key(self, key):
        text = {"Enter": "\r", "Tab": ""}.get(key, key if len(key) == 1 else "")
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, text=text if kind == "keyDown" else "",
                      windowsVirtualKeyCode=KEYS.get(key, 0))

    def heard(self):
        """The accessibility tree, without what it ignores."""
        self.call("Accessibility.enable")  # only now: a page that is listened to is slower
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        self.call("Accessibility.disable")
        return [(node["role"]["value"], node.get("name", {}).get("value", ""))
                for node in nodes if "role" in node and not node.get("ignored")]

    def picture(self, file, whole=False):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(file, "wb") as out:
            out.write(base64.b64decode(data))

    def complaints(self):
        """What the console has said of errors and warnings since the page was opened, and what was asked of the network."""
        found = []
        for event in self.events:
            method, params = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(json.dumps(params["exceptionDetails"])[:500])
            if method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                found.append(params["entry"]["text"])
            if method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
                found.append(json.dumps(params["args"])[:500])
            if method == "Network.requestWillBeSent" and params["request"]["url"].startswith("http"):
                found.append("asks the network for " + params["request"]["url"])
        return found
