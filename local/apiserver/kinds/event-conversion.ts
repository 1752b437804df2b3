import type { KubeObject } from '../json/kube-object.ts'
import type { Kind } from './kind.ts'

/** Events are stored in their core form; events.k8s.io uses other names for some fields. */
const RENAMED = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['reportingComponent', 'reportingController'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
] as const

function rename(object: KubeObject, apiVersion: string, from: 0 | 1): KubeObject {
  const out: KubeObject = { ...object, apiVersion }
  for (const names of RENAMED) {
    const value = out[names[from]]
    delete out[names[from]]
    if (value !== undefined) out[names[1 - from] ?? ''] = value
  }
  return out
}

/** The form of events.k8s.io, or undefined for every other kind. */
export function convertOut(kind: Kind, object: KubeObject): KubeObject | undefined {
  return kind.group === 'events.k8s.io' ? rename(object, kind.apiVersion, 0) : undefined
}

/** The stored form of an object that came in as `kind`. */
export function convertIn(kind: Kind, object: KubeObject): KubeObject {
  if (kind.group === 'events.k8s.io') return rename(object, kind.storedAs, 1)
  return object.apiVersion === kind.storedAs ? object : { ...object, apiVersion: kind.storedAs }
}
