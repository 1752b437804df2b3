import { coreAccess, readVerbs } from '#core/cluster/roles/access-rule.ts'
import type { AccessRule } from '#core/cluster/roles/access-rule.ts'
import { namespaceKind } from '#core/cluster/served-namespaces.ts'
import type { Informer } from '#core/controllers/watch/declarations.ts'
import { createResourceNames } from '#core/http/endpoint/resource-names.ts'
import type { ResourceNames } from '#core/http/endpoint/resource-names.ts'
import type { AnyKind } from '#schemas/kinds/kind.ts'
import type { AnyPlugin } from './plugin.ts'

/** Informers that every installation runs: namespaces feed their directory, and rows of the store are joined on their uids. */
export const coreInformers: readonly Informer[] = [{ resource: namespaceKind, resourceKind: namespaceKind.kind }]

/** Kinds of plugins. */
export function kindsOf(plugins: readonly AnyPlugin[]): readonly AnyKind[] {
  return plugins.flatMap(({ kinds = [] }) => kinds.map(({ kind }) => kind))
}

/** Informers of a plugin: of its kinds, and its own. */
export function informersOf({ kinds = [], informers = [] }: AnyPlugin): readonly Informer[] {
  return [...kinds.map(({ informer }) => informer), ...informers]
}

/** Names of the resources that plugins declare: kinds, watched kinds, and virtual resources. */
export function resourceNamesOf(plugins: readonly AnyPlugin[]): ResourceNames {
  return createResourceNames([
    ...plugins.flatMap(({ kinds = [] }) => kinds.map(({ kind: { plural, kind }, noun }) => ({ plural, kind, noun }))),
    ...[...coreInformers, ...plugins.flatMap(({ informers = [] }) => informers)].map(({ resource, resourceKind }) => ({
      plural: resource.plural,
      kind: resourceKind,
    })),
    ...plugins.flatMap(({ access = [] }) =>
      access.flatMap(({ resource, kind }) => (kind === undefined ? [] : [{ plural: resource, kind }])),
    ),
  ])
}

/** Rights that a plugin needs at the API server: its own rules, those of its kinds, and what the manager needs to run its informers. */
export function accessOf(plugin: AnyPlugin): readonly AccessRule[] {
  const { kinds = [], access = [] } = plugin
  return [...kinds.flatMap((slot) => slot.access), ...access, ...informersOf(plugin).map(accessOfInformer)]
}

/** Rights that an installation with these plugins needs. */
export function accessOfPlugins(plugins: readonly AnyPlugin[]): readonly AccessRule[] {
  return [...coreAccess, ...coreInformers.map(accessOfInformer), ...plugins.flatMap(accessOf)]
}

function accessOfInformer({ resource: { group, plural, namespaced } }: Informer): AccessRule {
  const scope = namespaced ? {} : ({ scope: 'Cluster' } as const)
  return { group, resource: plural, ...scope, clusterWide: true, manager: readVerbs }
}
