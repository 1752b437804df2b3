import { createHash, randomBytes } from 'node:crypto'

/** Codes that sign a browser in once, each for a bearer. They are passed in the fragment of an address, which browsers do not send. */
export interface OneTimeCodes {
  /** Makes a code that is valid for ten minutes. */
  issue(bearer: string): string
  /** Returns the bearer of a code and forgets it; undefined for one that is unknown, used or expired. */
  exchange(code: string): string | undefined
}

/** How long a code is valid. */
export const CODE_MS = 10 * 60_000

const MOST = 100

/** Creates the codes of one process; `now` returns monotonic milliseconds. */
export function createOneTimeCodes(now: () => number = () => performance.now()): OneTimeCodes {
  // By hash, so that the time of a look-up says nothing about a code.
  const codes = new Map<string, { readonly bearer: string; readonly until: number }>()
  return {
    issue: (bearer) => {
      const [oldest] = codes.keys()
      if (codes.size >= MOST && oldest !== undefined) codes.delete(oldest)
      const code = randomBytes(24).toString('base64url')
      codes.set(hashOf(code), { bearer, until: now() + CODE_MS })
      return code
    },
    exchange: (code) => {
      const key = hashOf(code)
      const found = codes.get(key)
      codes.delete(key)
      return found === undefined || now() > found.until ? undefined : found.bearer
    },
  }
}

function hashOf(code: string): string {
  return createHash('sha256').update(code).digest('base64url')
}
