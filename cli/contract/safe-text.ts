// Control and format characters, line and paragraph separators, lone surrogates. A tab is no exception: it separates cells.
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu
// What a JSON document contains unescaped: DEL, the C1 controls, and marks that reorder text.
const rawInJson = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g
// In YAML only strings with controls are quoted by force, and an escape counts in quotes only.
const rawInYaml = /[\u007f-\u009f]/g

/** Text of a response for a terminal: a character that moves the cursor or reorders text is written as its escape. */
export function toSafeText(text: string): string {
  return text.replaceAll(unsafe, escapeOf)
}

/** A JSON document without characters that act on a terminal. Its values are unchanged. */
export function toSafeJson(document: string): string {
  return document.replaceAll(rawInJson, escapeOf)
}

/** A YAML document without control characters. Its values are unchanged. */
export function toSafeYaml(document: string): string {
  return document.replaceAll(rawInYaml, escapeOf)
}

function escapeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`
}
