import type { JudgedKeyword, Keyword } from './keyword.ts'
import { allFit, someFits } from './verdict.ts'
import type { SchemaVerdict } from './verdict.ts'

/** Keywords about the items of lists. */
export const listKeywords: Readonly<Record<string, Keyword>> = {
  prefixItems: ({ given, ...rest }) => (Array.isArray(given) ? judgeFirst(rest, given) : undefined),
  // A list of schemas up to draft 2019-09.
  items: ({ given, ...rest }) => {
    if (Array.isArray(given)) return judgeFirst(rest, given)
    const { value, schema, judge, spend } = rest
    if (!Array.isArray(value)) return true
    const { prefixItems } = schema
    if (!Array.isArray(prefixItems)) return allFit(value, (item) => judge(item, given))
    spend(value.length)
    return allFit(value.slice(prefixItems.length), (item) => judge(item, given))
  },
  contains: ({ value, given, schema, judge }) => {
    if (!Array.isArray(value)) return true
    if (Object.hasOwn(schema, 'minContains') || Object.hasOwn(schema, 'maxContains')) return undefined
    return someFits(value, (item) => judge(item, given))
  },
}

function judgeFirst({ value, judge, spend }: Omit<JudgedKeyword, 'given'>, schemas: readonly unknown[]): SchemaVerdict {
  if (!Array.isArray(value)) return true
  spend(Math.min(value.length, schemas.length))
  return allFit(value.slice(0, schemas.length).entries(), ([index, item]) => judge(item, schemas[index]))
}
