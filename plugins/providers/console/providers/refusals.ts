import { ApiProblem } from '#ui/api/api-problem.ts'
import { refusedFields } from '#ui/parts/form/refusal-at.ts'
import type { RefusedFields } from '#ui/parts/form/refusal-at.ts'
import { providersText } from './text.ts'

const text = providersText.dialog

/** Fields of the dialog that a refusal may be of. */
export type RefusedPart = 'namespace' | 'name' | 'type' | 'baseUrl' | 'organization' | 'apiVersion' | 'apiKey'

const parts: readonly RefusedPart[] = ['namespace', 'name', 'type', 'baseUrl', 'organization', 'apiVersion', 'apiKey']

/** A refusal in the words of the page, at its field. Pure. */
export function refusalsOf(error: Error | null): RefusedFields<RefusedPart> {
  if (!(error instanceof ApiProblem)) return { fields: {}, rest: error }
  const { code = '', detail } = error.facts
  const named = byCode(code, detail)
  return named === undefined ? refusedFields(error, parts) : { fields: named, rest: null }
}

function byCode(code: string, detail: string): RefusedFields<RefusedPart>['fields'] | undefined {
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
