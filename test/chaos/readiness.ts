/** `away`: the role drains, starts or does not run. `failing`: a dependency has never answered, or the probe got no answer in two seconds. */
export type ReadinessOfRole = 'ready' | 'away' | 'failing'

/** Asks the admin port of a role how it is. */
export async function askReadiness(adminUrl: string): Promise<ReadinessOfRole> {
  try {
    const answer = await fetch(`${adminUrl}/readyz`, { signal: AbortSignal.timeout(2_000) })
    const text = await answer.text()
    return answer.ok ? 'ready' : text.includes('[-]process ') ? 'away' : 'failing'
  } catch (error) {
    return error instanceof Error && error.name === 'TimeoutError' ? 'failing' : 'away'
  }
}
