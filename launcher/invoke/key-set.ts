import type { KeyObject } from 'node:crypto'
import type { Dispatcher } from 'undici'
import { publicKeyOf } from '#core/signing/jws.ts'
import type { JsonWebKeyEd25519 } from '#core/signing/keyring.ts'
import { collect } from '#core/http-client/request.ts'
import { Refusal } from '../http/refusal.ts'

/** Public keys of the install by id, fetched from the state role. */
export interface KeySet {
  /** The key, or undefined when the install has none of that id. Throws `Refusal` when the keys cannot be fetched. */
  find(id: string): Promise<KeyObject | undefined>
}

/** Where the keys are. */
export interface KeySetOptions {
  readonly stateUrl: string
  readonly dispatcher: () => Promise<Dispatcher>
  readonly now: () => number
}

const freshMs = 5 * 60_000
const leastPauseMs = 1000

/**
 * Keeps the key set of `{STATE_URL}/jwks` for five minutes. An unknown id fetches it anew, once a second at most, so that
 * a rotation is seen at once and made-up ids cost the state role nothing. While it is away the old keys stay good.
 */
export function createKeySet(options: KeySetOptions): KeySet {
  let keys: ReadonlyMap<string, KeyObject> | undefined
  let fetchedAt = Number.NEGATIVE_INFINITY
  let triedAt = Number.NEGATIVE_INFINITY
  let running: Promise<void> | undefined
  const refresh = async (): Promise<void> => {
    triedAt = options.now()
    keys = await fetchKeys(options)
    fetchedAt = options.now()
  }
  const refreshOnce = (): Promise<void> => {
    running ??= refresh().finally(() => (running = undefined))
    return running
  }
  return {
    async find(id) {
      const known = keys?.get(id)
      const stale = options.now() - fetchedAt > freshMs
      if (known !== undefined && !stale) return known
      const mayAsk = keys === undefined || options.now() - triedAt >= leastPauseMs || running !== undefined
      if (mayAsk) await refreshOnce().catch(() => unlessKnown(keys))
      return keys?.get(id)
    },
  }
}

function unlessKnown(keys: ReadonlyMap<string, KeyObject> | undefined): void {
  if (keys === undefined) throw new Refusal('keys_unavailable', undefined, { 'retry-after': '1' })
}

async function fetchKeys(options: KeySetOptions): Promise<ReadonlyMap<string, KeyObject>> {
  const url = new URL(`${options.stateUrl}/jwks`)
  const { status, body } = await collect(await options.dispatcher(), {
    origin: url.origin,
    path: url.pathname,
    method: 'GET',
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(5000),
    maxBytes: 256 * 1024,
  })
  if (status !== 200) throw new Error(`the state role answered ${status} to the key set`)
  const { keys }: { keys: readonly JsonWebKeyEd25519[] } = JSON.parse(body.toString('utf8'))
  const usable = keys.filter((key) => key.kty === 'OKP' && key.crv === 'Ed25519' && typeof key.kid === 'string')
  return new Map(usable.map((key) => [key.kid, publicKeyOf(key)]))
}
