import { loadSession, onSession } from '../api/session.ts'
import type { SessionState } from '../api/session-state.ts'

const RENEW_MS = 60_000
const MAX_TIMER_MS = 2_147_483_647

/** Renews the session while a person uses the page, at most once a minute, and notices its end. Requests of the page itself renew nothing. `first` is what the server has answered. */
export function keepSession(first: SessionState | undefined): void {
  let renewedAt = Date.now()
  let ending: ReturnType<typeof setTimeout> | undefined
  const refresh = (): void => {
    renewedAt = Date.now()
    loadSession().then(watchEnd, () => undefined)
  }
  const watchEnd = ({ session }: SessionState): void => {
    clearTimeout(ending)
    if (session === null) return
    // The clock of the browser may be wrong: the server decides, and a late answer asks again.
    const left = Math.max(1_000, Date.parse(session.idleEndsAt) - Date.now() + 1_000)
    ending = setTimeout(refresh, Math.min(left, MAX_TIMER_MS))
  }
  const used = (): void => {
    if (Date.now() - renewedAt >= RENEW_MS) refresh()
  }
  for (const type of ['pointerdown', 'keydown', 'focus'] as const) addEventListener(type, used, { passive: true })
  onSession(() => {
    renewedAt = Date.now()
  })
  if (first === undefined) refresh()
  else watchEnd(first)
}
