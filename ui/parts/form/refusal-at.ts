import { ApiProblem } from '../../api/api-problem.ts'

/** What a problem says of a field. Pure. */
export function refusalAt(error: Error | null, pointer: string): string | undefined {
  const refused = error instanceof ApiProblem ? (error.facts.errors ?? []) : []
  return refused.find((one) => one.pointer === pointer)?.detail
}
