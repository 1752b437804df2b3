import type { Access } from '#core/cluster/caller.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { StoredResource } from '../declared/stored-resource.ts'
import { findStoredRow } from '../objects/stored-rows.ts'
import type { StoredRow } from '../objects/stored-rows.ts'
import { storedKeyOf } from './stored-services.ts'
import type { StoredServices } from './stored-services.ts'

/** A call whose path has an object of the reviewed namespace. */
export interface ItemCall {
  readonly access: Access
  readonly params: { readonly name: string }
}

/** Review of one object. */
export function reviewOfItem<const Verb extends string, const Resource extends string>(verb: Verb, resource: Resource) {
  return { kind: 'review', verb, resource, namespace: { in: 'path', field: 'ns' }, name: 'name' } as const
}

/** Review and audit of a write to one object. */
export function ofItem<const Verb extends string>({ names }: StoredResource, verb: Verb) {
  return {
    authz: reviewOfItem(verb, names.resource),
    audit: { action: verb, resourceKind: names.kind },
  } as const
}

/** The object of a path; throws `not_found`. */
export async function objectOf(
  { store }: StoredServices,
  { names }: StoredResource,
  call: ItemCall,
): Promise<StoredRow> {
  const row = await findStoredRow(store.reader(), names, storedKeyOf(call))
  if (row === undefined) throw new Fail('not_found')
  return row
}
