import { createHash } from 'node:crypto'
import { Fail } from '#core/errors/domain-error.ts'
import { runErrors } from '../contract/errors.ts'
import { isObject } from '#core/json/is-object.ts'
import { JwsRefused, signJws } from '#core/signing/jws.ts'
import type { Claims } from '#core/signing/jws.ts'
import type { Keyring } from '#core/signing/keyring.ts'
import { maySign, verifyGrantKey } from '../grants/grants.ts'
import type { GrantKey } from '../grants/grants.ts'
import type { NewRun } from '../create/create-run.ts'
import type { PreparedRun } from '../contract/prepared-run.ts'

/** A verified prepared run. */
export interface OpenedRun {
  readonly run: NewRun
  readonly expiresAt: Date
}

interface PreparedClaims extends Claims {
  readonly typ: 'mesh-prepared-run'
  readonly runId: string
  /** SHA-256 of the content, in hexadecimal. */
  readonly content: string
}

/** How a prepared run is signed. */
export interface SealOptions {
  readonly now: Date
  readonly seconds: number
  readonly by: GrantKey
}

/** Signs a prepared run: id, expiry and a hash of everything else. */
export async function sealRun(keys: Keyring, run: NewRun, { now, seconds, by }: SealOptions): Promise<PreparedRun> {
  const content = JSON.stringify(run)
  const iat = Math.floor(now.getTime() / 1000)
  const claims: PreparedClaims = {
    typ: 'mesh-prepared-run',
    runId: run.runId,
    content: hashOf(content),
    iat,
    exp: iat + seconds,
  }
  return { runId: run.runId, content, token: await signJws(keys.current(by), claims) }
}

/** Verifies a prepared run of any origin. Throws `prepared_run_refused` with the reason. */
export async function openSealed(keys: Keyring, given: unknown, now: Date): Promise<OpenedRun> {
  const { runId, content, token } = isObject(given) ? given : {}
  if (typeof runId !== 'string' || typeof content !== 'string' || typeof token !== 'string')
    throw refused('It is not a prepared run.')
  const { claims, by } = await verify(keys, token, now)
  if (claims.runId !== runId || claims.content !== hashOf(content))
    throw refused('Its content differs from what was signed.')
  const run = revive(JSON.parse(content) as Stored)
  if (!maySign(by, run.subject)) throw refused('The manager signs for service accounts only.')
  return { run, expiresAt: new Date(claims.exp * 1000) }
}

/** A prepared run that is not accepted. */
export function refused(detail: string): Fail {
  return new Fail(runErrors.prepared_run_refused, detail)
}

function verify(keys: Keyring, token: string, now: Date) {
  const expected = { typ: 'mesh-prepared-run', now: () => now } as const
  return verifyGrantKey<PreparedClaims>(keys, token, expected).catch((error: unknown) => {
    if (!(error instanceof JwsRefused)) throw error
    throw refused(error.reason === 'expired' ? 'It has expired.' : 'It was not signed by this installation.')
  })
}

// Buffers are written as `{ type: 'Buffer', data: [...] }`, dates as strings.
type Stored = Omit<NewRun, 'idempotency' | 'deadline'> & {
  readonly deadline?: string
  readonly idempotency?: Readonly<Record<'key' | 'request', { readonly data: readonly number[] }>>
}

function revive({ idempotency, deadline, ...stored }: Stored): NewRun {
  const run = { ...stored, ...(deadline === undefined ? {} : { deadline: new Date(deadline) }) }
  if (idempotency === undefined) return run
  const { key, request } = idempotency
  return { ...run, idempotency: { key: Buffer.from(key.data), request: Buffer.from(request.data) } }
}

function hashOf(content: string): string {
  return createHash('sha256').update(content).digest('hex')
}
