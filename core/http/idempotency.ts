import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Keyring } from '#core/signing/keyring.ts'
import { NotOpenable, openBytes, sealBytes } from '#core/signing/sealed.ts'
import type { Store } from '#core/event-store/store.ts'
import type { AnyCall, AnyEndpoint, Idempotency } from './endpoint/endpoint.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { successStatus } from './reply/send-reply.ts'
import { serverReplyOf } from './endpoint/reply.ts'
import { stateOf } from './endpoint/request-context.ts'
import type { HttpServices } from './endpoint/server-context.ts'

interface IdempotencyTable {
  idempotency: {
    key: Buffer
    request: Buffer
    answer: Buffer | null
    created_at: Date
  }
}

interface StoredAnswer {
  readonly status: number
  readonly location: string | undefined
  readonly body: unknown
}

/**
 * Runs a handler once per `Idempotency-Key` of a caller. A repeat within a day returns the stored response; the same key with another
 * request, or while the first is in progress, returns 409. A failed request stores no response and may be repeated. If the process ended
 * before the response was stored, the handler runs again: `call.idempotency` serves handlers that must not act twice (ADR 0036).
 */
export async function runIdempotent(endpoint: AnyEndpoint, call: AnyCall, services: HttpServices): Promise<unknown> {
  const given = call.headers['idempotency-key']
  if (given === undefined || services.store === undefined) return endpoint.handle(call)
  const { store, keys } = services
  const key = keyOf(endpoint, call, given)
  const request = requestDigest(call)
  if (endpoint.authz.kind === 'agent') return runStoredByHandler(endpoint, call, { key, request })
  const known = await claim(store, key, request)
  if (known !== undefined) return replay(call, decrypt(keys, key, known))
  stateOf(call.request).idempotency = { key, request }
  const stopRenewing = renewClaim(services, key)
  try {
    const body = await endpoint.handle(call)
    const status = call.reply.statusCode === 200 ? successStatus(endpoint) : call.reply.statusCode
    const location = serverReplyOf(call).getHeader('location')
    await keep(
      store,
      key,
      encrypt(keys, key, { status, location: typeof location === 'string' ? location : undefined, body }),
    )
    return body
  } catch (error) {
    await release(store, key)
    throw error
  } finally {
    stopRenewing()
  }
}

// The state role has no key that seals stored responses: its handlers store the key in the transaction of their act.
function runStoredByHandler(endpoint: AnyEndpoint, call: AnyCall, idempotency: Idempotency): Promise<unknown> {
  stateOf(call.request).idempotency = idempotency
  return endpoint.handle(call)
}

function keyOf(endpoint: AnyEndpoint, call: AnyCall, given: string): Buffer {
  if (!/^[\x21-\x7e]{1,255}$/.test(given))
    throw new Fail('malformed_request', 'Idempotency-Key: must be 1 to 255 visible ASCII characters.')
  const { username } = stateOf(call.request)
  if (username === undefined) throw new TypeError('an idempotent route has a caller')
  return hash([username, endpoint.method, endpoint.url, given])
}

function requestDigest(call: AnyCall): Buffer {
  return hash([call.request.raw.url, call.body])
}

function hash(value: unknown): Buffer {
  return createHash('sha256').update(JSON.stringify(value)).digest()
}

// A claim is renewed while its request is in progress. One without a renewal for this long belongs to a dead process and may be taken over
// (SEC18).
const RENEW_MS = 20_000
const ABANDONED = sql`interval '2 minutes'`
const KEPT = sql`interval '24 hours'`

/** Renews a claim until the returned function is called. A failed renewal is covered by the next one. */
function renewClaim({ store, log }: Pick<HttpServices, 'store' | 'log'>, key: Buffer): () => void {
  const renew = (): void => {
    const renewal = store?.transact((tx) =>
      sql`update idempotency set created_at = now() where key = ${key} and answer is null`.execute(tx.tables()),
    )
    renewal?.catch(() => log.warn({}, 'idempotency claim not renewed'))
  }
  const timer = setInterval(renew, RENEW_MS)
  return () => clearInterval(timer)
}

/** Returns the stored response, or undefined if this request now owns the key. */
async function claim(store: Store, key: Buffer, request: Buffer): Promise<Buffer | undefined> {
  return store.transact(async (tx) => {
    const db = tx.tables<IdempotencyTable>()
    await db
      .deleteFrom('idempotency')
      .where(sql<boolean>`created_at < now() - ${KEPT}`)
      .execute()
    const inserted = await sql`
      INSERT INTO idempotency (key, request, created_at) VALUES (${key}, ${request}, now())
      ON CONFLICT (key) DO UPDATE SET created_at = now()
        WHERE idempotency.answer IS NULL AND idempotency.request = ${request}
          AND idempotency.created_at < now() - ${ABANDONED}
      RETURNING 1`.execute(db)
    if (inserted.rows.length > 0) return undefined
    const row = await db.selectFrom('idempotency').selectAll().where('key', '=', key).executeTakeFirstOrThrow()
    if (!Buffer.from(row.request).equals(request)) throw new Fail('idempotency_conflict')
    if (row.answer === null)
      throw new Fail('idempotency_conflict', 'The first request with this key is still in progress.', { retryAfter: 1 })
    return Buffer.from(row.answer)
  })
}

async function keep(store: Store, key: Buffer, answer: Buffer): Promise<void> {
  await store.transact((tx) =>
    tx.tables<IdempotencyTable>().updateTable('idempotency').set({ answer }).where('key', '=', key).execute(),
  )
}

async function release(store: Store, key: Buffer): Promise<void> {
  await store.transact((tx) => tx.tables<IdempotencyTable>().deleteFrom('idempotency').where('key', '=', key).execute())
}

function replay(call: AnyCall, answer: StoredAnswer): unknown {
  call.reply.code(answer.status).header('idempotency-replayed', 'true')
  if (answer.location !== undefined) call.reply.header('location', answer.location)
  return answer.body
}

// A response may contain a value that is shown only once (a share's token), so it is stored encrypted and bound to its key.
function encrypt(keys: Keyring, key: Buffer, answer: StoredAnswer): Buffer {
  return sealBytes(keys, Buffer.from(JSON.stringify(answer)), bindingOf(key))
}

function decrypt(keys: Keyring, key: Buffer, sealed: Buffer): StoredAnswer {
  try {
    return JSON.parse(openBytes(keys, sealed, bindingOf(key)).toString()) as StoredAnswer
  } catch (error) {
    if (!(error instanceof NotOpenable)) throw error
    throw new Fail('idempotency_conflict', 'The stored response can no longer be read.')
  }
}

function bindingOf(key: Buffer) {
  return { owner: 'core', purpose: 'idempotent-answer', of: [key.toString('hex')] }
}
