import { Agent, fetch } from 'undici'
import { S3mini } from 's3mini'
import type { Logger } from '#core/log/logger.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import { objectStoreMetrics } from './metrics.ts'
import { parseObjectKey } from './object-key.ts'
import type { ObjectKey, ObjectPrefix } from './object-key.ts'
import { OBJECT_DEADLINE_MS, MAX_PAGE, ObjectStoreError, foreign, tooLarge } from './object-store.ts'
import type { ObjectPage, ObjectStore } from './object-store.ts'
import type { S3Address } from './s3-address.ts'

/** Options of `openS3Store`. */
export interface S3Options {
  readonly log?: Pick<Logger, 'error'> | undefined
  readonly metrics?: Metrics | undefined
  /** Time of one call, with its body. */
  readonly deadlineMs?: number
}

const CONNECTIONS = 32
/** Pages of keys and errors. A page of 1,000 keys has about half a megabyte. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024

/** Opens a bucket of an S3 server. It connects at the first call. */
export function openS3Store(address: S3Address, options: S3Options = {}): ObjectStore {
  const { deadlineMs = OBJECT_DEADLINE_MS } = options
  const agent = new Agent({ connections: CONNECTIONS, allowH2: false, connect: { timeout: deadlineMs } })
  const s3 = new S3mini({
    accessKeyId: address.accessKey,
    secretAccessKey: address.secretKey,
    endpoint: `${address.origin}/${address.bucket}`,
    region: address.region,
    requestAbortTimeout: deadlineMs,
    fetch: boundedFetch(agent),
  })
  const seconds = options.metrics?.histogram(objectStoreMetrics.callSeconds)
  const call = async <T>(operation: string, work: () => Promise<T>): Promise<T> => {
    const since = performance.now()
    const ended = (outcome: string): void =>
      seconds?.observe((performance.now() - since) / 1000, { operation, outcome })
    try {
      const result = await work()
      ended('done')
      return result
    } catch (error) {
      const known = toStoreError(error, operation, options.log)
      ended(known.problem)
      throw known
    }
  }
  return {
    put: (key, bytes) =>
      call('put', async () => {
        await drain(await s3.putObject(key, bytes, 'application/json'))
      }),
    get: (key, maxBytes) =>
      call('get', async () => {
        const answer = await s3.getObjectResponse(key)
        if (answer === null) return undefined
        const type = answer.headers.get('content-type')
        // A portal or a proxy. Any other type may be that of a copied object.
        if (/^text\/html/i.test(type ?? '')) throw foreign(type)
        return readBody(answer, maxBytes)
      }),
    list: (prefix, page) => call('list', () => listKeys(s3, prefix, page)),
    remove: (keys) => call('remove', () => removeKeys(s3, keys)),
    close: () => agent.close(),
  }
}

async function listKeys(s3: S3mini, prefix: ObjectPrefix, { limit, after }: ObjectPage): Promise<ObjectKey[]> {
  const from = after === undefined ? {} : { 'start-after': after }
  const page = await s3.listObjectsPaged('/', prefix, Math.min(limit, MAX_PAGE), undefined, from)
  if (page === null || page === undefined) throw new ObjectStoreError('refused', 'the object store has no such bucket')
  return (page.objects ?? []).flatMap(({ Key }) => parseObjectKey(Key) ?? [])
}

async function removeKeys(s3: S3mini, keys: readonly ObjectKey[]): Promise<void> {
  for (let at = 0; at < keys.length; at += MAX_PAGE) {
    const removed = await s3.deleteObjects(keys.slice(at, at + MAX_PAGE))
    if (removed.includes(false))
      throw new ObjectStoreError('unavailable', 'the object store did not delete some objects')
  }
}

// Redirects are not followed: the address is the operator's.
function boundedFetch(dispatcher: Agent): typeof globalThis.fetch {
  return async (url, { method, headers, body, signal } = {}) => {
    const answer = await fetch(String(url), {
      method: method ?? 'GET',
      headers: headers as Record<string, string>,
      body: (body ?? null) as Buffer | string | null,
      signal: signal ?? null,
      dispatcher,
      redirect: 'error',
    })
    const { status } = answer
    const isObject = method === 'GET' && status === 200 && !String(url).includes('?')
    // The library reads every other body as a whole.
    const content = isObject ? answer.body : await readBody(answer, MAX_TEXT_BYTES)
    // The library reads every other response as a bucket without objects.
    const isList = status === 200 && String(url).includes('list-type=')
    if (isList && !String(content).includes('<ListBucketResult')) throw foreign(answer.headers.get('content-type'))
    const isEmpty = status === 204 || status === 304
    return new Response(isEmpty ? null : (content as Uint8Array<ArrayBuffer>), { status, headers: [...answer.headers] })
  }
}

async function readBody({ body }: Pick<Response, 'body'>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge(maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function drain(answer: Response): Promise<void> {
  await answer.body?.cancel()
}

// Messages of the library quote responses of the server, and connection errors quote its address.
function toStoreError(error: unknown, operation: string, log: S3Options['log']): ObjectStoreError {
  if (error instanceof ObjectStoreError) return error
  // `fetch failed` of a connection is a TypeError too, with a cause. Any other is a defect of this process, which a later call does not fix.
  if (error instanceof TypeError && error.cause === undefined) {
    log?.error({ operation, err: error }, 'call of the object store failed unexpectedly')
    return new ObjectStoreError('refused', 'the object store cannot be called: internal error')
  }
  const { status, serviceCode } = error as { status?: unknown; serviceCode?: unknown }
  if (typeof status !== 'number' || status >= 500 || status === 429)
    return new ObjectStoreError('unavailable', 'the object store does not respond')
  const code = typeof serviceCode === 'string' && /^[A-Za-z]{1,64}$/.test(serviceCode) ? ` ${serviceCode}` : ''
  return new ObjectStoreError('refused', `the object store refused the request: ${status}${code}`)
}
