import { Type } from 'typebox'
import type { Static } from 'typebox'
import { ObjectMeta, listOf, pageQuery, scope } from './common.ts'

/** Answer of `GET /api/whoami`: the caller as the cluster knows it. */
export const Whoami = Type.Object(
  {
    username: Type.String(),
    uid: Type.String(),
    groups: Type.Array(Type.String()),
    extra: Type.Record(Type.String(), Type.Array(Type.String())),
  },
  { title: 'Identity' },
)

/** One capability of the console for this caller. */
export const Capability = Type.Object(
  {
    id: Type.String({ description: 'Plugin, or plugin.part.' }),
    enabled: Type.Boolean(),
    reason: Type.Optional(Type.Enum(['disabled', 'unconfigured', 'denied'])),
  },
  { title: 'Capability' },
)

/** See {@link Capability}. */
export type Capability = Static<typeof Capability>

/** A page of the console's navigation, shown if its capability is enabled. */
export const NavigationPage = Type.Object(
  {
    id: Type.String(),
    title: Type.String(),
    section: Type.String({ description: 'Heading of the navigation.' }),
    path: Type.String({ description: 'Path in the console.' }),
    capability: Type.String({ description: 'Id of the capability.' }),
  },
  { title: 'NavigationPage' },
)

/** Answer of `GET /api/capabilities`. */
export const Capabilities = Type.Object(
  {
    profile: Type.Enum(['open', 'hardened']),
    capabilities: Type.Array(Capability),
    pages: Type.Array(NavigationPage),
  },
  { title: 'Capabilities' },
)

/** A Namespace; its display name is the annotation `mesh.dev/display-name`. */
export const Namespace = Type.Object(
  { apiVersion: Type.Literal('v1'), kind: Type.Literal('Namespace'), metadata: ObjectMeta },
  { additionalProperties: true, title: 'Namespace' },
)

/** A page of namespaces. */
export const NamespaceList = listOf(Namespace)

/** Query of `GET /api/namespaces`. */
export const NamespaceListQuery = Type.Object(
  { scope: Type.Optional(scope), ...pageQuery },
  { additionalProperties: false },
)

/** Body of `PUT /api/namespaces/{name}/display-name`; an empty text removes it. */
export const DisplayNameBody = Type.Object(
  { displayName: Type.String({ maxLength: 128 }) },
  { additionalProperties: false, title: 'DisplayNameInput' },
)

/** Answer of `GET /api/health`. */
export const Health = Type.Object({ status: Type.Literal('ok') }, { title: 'Health' })
