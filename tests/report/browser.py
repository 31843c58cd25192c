# SPDX-License-Identifier: BSD-3-Clause
"""A headless Chromium that is told what to do over a pipe, by its DevTools protocol. Python's own library is enough."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")


def find():
    """Path of a Chromium: DYNASCOPE_TEST_BROWSER, or the first that PATH has; None without one."""
    chosen = os.environ.get("DYNASCOPE_TEST_BROWSER")
    if chosen:
        return chosen
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """One page. What its console says and what it asks of a network is kept."""

    def __init__(self, program, width=1600, height=1000):
        self.profile = tempfile.mkdtemp(prefix="dynascope-browser-")
        to_read, self.to = os.pipe()
        self.of, to_write = os.pipe()

        def fds():
            # Chromium reads commands from 3 and writes to 4; neither may be overwritten by the other.
            read, write = os.dup(to_read), os.dup(to_write)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--hide-scrollbars", "--mute-audio",
             f"--window-size={width},{height}", f"--user-data-dir={self.profile}", "--remote-debugging-pipe", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=fds)
        os.close(to_read)
        os.close(to_write)
        self.buffer, self.next, self.session = b"", 0, None
        self.complaints, self.requests, self.loaded = [], [], False
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.resize(width, height)

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        except (EOFError, OSError, TimeoutError):
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.of)
        shutil.rmtree(self.profile, ignore_errors=True)

    def _message(self, until):
        while b"\0" not in self.buffer:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.of], [], [], left)[0]:
                raise TimeoutError("Chromium does not answer")
            piece = os.read(self.of, 1 << 20)
            if not piece:
                raise EOFError("Chromium has ended")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def _keep(self, message):
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.complaints.append(" ".join(str(one.get("value", one.get("description"))) for one in params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.complaints.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Page.loadEventFired":
            self.loaded = True

    def call(self, method, timeout=60, **params):
        self.next += 1
        command = {"id": self.next, "method": method, "params": params}
        if self.session:
            command["sessionId"] = self.session
        data = json.dumps(command).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        until = time.monotonic() + timeout
        while True:
            message = self._message(until)
            if message.get("id") == self.next:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self._keep(message)

    def open(self, path, timeout=60):
        self.loaded = False
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        until = time.monotonic() + timeout
        while not self.loaded:
            self._keep(self._message(until))

    def run(self, script):
        """The value of an expression of JavaScript, which may be a promise."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def media(self, kind="", dark=False):
        self.call("Emulation.setEmulatedMedia", media=kind,
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def click(self, selector):
        """With the mouse, where the element is: what covers it gets the click, as a reader's would."""
        x, y = self.run(f"""(() => {{
            const at = document.querySelector({json.dumps(selector)});
            at.scrollIntoView({{block: 'center', inline: 'center'}});
            const box = at.getBoundingClientRect();
            return [box.left + Math.min(box.width / 2, 60), box.top + Math.min(box.height / 2, 12)];
        }})()""")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key, text="", code=0):
        down = {"type": "keyDown", "key": key, "windowsVirtualKeyCode": code or ord(key[0].upper())}
        if text:
            down["text"] = text
        self.call("Input.dispatchKeyEvent", **down)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=down["windowsVirtualKeyCode"])

    def type(self, text):
        self.call("Input.insertText", text=text)

    def shot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
