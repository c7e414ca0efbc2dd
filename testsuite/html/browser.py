# SPDX-License-Identifier: GPL-3.0-or-later
"""Chromium, steered through pipes by the DevTools protocol: JSON, each message ended by a NUL.

page(target) opens a file or an address in a window of its own, with nothing kept from others. What
it writes to its console, what fails in it, and each request that it makes is kept; page.close()
raises lab.Failure for any error, and for any request that is not the page itself. One browser
process serves all tests. A page waits for conditions, with long deadlines: machines are busy.
"""
import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
import urllib.parse

import lab

HERE = os.path.dirname(os.path.abspath(__file__))
PICTURES = os.path.join(lab.BUILD, "html")  # for people to look at
PATIENCE = 120  # seconds, of an answer and of a condition
FLAGS = """--headless=new --no-sandbox --remote-debugging-pipe --disable-gpu --hide-scrollbars --no-first-run
--no-default-browser-check --disable-background-networking --disable-component-update
--disable-default-apps --disable-sync --disable-extensions --disable-dev-shm-usage
--password-store=basic --use-mock-keychain --force-color-profile=srgb
--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider --lang=en-US""".split()
FLAGS.append(  # nobody is asked
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost")
MODIFIERS = {"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}
# key: (code, number, text)
KEYS = {"Enter": ("Enter", 13, "\r"), "Escape": ("Escape", 27, ""), "Tab": ("Tab", 9, ""), "Backspace": ("Backspace", 8, ""),
        "Delete": ("Delete", 46, ""), "Home": ("Home", 36, ""), "End": ("End", 35, ""), "PageUp": ("PageUp", 33, ""),
        "PageDown": ("PageDown", 34, ""), "ArrowLeft": ("ArrowLeft", 37, ""), "ArrowUp": ("ArrowUp", 38, ""),
        "ArrowRight": ("ArrowRight", 39, ""), "ArrowDown": ("ArrowDown", 40, ""), " ": ("Space", 32, " ")}
THE_ONE = []


class Gone(lab.Failure):
    """The browser itself ended."""


def page(target, **how):
    """A new page of the browser, which is started for the first one, or after it was killed."""
    if THE_ONE and THE_ONE[0].process.poll() is not None:
        end()
    if not THE_ONE:
        THE_ONE.append(Browser())
    return Page(THE_ONE[0], target, **how)


def end():
    while THE_ONE:
        THE_ONE.pop().end()


class Browser:
    def __init__(self):
        program = shutil.which("chromium") or shutil.which("chromium-browser") or lab.need("chromium")
        self.folder = tempfile.mkdtemp(prefix="cinstr-chromium-")
        theirs_in, self.out = os.pipe()
        self.into, theirs_out = os.pipe()
        theirs = [fcntl.fcntl(number, fcntl.F_DUPFD, 10) for number in (theirs_in, theirs_out)]
        os.close(theirs_in)
        os.close(theirs_out)

        def pipes():
            os.dup2(theirs[0], 3)
            os.dup2(theirs[1], 4)

        with open(os.path.join(self.folder, "log"), "w") as log:
            self.process = subprocess.Popen([program, *FLAGS, f"--user-data-dir={self.folder}/profile"], stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=log, cwd=self.folder, preexec_fn=pipes, close_fds=False,
                                            env=dict(os.environ, HOME=self.folder, TZ="UTC"), start_new_session=True)
        for number in theirs:
            os.close(number)
        self.number, self.pages, self.answers, self.rest = 0, {}, {}, b""
        self.version = self.call("Browser.getVersion")["product"]

    def end(self):
        """And of all that it started."""
        try:
            os.killpg(self.process.pid, 9)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.out)
        os.close(self.into)
        for _ in range(20):  # its children die after it, and may write until then
            shutil.rmtree(self.folder, ignore_errors=True)
            if not os.path.exists(self.folder):
                break
            time.sleep(0.05)

    def said(self):
        with open(os.path.join(self.folder, "log"), errors="replace") as file:
            return file.read()[-1000:]

    def send(self, method, session, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        try:
            while data:
                data = data[os.write(self.out, data):]
        except BrokenPipeError:
            raise Gone(f"chromium ended: {self.said()}") from None
        return self.number

    def call(self, method, session=None, seconds=PATIENCE, **parameters):
        number = self.send(method, session, **parameters)
        end = time.monotonic() + seconds
        while number not in self.answers:
            left = end - time.monotonic()
            lab.check(left > 0, f"chromium: no answer to {method} in {seconds} s")
            self.listen(left)
        answer = self.answers.pop(number)
        lab.check("error" not in answer, f"chromium: {method}: {answer.get('error', {}).get('message')}")
        return answer["result"]

    def listen(self, seconds):
        """To what comes within this time."""
        if not select.select([self.into], [], [], seconds)[0]:
            return
        data = os.read(self.into, 1 << 20)
        if not data:
            raise Gone(f"chromium ended: {self.said()}")
        *messages, self.rest = (self.rest + data).split(b"\0")
        for message in messages:
            message = json.loads(message)
            if "id" in message:
                self.answers[message["id"]] = message
            elif message.get("sessionId") in self.pages:
                self.pages[message["sessionId"]].heard(message["method"], message["params"])


class Page:
    """Of a window of its own. with: it is closed, and what it must not have done is a Failure."""

    def __init__(self, browser, target, width=1280, height=800, dark=False, wait=None, allowed=()):
        self.browser, self.errors, self.requests, self.loaded, self.allowed = browser, [], [], False, allowed
        self.answers_of = {}
        self.context = browser.call("Target.createBrowserContext")["browserContextId"]
        self.target = browser.call("Target.createTarget", url="about:blank", browserContextId=self.context)["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        browser.pages[self.session] = self
        for domain in "Page", "Runtime", "Log", "Network":
            self.call(domain + ".enable")
        self.viewport(width, height)
        self.scheme("dark" if dark else "light")
        self.go(target)
        if wait:
            self.wait(wait)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.close(judge=kind is None)

    def close(self, judge=True):
        if self.session:
            self.browser.pages.pop(self.session)
            self.session = None
            self.browser.call("Target.disposeBrowserContext", browserContextId=self.context)
        if judge:
            self.judge()

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def heard(self, method, told):
        if method == "Runtime.exceptionThrown":
            details = told["exceptionDetails"]
            place = f"{details.get('lineNumber', 0) + 1}:{details.get('columnNumber', 0) + 1}"
            self.errors.append(f"{place}: {details.get('exception', {}).get('description') or details['text']}")
        elif method == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning", "assert"):
            self.errors.append(" ".join(str(a.get("value", a.get("description"))) for a in told["args"]))
        elif method == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
            self.errors.append(f"{told['entry']['text']} {told['entry'].get('url', '')}")
        elif method == "Network.requestWillBeSent":
            self.requests.append(told["request"]["url"])
        elif method == "Network.responseReceived":
            self.answers_of[told["response"]["url"]] = told["response"]
        elif method == "Page.loadEventFired":
            self.loaded = True

    def judge(self):
        lab.check(not self.errors, "errors in the page:\n" + "\n".join(self.errors[:5]))
        lab.check(not self.foreign(), f"requests that are not the page itself: {self.foreign()[:5]}")

    def foreign(self):
        """Requests of what the page does not hold; allowed: how addresses of its own
        server begin."""
        ours = self.address.partition("#")[0]
        return [url[:200] for url in self.requests
                if url.split("#")[0] != ours and not url.startswith(("data:", "blob:", *self.allowed))]

    # ---- where and how -------------------------------------------------------------------------

    def go(self, target):
        """Opens a file or an address. Only the part behind # differs: the page stays, and gets to
        know."""
        has_scheme = target.startswith(("http://", "https://", "file://", "data:"))
        path, _, state = (target, "", "") if os.path.exists(target) else target.partition("#")
        self.address = target if has_scheme else "file://" + urllib.parse.quote(path) + (f"#{state}" if state else "")
        self.loaded = False
        went = self.call("Page.navigate", url=self.address)
        lab.check(not went.get("errorText"), f"chromium cannot open {self.address}: {went.get('errorText')}")
        if went.get("loaderId"):
            lab.wait_for(self.has_loaded, f"{self.address} does not load", PATIENCE)

    def has_loaded(self):
        self.browser.listen(0.05)
        return self.loaded

    def reload(self):
        self.loaded = False
        self.call("Page.reload")
        lab.wait_for(self.has_loaded, f"{self.address} does not load again", PATIENCE)

    def viewport(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def scheme(self, name, medium=""):
        """dark or light; medium: print."""
        self.call("Emulation.setEmulatedMedia", media=medium, features=[{"name": "prefers-color-scheme", "value": name}])

    # ---- look ----------------------------------------------------------------------------------

    def evaluate(self, expression):
        """Its value, or that of what it promises."""
        done = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        problem = done.get("exceptionDetails")
        if problem:
            raise lab.Failure(f"{expression[:200]}: {problem.get('exception', {}).get('description', problem['text'])}")
        return done["result"].get("value")

    def wait(self, expression, seconds=PATIENCE):
        """Until it is true; its value."""
        return lab.wait_for(lambda: self.evaluate(expression), f"{expression[:200]} in {self.address[-100:]}", seconds)

    def text(self, selector="body"):
        """What is shown of it."""
        return self.evaluate(f"document.querySelector({json.dumps(selector)})?.innerText ?? null")

    def check_with(self, name, *arguments):
        """What a function of checks.js finds wrong: a list of sentences."""
        with open(os.path.join(HERE, "checks.js")) as file:
            return self.evaluate(f"(() => {{ {file.read()}\nreturn {name}({', '.join(map(json.dumps, arguments))}); }})()")

    def screenshot(self, name, whole=False):
        """Put into PICTURES; its bytes."""
        picture = base64.b64decode(self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"])
        os.makedirs(PICTURES, exist_ok=True)
        with open(os.path.join(PICTURES, name + ".png"), "wb") as file:
            file.write(picture)
        return picture

    def printed(self, name):
        """As PDF, put into PICTURES; its bytes."""
        paper = base64.b64decode(self.call("Page.printToPDF", printBackground=True, paperWidth=8.27, paperHeight=11.69)["data"])
        os.makedirs(PICTURES, exist_ok=True)
        with open(os.path.join(PICTURES, name + ".pdf"), "wb") as file:
            file.write(paper)
        return paper

    # ---- act -----------------------------------------------------------------------------------

    def key(self, name, *modifiers):
        """One key: a name as in KeyboardEvent.key, or a character."""
        flags = sum(MODIFIERS[modifier] for modifier in modifiers)
        code, number, text = KEYS.get(name, ("Key" + name.upper() if name.isalpha() else "", ord(name[0].upper()), name))
        if flags & ~MODIFIERS["Shift"]:
            text = ""
        same = dict(modifiers=flags, key=name, code=code, windowsVirtualKeyCode=number)
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **same, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **same)

    def type(self, text):
        for character in text:
            self.key(character)

    def place(self, selector):
        """(x, y) of its middle, which is scrolled to."""
        found = self.evaluate(f"""(() => {{ const e = document.querySelector({json.dumps(selector)}); if (!e) return null;
            e.scrollIntoView({{block: "nearest", inline: "nearest"}}); const r = e.getBoundingClientRect();
            return [r.x + r.width / 2, r.y + r.height / 2, r.width, r.height]; }})()""")
        lab.check(found, f"nothing is {selector} in {self.address[-100:]}")
        lab.check(found[2] > 0 and found[3] > 0, f"{selector} is not shown")
        return found[0], found[1]

    def click(self, selector, *modifiers, times=1):
        self.click_at(*self.place(selector), *modifiers, times=times)

    def click_at(self, x, y, *modifiers, times=1):
        self.hover_at(x, y)
        flags = sum(MODIFIERS[modifier] for modifier in modifiers)
        for count in range(1, times + 1):
            for kind in "mousePressed", "mouseReleased":
                self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=count, modifiers=flags)

    def hover_at(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def drag(self, x, y, to_x, to_y):
        self.hover_at(x, y)
        self.call("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button="left", clickCount=1)
        for step in 1, 2, 3:
            self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x + (to_x - x) * step / 3, y=y + (to_y - y) * step / 3,
                      button="left", buttons=1)
        self.call("Input.dispatchMouseEvent", type="mouseReleased", x=to_x, y=to_y, button="left", clickCount=1)

    def wheel(self, x, y, by, *modifiers):
        self.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=by,
                  modifiers=sum(MODIFIERS[modifier] for modifier in modifiers))
