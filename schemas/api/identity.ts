import { Type } from 'typebox'
import type { Static } from 'typebox'
import { described } from '../values/described.ts'
import { ObjectMeta, listOf, pageQuery, scope } from './common.ts'

const texts = Type.Array(Type.String())

/** A rule of the caller's roles, as the cluster lists it. `*` matches every value. */
export const PermissionRule = Type.Object(
  {
    verbs: described(texts, 'Verbs.', ['list', 'get']),
    groups: described(texts, 'API groups.', ['mesh.dev']),
    resources: described(texts, 'Resources, with their subresources.', ['agentdeployments']),
    names: Type.Optional(described(texts, 'Names of the objects; absent for every object.', ['hello'])),
  },
  { title: 'PermissionRule' },
)

/** What a caller may do in a namespace. */
export const Permissions = Type.Object(
  {
    namespace: Type.String({ description: 'The namespace of the query.', examples: ['default'] }),
    complete: Type.Boolean({
      description: 'Whether the cluster could list every rule. If not, more may be allowed.',
      examples: [true],
    }),
    rules: described(Type.Array(PermissionRule), 'Rules of the namespace and of the cluster.'),
  },
  { title: 'Permissions' },
)

/** Query of `GET /api/whoami`. */
export const WhoamiQuery = Type.Object(
  {
    permissions: Type.Optional(
      Type.String({ minLength: 1, maxLength: 253, description: 'Namespace whose rules are listed, too.' }),
    ),
  },
  { additionalProperties: false },
)

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
    permissions: Type.Optional(
      described(Permissions, 'Rules of the caller in the namespace of the query; absent without one.'),
    ),
  },
  { title: 'Identity' },
)

/** A right at the API server. */
export const RequiredRight = Type.Object(
  {
    verb: Type.String({ description: 'Verb of the right.', examples: ['list'] }),
    resource: Type.String({ description: 'Resource, with its subresource if there is one.', examples: ['runs'] }),
    group: Type.String({ description: 'API group of the resource.', examples: ['mesh.dev'] }),
    namespace: Type.Optional(
      Type.String({
        description: 'Namespace in which the right is needed, if the query names one; otherwise any is sufficient.',
        examples: ['default'],
      }),
    ),
  },
  { title: 'RequiredRight' },
)

/** See {@link RequiredRight}. */
export type RequiredRight = Static<typeof RequiredRight>

/** One capability of the console for this caller. */
export const Capability = Type.Object(
  {
    id: Type.String({ description: 'Plugin, or plugin.part.', examples: ['runs'] }),
    enabled: Type.Boolean({ description: 'Whether the caller can use the capability.', examples: [true] }),
    reason: Type.Optional(
      described(Type.Enum(['disabled', 'unconfigured', 'denied']), 'Why it is not enabled; absent if it is.'),
    ),
    requires: Type.Optional(
      described(RequiredRight, 'Right that the capability needs; absent if every caller may use it.', {
        verb: 'list',
        resource: 'runs',
        group: 'mesh.dev',
      }),
    ),
    setting: Type.Optional(
      Type.String({
        description: 'Setting that enables it, if it is disabled or not configured.',
        examples: ['DATABASE_URL'],
      }),
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
    section: Type.String({
      description: 'Heading of the navigation; empty above the headings.',
      examples: ['Operate'],
    }),
    path: Type.String({ description: 'Path in the console.', examples: ['/runs'] }),
    capability: Type.String({ description: 'Id of the capability.', examples: ['runs'] }),
    tabOf: Type.Optional(
      Type.Enum(['agent', 'run'], {
        description: 'The page is a tab on the page of an agent or of a run, and not in the navigation.',
        examples: ['run'],
      }),
    ),
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

/** Query of `GET /api/capabilities`. */
export const CapabilitiesQuery = Type.Object(
  {
    namespace: Type.Optional(
      Type.String({ maxLength: 253, description: 'Namespace in which the rights are asked; empty or absent: any.' }),
    ),
  },
  { additionalProperties: false },
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

/** Response of `GET /api/version`. */
export const Version = Type.Object(
  {
    version: Type.String({ description: 'Version of the platform.', examples: ['0.1.0'] }),
    build: Type.Object(
      {
        digest: Type.Union([Type.String(), Type.Null()], {
          description:
            'SHA-256 of the started program, which is the same for the same build; null if it cannot be read.',
          examples: ['sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
        }),
        node: Type.String({ description: 'Version of Node.js that runs the API.', examples: ['26.0.0'] }),
        platform: Type.String({ description: 'Operating system and architecture.', examples: ['linux-x64'] }),
      },
      { title: 'Build', description: 'What runs.' },
    ),
    install: Type.String({ description: 'Name of the installation.', examples: ['mesh'] }),
    profile: described(Type.Enum(['open', 'hardened']), 'Profile of the installation.', 'open'),
    settings: described(
      Type.Record(Type.String(), Type.Union([Type.Number(), Type.Boolean(), Type.String()])),
      'Settings in effect at the API, by name: numbers, switches and choices. Free strings may hold secrets and are left out.',
      { 'runs.retentionDays': 30 },
    ),
  },
  { title: 'Version' },
)

/** Response of `GET /api/health`. */
export const Health = Type.Object(
  { status: described(Type.Literal('ok'), '`ok` while the server answers.') },
  { title: 'Health' },
)
