// A conflict by keyboard: a figure chooses a verdict and leads to the reason, arrows lead to the neighbours, Ctrl+Enter decides.
// @ts-check

const form = /** @type {HTMLFormElement | null} */ (document.getElementById("decide"));
const reason = /** @type {HTMLTextAreaElement | null} */ (document.getElementById("reason"));

document.addEventListener("keydown", (event) => {
  const target = /** @type {Element} */ (event.target);
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    form?.requestSubmit();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (target === reason) {
    if (event.key === "Escape") reason.blur();
    return;
  }
  const isChoosing = target.matches("input[type=radio]") && event.key.startsWith("Arrow");
  const meant = isChoosing ? null : document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (meant instanceof HTMLInputElement) {
    event.preventDefault();
    meant.checked = true;
    reason?.focus();
  } else if (meant instanceof HTMLAnchorElement) {
    event.preventDefault();
    meant.click();
  }
});
