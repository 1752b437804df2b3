// Control and format characters, line and paragraph separators, lone surrogates. A tab is no exception: it separates cells.
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu
// What a JSON document contains unescaped: DEL, the C1 controls, and marks that reorder text.
const rawInJson = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Text of a response for a terminal: a character that moves the cursor or reorders text is written as its escape. */
export function toSafeText(text: string): string {
  return text.replaceAll(unsafe, escapeOf)
}

/** A JSON document, or a YAML document that quotes such strings, without characters that act on a terminal. Its values are unchanged. */
export function toSafeJson(document: string): string {
  return document.replaceAll(rawInJson, escapeOf)
}

/** Whether a string has characters that a JSON or YAML document may contain unescaped, and that act on a terminal. */
export function hasRawControls(text: string): boolean {
  return text.search(rawInJson) !== -1
}

function escapeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`
}
