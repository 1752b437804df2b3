import type { Semaphore } from '#core/async/semaphore.ts'
import { sleep } from '#core/async/sleep.ts'
import type { KubeClient, KubeObject, Resource, WatchEvent } from '#core/kube/client.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import type { Logger } from '#core/log/logger.ts'
import { backoffMs } from '#core/async/backoff.ts'
import { createBoundedBuffer } from '#core/async/bounded-buffer.ts'
import type { BoundedBuffer } from '#core/async/bounded-buffer.ts'
import { describeError } from '#core/log/describe-error.ts'
import { isNewer } from '#core/kube/list-request.ts'
import type { NamespaceAbsence } from './namespace-absence.ts'
import { partQuery } from '#core/cluster/served-namespaces.ts'
import { toRefusal } from './watch-states.ts'
import type { Refusal, WatchState } from './watch-states.ts'

/**
 * Why everything is listed. After `start` and `expired`, changes may have been merged or missed. `resumed` lists at the stored version, so
 * nothing is missed and the watch continues from there.
 */
export type ListReason = 'start' | 'resumed' | 'expired'

/** One change reported by a watch. */
export interface WatchChange {
  readonly type: 'added' | 'modified' | 'deleted'
  readonly object: KubeObject
}

/** Receiver of a kind's changes. Calls are sequential; a failed call is retried until it succeeds, and nothing is lost meanwhile. */
export interface ReflectorHandler {
  /** Version to resume from at startup; undefined to list the current state. */
  resume?(): Promise<string | undefined>
  /** Called with the first page of a list. `since` is the last version observed, undefined at startup. */
  listing(reason: ListReason, since: string | undefined): Promise<void>
  page(objects: readonly KubeObject[]): Promise<void>
  /** Called after the last page: objects that were not listed and are not newer than `resourceVersion` are deleted. */
  listed(resourceVersion: string): Promise<void>
  /**
   * Delivers the watch events received since the previous call, in order. `through` is the last resourceVersion covered; `changes` may be
   * empty (bookmark).
   */
  changed(changes: readonly WatchChange[], through: string): Promise<void>
}

/** Options of a reflector. */
export interface ReflectorOptions {
  readonly cluster: KubeClient
  readonly resource: Resource
  readonly handler: ReflectorHandler
  readonly log: Logger
  readonly signal: AbortSignal
  /** Part to watch: objects of this namespace, or the Namespace with that name; default: all. */
  readonly part?: ReflectedPart | undefined
  /** Called with the number of buffered changes whenever it changes. */
  readonly onWaiting?: (changes: number) => void
  readonly onState?: (state: WatchState, refusal?: Refusal) => void
  readonly pageSize?: number
  /** Seconds until the server ends a watch; the next one resumes at the last version. */
  readonly watchSeconds?: number
}

/** One namespace of a kind, and the state shared by the reflectors of all its namespaces. */
export interface ReflectedPart {
  readonly namespace: DnsLabel
  /** Number of parts of the kind, which share its limits. */
  readonly of: number
  readonly absence: NamespaceAbsence
  /** Limits concurrent lists. */
  readonly lists: Semaphore
}

// Short, so that a recovered store or server is noticed soon; an installation has few managers.
const bounds = { minMs: 200, maxMs: 5_000 }
// A permission is granted by hand, so thousands of denied watches are retried rarely.
const deniedBounds = { minMs: 1_000, maxMs: 30_000 }
const absentBounds = { minMs: 500, maxMs: 10_000 }

// Reads ahead of a handler that is slow or whose store is unavailable. Changes not read in time expire, and a list merges them.
const ahead = { items: 10_000, bytes: 16 * 1024 * 1024, batch: 200 }
const leastAhead = { items: 100, bytes: 64 * 1024 }

/** Lists a kind, then watches it until the signal aborts. Resumes at the last version, and relists when that has expired (M10). */
export async function reflect(options: ReflectorOptions): Promise<void> {
  const { signal, handler } = options
  const position: Position = {
    version: undefined,
    reason: 'start',
    last: undefined,
    mayBeAbsent: options.part !== undefined && options.resource.namespaced,
  }
  const buffer = createBoundedBuffer<Frame>(boundsOf(options.part), async (frames) => {
    options.onWaiting?.(buffer.length + frames.length)
    const changes = frames.flatMap(({ change }) => change ?? [])
    await retryHandler(options, () => handler.changed(changes, frames.at(-1)?.version ?? ''))
    options.onWaiting?.(buffer.length)
  })
  await findResumeVersion(options, position)
  for (let failures = 0; !signal.aborted;) {
    const started = performance.now()
    let pauseBounds = bounds
    try {
      await untilPresent(options, position, buffer)
      position.version ??= await listInTurn(options, position)
      const frames = await follow(options, position, buffer)
      // A watch that ends immediately without events would otherwise be requested in a tight loop.
      failures = frames > 0 || performance.now() - started > 5_000 ? 0 : failures + 1
    } catch (error) {
      if (signal.aborted) break
      if (isStatus(error, 403) || isStatus(error, 404)) pauseBounds = deniedBounds
      failures = noteFailure(options, position, { error, failures })
    }
    if (failures > 0) await sleep(backoffMs(failures - 1, pauseBounds), signal)
  }
  await buffer.settled()
}

interface Position {
  /** Version up to which everything was received. */
  version: string | undefined
  reason: ListReason
  last: string | undefined
  /** Whether the namespace may not exist: at startup, and after a 403. */
  mayBeAbsent: boolean
}

/** One event of a watch: a change, or a bookmark without one. */
interface Frame {
  readonly version: string
  readonly change: WatchChange | undefined
}

/** The API server's versions are older than the resume version: it was restored, or is a different one. */
class VersionAhead extends Error {}

// Parts share the limits of their kind; each has room for some changes.
function boundsOf(part: ReflectedPart | undefined) {
  if (part === undefined) return ahead
  return {
    items: Math.max(leastAhead.items, Math.floor(ahead.items / part.of)),
    bytes: Math.max(leastAhead.bytes, Math.floor(ahead.bytes / part.of)),
    batch: ahead.batch,
  }
}

// Returns the number of consecutive failures; 0 retries immediately.
function noteFailure(
  { log, resource, part, onState }: ReflectorOptions,
  position: Position,
  { error, failures }: { readonly error: unknown; readonly failures: number },
): number {
  const what = { kind: resource.kind, ...(part === undefined ? {} : { namespace: part.namespace }) }
  if (position.reason === 'resumed' && position.version === undefined && isExpired(error)) {
    log.info(what, 'resourceVersion expired, relisting')
    position.reason = 'start'
    return 0
  }
  if (isStatus(error, 403)) {
    position.mayBeAbsent = part !== undefined && resource.namespaced
    // Logged once, since retries are frequent.
    onState?.('denied', toRefusal(error, position.version === undefined ? 'list' : 'watch'))
    log.debug({ ...what, failures: failures + 1 }, 'list or watch denied')
  } else if (isStatus(error, 404)) {
    // The CRD is missing. If it was deleted, its objects were too: the next list finds that out.
    if (position.version !== undefined)
      Object.assign(position, { version: undefined, reason: 'expired', last: position.version })
    onState?.('unserved')
    log.debug({ ...what, failures: failures + 1 }, 'resource not served')
  } else log.warn({ ...what, failures: failures + 1, ...describeError(error) }, 'watch failed, retrying')
  return failures + 1
}

/**
 * Waits for a namespace that does not exist. None of its objects exist either, so its list is empty and the watch starts at that version.
 */
async function untilPresent(
  options: ReflectorOptions,
  position: Position,
  buffer: BoundedBuffer<Frame>,
): Promise<void> {
  const { handler, part, signal } = options
  if (part === undefined || !position.mayBeAbsent) return
  for (let round = 0; !signal.aborted; round += 1) {
    const version = await part.absence(part.namespace)
    if (version === undefined) break
    if (round === 0) {
      await buffer.settled()
      const [reason, since] =
        position.version === undefined ? (['start', position.last] as const) : (['expired', position.version] as const)
      await retryHandler(options, () => handler.listing(reason, since))
      await retryHandler(options, () => handler.listed(version))
      options.onState?.('absent')
    }
    position.version = version
    await sleep(backoffMs(round, absentBounds), signal)
  }
  signal.throwIfAborted()
  position.mayBeAbsent = false
}

async function findResumeVersion(options: ReflectorOptions, position: Position): Promise<void> {
  const { handler, signal } = options
  await retryHandler(options, async () => {
    position.last = await handler.resume?.()
  }).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
  if (position.last !== undefined) position.reason = 'resumed'
}

// Other failures are temporary: dropping the resume version would merge the changes made meanwhile.
function isExpired(error: unknown): boolean {
  return error instanceof VersionAhead || isStatus(error, 410) || isStatus(error, 400)
}

// Hundreds of namespaces must not list concurrently: a server slow to respond would be treated as stalled.
async function listInTurn(options: ReflectorOptions, position: Position): Promise<string> {
  const list = (): Promise<string> => listAll(options, position)
  return options.part === undefined ? list() : options.part.lists(list)
}

async function listAll(options: ReflectorOptions, { reason, last }: Position): Promise<string> {
  const { cluster, handler, resource, signal } = options
  const part = partQuery(resource, options.part?.namespace)
  const at = reason === 'resumed' && last !== undefined ? await atStoredVersion(options, last) : {}
  for (let next: string | undefined; ;) {
    // An expired `continue` (410) fails the list, and the next attempt starts it from the beginning.
    const page = await cluster.list(resource, {
      ...part,
      limit: options.pageSize ?? 500,
      signal,
      ...(next === undefined ? at : { continue: next }),
    })
    if (next === undefined) await retryHandler(options, () => handler.listing(reason, last))
    await retryHandler(options, () => handler.page(page.items))
    next = page.continue
    if (next !== undefined) continue
    await retryHandler(options, () => handler.listed(page.resourceVersion))
    options.onState?.('followed')
    return page.resourceVersion
  }
}

// Lists at the stored version, so that objects that differ for another reason are found. The watch then reports later changes.
async function atStoredVersion({ cluster, resource, signal, part }: ReflectorOptions, version: string) {
  const query = { ...partQuery(resource, part?.namespace), limit: 1, signal }
  const { resourceVersion: newest } = await cluster.list(resource, query)
  if (isNewer(version, newest)) throw new VersionAhead('the resume version is ahead of the API server')
  return { resourceVersion: version, resourceVersionMatch: 'Exact' } as const
}

async function follow(options: ReflectorOptions, position: Position, buffer: BoundedBuffer<Frame>): Promise<number> {
  const { cluster, resource, signal } = options
  let frames = 0
  const timeoutSeconds = options.watchSeconds ?? 290
  const query = {
    ...partQuery(resource, options.part?.namespace),
    signal,
    timeoutSeconds,
    ...(position.version ? { resourceVersion: position.version } : {}),
  }
  for await (const event of cluster.watch(resource, query)) {
    if (frames === 0) options.onState?.('followed')
    frames += 1
    if (event.type === 'expired') {
      // Buffered changes are older than the list to come, and would be stale after it.
      await buffer.settled()
      Object.assign(position, { version: undefined, reason: 'expired', last: position.version })
      return frames
    }
    const frame = toFrame(event, position.version ?? '')
    position.version = frame.version
    await buffer.push(frame, event.type === 'bookmark' ? 0 : event.bytes)
  }
  return frames
}

// A malformed object may have no version (A11); the previous one is kept.
function toFrame(event: Exclude<WatchEvent<KubeObject>, { readonly type: 'expired' }>, before: string): Frame {
  const given = event.type === 'bookmark' ? event.resourceVersion : event.object.metadata?.resourceVersion
  const version = typeof given === 'string' && given !== '' ? given : before
  return { version, change: event.type === 'bookmark' ? undefined : event }
}

/** Retries until it succeeds, and once more after the signal, so that a stop does not lose received changes. */
async function retryHandler({ log, resource, signal }: ReflectorOptions, call: () => Promise<void>): Promise<void> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await call()
    } catch (error) {
      if (signal.aborted) throw error
      log.warn({ kind: resource.kind, failures, ...describeError(error) }, 'event handler failed, retrying')
      await sleep(backoffMs(failures - 1, bounds), signal)
    }
  }
}
