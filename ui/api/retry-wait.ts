import { ApiProblem } from './api-problem.ts'

const waits = [500, 1000, 2000, 4000, 8000, 15_000] as const

/** How long to wait before the next try: as long as the server asks, else longer each time, with jitter. */
export function waitOf(problem: unknown, tries: number, random: () => number = Math.random): number {
  const asked = problem instanceof ApiProblem ? (problem.facts.retryAfter ?? 0) * 1000 : 0
  const grown = waits[tries] ?? 15_000
  return Math.max(asked, grown * (0.5 + random() / 2))
}
