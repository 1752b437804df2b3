/** What stands between the characters of one text and is not shown with it: tags within a line, emphasis, strings that are put together. */
const tags = 'b|i|u|s|q|a|em|strong|span|wbr|mark|small|sub|sup|font|code|kbd|var|ins|del|tt|big'
const tag = `<\\/?(?:${tags}|${tags.toUpperCase()})(?:\\s[^<>]{0,60})?\\/?>`
const comment = '<!--[^<>]{0,60}-->'
const concatenation = '["\'`]\\s{0,3}\\+\\s{0,3}["\'`]'
const continuation = '\\\\\\r?\\n[ \\t]{0,8}'
// Colours of a terminal, also of what a search has found.
export const colour = '\\u001b\\[[0-9;]{0,20}m'
const emphasis = '(?<=\\w)(?:\\*\\*|~~)(?=\\w)'

/** Beginnings of joints, as the alternatives of a pattern. */
export const jointBegin = [colour, tag, comment, concatenation, continuation, emphasis].join('|')
/** A joint that may not be complete at the end of what has arrived. */
export const jointEnd =
  '\\u001b(?:\\[[0-9;]{0,20})?|<(?:!-{0,2}[^<>]{0,60}-{0,2}|\\/?[A-Za-z]{0,6}(?:\\s[^<>]{0,60})?\\/?)|["\'`]\\s{0,3}(?:\\+\\s{0,3})?|\\\\\\r?\\n?[ \\t]{0,8}|\\*{1,2}|~{1,2}'

const joint = new RegExp(jointBegin, 'y')

/** Returns the length of the joint at an offset, or 0 if none begins there. */
export function jointLength(text: string, at: number): number {
  joint.lastIndex = at
  return joint.exec(text)?.[0].length ?? 0
}
