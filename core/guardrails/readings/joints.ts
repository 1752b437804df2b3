/**
 * Parts between the characters of a text that are not shown with it. These are tags within a line, emphasis, joined strings, empty comments
 * and expressions of programs, and soft line breaks of mail.
 */
const tags = 'b|i|u|s|q|a|em|strong|span|wbr|mark|small|sub|sup|font|code|kbd|var|ins|del|tt|big'
const tag = `<\\/?(?:${tags}|${tags.toUpperCase()})(?:\\s[^<>]{0,60})?\\/?>`
const comment = '<!--[^<>]{0,60}-->'
const operator = '(?:\\+|\\.{1,2}|&|~|\\|{2})'
const concatenation = `["'\`]\\s{0,3}${operator}\\s{0,3}["'\`]|"[ \\t]{1,3}"|'[ \\t]{1,3}'`
const continuation = '\\\\\\r?\\n[ \\t]{0,8}'
// Colour codes of a terminal, including those that mark search results.
export const colour = '\\u001b\\[[0-9;]{0,20}m'
const emphasis = '(?<=\\w)(?:\\*{1,2}|~~|`{1,3})(?=\\w)'
const escaped = '(?<=\\w)\\\\(?=[-_.@+])'
// Between characters of an address, a key or a word only: they are common elsewhere.
const empty = '(?<=[\\w.@-])(?:\\{\\}|\\$\\{(?:""|\'\')?\\}|\\/\\*[^*/]{0,60}\\*\\/|\\]\\]><!\\[CDATA\\[)(?=[\\w.@ -])'
const softBreak = '=\\r?\\n'

/** Beginnings of joints, as the alternatives of a pattern. */
export const jointStart = [colour, tag, comment, concatenation, continuation, emphasis, escaped, empty, softBreak].join(
  '|',
)
/** A joint that may be incomplete at the end of the text so far. */
export const jointEnd = [
  '\\u001b(?:\\[[0-9;]{0,20})?',
  '<(?:!-{0,2}[^<>]{0,60}-{0,2}|\\/?[A-Za-z]{0,6}(?:\\s[^<>]{0,60})?\\/?)',
  '["\'`]\\s{0,3}(?:(?:\\+|\\.{1,2}|&|~|\\|{1,2})\\s{0,3})?["\'`]?',
  '\\\\\\r?\\n?[ \\t]{0,8}',
  '\\*{1,2}|~{1,2}|`{1,3}|\\{\\}?|\\$(?:\\{["\']{0,2}\\}?)?',
  '\\/(?:\\*[^*/]{0,60}\\*?\\/?)?',
  '\\](?:\\](?:>(?:<(?:!(?:\\[[CDATA]{0,5}\\[?)?)?)?)?)?',
  '=\\r?',
].join('|')

const joint = new RegExp(jointStart, 'y')

/** Returns the length of the joint at an offset, or 0 if none begins there. */
export function jointLength(text: string, at: number): number {
  joint.lastIndex = at
  return joint.exec(text)?.[0].length ?? 0
}
