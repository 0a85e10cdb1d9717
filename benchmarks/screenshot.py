"""``make screenshot``: the picture in the README, taken of a site of its own."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from benchmarks.site import ROOT, Site, running_site

PICTURE = ROOT / ".github" / "review.png"
CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""Names of a Chromium, the best first: the headless shell opens a page in a quarter of the time, for it draws no window around it."""
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def main() -> int:
    """Sign in, open an answer that contradicts its record, take the picture."""
    browser_path = next((found for name in CHROMIUM if (found := shutil.which(name))), None)
    if browser_path is None:
        sys.stderr.write("No Chromium is installed.\n")
        return 1
    with running_site() as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=CHROMIUM_FLAGS)
        page = browser.new_page(viewport={"width": 1440, "height": 900}, device_scale_factor=1.5, color_scheme="light")
        _open_item(page, site)
        PICTURE.parent.mkdir(exist_ok=True)
        page.screenshot(path=PICTURE)
        browser.close()
    sys.stdout.write(f"{PICTURE.relative_to(Path.cwd())}\n")
    return 0


def _open_item(page: Page, site: Site) -> None:
    page.goto(f"http://127.0.0.1:{site.port}/accounts/login/")
    page.fill("#id_login", "reviewer@harborlights.example")
    page.fill("#id_password", (site.folder / "demo" / "password").read_text().strip())
    page.click("button.primary")
    page.goto(f"http://127.0.0.1:{site.port}/queue/?guardrail=contradicted")
    page.locator("table tbody tr a").first.click()
    page.wait_for_selector(".desk[data-ready]")
    page.keyboard.press("1")
    page.wait_for_selector("[data-verdict]")
    page.keyboard.press("j")


if __name__ == "__main__":
    sys.exit(main())
