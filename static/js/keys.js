// The list of a page's keys opens with "?" and closes with Escape. Letters that are typed are left alone.
// @ts-check

document.addEventListener("keydown", (event) => {
  const list = /** @type {HTMLDetailsElement | null} */ (document.querySelector(".keys-popup"));
  const isTyping = /** @type {Element} */ (event.target).closest("input:not([type=checkbox], [type=radio]), select, textarea");
  if (!list || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") list.open = false;
  if (event.key !== "?") return;
  event.preventDefault();
  list.open = !list.open;
});
