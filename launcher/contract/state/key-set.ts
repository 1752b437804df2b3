import { createLocalJWKSet } from 'jose/jwks/local'
import type { JWK } from 'jose'
import type { Dispatcher } from 'undici'
import type { VerifyingKey } from '#core/signing/jws.ts'
import { collect } from '#core/http-client/request.ts'
import { readResponse } from '#schemas/wire/read-response.ts'
import type { StatePath } from '#schemas/wire/state-path.ts'
import { Refusal } from '../http/refusal.ts'

/** A set of public keys of the installation by id, fetched from the state role. */
export interface KeySet {
  /** Returns the key, or undefined if the installation has no usable key of that id. Throws `Refusal` if the keys cannot be fetched. */
  find(id: string): Promise<VerifyingKey | undefined>
}

/** Options of `createKeySet`. */
export interface KeySetOptions {
  readonly stateUrl: string
  /** Path at which the state role publishes the set. */
  readonly path: StatePath<string, undefined, { readonly keys: readonly object[] }>
  readonly dispatcher: () => Promise<Dispatcher>
  readonly now: () => number
}

interface PublishedKeys {
  readonly ids: ReadonlySet<unknown>
  readonly import: ReturnType<typeof createLocalJWKSet>
}

const freshMs = 5 * 60_000
const minPauseMs = 1000

/**
 * Caches a key set of the state role for five minutes. An unknown id fetches it again, at most once per second: a rotation is
 * seen immediately, and forged ids cause no load on the state role. While the state role is unreachable the cached keys stay valid;
 * `createRemoteJWKSet` of jose has neither bound.
 */
export function createKeySet(options: KeySetOptions): KeySet {
  let keys: PublishedKeys | undefined
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
      const isStale = options.now() - fetchedAt > freshMs
      if (isStale || keys?.ids.has(id) !== true) {
        const mayAsk = keys === undefined || options.now() - triedAt >= minPauseMs || running !== undefined
        if (mayAsk) await refreshOnce().catch(() => unlessKnown(keys))
      }
      return keys && importKey(keys, id)
    },
  }
}

function unlessKnown(keys: PublishedKeys | undefined): void {
  if (keys === undefined) throw new Refusal('keys_unavailable', undefined, { 'retry-after': '1' })
}

// jose selects by `kid`, `kty`, `crv`, `alg`, `use` and `key_ops`, and refuses private and malformed keys.
async function importKey(keys: PublishedKeys, id: string): Promise<VerifyingKey | undefined> {
  try {
    return await keys.import({ alg: 'EdDSA', kid: id })
  } catch {
    return undefined
  }
}

async function fetchKeys(options: KeySetOptions): Promise<PublishedKeys> {
  const url = new URL(options.stateUrl + options.path.path)
  const { status, headers, body } = await collect(await options.dispatcher(), {
    origin: url.origin,
    path: url.pathname,
    method: 'GET',
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(5000),
    maxBytes: 256 * 1024,
  })
  const { value } = readResponse(options.path, { status, headers, bytes: body })
  if (value === undefined) throw new Error(`the state role responded with ${status} to the key set`)
  const find = createLocalJWKSet({ keys: value.keys as JWK[] })
  return { ids: new Set(find.jwks().keys.map(({ kid }) => kid)), import: find }
}
