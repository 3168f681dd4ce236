// Names for who hears the page instead of seeing it: viser's sliders, boxes and icons have none.
(() => {
  const give = (element, name) => {
    if (name && element.getAttribute("aria-label") !== name) element.setAttribute("aria-label", name);
  };
  const nameAll = () => {
    for (const slider of document.querySelectorAll(".mantine-Slider-root")) {
      const label = document.querySelector(`label[for="${CSS.escape(slider.id)}"]`);
      const name = label ? label.textContent : "";
      const thumb = slider.querySelector("[role=slider]");
      if (thumb) give(thumb, name);
      const box = slider.parentElement.querySelector(".mantine-NumberInput-input");
      if (box) give(box, name);
    }
    for (const button of document.querySelectorAll("button.mantine-ActionIcon-root"))
      give(button, "settings of the page");
    for (const button of document.querySelectorAll(".mantine-CloseButton-root"))
      give(button, "close");
  };
  let waiting = false;
  const soon = () => {
    if (waiting) return;
    waiting = true;
    setTimeout(() => { waiting = false; nameAll(); }, 200);
  };
  new MutationObserver(soon).observe(document, { childList: true, subtree: true });
})();
