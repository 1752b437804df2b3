import { sleep } from '#core/async/sleep.ts'
import type { OwnedGrantKey } from '../../store/grants.ts'

/** How long a process uses a grant that it has read. */
export const GRANT_LEASE_MS = 1_000

// Timers of Node may fire a millisecond early, and clocks of machines differ in their rate.
const MARGIN_MS = 50
const MAX_ENTRIES = 1_000

/** Tokens that a process has read. */
export interface LeasedTokens<Token> {
  find(key: OwnedGrantKey): Token | undefined
  /** Keeps a token. `readAt` is a time of `performance.now()` before the grant was read. */
  keep(key: OwnedGrantKey, token: Token, readAt: number): void
  forget(key: OwnedGrantKey): void
}

/** Creates the tokens of a process, of which it keeps at most 1,000. */
export function createLeasedTokens<Token>(): LeasedTokens<Token> {
  const entries = new Map<string, { readonly until: number; readonly token: Token }>()
  const removeEnded = (): void => {
    const now = performance.now()
    for (const [key, { until }] of entries) {
      if (until > now && entries.size <= MAX_ENTRIES) return
      entries.delete(key)
    }
  }
  return {
    find: (key) => {
      const known = entries.get(nameOf(key))
      return known !== undefined && known.until > performance.now() ? known.token : undefined
    },
    keep: (key, token, readAt) => {
      const name = nameOf(key)
      entries.delete(name)
      entries.set(name, { until: readAt + GRANT_LEASE_MS, token })
      removeEnded()
    },
    forget: (key) => {
      entries.delete(nameOf(key))
    },
  }
}

/** Waits until no process uses a grant that was removed or replaced before this call. Each lease that began before has then ended. */
export function untilLeasesEnd(): Promise<void> {
  return sleep(GRANT_LEASE_MS + MARGIN_MS)
}

function nameOf({ subject, serverUid, url }: OwnedGrantKey): string {
  return JSON.stringify([subject, serverUid, url])
}
