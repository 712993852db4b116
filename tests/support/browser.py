"""A real browser, driven as a visitor would: pages, clicks, keys, what goes wrong, screenshots and prints.

Chromium without a window, spoken to over its debugging protocol (JSON over a web socket).
"""

from __future__ import annotations

import asyncio
import base64
import json
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from tornado.httpclient import AsyncHTTPClient
from tornado.websocket import websocket_connect

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE = 60.0  # seconds for anything a page is asked
LARGEST_ANSWER = 256 * 1024 * 1024


class Browser:
    """One page at a time; `problems` and `asked` tell of the page that was opened last."""

    def __init__(self, size: tuple[int, int] = (1100, 900)) -> None:
        program = next(filter(None, map(shutil.which, PROGRAMS)), None)
        assert program, "Pages are tested in Chromium, which is not installed: apt-get install chromium"
        self.size = size
        self.folder = Path(tempfile.mkdtemp(prefix="browser-"))
        self.loop = asyncio.new_event_loop()
        self.problems: list[str] = []
        self.asked: list[str] = []
        self._number = 0
        flags = [*FLAGS, f"--window-size={size[0]},{size[1]}", "--remote-debugging-port=0"]
        self.process = subprocess.Popen(
            [program, *flags, f"--user-data-dir={self.folder}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.socket = self.loop.run_until_complete(self._connected())
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.tell(f"{domain}.enable")

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.socket.close()
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.loop.run_until_complete(asyncio.sleep(0))
        self.loop.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    async def _connected(self) -> Any:
        port = self.folder / "DevToolsActivePort"
        end = time.monotonic() + PATIENCE
        while not (port.is_file() and port.read_text().strip()):
            assert self.process.poll() is None, "the browser ended"
            assert time.monotonic() < end, "the browser does not start"
            await asyncio.sleep(0.05)
        address = f"http://127.0.0.1:{port.read_text().splitlines()[0]}/json/list"
        answer = await AsyncHTTPClient().fetch(address)
        page = next(one for one in json.loads(answer.body) if one["type"] == "page")
        return await websocket_connect(page["webSocketDebuggerUrl"], max_message_size=LARGEST_ANSWER)

    def tell(self, method: str, **details: Any) -> dict[str, Any]:
        """One command, and its answer."""
        self._number += 1
        message = json.dumps({"id": self._number, "method": method, "params": details})
        return self.loop.run_until_complete(self._told(message, self._number))

    async def _told(self, message: str, number: int) -> dict[str, Any]:
        await self.socket.write_message(message)
        while True:
            heard = json.loads(await asyncio.wait_for(self.socket.read_message(), PATIENCE))
            if heard.get("id") == number:
                assert "error" not in heard, heard["error"]
                return heard["result"]
            self._note(heard)

    def _note(self, heard: dict[str, Any]) -> None:
        details = heard.get("params", {})
        if heard["method"] == "Runtime.exceptionThrown":
            self.problems.append(json.dumps(details["exceptionDetails"])[:600])
        elif heard["method"] == "Runtime.consoleAPICalled" and details["type"] in ("error", "warning"):
            self.problems.append(json.dumps(details["args"])[:600])
        elif heard["method"] == "Log.entryAdded":  # what the content security policy forbids, too
            self.problems.append(details["entry"]["text"])
        elif heard["method"] == "Network.requestWillBeSent":
            url = details["request"]["url"]
            self.asked += [] if url.startswith("data:") else [url]

    def open(self, page: Path) -> None:
        """Load a file and wait until it is complete."""
        self.problems, self.asked = [], []
        self.tell("Page.navigate", url=page.as_uri())
        self.wait("document.readyState === 'complete' && location.protocol === 'file:'")

    def wait(self, condition: str) -> None:
        """Until an expression becomes true."""
        end = time.monotonic() + PATIENCE
        while not self.value(condition):
            assert time.monotonic() < end, f"never true: {condition}"
            time.sleep(0.02)

    def value(self, expression: str) -> Any:
        """What an expression is in the page."""
        answer = self.tell("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def click(self, where: str | tuple[float, float]) -> None:
        """With the mouse: the middle of the first element that a selector finds, or a point of the window."""
        x, y = self.middle(where) if isinstance(where, str) else where
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.tell("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)
        self.settle()

    def middle(self, selector: str) -> tuple[float, float]:
        """Of an element, which is scrolled to first."""
        box = self.value(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); "
            "e.scrollIntoView({block: 'center', behavior: 'instant'}); const b = e.getBoundingClientRect(); "
            "return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        return float(box[0]), float(box[1])

    def press(self, key: str) -> None:
        """A key, by its name in the browser: "ArrowDown", "Enter", "Tab"."""
        codes = {
            "Enter": 13,
            "Tab": 9,
            "ArrowDown": 40,
            "ArrowUp": 38,
            "ArrowLeft": 37,
            "ArrowRight": 39,
            "End": 35,
            "Home": 36,
            "Escape": 27,
        }
        code = {"windowsVirtualKeyCode": codes[key], "key": key, "code": key}
        text = {"text": "\r"} if key == "Enter" else {}
        self.tell("Input.dispatchKeyEvent", type="keyDown", **code, **text)
        self.tell("Input.dispatchKeyEvent", type="keyUp", **code)
        self.settle()

    def write(self, selector: str, text: str) -> None:
        """Into a field, in place of what stands there."""
        self.click(selector)
        self.value(f"document.querySelector({json.dumps(selector)}).select()")
        if text:
            self.tell("Input.insertText", text=text)
        else:
            self.tell("Input.dispatchKeyEvent", type="keyDown", key="Delete", windowsVirtualKeyCode=46)
            self.tell("Input.dispatchKeyEvent", type="keyUp", key="Delete", windowsVirtualKeyCode=46)
        self.settle()

    def settle(self) -> None:
        """Until the page has been drawn anew."""
        self.value("new Promise(done => requestAnimationFrame(() => setTimeout(done, 30)))")

    def screenshot(self, path: Path, whole: bool = False) -> Path:
        """The window, or the whole page."""
        answer = self.tell("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(answer["data"]))
        return path

    def print(self, path: Path) -> Path:
        """The page as a PDF."""
        answer = self.tell("Page.printToPDF", printBackground=False)
        path.write_bytes(base64.b64decode(answer["data"]))
        return path
