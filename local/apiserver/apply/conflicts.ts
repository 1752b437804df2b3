import type { KubeObject, ManagedFieldsEntry } from '../json/kube-object.ts'
import type { Cause } from '../json/status.ts'
import { difference, intersection, paths, showPath, union } from './field-set.ts'
import type { FieldSet } from './field-set.ts'
import type { Managers } from './managed-fields.ts'
import type { Comparison } from './typed-value.ts'

/** The outcome of an apply: the new object with its managedFields, or the conflict's causes. */
export type ApplyResult = { object: KubeObject } | { conflict: Cause[]; message: string }

/** A field that another manager owns. */
export interface Conflict {
  readonly manager: string
  readonly path: string
}

/** Fields of managers other than `self` that a change would take, except the allowed ones. */
export function conflictsOf(managers: Managers, changes: Comparison, self: string, allowed: FieldSet): Conflict[] {
  const touched = difference(union(changes.modified, changes.added), allowed)
  return [...managers]
    .filter(([id]) => id !== self)
    .flatMap(([, { set, entry }]) =>
      paths(intersection(set, touched)).map((path) => ({ manager: showManager(entry), path: showPath(path) })),
    )
}

function showManager({ manager, operation, apiVersion, subresource }: ManagedFieldsEntry): string {
  const name = `${JSON.stringify(manager ?? '')}${subresource ? ` with subresource ${JSON.stringify(subresource)}` : ''}`
  return operation === 'Update' ? `${name} using ${apiVersion}` : name
}

/** The conflict of an apply. */
export function refuse(conflicts: readonly Conflict[]): ApplyResult {
  const conflict = conflicts.map(({ manager, path }): Cause => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${manager}`,
    field: path,
  }))
  const [only] = conflicts
  if (conflicts.length === 1 && only)
    return { conflict, message: `Apply failed with 1 conflict: conflict with ${only.manager}: ${only.path}` }
  const byManager = Map.groupBy(conflicts, ({ manager }) => manager)
  const lines = [...byManager.keys()].sort().flatMap((manager) => {
    return [`conflicts with ${manager}:`, ...(byManager.get(manager) ?? []).map(({ path }) => `- ${path}`)]
  })
  return { conflict, message: `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}` }
}
