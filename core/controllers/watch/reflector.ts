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
import { isNewer } from '#core/kube/resource-version.ts'
import type { NamespaceAbsence } from './namespace-absence.ts'
import { partQuery } from '#core/cluster/served-namespaces.ts'
import type { WatchState } from './watch-states.ts'

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
  /** The part that is followed: objects of this namespace, or the Namespace of that name; absent: all. */
  readonly part?: ReflectedPart | undefined
  /** Called with the number of changes that are read and not taken, each time that it changes. */
  readonly onWaiting?: (changes: number) => void
  readonly onState?: (state: WatchState) => void
  readonly pageSize?: number
  /** Seconds until the server ends a watch; the next one goes on at the last version. */
  readonly watchSeconds?: number
}

/** One namespace of a kind, and what the reflectors of all its namespaces share. */
export interface ReflectedPart {
  readonly namespace: DnsLabel
  /** How many parts the kind has: they share its bounds. */
  readonly of: number
  readonly absence: NamespaceAbsence
  /** Lists under way at once. */
  readonly lists: Semaphore
}

// A store or a server that is back should be noticed soon; the few managers of an installation are no herd.
const bounds = { minMs: 200, maxMs: 5_000 }
// A right is granted by a person: thousands of denied watches must not be asked for all the time.
const deniedBounds = { minMs: 1_000, maxMs: 30_000 }
const absentBounds = { minMs: 500, maxMs: 10_000 }

// Read ahead of a handler that is slow or whose store is away: what is not read in time expires, and a list merges it.
const ahead = { items: 10_000, bytes: 16 * 1024 * 1024, batch: 200 }
const leastAhead = { items: 100, bytes: 64 * 1024 }

/** Lists a kind, then watches it, until the signal aborts. Goes on from the last version, and lists again when that has expired (M10). */
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
    await insist(options, () => handler.changed(changes, frames.at(-1)?.version ?? ''))
    options.onWaiting?.(buffer.length)
  })
  await findPlace(options, position)
  for (let failures = 0; !signal.aborted;) {
    const started = performance.now()
    let pauseBounds = bounds
    try {
      await untilPresent(options, position, buffer)
      position.version ??= await listInTurn(options, position)
      const frames = await follow(options, position, buffer)
      // A watch that ends at once and brings nothing would otherwise be asked for in a tight loop.
      failures = frames > 0 || performance.now() - started > 5_000 ? 0 : failures + 1
    } catch (error) {
      if (signal.aborted) break
      if (isStatus(error, 403)) pauseBounds = deniedBounds
      failures = noteFailure(options, position, { error, failures })
    }
    if (failures > 0) await sleep(backoffMs(failures - 1, pauseBounds), signal)
  }
  await buffer.settled()
}

interface Position {
  /** Up to which all was read. */
  version: string | undefined
  reason: ListReason
  last: string | undefined
  /** Whether the namespace may not exist: at the start, and after a 403. */
  mayBeAbsent: boolean
}

/** What a watch brought: a change, or only word that there is none up to a version. */
interface Frame {
  readonly version: string
  readonly change: Change | undefined
}

/** The API server's versions do not reach the one to go on from: it was restored, or is another one. */
class NeverHad extends Error {}

// Parts share the bounds of their kind; each has room for some changes.
function boundsOf(part: ReflectedPart | undefined) {
  if (part === undefined) return ahead
  return {
    items: Math.max(leastAhead.items, Math.floor(ahead.items / part.of)),
    bytes: Math.max(leastAhead.bytes, Math.floor(ahead.bytes / part.of)),
    batch: ahead.batch,
  }
}

// The number of failures from now on; 0 asks again at once.
function noteFailure(
  { log, resource, part, onState }: ReflectorOptions,
  position: Position,
  { error, failures }: { readonly error: unknown; readonly failures: number },
): number {
  const what = { kind: resource.kind, ...(part === undefined ? {} : { namespace: part.namespace }) }
  if (position.reason === 'resumed' && position.version === undefined && isForgotten(error)) {
    log.info(what, 'resource version expired, listing again')
    position.reason = 'start'
    return 0
  }
  if (isStatus(error, 403)) {
    position.mayBeAbsent = part !== undefined && resource.namespaced
    // Reported once; retries are many.
    onState?.('denied')
    log.debug({ ...what, failures: failures + 1 }, 'list or watch of a kind is denied')
  } else log.warn({ ...what, failures: failures + 1, ...describeError(error) }, 'following a kind failed')
  return failures + 1
}

/** Waits for a namespace that does not exist: nothing of it does either, so that is its list, and the watch begins at that version. */
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
      await insist(options, () => handler.listing(reason, since))
      await insist(options, () => handler.listed(version))
      options.onState?.('absent')
    }
    position.version = version
    await sleep(backoffMs(round, absentBounds), signal)
  }
  signal.throwIfAborted()
  position.mayBeAbsent = false
}

async function findPlace(options: ReflectorOptions, position: Position): Promise<void> {
  const { handler, signal } = options
  await insist(options, async () => {
    position.last = await handler.resume?.()
  }).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
  if (position.last !== undefined) position.reason = 'resumed'
}

// Another failure passes: to give up the place for it would merge what came meanwhile.
function isForgotten(error: unknown): boolean {
  return error instanceof NeverHad || isStatus(error, 410) || isStatus(error, 400)
}

// Hundreds of namespaces must not list at once; a server that answers none of them would be taken for one that has stopped.
async function listInTurn(options: ReflectorOptions, position: Position): Promise<string> {
  const list = (): Promise<string> => listAll(options, position)
  return options.part === undefined ? list() : options.part.lists(list)
}

async function listAll(options: ReflectorOptions, { reason, last }: Position): Promise<string> {
  const { cluster, handler, resource, signal } = options
  const part = partQuery(resource, options.part?.namespace)
  const at = reason === 'resumed' && last !== undefined ? await placeAt(options, last) : {}
  for (let next: string | undefined; ;) {
    // An expired `continue` (410) fails the list, and the next try starts it anew.
    const page = await cluster.list(resource, {
      ...part,
      limit: options.pageSize ?? 500,
      signal,
      ...(next === undefined ? at : { continue: next }),
    })
    if (next === undefined) await insist(options, () => handler.listing(reason, last))
    await insist(options, () => handler.page(page.items))
    next = page.continue
    if (next !== undefined) continue
    await insist(options, () => handler.listed(page.resourceVersion))
    options.onState?.('followed')
    return page.resourceVersion
  }
}

// What is known is listed as it was then, so that an object which differs for any other reason is found; then the watch tells what came.
async function placeAt({ cluster, resource, signal, part }: ReflectorOptions, version: string) {
  const query = { ...partQuery(resource, part?.namespace), limit: 1, signal }
  const { resourceVersion: newest } = await cluster.list(resource, query)
  if (isNewer(version, newest)) throw new NeverHad('the version to go on from is ahead of the API server')
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
      // What was read is older than the list to come, and would count as old news after it.
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
      await sleep(backoffMs(failures - 1, bounds), signal)
    }
  }
}
