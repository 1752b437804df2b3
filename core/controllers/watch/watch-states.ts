import type { Logger } from '#core/log/logger.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import { controllerMetrics } from './metrics.ts'

/** `denied`: the API server refuses list or watch (403). `absent`: the namespace does not exist. */
export type WatchState = 'followed' | 'denied' | 'absent'

/** What is watched: a kind, in all namespaces or in one. */
export interface WatchedPart {
  readonly kind: string
  /** '' for all namespaces. */
  readonly namespace: string
}

/** States of all watches of a process, for readiness, metrics and log. */
export interface WatchStates {
  /** Registers a watch. Returns the function that sets its state. */
  add(part: WatchedPart): (state: WatchState) => void
  /** One line per namespace that is not watched. */
  notes(): readonly string[]
}

interface Entry extends WatchedPart {
  state: WatchState
}

const MOST_NOTES = 50

/** Creates the states of a process. */
export function createWatchStates({ log, metrics }: { log: Logger; metrics?: Metrics | undefined }): WatchStates {
  const entries: Entry[] = []
  const gauge = metrics?.gauge(controllerMetrics.watchesDenied)
  const count = ({ kind, namespace }: WatchedPart): number =>
    entries.filter((one) => one.kind === kind && one.namespace === namespace && one.state === 'denied').length
  return {
    add: (part) => {
      const entry: Entry = { ...part, state: 'followed' }
      entries.push(entry)
      return (state) => {
        if (entry.state === state) return
        entry.state = state
        gauge?.set(count(entry), { kind: entry.kind, watched_namespace: entry.namespace })
        const { kind, namespace } = entry
        if (state === 'denied') log.warn({ kind, namespace }, 'list or watch denied')
        else if (state === 'absent') log.info({ kind, namespace }, 'namespace not found, waiting for it')
        else log.info({ kind, namespace }, 'watching kind')
      }
    },
    notes: () => {
      const lines = notesOf(entries)
      const more = lines.length - MOST_NOTES
      return more > 0 ? [...lines.slice(0, MOST_NOTES), `${more} more namespaces are not followed`] : lines
    },
  }
}

function notesOf(entries: readonly Entry[]): readonly string[] {
  const byNamespace = Map.groupBy(
    entries.filter(({ state }) => state !== 'followed'),
    ({ namespace }) => namespace,
  )
  return [...byNamespace].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([namespace, of]) => noteOf(namespace, of))
}

function noteOf(namespace: string, entries: readonly Entry[]): string {
  const denied = entries.filter(({ state }) => state === 'denied').map(({ kind }) => kind)
  const kinds = [...new Set(denied)].toSorted().join(', ')
  if (namespace === '') return `list or watch of ${kinds} in all namespaces is denied`
  if (denied.length === 0) return `namespace ${namespace} does not exist`
  return `namespace ${namespace}: list or watch of ${kinds} is denied`
}
