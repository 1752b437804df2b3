import { expired, storageUnavailable } from '../json/api-error.ts'
import type { KubeObject } from '../json/kube-object.ts'
import type { Status } from '../json/status.ts'
import { convertOut } from '../kinds/event-conversion.ts'
import type { Kind } from '../kinds/kind.ts'
import { partialMetadata, toTable } from '../kinds/table.ts'
import type { Store } from '../storage/store.ts'
import type { Change } from '../storage/stored.ts'
import type { Exchange } from './exchange.ts'
import { listOptions, parseVersion } from './list-options.ts'
import type { ListOptions } from './list-options.ts'
import { toVersion } from './read.ts'

const BOOKMARK_EVERY_MS = 60_000

/** A client with more unsent bytes is disconnected and relists. */
const BACKLOG_BYTES = 16 << 20

/** A watch of at most this length ends without a bookmark, as in kube-apiserver. */
const SHORT_SECONDS = 2

type EventType = 'ADDED' | 'MODIFIED' | 'DELETED'

/** Event type of a change for a watch with a selector: entering is ADDED, leaving is DELETED. */
export function transition(
  change: Change,
  matches: ((object: KubeObject) => boolean) | undefined,
): EventType | undefined {
  if (!matches) return change.type
  const before = change.previous !== undefined && matches(change.previous.object)
  const after = change.type !== 'DELETED' && matches(change.stored.object)
  if (before && after) return 'MODIFIED'
  if (after) return 'ADDED'
  return before ? 'DELETED' : undefined
}

/** The object of an event: when it leaves the selector, the last matching state at the version of the change. */
function carried(change: Change, type: EventType): KubeObject {
  if (type !== 'DELETED' || change.type === 'DELETED' || !change.previous) return change.stored.object
  const { object } = change.previous
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(change.rv) } }
}

/** Serves a watch until the client disconnects, the timeout expires or the server closes. */
export async function serveWatch(
  store: Store,
  exchange: Exchange,
  kind: Kind,
  context: { now: () => Date; closing: AbortSignal },
): Promise<void> {
  const options = listOptions(exchange.query, kind, true)
  const asked = options.resourceVersion === '' ? 0 : parseVersion(options.resourceVersion, 500)
  const namespace = kind.namespaced ? exchange.info.namespace : ''
  const matches = options.matches ? scoped(options.matches, kind) : undefined
  const encode = encoder(exchange, kind, context.now)
  const { response } = exchange
  const buffered: Change[] = []
  let live: ((change: Change) => void) | undefined
  const inScope = (change: Change) => namespace === '' || change.stored.object.metadata.namespace === namespace

  // Subscribe first, then read: a change in between is seen twice and dropped by its version.
  const unsubscribe = store.subscribe(kind.storeId, (change) => {
    if (live) live(change)
    else buffered.push(change)
  })
  let seen = store.revision
  const lines: string[] = []
  const changes = asked === 0 || options.initialEvents ? undefined : store.changesSince(kind.storeId, asked)
  if (changes) {
    for (const change of changes) pushChange(change)
    seen = Math.max(seen, asked)
  } else if (asked > 0 && !options.initialEvents) {
    unsubscribe()
    await refuse(exchange, expired(`too old resource version: ${asked} (${seen})`).status)
    return
  } else if (options.initialEvents !== false) {
    for (const stored of store.range(kind.storeId, namespace)) {
      if (!matches || matches(stored.object)) lines.push(encode('ADDED', stored.object))
    }
    if (options.initialEvents && options.bookmarks) lines.push(bookmark(kind, seen, true))
  }

  function pushChange(change: Change): void {
    const type = inScope(change) ? transition(change, matches) : undefined
    if (type) lines.push(encode(type, carried(change, type)))
  }
  function flush(): void {
    if (lines.length > 0) response.write(lines.splice(0).join(''))
    if (response.writableLength > BACKLOG_BYTES) response.destroy()
  }

  if (!(await store.settled())) {
    unsubscribe()
    throw storageUnavailable()
  }
  start(exchange)
  live = (change) => {
    if (change.rv <= seen) return
    seen = change.rv
    pushChange(change)
    flush()
  }
  for (const change of buffered.splice(0)) live(change)
  flush()
  // A changed or deleted definition ends the watches of its kinds; clients reconnect and see the new kind or a 404.
  const ended = kind.replaced === undefined ? context.closing : AbortSignal.any([context.closing, kind.replaced])
  await finished(exchange, options, ended, () => response.write(bookmark(kind, Math.max(seen, store.revision), false)))
  unsubscribe()
}

function scoped(matches: (object: KubeObject) => boolean, kind: Kind): (object: KubeObject) => boolean {
  return kind.group === 'events.k8s.io' ? (object) => matches(convertOut(kind, object) ?? object) : matches
}

function start({ response }: Exchange): void {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache, private' })
  response.flushHeaders()
}

async function refuse(exchange: Exchange, status: Status): Promise<void> {
  start(exchange)
  exchange.response.end(`${JSON.stringify({ type: 'ERROR', object: status })}\n`)
}

function bookmark(kind: Kind, rv: number, initial: boolean): string {
  const annotations = initial ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}
  const object = {
    kind: kind.kind,
    apiVersion: kind.apiVersion,
    metadata: { resourceVersion: String(rv), ...annotations },
  }
  return `${JSON.stringify({ type: 'BOOKMARK', object })}\n`
}

function encoder(exchange: Exchange, kind: Kind, now: () => Date): (type: EventType, object: KubeObject) => string {
  let header = true
  return (type, object) => {
    let shown: object = toVersion(object, kind)
    if (exchange.accept.as === 'Table') {
      const resourceVersion = object.metadata.resourceVersion ?? ''
      shown = toTable(kind, [toVersion(object, kind)], {
        now: now(),
        resourceVersion,
        include: exchange.query.get('includeObject'),
        header,
      })
      header = false
    } else if (exchange.accept.as.startsWith('PartialObjectMetadata')) shown = partialMetadata(object)
    return `${JSON.stringify({ type, object: shown })}\n`
  }
}

/** Waits for the end of a watch and sends bookmarks, the last one before the timeout. */
async function finished(
  exchange: Exchange,
  options: ListOptions,
  closing: AbortSignal,
  sendBookmark: () => void,
): Promise<void> {
  const { response } = exchange
  const seconds = options.timeoutSeconds || 1_800 + Math.floor(Math.random() * 1_800)
  const { promise, resolve } = Promise.withResolvers<void>()
  // Timers take at most 2^31 - 1 ms; clients reopen a watch that ends early.
  const timer = setTimeout(resolve, Math.min(seconds * 1000, 2 ** 31 - 1))
  const bookmarks = options.bookmarks ? setInterval(sendBookmark, BOOKMARK_EVERY_MS) : undefined
  response.once('close', resolve)
  closing.addEventListener('abort', () => resolve(), { once: true })
  if (closing.aborted || response.destroyed) resolve()
  await promise
  clearTimeout(timer)
  clearInterval(bookmarks)
  if (response.destroyed) return
  if (options.bookmarks && seconds > SHORT_SECONDS) sendBookmark()
  response.end()
}
