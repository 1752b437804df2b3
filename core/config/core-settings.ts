import { Type } from 'typebox'
import type { Static } from 'typebox'
import { fileSetting } from './file-setting.ts'
import { defaultLimits } from './request-limits.ts'
import type { SettingSource } from './setting-source.ts'

const port = (preset: number) =>
  Type.Integer({ minimum: 0, maximum: 65_535, default: preset, description: '0 is any free one.' })
const count = (preset: number, description?: string) =>
  Type.Integer({ minimum: 1, default: preset, ...(description === undefined ? {} : { description }) })
const thirdParty = Type.Object({
  from: Type.String({ minLength: 1, description: 'Package name, or path from the settings file.' }),
  integrity: Type.Optional(
    Type.String({ pattern: '^sha256-[A-Za-z0-9+/]{43}=$', description: 'Hash of the module file.' }),
  ),
})

/** Settings of the platform itself; every plugin has a key of its own beside these. */
export const coreSettingsSchema = Type.Object({
  profile: Type.Union([Type.Literal('open'), Type.Literal('hardened')], { default: 'open' }),
  install: Type.String({
    pattern: '^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$',
    default: 'mesh',
    description: 'Name of this install, in the source of events.',
  }),
  logLevel: Type.Union([Type.Literal('debug'), Type.Literal('info'), Type.Literal('warn'), Type.Literal('error')], {
    default: 'info',
  }),
  plugins: Type.Array(Type.Union([Type.String({ minLength: 1 }), thirdParty]), {
    default: [],
    description: 'Third-party plugins.',
  }),
  disable: Type.Array(Type.String(), { default: [], description: 'Plugins that are switched off (501).' }),
  store: Type.Optional(Type.Literal('none')),
  databaseUrl: Type.Optional(Type.String({ minLength: 1 })),
  databaseConnections: Type.Integer({
    minimum: 2,
    maximum: 1_000,
    default: 20,
    description: 'Connections to PostgreSQL that one process opens at most, beside one that listens.',
  }),
  natsUrl: Type.Optional(Type.String({ minLength: 1 })),
  keysDir: Type.Optional(fileSetting({ holds: 'keys' })),
  kubeconfig: Type.Optional(fileSetting({ holds: 'kubeconfig' })),
  cluster: Type.Object(
    {
      server: Type.Optional(Type.String({ minLength: 1 })),
      caFile: Type.Optional(fileSetting({ holds: 'certificates' })),
      tokenFile: Type.Optional(
        fileSetting(
          { holds: 'token', roles: ['manager', 'gateway', 'state', 'worker'] },
          'Own identity of manager, gateway and state; never read by the BFF.',
        ),
      ),
      deadlineSeconds: Type.Integer({
        minimum: 1,
        maximum: 60,
        default: 10,
        description: 'For every call but watches and followed logs; then the answer is 504.',
      }),
      namespaces: Type.Array(Type.String({ pattern: '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$' }), {
        default: [],
        uniqueItems: true,
        maxItems: 1_000,
        description: 'Namespaces that this installation serves, the same list for every role; empty: all.',
      }),
    },
    { description: 'The API server; default: KUBECONFIG, else the cluster that the pod runs in.' },
  ),
  eventRetentionDays: count(30),
  listen: Type.Object({
    host: Type.Optional(
      Type.String({ minLength: 1, description: 'Default: loopback for `all`, every address otherwise.' }),
    ),
    hosts: Type.Array(Type.String({ pattern: '^[a-z0-9.-]+$' }), {
      default: [],
      description:
        'Host names served on loopback beside localhost, 127.0.0.1, [::1] and those of `urls`, for a proxy on this machine. Otherwise any.',
    }),
    bff: port(8080),
    gateway: port(4000),
    state: port(3002),
    manager: port(8082),
    managerTls: Type.Optional(
      Type.Object(
        {
          certFile: fileSetting({ holds: 'certificates', roles: ['manager'] }),
          keyFile: fileSetting({ holds: 'private-key', roles: ['manager'] }),
          clientCaFile: Type.Optional(
            fileSetting(
              { holds: 'certificates', roles: ['manager'] },
              'Only clients with a certificate of this authority are served.',
            ),
          ),
        },
        { description: "TLS of the manager's listener; an API server sends its webhook's token over TLS alone." },
      ),
    ),
    admin: port(8081),
    trustProxy: Type.Array(Type.String({ pattern: '^[0-9a-fA-F:.]{2,45}(?:/[0-9]{1,3})?$', maxLength: 49 }), {
      default: [],
      description: 'Addresses or CIDRs of proxies whose X-Forwarded-For names the client.',
    }),
  }),
  urls: Type.Object({
    bff: Type.Optional(Type.String()),
    gateway: Type.Optional(Type.String()),
    state: Type.Optional(Type.String()),
  }),
  outbound: Type.Object({
    allow: Type.Array(Type.String({ minLength: 1, maxLength: 253 }), {
      maxItems: 256,
      default: [],
      description:
        'Hosts that may be called although they are not public, or by http: CIDR blocks, addresses, names, `*.` and a domain.',
    }),
  }),
  limits: Type.Object({
    perCallerPerMinute: count(defaultLimits.perCallerPerMinute, 'Requests of one user in a minute.'),
    perAddressPerMinute: count(
      defaultLimits.perAddressPerMinute,
      'Requests of one address in a minute whose bearer is rejected, or that need none.',
    ),
    underWay: count(defaultLimits.underWay, 'Requests under way at once, without open event streams.'),
    underWayPerCaller: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Of these, of one user; default: a tenth, at least 32.' }),
    ),
    turnsPerCaller: count(
      defaultLimits.turnsPerCaller,
      'While several users are active: requests of one user that run at once, for at most 50 ms each.',
    ),
    waitsPerCaller: count(defaultLimits.waitsPerCaller, 'Requests of one user that wait for a run (POST /api/invoke).'),
    authenticationsPerAddress: count(
      defaultLimits.authenticationsPerAddress,
      'Unknown bearers of one address that the cluster is asked about at once.',
    ),
    bodyBytes: count(defaultLimits.bodyBytes, 'Bytes of request bodies under way.'),
    bodyBytesPerCaller: count(defaultLimits.bodyBytesPerCaller, 'Of these, of one user.'),
    bodySeconds: Type.Integer({
      minimum: 1,
      maximum: 120,
      default: defaultLimits.bodySeconds,
      description: 'Time for a request body; a second more for each 256 KiB that arrived.',
    }),
    streams: count(10_000, 'Open event streams.'),
    streamsPerUser: count(50, 'Of these, of one user.'),
  }),
  telemetry: Type.Object({
    otlpEndpoint: Type.Optional(
      Type.String({
        pattern: '^https?://[^@?#\\s]+$',
        description:
          'Collector of traces (OTLP/HTTP), without user, query or fragment; default: no traces are exported.',
      }),
    ),
    accessLog: Type.Boolean({ default: true, description: 'A line for each request; otherwise at level debug only.' }),
  }),
  drain: Type.Object({
    delaySeconds: Type.Integer({
      minimum: 0,
      maximum: 60,
      default: 0,
      description: 'Served after readiness fails, for load balancers.',
    }),
    graceSeconds: Type.Integer({ minimum: 1, maximum: 600, default: 25, description: 'Time for requests under way.' }),
  }),
})

/** See {@link coreSettingsSchema}. */
export type CoreSettings = Static<typeof coreSettingsSchema>

/** Names of the interface for settings of the platform itself. */
export const coreSettingSources: readonly SettingSource[] = [
  { from: 'MESH_PROFILE', to: 'profile' },
  { from: 'MESH_INSTALL', to: 'install' },
  { from: 'LOG_LEVEL', to: 'logLevel' },
  { from: 'MESH_STORE', to: 'store' },
  { from: 'DATABASE_URL', to: 'databaseUrl' },
  { from: 'MESH_DATABASE_CONNECTIONS', to: 'databaseConnections' },
  { from: 'NATS_URL', to: 'natsUrl' },
  { from: 'MESH_KEYS_DIR', to: 'keysDir' },
  { from: 'KUBECONFIG', to: 'kubeconfig' },
  { from: 'MESH_CLUSTER_SERVER', to: 'cluster.server' },
  { from: 'MESH_CLUSTER_CA_FILE', to: 'cluster.caFile' },
  { from: 'MESH_CLUSTER_TOKEN_FILE', to: 'cluster.tokenFile' },
  {
    from: 'MESH_CLUSTER_NAMESPACES',
    to: 'cluster.namespaces',
    parse: (text) => text.split(',').map((one) => one.trim()),
  },
  { from: 'EVENT_RETENTION_DAYS', to: 'eventRetentionDays' },
  { from: 'MESH_HOST', to: 'listen.host' },
  { from: 'MESH_BFF_PORT', to: 'listen.bff' },
  { from: 'MESH_GATEWAY_PORT', to: 'listen.gateway' },
  { from: 'MESH_STATE_PORT', to: 'listen.state' },
  { from: 'MESH_ADMIN_PORT', to: 'listen.admin' },
  { from: 'MESH_MANAGER_PORT', to: 'listen.manager' },
  { from: 'MESH_MANAGER_TLS_CERT_FILE', to: 'listen.managerTls.certFile' },
  { from: 'MESH_MANAGER_TLS_KEY_FILE', to: 'listen.managerTls.keyFile' },
  { from: 'MESH_MANAGER_TLS_CLIENT_CA_FILE', to: 'listen.managerTls.clientCaFile' },
  { from: 'MESH_OUTBOUND_ALLOW', to: 'outbound.allow', parse: (text) => text.split(',').map((one) => one.trim()) },
  { from: 'OTEL_EXPORTER_OTLP_ENDPOINT', to: 'telemetry.otlpEndpoint' },
  { from: 'MESH_ACCESS_LOG', to: 'telemetry.accessLog' },
  { from: 'MESH_DRAIN_DELAY_SECONDS', to: 'drain.delaySeconds' },
  { from: 'BFF_URL', to: 'urls.bff' },
  { from: 'GATEWAY_URL', to: 'urls.gateway' },
  { from: 'STATE_URL', to: 'urls.state' },
]
