import type { ProviderHealth } from '#schemas/api/providers.ts'
import { FAILED } from './attempts.ts'
import type { SeenProvider } from './attempts.ts'

/** Age up to which an attempt counts. */
const RECENT_MS = 15 * 60_000
const FAILING_SHARE = 0.5
const DEGRADED_SHARE = 0.05

/** Health at a time. What was seen before `since`, the creation of the object, is of another provider with its name. */
export function toHealth(
  seen: SeenProvider,
  { now, since }: { readonly now: Date; readonly since: Date },
): ProviderHealth {
  const from = since.getTime()
  const recent = seen.attempts.filter(([at]) => at >= from && now.getTime() - at <= RECENT_MS)
  const times = recent.flatMap(([, ms]) => (ms === FAILED ? [] : [ms])).toSorted((a, b) => a - b)
  const isOwn = (at: number | undefined): at is number => at !== undefined && at >= from
  return {
    state: stateOf(recent.length, recent.length - times.length),
    lastSuccessAt: isOwn(seen.lastSuccessAt) ? new Date(seen.lastSuccessAt).toISOString() : null,
    lastErrorAt: isOwn(seen.lastErrorAt) ? new Date(seen.lastErrorAt).toISOString() : null,
    lastErrorClass: isOwn(seen.lastErrorAt) ? (seen.lastErrorClass ?? null) : null,
    p50Ms: times[Math.ceil(times.length / 2) - 1] ?? null,
  }
}

function stateOf(all: number, failed: number): ProviderHealth['state'] {
  if (all === 0) return 'unknown'
  const share = failed / all
  return share >= FAILING_SHARE ? 'failing' : share >= DEGRADED_SHARE ? 'degraded' : 'healthy'
}
