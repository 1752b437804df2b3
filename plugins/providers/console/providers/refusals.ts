import { ApiProblem } from '#ui/api/api-problem.ts'
import { providersText } from './text.ts'

const text = providersText.dialog

/** Fields of the dialog that a refusal may be of. */
export type RefusedPart = 'namespace' | 'name' | 'type' | 'baseUrl' | 'organization' | 'apiVersion' | 'apiKey'

/** What was refused, at its fields; `rest` is what no field has. */
export interface Refusals {
  readonly fields: Readonly<Partial<Record<RefusedPart, string>>>
  readonly rest: Error | null
}

const parts: readonly RefusedPart[] = ['namespace', 'name', 'type', 'baseUrl', 'organization', 'apiVersion', 'apiKey']

/** A refusal in the words of the page, at its field. Pure. */
export function refusalsOf(error: Error | null): Refusals {
  if (!(error instanceof ApiProblem)) return { fields: {}, rest: error }
  const { code = '', detail, errors = [] } = error.facts
  const named = byCode(code, detail)
  if (named !== undefined) return { fields: named, rest: null }
  const known = errors.flatMap((one) => {
    const part = parts.find((name) => name === one.pointer.split(/[/.]/).at(-1))
    return part === undefined ? [] : [[part, one.detail] as const]
  })
  return { fields: Object.fromEntries(known), rest: known.length === errors.length && known.length > 0 ? null : error }
}

function byCode(code: string, detail: string): Refusals['fields'] | undefined {
  if (code === 'provider_rejected_key') return { apiKey: text.rejected(detail) }
  if (code === 'provider_unreachable') return { baseUrl: text.unreachable(detail) }
  if (code === 'provider_answered_badly') return { baseUrl: text.badly(detail) }
  return code === 'already_exists' ? { name: text.taken } : undefined
}

/** The routes that a refused disconnection names, as `namespace/name`. Pure. */
export function routesIn(error: Error | null): readonly string[] {
  if (!(error instanceof ApiProblem) || error.facts.code !== 'provider_in_use') return []
  const words = error.facts.detail.split(/[\s,]/).map((word) => (word.endsWith('.') ? word.slice(0, -1) : word))
  return words.filter((word) => /^[a-z0-9][-a-z0-9]*\/[a-z0-9][-.a-z0-9]*$/.test(word))
}
