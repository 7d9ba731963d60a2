"""A headless Chromium, driven through a pipe by the DevTools protocol: no framework, no network."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time


def program():
    return next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)


class Browser:
    def __enter__(self):
        self.folder = tempfile.mkdtemp()
        to_them, self.out = os.pipe()
        self.inn, from_them = os.pipe()

        def wire():
            os.dup2(to_them, 3)
            os.dup2(from_them, 4)

        self.process = subprocess.Popen(
            [program(), "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--hide-scrollbars",
             "--no-first-run", "--disable-background-networking", f"--user-data-dir={self.folder}", "about:blank"],
            preexec_fn=wire, pass_fds=(3, 4), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        os.close(to_them)
        os.close(from_them)
        self.buffer, self.number, self.events = b"", 0, []
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(t for t in targets if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Accessibility", "Network"):
            self.page(f"{domain}.enable")
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
            self.process.wait(10)
        except Exception:  # it has gone, or does not answer
            self.process.kill()
        os.close(self.out)
        os.close(self.inn)
        shutil.rmtree(self.folder, ignore_errors=True)

    def message(self):
        while b"\0" not in self.buffer:
            piece = os.read(self.inn, 1 << 20)
            if not piece:
                raise RuntimeError("Chromium has ended")
            self.buffer += piece
        line, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(line)

    def call(self, method, session=None, **params):
        self.number += 1
        request = {"id": self.number, "method": method, "params": params}
        if session:
            request["sessionId"] = session
        os.write(self.out, json.dumps(request).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def page(self, method, **params):
        return self.call(method, self.session, **params)

    def size(self, width, height, dark=False):
        self.page("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
        self.page("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, path):
        self.page("Page.navigate", url="about:blank")
        self.page("Page.navigate", url="file://" + str(path))
        for _ in range(400):
            if self.run("document.readyState === 'complete' && !location.href.startsWith('about:')"):
                return
            time.sleep(0.05)
        raise RuntimeError(f"{path} does not load")

    def wait(self, expression):
        for _ in range(600):
            if self.run(expression):
                return
            time.sleep(0.05)
        raise RuntimeError(f"never true: {expression}")

    def run(self, expression):
        answer = self.page("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:2000])
        return answer["result"].get("value")

    def key(self, key, text=None):
        text = text if text is not None else key if len(key) == 1 else ""
        for kind in ("keyDown", "keyUp"):
            self.page("Input.dispatchKeyEvent", type=kind, key=key, text=text if kind == "keyDown" else "")

    def picture(self, path, whole=False):
        data = self.page("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def complaints(self):
        """What the console has said of errors and warnings, and what was asked of the network."""
        found = []
        for event in self.events:
            params = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                found.append(json.dumps(params["exceptionDetails"])[:500])
            if event.get("method") == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                found.append(params["entry"]["text"])
            if event.get("method") == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
                found.append(json.dumps(params["args"])[:500])
            if event.get("method") == "Network.requestWillBeSent" and params["request"]["url"].startswith("http"):
                found.append("asks the network for " + params["request"]["url"])
        return found
