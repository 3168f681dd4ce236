"""What must hold of a page on a desk, a tablet and a phone, asked of a real browser."""

from __future__ import annotations

from contextlib import contextmanager

SCREENS = ((1440, 900), (768, 1024), (390, 844))

# controls that can be seen at first or by scrolling, and what lies on the middle of each
COVERED = """
const controls = [...document.querySelectorAll(
  'button, input, [role=slider], [role=button], [role=tab], a[href], [tabindex="0"]')];
const covered = [];
for (const control of controls) {
  if (control.closest('[aria-hidden=true], canvas') || !control.checkVisibility(
      {opacityProperty: true, visibilityProperty: true})) continue;
  control.scrollIntoView({block: 'center', inline: 'nearest'});
  const box = control.getBoundingClientRect();
  if (!box.width || !box.height) continue;
  const x = box.x + box.width / 2, y = box.y + box.height / 2;
  const top = document.elementFromPoint(x, y);
  const label = control.closest('label') || control.parentElement;
  if (!top || !(control.contains(top) || top.contains(control) || label.contains(top)))
    covered.push([control.outerHTML.slice(0, 120), top && top.outerHTML.slice(0, 120)]);
}
return covered;
"""


@contextmanager
def screen(browser, width, height):
    """A window of a size that a real one cannot have without a window manager."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        yield
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def overflow(browser):
    """Pixels by which the page is wider than its window."""
    return browser.execute_script(
        "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )


def covered(browser):
    """Controls that a finger cannot hit, with what lies on them."""
    return browser.execute_script(COVERED)


def violations(browser):
    """Serious findings of axe by rule."""
    from axe_core_python.selenium import Axe

    found = Axe().run(browser)["violations"]
    return {
        each["id"]: [node["html"][:160] for node in each["nodes"]]
        for each in found
        if each["impact"] in ("serious", "critical")
    }
