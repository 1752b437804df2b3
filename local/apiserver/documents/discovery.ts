import type { Kinds } from '../kinds/kind-table.ts'
import type { Kind } from '../kinds/kind.ts'
import { byStability } from '../kinds/version-order.ts'
import { REVIEWS } from '../reviews/review-kinds.ts'

/** Discovery data of one resource, for both formats. */
interface Listed {
  resource: string
  singular: string
  kind: string
  namespaced: boolean
  verbs: readonly string[]
  shortNames: readonly string[]
  categories: readonly string[]
  subresources: readonly { name: string; kind: string; group: string; version: string; verbs: readonly string[] }[]
}

const READ_WRITE = ['get', 'patch', 'update']

function subresources(kind: Kind): Listed['subresources'] {
  return kind.subresources.map((name) => {
    if (name === 'log') return { name, kind: kind.kind, group: '', version: '', verbs: ['get'] }
    if (name === 'finalize') return { name, kind: kind.kind, group: '', version: '', verbs: ['update'] }
    if (name === 'token')
      return { name, kind: 'TokenRequest', group: 'authentication.k8s.io', version: 'v1', verbs: ['create'] }
    if (name === 'scale') return { name, kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: READ_WRITE }
    return { name, kind: kind.kind, group: '', version: '', verbs: READ_WRITE }
  })
}

function listed(kinds: Kinds, group: string, version: string): Listed[] {
  const stored = kinds.all
    .filter((kind) => kind.group === group && kind.version === version)
    .map((kind) => ({ ...kind, subresources: subresources(kind) }))
  const reviews = REVIEWS.filter((review) => review.group === group).map((review) => ({
    ...review,
    singular: review.kind.toLowerCase(),
    verbs: ['create'],
    shortNames: [],
    categories: [],
    subresources: [],
  }))
  return [...stored, ...reviews].sort((a, b) => (a.resource < b.resource ? -1 : 1))
}

function versionsOf(kinds: Kinds, group: string): string[] {
  const versions = new Set(kinds.all.filter((kind) => kind.group === group).map((kind) => kind.version))
  return versions.size > 0 ? [...versions].sort(byStability) : ['v1']
}

function groups(kinds: Kinds): string[] {
  const all = [...kinds.all.map((kind) => kind.group), ...REVIEWS.map((review) => review.group)]
  return [...new Set(all)].filter((group) => group !== '')
}

function optional(entry: Pick<Listed, 'shortNames' | 'categories'>): object {
  return {
    ...(entry.shortNames.length > 0 ? { shortNames: entry.shortNames } : {}),
    ...(entry.categories.length > 0 ? { categories: entry.categories } : {}),
  }
}

function resourceList(kinds: Kinds, group: string, version: string): object {
  const resources = listed(kinds, group, version).flatMap((entry) => [
    {
      name: entry.resource,
      singularName: entry.singular,
      namespaced: entry.namespaced,
      kind: entry.kind,
      verbs: entry.verbs,
      ...optional(entry),
    },
    ...entry.subresources.map((sub) => ({
      name: `${entry.resource}/${sub.name}`,
      singularName: '',
      namespaced: entry.namespaced,
      ...(sub.group ? { group: sub.group, version: sub.version } : {}),
      kind: sub.kind,
      verbs: sub.verbs,
    })),
  ])
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: group ? `${group}/${version}` : version, resources }
}

function groupDocument(
  kinds: Kinds,
  group: string,
): { name: string; versions: object[]; preferredVersion: object | undefined } {
  const versions = versionsOf(kinds, group).map((version) => ({ groupVersion: `${group}/${version}`, version }))
  return { name: group, versions, preferredVersion: versions[0] }
}

function aggregatedGroup(kinds: Kinds, group: string): object {
  const versions = versionsOf(kinds, group).map((version) => ({
    version,
    resources: listed(kinds, group, version).map((entry) => ({
      resource: entry.resource,
      responseKind: { group, version, kind: entry.kind },
      scope: entry.namespaced ? 'Namespaced' : 'Cluster',
      singularResource: entry.singular,
      verbs: entry.verbs,
      ...optional(entry),
      ...(entry.subresources.length > 0
        ? { subresources: entry.subresources.map((sub) => aggregatedSub(sub, group, version)) }
        : {}),
    })),
    freshness: 'Current',
  }))
  return { metadata: group ? { name: group } : {}, versions }
}

function aggregatedSub(sub: Listed['subresources'][number], group: string, version: string): object {
  const responseKind = { group: sub.group || group, version: sub.version || version, kind: sub.kind }
  return { subresource: sub.name, responseKind, verbs: sub.verbs }
}

function aggregated(kinds: Kinds, names: readonly string[]): object {
  const items = names.map((group) => aggregatedGroup(kinds, group))
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items }
}

/** The discovery document at a path; undefined for any other path. */
export function discovery(kinds: Kinds, path: string, asAggregated: boolean, address: string): object | undefined {
  const [root, group, version, ...rest] = path.replace(/^\/+|(?<!\/)\/+$/g, '').split('/')
  if (rest.length > 0) return undefined
  if (root === 'api') {
    if (group === undefined && asAggregated) return aggregated(kinds, [''])
    if (group === undefined)
      return {
        kind: 'APIVersions',
        versions: ['v1'],
        serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }],
      }
    return group === 'v1' && version === undefined ? resourceList(kinds, '', 'v1') : undefined
  }
  if (root !== 'apis') return undefined
  if (group === undefined && asAggregated) return aggregated(kinds, groups(kinds))
  if (group === undefined) {
    return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups(kinds).map((name) => groupDocument(kinds, name)) }
  }
  if (!groups(kinds).includes(group)) return undefined
  if (version === undefined) return { kind: 'APIGroup', apiVersion: 'v1', ...groupDocument(kinds, group) }
  return versionsOf(kinds, group).includes(version) ? resourceList(kinds, group, version) : undefined
}
