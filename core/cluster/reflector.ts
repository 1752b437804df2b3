import type { KubeClient, KubeObject, Resource } from '#core/kube/client.ts'
import type { Logger } from '#core/log/logger.ts'
import { backoffMs, pause } from './backoff.ts'
import { describeError } from './describe-error.ts'

/** Why everything is listed: changes between two lists may have been merged or missed. */
export type ListReason = 'start' | 'expired' | 'failed'

/** Who follows a kind. Calls come one at a time; one that throws has everything listed again after a while. */
export interface ReflectorHandler {
  /** Before a list; `since` is the last version that was seen, undefined at the start. */
  listing(reason: ListReason, since: string | undefined): Promise<void>
  page(objects: readonly KubeObject[]): Promise<void>
  /** After the last page: whatever was not on one and is not newer than `resourceVersion` is gone. */
  listed(resourceVersion: string): Promise<void>
  changed(type: 'added' | 'modified' | 'deleted', object: KubeObject): Promise<void>
}

/** What to follow. */
export interface ReflectorOptions {
  readonly cluster: KubeClient
  readonly resource: Resource
  readonly handler: ReflectorHandler
  readonly log: Logger
  readonly signal: AbortSignal
  readonly pageSize?: number
  /** Seconds until the server ends a watch; the next one goes on at the last version. */
  readonly watchSeconds?: number
}

const bounds = { minMs: 200, maxMs: 30_000 }

/** Thrown inside to tell a handler's failure, which costs a list, from a broken watch, which goes on where it was. */
class HandlerFailed extends Error {}

/** Lists a kind, then watches it, until the signal aborts. Goes on from the last version, and lists again when that has expired (M10). */
export async function reflect(options: ReflectorOptions): Promise<void> {
  const { log, resource, signal } = options
  const position: Position = { version: undefined, reason: 'start', last: undefined }
  for (let failures = 0; !signal.aborted;) {
    const started = performance.now()
    try {
      position.version ??= await listAll(options, position)
      const frames = await follow(options, position)
      // A watch that ends at once and brings nothing would otherwise be asked for in a tight loop.
      failures = frames > 0 || performance.now() - started > 5_000 ? 0 : failures + 1
    } catch (error) {
      if (signal.aborted) return
      failures += 1
      if (error instanceof HandlerFailed) restart(position, 'failed')
      const cause = error instanceof HandlerFailed ? error.cause : error
      log.warn({ kind: resource.kind, failures, ...describeError(cause) }, 'following a kind failed')
    }
    if (failures > 0) await pause(backoffMs(failures - 1, bounds), signal)
  }
}

interface Position {
  version: string | undefined
  reason: ListReason
  last: string | undefined
}

function restart(position: Position, reason: ListReason): void {
  position.last = position.version ?? position.last
  position.version = undefined
  position.reason = reason
}

async function listAll(options: ReflectorOptions, position: Position): Promise<string> {
  const { cluster, handler, resource, signal } = options
  await guarded(handler.listing(position.reason, position.last))
  for (let next: string | undefined; ;) {
    // An expired `continue` (410) fails the list, and the next try starts it anew.
    const page = await cluster.list(resource, {
      limit: options.pageSize ?? 500,
      signal,
      ...(next === undefined ? {} : { continue: next }),
    })
    await guarded(handler.page(page.items))
    next = page.continue
    if (next !== undefined) continue
    await guarded(handler.listed(page.resourceVersion))
    return page.resourceVersion
  }
}

async function follow(options: ReflectorOptions, position: Position): Promise<number> {
  const { cluster, handler, resource, signal } = options
  let frames = 0
  const timeoutSeconds = options.watchSeconds ?? 290
  const query = { signal, timeoutSeconds, ...(position.version ? { resourceVersion: position.version } : {}) }
  for await (const event of cluster.watch(resource, query)) {
    frames += 1
    if (event.type === 'expired') {
      restart(position, 'expired')
      return frames
    }
    if (event.type !== 'bookmark') await guarded(handler.changed(event.type, event.object))
    const version = event.type === 'bookmark' ? event.resourceVersion : event.object.metadata.resourceVersion
    if (version !== undefined && version !== '') position.version = version
  }
  return frames
}

async function guarded(work: Promise<void>): Promise<void> {
  try {
    await work
  } catch (error) {
    throw new HandlerFailed('handler failed', { cause: error })
  }
}
