import { Type } from 'typebox'
import type { Static } from 'typebox'
import { described } from '../values/described.ts'
import { ObjectMeta, listOf, pageQuery, scope } from './common.ts'

/** Response of `GET /api/whoami`: the caller as the cluster authenticated it. */
export const Whoami = Type.Object(
  {
    username: Type.String({ description: 'Name of the user as the cluster knows it.', examples: ['ada@example.com'] }),
    uid: Type.String({ description: 'UID of the user; empty for one without.', examples: [''] }),
    groups: described(Type.Array(Type.String()), 'Groups of the user.', ['system:authenticated']),
    extra: described(
      Type.Record(Type.String(), Type.Array(Type.String())),
      'Further attributes of the identity, by key.',
      {},
    ),
  },
  { title: 'Identity' },
)

/** One capability of the console for this caller. */
export const Capability = Type.Object(
  {
    id: Type.String({ description: 'Plugin, or plugin.part.', examples: ['runs'] }),
    enabled: Type.Boolean({ description: 'Whether the caller can use the capability.', examples: [true] }),
    reason: Type.Optional(
      described(Type.Enum(['disabled', 'unconfigured', 'denied']), 'Why it is not enabled; absent if it is.'),
    ),
  },
  { title: 'Capability' },
)

/** See {@link Capability}. */
export type Capability = Static<typeof Capability>

/** A page of the console's navigation, shown if its capability is enabled. */
export const NavigationPage = Type.Object(
  {
    id: Type.String({ description: 'Id of the page.', examples: ['runs'] }),
    title: Type.String({ description: 'Title in the navigation.', examples: ['Runs'] }),
    section: Type.String({ description: 'Heading of the navigation.', examples: ['Operate'] }),
    path: Type.String({ description: 'Path in the console.', examples: ['/runs'] }),
    capability: Type.String({ description: 'Id of the capability.', examples: ['runs'] }),
    entry: Type.Optional(
      described(
        Type.Object({
          path: Type.String({ description: 'Path of the declaration.' }),
          integrity: Type.String({ description: 'SHA-256 of its bytes.' }),
        }),
        'Declaration of a page of a third party, which the console draws.',
        { path: '/api/x/oncall/console/oncall', integrity: 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' },
      ),
    ),
  },
  { title: 'NavigationPage' },
)

/** Response of `GET /api/capabilities`. */
export const Capabilities = Type.Object(
  {
    profile: described(Type.Enum(['open', 'hardened']), 'Profile of the installation.', 'open'),
    capabilities: described(Type.Array(Capability), 'Every capability, by id.'),
    pages: described(Type.Array(NavigationPage), 'Pages of the console, in their order.'),
  },
  { title: 'Capabilities' },
)

/** A Namespace; its display name is the annotation `mesh.dev/display-name`. */
export const Namespace = Type.Object(
  {
    apiVersion: described(Type.Literal('v1'), 'Version of the kind.'),
    kind: described(Type.Literal('Namespace'), 'Kind of the object.'),
    metadata: ObjectMeta,
  },
  { additionalProperties: true, title: 'Namespace' },
)

/** A page of namespaces. */
export const NamespaceList = listOf(Namespace)

/** Query of `GET /api/namespaces`. */
export const NamespaceListQuery = Type.Object(
  { scope: Type.Optional(scope), ...pageQuery },
  { additionalProperties: false },
)

/** Body of `PUT /api/namespaces/{name}/display-name`; an empty string removes it. */
export const DisplayNameBody = Type.Object(
  {
    displayName: Type.String({
      maxLength: 128,
      description: 'Name to show, at most 128 characters; an empty string removes it.',
      examples: ['Customer support'],
    }),
  },
  { additionalProperties: false, title: 'DisplayNameInput' },
)

/** Response of `GET /api/health`. */
export const Health = Type.Object(
  { status: described(Type.Literal('ok'), '`ok` while the server answers.') },
  { title: 'Health' },
)
