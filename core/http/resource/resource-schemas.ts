import { Type } from 'typebox'
import type { TObject } from 'typebox'
import {
  conditionQuery,
  dryRun,
  listOrder,
  managedFields,
  namePrefix,
  pageQuery,
  scope as permittedScope,
} from '#schemas/api/common.ts'
import type { Resource } from '#core/kube/client.ts'
import { declaredRules } from '#schemas/kinds/declared-rules.ts'
import { GROUP } from '#schemas/names/group.ts'
import type { Rule } from '#schemas/kinds/kind.ts'

/** Parts of a kind that routes need; every `Kind` of `schemas/crds` satisfies it. */
export interface RoutedKind {
  readonly group: string
  readonly version: string
  readonly apiVersion: string
  readonly kind: string
  readonly plural: string
  readonly scope: 'Namespaced' | 'Cluster'
  readonly spec: TObject
  readonly status: TObject
  readonly rules?: readonly Rule[]
}

/** REST coordinates of a kind. */
export function toResource(routed: RoutedKind): Resource {
  const { group, version, plural, kind, scope } = routed
  return { group, version, plural, kind, namespaced: scope === 'Namespaced', declared: declaredRules(routed) }
}

/** Resource of a kind in rights, as kubectl writes it: the plural in our group, else with its group (`widgets.acme.example`). */
export function rightsResource({ group, plural }: Pick<RoutedKind, 'group' | 'plural'>): string {
  return group === GROUP ? plural : `${plural}.${group}`
}

/** Query of a list of a kind. */
export const listQuery = Type.Object({
  ...pageQuery,
  namespace: Type.Optional(Type.String({ maxLength: 63, description: 'Absent or empty: the whole cluster.' })),
  q: Type.Optional(namePrefix),
  condition: Type.Optional(conditionQuery),
  order: Type.Optional(listOrder),
  labelSelector: Type.Optional(Type.String({ maxLength: 1024, description: 'Label selector, as in kubectl.' })),
  scope: Type.Optional(permittedScope),
  managedFields: Type.Optional(managedFields),
})

/** Query of an object whose namespace is not in the path. */
export const namespaceOfItem = {
  namespace: Type.Optional(Type.String({ maxLength: 63, description: 'Namespace; empty or absent is `default`.' })),
}

/** Query of a request that returns one object. */
export const objectQuery = { managedFields: Type.Optional(managedFields) }

/** Query of a write. `dryRun=All` validates everything and stores nothing. */
export const writeQuery = { dryRun: Type.Optional(dryRun) }
