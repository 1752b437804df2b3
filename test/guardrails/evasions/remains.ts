import { isObject } from '#core/json/is-object.ts'
import type { Disguise } from './disguises.ts'

const MASK = '[masked]'
/** Fields of the forms of the APIs, whose strings are no text of a caller. */
const forms: ReadonlySet<string> = new Set([
  'type',
  'role',
  'model',
  'id',
  'name',
  'call_id',
  'tool_call_id',
  'tool_use_id',
  'media_type',
])

/** The texts of a request in their order, put together: decoded documents and JSON in strings included. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return textOfString(value)
  if (Array.isArray(value)) return value.map(textOf).join('')
  if (!isObject(value)) return ''
  if (value['type'] === 'base64') return Buffer.from(String(value['data']), 'base64').toString('utf8')
  return Object.entries(value)
    .map(([name, one]) => (forms.has(name) && typeof one === 'string' ? '' : textOf(one)))
    .join('')
}

function textOfString(text: string): string {
  const [head] = /^data:text\/plain;base64,/.exec(text) ?? []
  if (head !== undefined) return Buffer.from(text.slice(head.length), 'base64').toString('utf8')
  if (!/^\s*\{"/.test(text)) return text
  return textOf(JSON.parse(text))
}

/** What is left of a disguised content: `none`, or why it is not gone. */
export interface Remains {
  readonly isFound: boolean
  readonly isGone: boolean
}

/**
 * What is left of `written`, which stood between `before` and `after`. It is gone if nothing that is seen is left beside masks, but what the
 * disguise itself adds at its ends, and if the text around it is as it was.
 */
export function remainsOf(
  sent: string,
  { before, after, written, disguise }: { before: string; after: string; written: string; disguise: Disguise },
): Remains {
  if (!sent.startsWith(before) || !sent.endsWith(after) || sent.length < before.length + after.length)
    return { isFound: sent.includes(MASK), isGone: false }
  const rest = sent.slice(before.length, sent.length - after.length)
  const segments = rest.split(MASK)
  const { carrier: [first, last] = [0, 0] } = disguise
  const isLeft = segments.some((segment, nth) => {
    if (nth === 0 && segment.length <= first && written.startsWith(segment)) return false
    if (nth === segments.length - 1 && segment.length <= last && written.endsWith(segment)) return false
    return /[^\s\p{M}\p{Default_Ignorable_Code_Point}]/u.test(segment)
  })
  return { isFound: segments.length > 1, isGone: segments.length > 1 && !isLeft }
}
