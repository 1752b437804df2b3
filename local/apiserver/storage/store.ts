import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { failure } from '../json/api-error.ts'
import type { KubeObject } from '../json/kube-object.ts'
import type { Log } from '../json/log.ts'
import { openJournal, readJournal } from './journal.ts'
import type { JournalCut, JournalFailure } from './journal.ts'
import type { ObjectReader } from './object-reader.ts'
import { lowerBound, objectKey, putRecord, toBody, within } from './stored.ts'
import type { Change, StoredVersion, Written } from './stored.ts'

export interface Store extends ObjectReader {
  readonly revision: number
  /** The part of a damaged journal that was removed when the store was opened. */
  readonly cut: JournalCut | undefined
  find(id: string, key: string): StoredVersion | undefined
  /** In key order; an empty namespace lists all namespaces. */
  range(id: string, namespace: string): readonly StoredVersion[]
  /** The same at an earlier version; undefined if the history does not reach back to it. */
  rangeAt(id: string, namespace: string, rv: number): readonly StoredVersion[] | undefined
  put(id: string, key: string, object: KubeObject): Written
  remove(id: string, key: string): Written | undefined
  /** Changes of a resource after a version; undefined if the history does not reach back to it. */
  changesSince(id: string, rv: number): Change[] | undefined
  /** Called in version order, after the change is durable. */
  subscribe(id: string, listener: (change: Change) => void): () => void
  /** Called for every durable change of any resource. */
  subscribeAll(listener: (change: Change) => void): () => void
  dependents(uid: string): StoredVersion[]
  byUid(uid: string): StoredVersion | undefined
  all(): Iterable<StoredVersion>
  /** Resolves when the current state in memory is on disk or undone; true if nothing was undone. */
  settled(): Promise<boolean>
  /** Whether the journal can be written; after a failure this makes an attempt. */
  writable(): Promise<boolean>
  /** Called when the journal can be written again after a failure. */
  onRecovered(listener: () => void): void
  close(): Promise<void>
}

/** etcd's default `--max-request-bytes`; kube-apiserver responds with 500 above it. */
const OBJECT_BYTES = 1.5 * 1024 * 1024
const objectTooLarge = () => failure({ code: 500, message: `the object is larger than ${OBJECT_BYTES} bytes` })

const HISTORY = 10_000
const COMPACT_FROM_BYTES = 4 << 20

interface Shelf {
  byKey: Map<string, StoredVersion>
  sorted: StoredVersion[]
  version: number
}

/**
 * Opens the store in a folder that the caller has locked. Reads are served from memory; the journal is durable. A write that fails in the
 * journal is undone in memory before the response.
 */
export async function openStore(folder: string, log: Log = () => undefined): Promise<Store> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, 'objects.journal')
  const shelves = new Map<string, Shelf>()
  const owners = new Map<string, Map<string, StoredVersion>>()
  const uids = new Map<string, StoredVersion>()
  const listeners = new Map<string, Set<(change: Change) => void>>()
  let history: Change[] = []
  let floor = 0
  let revision = 0
  let liveBytes = 0
  /** Changes in memory that are not durable yet, in order. */
  let pending: Change[] = []
  let undone = 0
  let failing = false
  const recovered: (() => void)[] = []

  function shelf(id: string): Shelf {
    let found = shelves.get(id)
    if (!found) shelves.set(id, (found = { byKey: new Map(), sorted: [], version: 0 }))
    return found
  }

  function index(stored: StoredVersion, add: boolean): void {
    const { uid, ownerReferences } = stored.object.metadata
    if (uid && add) uids.set(uid, stored)
    else if (uid) uids.delete(uid)
    liveBytes += add ? stored.body.length : -stored.body.length
    for (const owner of ownerReferences ?? []) {
      const dependents = owners.get(owner.uid) ?? new Map<string, StoredVersion>()
      if (add) owners.set(owner.uid, dependents.set(`${stored.id} ${stored.key}`, stored))
      else if (dependents.delete(`${stored.id} ${stored.key}`) && dependents.size === 0) owners.delete(owner.uid)
    }
  }

  function place(stored: StoredVersion): StoredVersion | undefined {
    const on = shelf(stored.id)
    const previous = on.byKey.get(stored.key)
    if (previous) index(previous, false)
    on.byKey.set(stored.key, stored)
    on.sorted.splice(lowerBound(on.sorted, stored.key), previous ? 1 : 0, stored)
    on.version = stored.rv
    index(stored, true)
    return previous
  }

  function take(id: string, key: string, rv: number): StoredVersion | undefined {
    const on = shelf(id)
    const previous = on.byKey.get(key)
    if (!previous) return undefined
    index(previous, false)
    on.byKey.delete(key)
    on.sorted.splice(lowerBound(on.sorted, key), 1)
    on.version = rv
    return previous
  }

  function load(record: string): void {
    const { rv, id, key, object }: { rv: number; id?: string; key?: string; object?: KubeObject } = JSON.parse(record)
    revision = rv
    if (id === undefined || key === undefined) return
    if (object) place({ id, key, rv, object, body: toBody(object) })
    else take(id, key, rv)
  }

  const { records, cut } = readJournal(file, log)
  for (const record of records) load(record)
  floor = revision
  const journal = await openJournal(file, { onRefused: undo, log })

  /** Undoes the failed changes. Their versions are not reused: caches are keyed by them. */
  function undo({ code }: JournalFailure): void {
    if (!failing) log('journal cannot be written, rejecting changes', { file, code })
    failing = true
    undone += 1
    revision += 1
    const refused = new Set(pending)
    for (const { stored, previous, rv } of pending.toReversed()) {
      if (previous) place(previous)
      else take(stored.id, stored.key, rv)
      shelf(stored.id).version = revision
    }
    pending = []
    history = history.filter((change) => !refused.has(change))
  }

  function settle(change: Change): void {
    pending.shift()
    deliver(change)
    succeeded()
  }

  function succeeded(): void {
    if (!failing) return
    failing = false
    log('journal can be written again, accepting changes', { file })
    for (const listener of recovered) listener()
  }

  function* everything(): Generator<string> {
    const all = [...shelves.values()].flatMap((on) => on.sorted)
    for (const stored of all.sort((a, b) => a.rv - b.rv)) yield putRecord(stored)
    yield `{"rv":${revision}}`
  }

  function commit(change: Change, record: string): Written {
    history.push(change)
    pending.push(change)
    if (history.length > HISTORY + 1_000) {
      history = history.slice(-HISTORY)
      floor = (history[0]?.rv ?? 1) - 1
    }
    if (journal.bytes > COMPACT_FROM_BYTES && journal.bytes > 3 * liveBytes) journal.compact(everything)
    const durable = journal.append(record).then(() => settle(change))
    durable.catch(() => undefined)
    return { stored: change.stored, durable }
  }

  function deliver(change: Change): void {
    for (const name of [change.stored.id, '*']) for (const listener of listeners.get(name) ?? []) listener(change)
  }

  function listen(name: string, listener: (change: Change) => void): () => void {
    const set = listeners.get(name) ?? new Set()
    listeners.set(name, set.add(listener))
    return () => set.delete(listener)
  }

  return {
    cut,
    get revision() {
      return revision
    },
    get: (group, resource, namespace, name) =>
      shelves.get(`${group}/${resource}`)?.byKey.get(objectKey(namespace, name))?.object,
    list: (group, resource, namespace) =>
      within(shelf(`${group}/${resource}`).sorted, namespace).map((stored) => stored.object),
    version: (group, resource) => shelves.get(`${group}/${resource}`)?.version ?? 0,
    find: (id, key) => shelves.get(id)?.byKey.get(key),
    range: (id, namespace) => within(shelf(id).sorted, namespace),
    rangeAt(id, namespace, rv) {
      const on = shelf(id)
      if (on.version <= rv) return within(on.sorted, namespace)
      if (rv < floor) return undefined
      const then = new Map(on.byKey)
      for (let at = history.length - 1; at >= 0; at -= 1) {
        const change = history[at]
        if (!change || change.rv <= rv) break
        if (change.stored.id !== id) continue
        if (change.previous) then.set(change.stored.key, change.previous)
        else then.delete(change.stored.key)
      }
      return within(
        [...then.values()].sort((a, b) => (a.key < b.key ? -1 : 1)),
        namespace,
      )
    },
    put(id, key, object) {
      const rv = (revision += 1)
      const metadata = { ...object.metadata, resourceVersion: String(rv) }
      const { kind, apiVersion, ...rest } = object
      const stamped: KubeObject = { kind, apiVersion, ...rest, metadata }
      const stored: StoredVersion = { id, key, rv, object: stamped, body: toBody(stamped) }
      if (Buffer.byteLength(stored.body) > OBJECT_BYTES) throw objectTooLarge()
      const previous = place(stored)
      return commit({ rv, type: previous ? 'MODIFIED' : 'ADDED', stored, previous }, putRecord(stored))
    },
    remove(id, key) {
      const previous = shelves.get(id)?.byKey.get(key)
      if (!previous) return undefined
      const rv = (revision += 1)
      take(id, key, rv)
      const object = { ...previous.object, metadata: { ...previous.object.metadata, resourceVersion: String(rv) } }
      const stored: StoredVersion = { id, key, rv, object, body: toBody(object) }
      const record = `{"rv":${rv},"id":${JSON.stringify(id)},"key":${JSON.stringify(key)}}`
      return commit({ rv, type: 'DELETED', stored, previous }, record)
    },
    changesSince(id, rv) {
      if (rv < floor) return undefined
      const from = history.findLastIndex((change) => change.rv <= rv) + 1
      return history.slice(from).filter((change) => change.stored.id === id)
    },
    subscribe: listen,
    subscribeAll: (listener) => listen('*', listener),
    dependents: (uid) => [...(owners.get(uid)?.values() ?? [])],
    byUid: (uid) => uids.get(uid),
    *all() {
      for (const on of shelves.values()) yield* on.sorted.slice()
    },
    async settled() {
      const before = undone
      await journal.settled()
      return undone === before
    },
    async writable() {
      if (failing) await journal.append(`{"rv":${revision}}`).then(succeeded, () => undefined)
      return !failing
    },
    onRecovered: (listener) => {
      void recovered.push(listener)
    },
    close: () => journal.close(),
  }
}
