import chromium
import pytest
from browser.example import content

from hinterguesser.report.page.page import page


@pytest.fixture(scope="module")
def browser():
    chromium.needed()
    with chromium.browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_bytes(page(content()).html.encode())
    return path


@pytest.fixture(autouse=True)
def light(browser):
    yield
    browser.tell("Emulation.setEmulatedMedia", media="", features=[])
    browser.tell("Emulation.clearDeviceMetricsOverride")
    browser.run("try { localStorage.clear() } catch {}")
