import type { KubeClient, KubeObject, Resource, WatchEvent } from '#core/kube/client.ts'
import { isStatus } from '#core/kube/status.ts'
import type { Logger } from '#core/log/logger.ts'
import { backoffMs, pause } from './backoff.ts'
import { createBacklog } from './backlog.ts'
import type { Backlog } from './backlog.ts'
import { describeError } from './describe-error.ts'
import { isNewer } from './observation.ts'

/**
 * Why everything is listed. After `start` and `expired` changes may have been merged or missed; after `resumed` not: that list is of the
 * version up to which all is known, and the watch goes on from there.
 */
export type ListReason = 'start' | 'resumed' | 'expired'

/** One object as a watch told of it. */
export interface Change {
  readonly type: 'added' | 'modified' | 'deleted'
  readonly object: KubeObject
}

/** Who follows a kind. Calls come one at a time; one that throws is made again until it succeeds, and nothing is lost meanwhile. */
export interface ReflectorHandler {
  /** The version to go on from at the start; undefined lists what is there now. */
  resume?(): Promise<string | undefined>
  /** When the first page of a list is there; `since` is the last version that was seen, undefined at the start. */
  listing(reason: ListReason, since: string | undefined): Promise<void>
  page(objects: readonly KubeObject[]): Promise<void>
  /** After the last page: whatever was not on one and is not newer than `resourceVersion` is gone. */
  listed(resourceVersion: string): Promise<void>
  /** What came while the last call was under way, in the order of the watch: all up to the version `through`, which may be nothing. */
  changed(changes: readonly Change[], through: string): Promise<void>
}

/** What to follow. */
export interface ReflectorOptions {
  readonly cluster: KubeClient
  readonly resource: Resource
  readonly handler: ReflectorHandler
  readonly log: Logger
  readonly signal: AbortSignal
  /** Told how many changes are read and not taken, each time that it changes. */
  readonly onWaiting?: (changes: number) => void
  readonly pageSize?: number
  /** Seconds until the server ends a watch; the next one goes on at the last version. */
  readonly watchSeconds?: number
}

// A store or a server that is back should be noticed soon; the few managers of an installation are no herd.
const bounds = { minMs: 200, maxMs: 5_000 }

// Read ahead of a handler that is slow or whose store is away: what is not read in time expires, and a list merges it.
const ahead = { items: 10_000, bytes: 16 * 1024 * 1024, batch: 200 }

/** Lists a kind, then watches it, until the signal aborts. Goes on from the last version, and lists again when that has expired (M10). */
export async function reflect(options: ReflectorOptions): Promise<void> {
  const { log, resource, signal, handler } = options
  const position: Position = { version: undefined, reason: 'start', last: undefined }
  const backlog = createBacklog<Frame>(ahead, async (frames) => {
    options.onWaiting?.(backlog.length + frames.length)
    const changes = frames.flatMap(({ change }) => change ?? [])
    await insist(options, () => handler.changed(changes, frames.at(-1)?.version ?? ''))
    options.onWaiting?.(backlog.length)
  })
  await findPlace(options, position)
  for (let failures = 0; !signal.aborted;) {
    const started = performance.now()
    try {
      position.version ??= await listAll(options, position)
      const frames = await follow(options, position, backlog)
      // A watch that ends at once and brings nothing would otherwise be asked for in a tight loop.
      failures = frames > 0 || performance.now() - started > 5_000 ? 0 : failures + 1
    } catch (error) {
      if (signal.aborted) break
      if (position.reason === 'resumed' && position.version === undefined && isForgotten(error)) {
        log.info({ kind: resource.kind }, 'where a kind was left is forgotten: what is there now is listed')
        position.reason = 'start'
        continue
      }
      failures += 1
      log.warn({ kind: resource.kind, failures, ...describeError(error) }, 'following a kind failed')
    }
    if (failures > 0) await pause(backoffMs(failures - 1, bounds), signal)
  }
  await backlog.settled()
}

interface Position {
  /** Up to which all was read. */
  version: string | undefined
  reason: ListReason
  last: string | undefined
}

/** What a watch brought: a change, or only word that there is none up to a version. */
interface Frame {
  readonly version: string
  readonly change: Change | undefined
}

/** The API server's versions do not reach the one to go on from: it was restored, or is another one. */
class NeverHad extends Error {}

async function findPlace(options: ReflectorOptions, position: Position): Promise<void> {
  const { handler, signal } = options
  await insist(options, async () => void (position.last = await handler.resume?.())).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
  if (position.last !== undefined) position.reason = 'resumed'
}

// Another failure passes: to give up the place for it would merge what came meanwhile.
function isForgotten(error: unknown): boolean {
  return error instanceof NeverHad || isStatus(error, 410) || isStatus(error, 400)
}

async function listAll(options: ReflectorOptions, { reason, last }: Position): Promise<string> {
  const { cluster, handler, resource, signal } = options
  const at = reason === 'resumed' && last !== undefined ? await placeAt(options, last) : {}
  for (let next: string | undefined; ;) {
    // An expired `continue` (410) fails the list, and the next try starts it anew.
    const page = await cluster.list(resource, {
      limit: options.pageSize ?? 500,
      signal,
      ...(next === undefined ? at : { continue: next }),
    })
    if (next === undefined) await insist(options, () => handler.listing(reason, last))
    await insist(options, () => handler.page(page.items))
    next = page.continue
    if (next !== undefined) continue
    await insist(options, () => handler.listed(page.resourceVersion))
    return page.resourceVersion
  }
}

// What is known is listed as it was then, so that an object which differs for any other reason is found; then the watch tells what came.
async function placeAt({ cluster, resource, signal }: ReflectorOptions, version: string) {
  const { resourceVersion: newest } = await cluster.list(resource, { limit: 1, signal })
  if (isNewer(version, newest)) throw new NeverHad('the version to go on from is ahead of the API server')
  return { resourceVersion: version, resourceVersionMatch: 'Exact' } as const
}

async function follow(options: ReflectorOptions, position: Position, backlog: Backlog<Frame>): Promise<number> {
  const { cluster, resource, signal } = options
  let frames = 0
  const timeoutSeconds = options.watchSeconds ?? 290
  const query = { signal, timeoutSeconds, ...(position.version ? { resourceVersion: position.version } : {}) }
  for await (const event of cluster.watch(resource, query)) {
    frames += 1
    if (event.type === 'expired') {
      // What was read is older than the list to come, and would count as old news after it.
      await backlog.settled()
      Object.assign(position, { version: undefined, reason: 'expired', last: position.version })
      return frames
    }
    const frame = toFrame(event, position.version ?? '')
    position.version = frame.version
    await backlog.push(frame, event.type === 'bookmark' ? 0 : event.bytes)
  }
  return frames
}

// A malformed object may have no version (A11): then the one before it stands.
function toFrame(event: Exclude<WatchEvent<KubeObject>, { readonly type: 'expired' }>, before: string): Frame {
  const given = event.type === 'bookmark' ? event.resourceVersion : event.object.metadata?.resourceVersion
  const version = typeof given === 'string' && given !== '' ? given : before
  return { version, change: event.type === 'bookmark' ? undefined : event }
}

/** Calls until it succeeds; after the signal once more, so that what was read is not lost to a stop. */
async function insist({ log, resource, signal }: ReflectorOptions, call: () => Promise<void>): Promise<void> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await call()
    } catch (error) {
      if (signal.aborted) throw error
      log.warn({ kind: resource.kind, failures, ...describeError(error) }, 'taking what changed failed: trying again')
      await pause(backoffMs(failures - 1, bounds), signal)
    }
  }
}
