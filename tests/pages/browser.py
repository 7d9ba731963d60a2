"""Chromium, driven by a pipe in its DevTools protocol: https://chromedevtools.github.io/devtools-protocol/"""
import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


def program():
    """Chromium's path, or None."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Browser:
    """One window. `complaints`: what pages wrote to the console, and errors of theirs."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory()
        to_it, self.write_end = os.pipe()
        self.read_end, from_it = os.pipe()

        def as_three_and_four():  # where it looks for them
            asks, answers = (fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (to_it, from_it))  # out of the way
            os.dup2(asks, 3)
            os.dup2(answers, 4)

        self.process = subprocess.Popen(
            [program(), "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
             "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}", "about:blank"],
            preexec_fn=as_three_and_four, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_it)
        os.close(from_it)
        self.number, self.rest, self.complaints, self.session = 0, b"", [], None
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(one["targetId"] for one in targets if one["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Accessibility"):
            self.call(domain + ".enable")

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.write_end)
        os.close(self.read_end)
        self.profile.cleanup()

    def message(self):
        deadline = time.monotonic() + 60
        while b"\0" not in self.rest:
            if not select.select([self.read_end], [], [], max(0, deadline - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            got = os.read(self.read_end, 1 << 16)
            if not got:
                raise EOFError("the browser ended")
            self.rest += got
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
            if got.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled"):
                self.complaints.append(json.dumps(got["params"])[:400])

    def value(self, expression):
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def show(self, file, width, height, scheme="light", media=""):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", url=f"file://{file}")
        deadline = time.monotonic() + 30
        while self.value("document.readyState + location.href") != f"complete{'file://' + str(file)}":
            if time.monotonic() > deadline:
                raise TimeoutError(f"{file} does not load")
            time.sleep(0.02)

    def press(self, key, code=0, modifiers=0):
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, modifiers=modifiers)

    def picture(self, file, whole=False):
        with open(file, "wb") as out:
            shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
            out.write(base64.b64decode(shot["data"]))
