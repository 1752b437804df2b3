/**
 * `away`: the role drains, starts or is stopped. `failing`: a dependency has never responded, or the probe got no response within two
 * seconds.
 */
export type ReadinessOfRole = 'ready' | 'away' | 'failing'

/** Reads the readiness of a role from its admin port. */
export async function askReadiness(adminUrl: string): Promise<ReadinessOfRole> {
  try {
    const answer = await fetch(`${adminUrl}/readyz`, { signal: AbortSignal.timeout(2_000) })
    const text = await answer.text()
    return answer.ok ? 'ready' : text.includes('[-]process ') ? 'away' : 'failing'
  } catch (error) {
    return error instanceof Error && error.name === 'TimeoutError' ? 'failing' : 'away'
  }
}
