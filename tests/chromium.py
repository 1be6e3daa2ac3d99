"""A real Chromium without a window, driven through its own driver; nothing is fetched."""

import base64
import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

AXE = Path(__file__).parent / "browser" / "node_modules" / "axe-core" / "axe.min.js"
REQUIRED = os.environ.get("HINTERGUESSER_BROWSER_TESTS") == "required"
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,900",
)


def lacking() -> str | None:
    """What is not installed, in words; None when all is there."""
    missing = [
        what
        for what, there in (
            ("chromium", shutil.which("chromium")),
            ("chromedriver", shutil.which("chromedriver")),
            ("axe-core (npm ci in tests/browser)", AXE.exists()),
        )
        if not there
    ]
    return f"not installed: {', '.join(missing)}" if missing else None


def needed() -> None:
    """Skip the test where there is no browser; where it was promised, fail."""
    missing = lacking()
    if missing:
        (pytest.fail if REQUIRED else pytest.skip)(missing)


class Browser:
    """One window, and what was heard of it."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, page: Path, anchor: str = "") -> None:
        """Open a page anew and wait until its script is done with it."""
        self.driver.get("about:blank")
        self.heard()
        self.requests()
        self.driver.get(page.as_uri() + anchor)
        self.wait("return document.documentElement.dataset.ready === 'yes'")

    def wait(self, script: str, seconds: float = 20) -> Any:
        """Wait until `script` returns something true, and return that."""
        from selenium.webdriver.support.ui import WebDriverWait

        return WebDriverWait(self.driver, seconds, poll_frequency=0.02).until(
            lambda driver: driver.execute_script(script)
        )

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def text(self, selector: str) -> str:
        """What one sees of an element."""
        found: str = self.run("return document.querySelector(arguments[0]).innerText", selector)
        return found

    def texts(self, selector: str) -> list[str]:
        found: list[str] = self.run(
            "return [...document.querySelectorAll(arguments[0])].map((each) => each.innerText)", selector
        )
        return found

    def choose(self, selector: str, value: str) -> None:
        """Set a field as a reader would, and say so to the page."""
        self.run(
            "const field = document.querySelector(arguments[0]); field.value = arguments[1];"
            "field.dispatchEvent(new Event('input', {bubbles: true}))",
            selector,
            value,
        )

    def heard(self) -> list[str]:
        """What the console said since the last time."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """The addresses that were asked for since the last time."""
        messages = (json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance"))
        return [
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        ]

    def tell(self, command: str, **parameters: Any) -> Any:
        """A command of the browser's own protocol."""
        return self.driver.execute_cdp_cmd(command, parameters)

    def screenshot(self, path: Path) -> None:
        """A picture of the whole page."""
        shot = self.tell("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))

    def faults(self) -> list[str]:
        """Serious and critical faults of accessibility, as axe-core finds them."""
        self.run(AXE.read_text(encoding="utf-8"))
        found = self.driver.execute_async_script(
            "const done = arguments[0]; axe.run(document, {resultTypes: ['violations']}).then((all) => done("
            "all.violations.map((each) => [each.impact, each.id, each.nodes.slice(0, 3).map((node) => node.html)])))"
        )
        return [f"{rule} {nodes}" for impact, rule, nodes in found if impact in ("serious", "critical")]


@contextlib.contextmanager
def browser() -> Iterator[Browser]:
    """A fresh browser with a profile of its own."""
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = ChromeOptions()
        options.binary_location = shutil.which("chromium") or "chromium"
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        driver = Chrome(options=options, service=Service(executable_path=shutil.which("chromedriver")))
        try:
            driver.set_script_timeout(60)
            yield Browser(driver)
        finally:
            driver.quit()
