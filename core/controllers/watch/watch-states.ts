import type { KubeError } from '#core/kube/status.ts'
import type { Resource } from '#core/kube/client.ts'
import type { Logger } from '#core/log/logger.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import { controllerMetrics } from './metrics.ts'

/**
 * `denied`: the API server refuses list or watch (403). `unserved`: it does not have the resource (404), such as a kind without its CRD.
 * `absent`: the namespace does not exist.
 */
export type WatchState = 'followed' | 'denied' | 'unserved' | 'absent'

/** The refused call: its verb, and the account that lacks the right, as the API server names it. */
export interface Refusal {
  readonly verb: 'list' | 'watch'
  readonly account?: string
}

/** A watched resource, in all namespaces or in one. */
export interface WatchedPart {
  readonly resource: Pick<Resource, 'group' | 'plural' | 'kind'>
  /** '' for all namespaces. */
  readonly namespace: string
}

/** States of all watches of a process, for readiness, metrics and log. */
export interface WatchStates {
  /** Registers a watch. Returns the function that sets its state. */
  add(part: WatchedPart): (state: WatchState, refusal?: Refusal) => void
  /** Lines that name the unwatched resources, and the reason: by account and verb, or by namespace. */
  notes(): readonly string[]
}

interface Entry extends WatchedPart {
  state: WatchState
  refusal?: Refusal | undefined
}

const MAX_NOTES = 50

/** Creates the states of a process. */
export function createWatchStates({ log, metrics }: { log: Logger; metrics?: Metrics | undefined }): WatchStates {
  const entries: Entry[] = []
  const gauge = metrics?.gauge(controllerMetrics.watchesDenied)
  const count = ({ resource: { kind }, namespace }: WatchedPart): number =>
    entries.filter((one) => one.resource.kind === kind && one.namespace === namespace && one.state === 'denied').length
  return {
    add: (part) => {
      const entry: Entry = { ...part, state: 'followed' }
      entries.push(entry)
      return (state, refusal) => {
        const before = entry.state
        entry.state = state
        entry.refusal = refusal
        if (before === state) return
        gauge?.set(count(entry), { kind: part.resource.kind, watched_namespace: part.namespace })
        logState(log, entry)
      }
    },
    notes: () => {
      const lines = notesOf(entries)
      const more = lines.length - MAX_NOTES
      return more > 0 ? [...lines.slice(0, MAX_NOTES), `${more} more parts are not watched`] : lines
    },
  }
}

/** The refusal of a 403. The API server's message names the account; a different authorizer may not. */
export function toRefusal({ message }: KubeError, verb: Refusal['verb']): Refusal {
  const account = /\bUser "([^"\\]{1,253})" cannot /.exec(message)?.[1]
  return { verb, ...(account === undefined ? {} : { account }) }
}

function logState(log: Logger, { resource: { kind, group, plural }, namespace, state, refusal }: Entry): void {
  const what = { kind, namespace, resource: nameOf({ group, plural }) }
  if (state === 'denied') log.warn({ ...what, ...refusal }, 'list or watch denied')
  else if (state === 'unserved') log.warn(what, 'resource not served by the API server, waiting for it')
  else if (state === 'absent') log.info(what, 'namespace not found, waiting for it')
  else log.info(what, 'watching kind')
}

function notesOf(entries: readonly Entry[]): readonly string[] {
  const byLine = Map.groupBy(
    entries.filter(({ state }) => state !== 'followed'),
    lineOf,
  )
  return [...byLine].map(([line, of]) => line.replace('%', resourcesOf(of))).toSorted()
}

// `%` is replaced by the resources of all entries with the same line.
function lineOf({ namespace, state, refusal }: Entry): string {
  if (state === 'unserved') return 'the API server does not serve %: a CRD is missing (mesh manifests)'
  if (state === 'absent') return `namespace ${namespace} does not exist`
  const { verb = 'list', account = 'this account' } = refusal ?? {}
  const where = namespace === '' ? 'all namespaces' : `namespace ${namespace}`
  return `${where}: ${verb} of % is denied to ${account}`
}

function resourcesOf(entries: readonly Entry[]): string {
  return [...new Set(entries.map(({ resource }) => nameOf(resource)))].toSorted().join(', ')
}

function nameOf({ group, plural }: Pick<Resource, 'group' | 'plural'>): string {
  return group === '' ? plural : `${plural}.${group}`
}
