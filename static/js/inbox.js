// The inbox by keyboard: "j" and "k" go down and up its lines, which are links. Tab and Enter do as well.
// @ts-check

const STEPS = new Map([
  ["j", 1],
  ["ArrowDown", 1],
  ["k", -1],
  ["ArrowUp", -1],
]);

document.addEventListener("keydown", (event) => {
  const step = STEPS.get(event.key);
  const isTyping = event.target instanceof Element && event.target.closest("input, select, textarea");
  if (!step || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const lines = /** @type {HTMLAnchorElement[]} */ ([...document.querySelectorAll(".inbox a")]);
  const at = lines.findIndex((line) => line === document.activeElement);
  const next = lines[at < 0 ? (step > 0 ? 0 : lines.length - 1) : Math.min(Math.max(at + step, 0), lines.length - 1)];
  if (!next) return;
  event.preventDefault();
  next.focus();
});
