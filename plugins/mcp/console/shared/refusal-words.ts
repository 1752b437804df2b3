import { ApiProblem } from '#ui/api/api-problem.ts'
import { toolText } from './text.ts'

const text = toolText.decision

/** Why a decision was refused, in the words of the pages. Pure. */
export function wordsOfRefusal(failure: unknown): string {
  if (!(failure instanceof ApiProblem)) return failure instanceof Error ? failure.message : String(failure)
  const { code = '', status, right, detail } = failure.facts
  if (Object.hasOwn(text.refusals, code)) return text.refusals[code as keyof typeof text.refusals]
  if (status === 409 || status === 412) return text.refusals.manifest_changed
  return status === 403 && right !== undefined ? text.denied(right.verb, right.resource) : detail
}
