// Strips citation markers such as [[SF:risk_level]], with the space before each, from an assistant's answer: whole, or as it streams.
// Without dependencies, for browsers and Node. It reads the grammar of the engine's attribution/markers/grammar.py; the tests hold both
// against the same texts.
//
//     const stripper = new Stripper();
//     for await (const delta of deltas) show(stripper.feed(delta));
//     show(stripper.finish());
// @ts-check

const LETTER = "A-Za-z0-9_\\-\\u{aa}-\\u{10ffff}";
const MARKER = new RegExp(
  `\\[\\[(?=[${LETTER}.:]{3,68}\\]\\])[A-Za-z_][A-Za-z0-9_]{0,63}:([${LETTER}]{1,64}(?:\\.[${LETTER}]{1,64})*)\\]\\]`,
  "gu",
);
/**
 * A text that the next characters may turn into a marker. It is not looked for, only compared: V8 misses the place of an end that may have
 * so many characters beyond U+FFFF.
 */
const UNFINISHED_MARKER = new RegExp(
  `^\\[(?:\\[(?:[A-Za-z_][A-Za-z0-9_]{0,63}(?::(?:[${LETTER}][${LETTER}.]{0,66}\\]?)?)?)?)?$`,
  "u",
);
/** Characters: those of the longest marker, and the space before it. */
const MOST_HELD = 73;

/** Letters that can be mistaken for ASCII and have no compatible form that says so. */
const LOOK_ALIKES = new Set("аеорсхуіѕјԁкмтнвгѵԛԝАЕОРСХУІЅЈКМТНВԌҐαεοινρτυκχΑΕΟΙΝΡΤΥΚΧΒΗΜΖϹː");

/** @param {string} text */
const isAscii = (text) => /^[\0-\x7f]*$/.test(text);

/** Can a character beyond ASCII be overlooked, or mistaken for one of ASCII? @param {string} character */
function isDisguise(character) {
  if (LOOK_ALIKES.has(character) || /[\p{Cf}\p{Mn}\p{Me}]/u.test(character)) return true;
  const compatible = character.normalize("NFKC");
  const shape = [...compatible].length === 1 ? compatible : character;
  const lowered = shape.toLowerCase();
  return isAscii([...lowered].length === 1 ? lowered : shape);
}

/** Letters and digits of any script, and marks upon a letter, but no ASCII name in disguise. @param {string} name */
function isName(name) {
  if (name.split(".").some((part) => /^-*$/.test(part))) return false;
  if (isAscii(name)) return true;
  const isWrittenInLetters = /^[\0-\x7f\p{L}\p{M}\p{Nd}]*$/u.test(name) && !/(?<![\p{L}\p{M}])\p{M}/u.test(name);
  return isWrittenInLetters && ![...name].every((character) => isAscii(character) || isDisguise(character));
}

/** The text without its markers and the single space before each. @param {string} text */
export function strip(text) {
  let kept = "";
  let begin = 0;
  for (const marker of text.matchAll(MARKER)) {
    if (!isName(marker[1])) continue;
    const end = marker.index > begin && text[marker.index - 1] === " " ? marker.index - 1 : marker.index;
    kept += text.slice(begin, end);
    begin = marker.index + marker[0].length;
  }
  return kept + text.slice(begin);
}

/** Where the end of a text begins that may become a marker, with the space before it. @param {string} text */
function beginOfUnfinished(text) {
  const last = text.lastIndexOf("[");
  const begin = last > 0 && text[last - 1] === "[" ? last - 1 : last;
  const end = begin < 0 ? "" : text.slice(begin, begin + 2 * (MOST_HELD + 1));
  const size = [...end].length;
  const isUnfinished = size <= MOST_HELD && UNFINISHED_MARKER.test(end);
  const cut = isUnfinished ? begin : text.length;
  const isSpaceHeld = text[cut - 1] === " " && !(isUnfinished && size === MOST_HELD);
  return isSpaceHeld ? cut - 1 : cut;
}

/** Strips markers from an answer that arrives in pieces; at most one possible marker and the space before it is held back. */
export class Stripper {
  #held = "";

  /** Take the next piece; return what can be shown now. @param {string} delta */
  feed(delta) {
    const text = this.#held + delta;
    const cut = beginOfUnfinished(text);
    this.#held = text.slice(cut);
    return strip(text.slice(0, cut));
  }

  /** The answer has ended; return what was held back. */
  finish() {
    const held = this.#held;
    this.#held = "";
    return strip(held);
  }
}

/** A stripper for web streams of text: `answer.pipeThrough(strippingStream())`. @returns {TransformStream<string, string>} */
export function strippingStream() {
  const stripper = new Stripper();
  return new TransformStream({
    transform: (delta, controller) => controller.enqueue(stripper.feed(delta)),
    flush: (controller) => controller.enqueue(stripper.finish()),
  });
}

/**
 * Copies of chat messages in which the assistant's turns carry no markers: a model that sees markers in its own turns over-cites.
 * @param {Array<Record<string, any>>} messages
 */
export function stripHistory(messages) {
  const isAnswer = (/** @type {Record<string, any>} */ message) => message.role === "assistant" && "content" in message;
  return messages.map((message) => (isAnswer(message) ? { ...message, content: stripContent(message.content) } : { ...message }));
}

/** @param {any} content */
function stripContent(content) {
  if (typeof content === "string") return strip(content);
  if (!Array.isArray(content)) return content;
  return content.map((part) => (typeof part?.text === "string" ? { ...part, text: strip(part.text) } : part));
}
