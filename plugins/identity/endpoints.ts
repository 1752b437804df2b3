import type { Profile } from '#core/config/profile.ts'
import type { BffContext } from '#core/plugin/role-contexts.ts'
import type { Core } from '#core/plugin/core-services.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { parseLabel } from '#core/kube/names.ts'
import { DryRunQuery } from '#schemas/api/agents.ts'
import {
  Capabilities,
  CapabilitiesQuery,
  DisplayNameBody,
  Namespace,
  NamespaceList,
  NamespaceListQuery,
  Version,
  Whoami,
  WhoamiQuery,
} from '#schemas/api/identity.ts'
import { readBuild } from './build.ts'
import { findCapabilities } from './capabilities.ts'
import { listNamespaces, listPermittedNamespaces, setDisplayName } from './namespaces.ts'

/** Dependencies of the routes. */
export type IdentityContext = Pick<BffContext, 'catalog' | 'directory' | 'pages'> &
  Pick<Core, 'plugins' | 'version' | 'install' | 'shownSettings'>

/** Every route of the plugin, below `/api`. */
export function identityEndpoints(profile: Profile, bff: IdentityContext): readonly AnyEndpoint[] {
  return [whoami, capabilities(profile, bff), version(profile, bff), listAll, displayName]
}

const whoami = endpoint({
  method: 'GET',
  url: '/whoami',
  id: 'whoami',
  summary: 'Get the caller, as authenticated by the cluster.',
  authz: { kind: 'bearer' },
  query: WhoamiQuery,
  response: { 200: Whoami },
  handle: async ({ caller, query, signal }) => {
    if (query.permissions === undefined) return caller.whoami()
    const namespace = parseLabel('?permissions', query.permissions)
    const [user, rules] = await Promise.all([caller.whoami(), caller.rulesIn(namespace, signal)])
    return { ...user, permissions: { namespace, ...rules } }
  },
})

const capabilities = (profile: Profile, bff: IdentityContext): AnyEndpoint =>
  endpoint({
    method: 'GET',
    url: '/capabilities',
    id: 'getCapabilities',
    summary: 'Get what this installation offers the caller.',
    authz: { kind: 'bearer' },
    query: CapabilitiesQuery,
    response: { 200: Capabilities },
    handle: async ({ caller, directory, query }) => {
      const namespace = query.namespace ? parseLabel('?namespace', query.namespace) : undefined
      const input = { catalog: bff.catalog(), plugins: bff.plugins(), directory, namespace }
      return { profile, capabilities: await findCapabilities(caller, input), pages: [...bff.pages()] }
    },
  })

const version = (profile: Profile, { version: number, install, shownSettings }: IdentityContext): AnyEndpoint =>
  endpoint({
    method: 'GET',
    url: '/version',
    id: 'getVersion',
    summary: 'Get version, build and settings of this installation.',
    authz: { kind: 'bearer' },
    response: { 200: Version },
    handle: async () => ({ version: number, build: await readBuild(), install, profile, settings: shownSettings() }),
  })

const listAll = endpoint({
  method: 'GET',
  url: '/namespaces',
  id: 'listNamespaces',
  summary: 'List namespaces: all of them, or with scope=permitted those that the caller may see.',
  authz: { kind: 'kube', verb: 'list', resource: 'namespaces' },
  query: NamespaceListQuery,
  response: { 200: NamespaceList },
  handle: async ({ caller, query, cursors, directory, signal }) => {
    const { limit = 50, cursor, scope } = query
    const position = cursor === undefined ? undefined : String(cursors.open(cursor, { scope }))
    // Without a directory (no store) the list of the cluster is the only source.
    const isLimited = directory?.limited === true
    if (isLimited && scope !== 'permitted') await caller.review('list', 'namespaces', { namespace: '', group: '' })
    const isWalk = directory !== undefined && (isLimited || scope === 'permitted')
    const page = isWalk
      ? await listPermittedNamespaces(caller, directory, { limit, after: position ?? '', signal })
      : await listNamespaces(caller, { limit, after: position, signal })
    const nextCursor = page.next === undefined ? null : cursors.seal(page.next, { scope })
    return { items: page.items, nextCursor, ...(isWalk && scope !== undefined ? { scope } : {}) }
  },
})

const displayName = endpoint({
  method: 'PUT',
  url: '/namespaces/:name/display-name',
  id: 'setNamespaceDisplayName',
  docs: {
    examples: { name: { summary: 'A display name', value: { displayName: 'Customer support' } } },
    sends: ['ETag'],
  },
  summary: 'Set the display name of a namespace; an empty one removes it.',
  authz: { kind: 'kube', verb: 'patch', resource: 'namespaces' },
  audit: { action: 'update', resourceKind: 'Namespace' },
  query: DryRunQuery,
  body: DisplayNameBody,
  response: { 200: Namespace },
  handle: async ({ caller, params, query, body, signal, reply }) => {
    const options = { dryRun: query.dryRun === 'All', signal }
    const namespace = await setDisplayName(caller, parseLabel(':name', params.name), body.displayName, options)
    reply.header('etag', `"${namespace.metadata.resourceVersion ?? ''}"`)
    return namespace
  },
})
