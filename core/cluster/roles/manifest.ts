import { Document, isMap, isSeq } from 'yaml'

/** Renders objects as YAML documents, with `comment` above the first and its reason above each rule. */
export function toManifest(objects: readonly object[], comment: string): string {
  const header = comment.split('\n').map((line) => `# ${line}\n`)
  return `${header.join('')}${objects.map(documentOf).join('---\n')}`
}

function documentOf(object: object): string {
  const document = new Document(object, { aliasDuplicateObjects: false })
  const rules = document.get('rules')
  if (isSeq(rules)) for (const rule of rules.items) writeRule(rule)
  return document.toString({ lineWidth: 0, singleQuote: true, flowCollectionPadding: false })
}

const COMMENT_WIDTH = 110
const LIST_WIDTH = 100

function wrap(text: string): string {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < COMMENT_WIDTH) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(` ${word}`)
  }
  return lines.join('\n')
}

function writeRule(rule: unknown): void {
  if (!isMap(rule)) return
  const reason = rule.get('reason')
  rule.delete('reason')
  if (typeof reason === 'string') rule.commentBefore = wrap(reason)
  // A longer line would be formatted differently.
  for (const { value } of rule.items) if (isSeq(value)) value.flow = value.items.join(', ').length < LIST_WIDTH
}
