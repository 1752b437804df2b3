import { equalJson } from '../json/json-value.ts'
import type { Json, JsonObject } from '../json/json-value.ts'
import { timestamp } from '../json/kube-object.ts'
import type { KubeObject, ManagedFieldsEntry } from '../json/kube-object.ts'
import { objectSchema } from '../schema/compile-schema.ts'
import type { CompiledSchema } from '../schema/compile-schema.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { conflictsOf, refuse } from './conflicts.ts'
import type { ApplyResult } from './conflicts.ts'
import { difference, emptySet, intersection, isEmpty, union, unionOf } from './field-set.ts'
import type { FieldSet } from './field-set.ts'
import { keepLastApplied, lastAppliedFields } from './last-applied.ts'
import { decodeManaged, encodeManaged, managerId, resetsManaged, withoutMeta, withoutReset } from './managed-fields.ts'
import type { Managers } from './managed-fields.ts'
import { compare, merge, removeFields, toFieldSet, withNamedFields } from './typed-value.ts'
import type { Comparison } from './typed-value.ts'

/** Input for the field ownership of a write other than apply. */
export interface UpdateToTrack {
  before: KubeObject | undefined
  after: KubeObject
  manager: string
  subresource: string
  schema: CompiledSchema
  now: Date
}

/** A server-side apply; `live` is undefined for a create. */
export interface ApplyRequest {
  live: KubeObject | undefined
  patch: KubeObject
  manager: string
  force: boolean
  schema: CompiledSchema
  subresource: string
  now: Date
}

/** `metadata.managedFields` after a write other than apply: the writer owns the changed fields; a manager without fields is removed. */
export function trackUpdate({ before, after, manager, subresource, schema, now }: UpdateToTrack): ManagedFieldsEntry[] {
  const type = objectSchema(schema.schema)
  const managers = startingManagers(before, after, subresource)
  // An object without managed fields gets none before its first apply.
  if (before && managers.size === 0) return []
  const changes = compare(before ? bare(before) : emptyObject(after, type), bare(after), type)
  const owned = withoutMeta(withoutReset(union(changes.modified, changes.added), subresource, type))
  takeFrom(managers, changes, '')
  if (!isEmpty(owned)) {
    const entry: ManagedFieldsEntry = {
      manager,
      operation: 'Update',
      apiVersion: after.apiVersion,
      time: timestamp(now),
    }
    if (subresource) entry.subresource = subresource
    const previous = managers.get(managerId(entry))?.set ?? emptySet()
    managers.set(managerId(entry), { set: union(previous, owned), entry })
  }
  return encodeManaged(managers)
}

/**
 * Server-side apply: returns the merged object with its managedFields, or the conflicts. Fields that this manager applied
 * before and omits now are removed, unless another manager owns them.
 */
export function applyPatch({ live, patch, manager, force, schema, subresource, now }: ApplyRequest): ApplyResult {
  const type = objectSchema(schema.schema)
  const base = live ?? skeleton(patch)
  // Fields without an owner get a common one, so that a first apply conflicts with them.
  const unowned = live && !live.metadata.managedFields?.length
  const managers = decodeManaged(
    unowned
      ? trackUpdate({ before: undefined, after: live, manager: 'before-first-apply', subresource, schema, now })
      : base.metadata.managedFields,
  )
  const entry: ManagedFieldsEntry = { manager, operation: 'Apply', apiVersion: patch.apiVersion }
  if (subresource) entry.subresource = subresource
  const id = managerId(entry)
  const last = managers.get(id)
  const current = bare(base)
  const merged = merge(current, bare(patch), type) ?? current
  managers.set(id, {
    set: withoutReset(toFieldSet(bare(patch), type), subresource, type),
    entry: { ...entry, ...(last?.entry.time ? { time: last.entry.time } : {}) },
  })
  const result = prune({ merged, last: last?.set, managers, type })
  const changes = withinReach(compare(current, result, type), subresource, type)
  const allowed = manager === 'kubectl' ? lastAppliedFields(current, type) : emptySet()
  const conflicts = conflictsOf(managers, changes, id, allowed)
  if (!force && conflicts.length > 0) return refuse(conflicts)
  takeFrom(managers, changes, id)
  const mine = managers.get(id)
  if (mine)
    managers.set(id, {
      set: withoutMeta(mine.set),
      entry: equalJson(current, result) ? mine.entry : { ...mine.entry, time: timestamp(now) },
    })
  // The merge of two objects is an object with metadata.
  const object = result as KubeObject
  object.metadata = { ...object.metadata, managedFields: encodeManaged(managers) }
  if (manager === 'kubectl') keepLastApplied(object, patch)
  return { object }
}

/** Changes that the endpoint writes; others have no effect and change no owner. */
function withinReach({ added, modified, removed }: Comparison, subresource: string, type: JsonSchema): Comparison {
  const reach = (set: FieldSet) => withoutReset(set, subresource, type)
  return { added: reach(added), modified: reach(modified), removed: reach(removed) }
}

/** An empty object of the same kind. */
function skeleton({ apiVersion, kind }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata: { name: '' } }
}

/** An object of the kind before any field is set: its structs, and their fields without `omitempty`. */
function emptyObject(object: KubeObject, type: JsonSchema): Json {
  return { ...emptyStruct(type), apiVersion: object.apiVersion, kind: object.kind, metadata: {} }
}

function emptyStruct(type: JsonSchema): JsonObject {
  const out: JsonObject = {}
  for (const [key, field] of Object.entries(type.properties ?? {})) {
    if (field['x-go-struct']) out[key] = emptyStruct(field)
    else if (type['x-go-type'] && field.nullable) out[key] = null
    else if (type['x-go-type'] === 'Event' && key.startsWith('reporting')) out[key] = ''
    else if (type['x-go-struct'] && type.required?.includes(key) && (field.type === 'array' || field.type === 'object'))
      out[key] = null
  }
  return out
}

function bare(object: KubeObject): Json {
  const { managedFields: _managed, ...metadata } = object.metadata
  return { ...object, metadata }
}

function startingManagers(before: KubeObject | undefined, after: KubeObject, subresource: string): Managers {
  const live = before?.metadata.managedFields
  if (subresource !== '') return decodeManaged(live)
  const given = after.metadata.managedFields
  if (resetsManaged(given)) return new Map()
  return given && given.length > 0 ? decodeManaged(given) : decodeManaged(live)
}

/** Removes changed fields from the other managers; a manager without fields is removed. */
function takeFrom(managers: Managers, changes: Comparison, self: string): void {
  const changed = union(union(changes.modified, changes.added), changes.removed)
  for (const [id, { set, entry }] of managers) {
    if (id === self) continue
    const rest = difference(set, changed)
    if (isEmpty(rest)) managers.delete(id)
    else managers.set(id, { set: rest, entry })
  }
}

interface Pruning {
  readonly merged: Json
  readonly last: FieldSet | undefined
  readonly managers: Managers
  readonly type: JsonSchema
}

/** Removes fields that the manager applied last time and omits now, except those of other owners or without its ownership. */
function prune({ merged, last, managers, type }: Pruning): Json {
  if (!last || isEmpty(last)) return merged
  const named = (set: FieldSet) => withNamedFields(set, type)
  const all = named(toFieldSet(merged, type))
  const remaining = (value: Json) => named(toFieldSet(value, type))
  const first = removeFields(merged, named(last), type) ?? {}
  const owned = unionOf([...managers.values()].map(({ set }) => set))
  const kept = removeFields(merged, difference(all, union(remaining(first), named(owned))), type) ?? {}
  const dangling = intersection(difference(all, remaining(kept)), named(last))
  return removeFields(merged, dangling, type) ?? {}
}
