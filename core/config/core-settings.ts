import { Type } from 'typebox'
import type { Static } from 'typebox'
import { objectStoreSettings } from '#core/objects/object-store-settings.ts'
import { fileSetting } from './file-setting.ts'
import { defaultHooks } from '#core/jobs/hook-settings.ts'
import { limitSettings } from './request-limits.ts'
import { sessionSettings } from '#core/net/session-settings.ts'

const port = (preset: number, listener: string) =>
  Type.Integer({
    minimum: 0,
    maximum: 65_535,
    default: preset,
    description: `Port of ${listener}; 0 is any free port.`,
  })
const ownUrl = (role: string) =>
  Type.Optional(
    Type.String({
      description: `Base URL at which other processes reach ${role}. Default: its address on this machine.`,
    }),
  )
const thirdParty = Type.Object({
  from: Type.String({ minLength: 1, description: 'Package name, or path from the settings file.' }),
  integrity: Type.Optional(
    Type.String({
      pattern: '^sha256-[A-Za-z0-9+/]{43}=$',
      description: 'Integrity hash of the package or file, as printed by mesh plugins integrity.',
    }),
  ),
})

/** Settings of the platform itself. Each plugin has its own key besides these. */
export const coreSettingsSchema = Type.Object({
  profile: Type.Union([Type.Literal('open'), Type.Literal('hardened')], {
    default: 'open',
    description:
      'Set of defaults and rules. hardened requires digests of agent images and hashes of third-party plugins. It makes root file systems of agents read-only and refuses agents without isolation. It does not start without a store and the plugins audit, identity, guardrails and budgets.',
  }),
  install: Type.String({
    pattern: '^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$',
    default: 'mesh',
    description: 'Name of this installation, used as the source of events.',
  }),
  logLevel: Type.Union([Type.Literal('debug'), Type.Literal('info'), Type.Literal('warn'), Type.Literal('error')], {
    default: 'info',
    description: 'Minimum level of log lines.',
  }),
  plugins: Type.Array(Type.Union([Type.String({ minLength: 1 }), thirdParty]), {
    default: [],
    description: 'Third-party plugins, in load order: a package name, a path, or either with its hash.',
  }),
  disable: Type.Array(Type.String(), {
    default: [],
    description: 'Disabled plugins. Their routes return 501, and agents that use their fields are not accepted.',
  }),
  store: Type.Optional(
    Type.Literal('none', { description: 'Runs without a database: routes that need the store return 501.' }),
  ),
  databaseUrl: Type.Optional(
    Type.String({ minLength: 1, description: 'Address of PostgreSQL with user, password and TLS mode.' }),
  ),
  databaseConnections: Type.Integer({
    minimum: 2,
    maximum: 1_000,
    default: 20,
    description: 'Maximum number of connections to PostgreSQL per process, besides one for LISTEN.',
  }),
  databasePreparedStatements: Type.Boolean({
    default: true,
    description:
      'Prepares frequent statements once per PostgreSQL connection. Set it to false behind a pooler that may give each transaction another connection.',
  }),
  natsUrl: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'Addresses of NATS servers, separated by commas, with user and password.',
    }),
  ),
  redisUrl: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'Address of Valkey or Redis with user, password and database; rediss:// for TLS. Read by the state role only. Without it `all` keeps session memory and rates in its process.',
    }),
  ),
  objectStore: objectStoreSettings,
  keysDir: Type.Optional(fileSetting({ holds: 'keys' }, 'Folder with the signing keys of the role.')),
  kubeconfig: Type.Optional(
    fileSetting({ holds: 'kubeconfig' }, 'Kubeconfig that names the API server. Default: the cluster of the pod.'),
  ),
  cluster: Type.Object(
    {
      server: Type.Optional(
        Type.String({ minLength: 1, description: 'URL of the API server, in place of a kubeconfig.' }),
      ),
      caFile: Type.Optional(
        fileSetting({ holds: 'certificates' }, 'Certificate authorities of the API server, as PEM.'),
      ),
      tokenFile: Type.Optional(
        fileSetting(
          { holds: 'token', roles: ['manager', 'gateway', 'state', 'worker'] },
          'Service account token of worker, manager, gateway and state. The BFF never reads it.',
        ),
      ),
      deadlineSeconds: Type.Integer({
        minimum: 1,
        maximum: 60,
        default: 10,
        description:
          'Timeout of a call to the API server, after which the response is 504. It does not apply to watches and followed logs.',
      }),
      retryRequestsPerSecond: Type.Integer({
        minimum: 1,
        maximum: 1_000,
        default: 20,
        description: 'Average requests per second with which a manager retries failed reconciliations.',
      }),
      retryRequestBurst: Type.Integer({
        minimum: 1,
        maximum: 10_000,
        default: 100,
        description: 'Burst of requests with which a manager retries failed reconciliations.',
      }),
      reconcileRequestsPerSecond: Type.Integer({
        minimum: 1,
        maximum: 10_000,
        default: 200,
        description: 'Average requests per second of a manager for other reconciliations.',
      }),
      reconcileRequestBurst: Type.Integer({
        minimum: 1,
        maximum: 100_000,
        default: 1_000,
        description: 'Burst of requests of a manager for other reconciliations.',
      }),
      namespaces: Type.Array(Type.String({ pattern: '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$' }), {
        default: [],
        uniqueItems: true,
        maxItems: 1_000,
        description: 'Namespaces that this installation serves, the same list for every role; empty means all.',
      }),
    },
    { description: 'The API server; default: KUBECONFIG, else the cluster that the pod runs in.' },
  ),
  eventRetentionDays: Type.Integer({
    minimum: 1,
    default: 30,
    description: 'Retention of events in the log, in days.',
  }),
  listen: Type.Object({
    host: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Address of the listeners. Default: loopback for `all`, every address otherwise.',
      }),
    ),
    hosts: Type.Array(Type.String({ pattern: '^[a-z0-9.-]+$' }), {
      default: [],
      description:
        'Additional Host headers accepted on loopback, for a proxy on this machine. Other addresses accept any Host.',
    }),
    bff: port(8080, 'the API'),
    gateway: port(4000, 'the model gateway'),
    state: port(3002, 'the state role'),
    manager: port(8082, 'the audit webhook of the manager'),
    managerTls: Type.Optional(
      Type.Object(
        {
          certFile: fileSetting(
            { holds: 'certificates', roles: ['manager'] },
            'Certificate chain of the listener, as PEM.',
          ),
          keyFile: fileSetting({ holds: 'private-key', roles: ['manager'] }, 'Private key of the certificate, as PEM.'),
          clientCaFile: Type.Optional(
            fileSetting(
              { holds: 'certificates', roles: ['manager'] },
              'Authority of client certificates; other clients are refused.',
            ),
          ),
        },
        { description: "TLS of the manager's listener, required by the audit webhook." },
      ),
    ),
    admin: port(8081, 'metrics and readiness of every role'),
    trustProxy: Type.Array(Type.String({ pattern: '^[0-9a-fA-F:.]{2,45}(?:/[0-9]{1,3})?$', maxLength: 49 }), {
      default: [],
      description: 'Addresses or CIDR blocks of proxies whose X-Forwarded-For header is trusted.',
    }),
  }),
  liveness: Type.Object({
    port: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 65_535,
        description:
          'Port on which a separate thread serves /livez; 0 is any free port. Default: none, because /livez of the admin port is enough for `all`.',
      }),
    ),
    blockedSeconds: Type.Integer({
      minimum: 1,
      maximum: 3_600,
      default: 60,
      description: 'Seconds that the event loop may be blocked before /livez of that thread returns 503.',
    }),
  }),
  urls: Type.Object({
    bff: ownUrl('the BFF'),
    gateway: ownUrl('the model gateway'),
    state: ownUrl('the state role'),
  }),
  outbound: Type.Object({
    allow: Type.Array(Type.String({ minLength: 1, maxLength: 253 }), {
      maxItems: 256,
      default: [],
      description:
        'Hosts that may be called even if they are private or use plain http: CIDR block, address, host name, or `*.` followed by a domain.',
    }),
  }),
  sessions: sessionSettings,
  ui: Type.Boolean({
    default: true,
    description: 'Serves the console at `/`. Without it, `/` leads to `/docs`.',
  }),
  limits: limitSettings,
  telemetry: Type.Object({
    otlpEndpoint: Type.Optional(
      Type.String({
        pattern: '^https?://[^@?#\\s]+$',
        description:
          'Base URL of an OTLP/HTTP collector, without user, query or fragment. Default: no traces are exported.',
      }),
    ),
    accessLog: Type.Boolean({ default: true, description: 'Logs each request at level info instead of debug.' }),
  }),
  pluginHooks: Type.Object({
    startSeconds: Type.Integer({
      minimum: 1,
      maximum: 600,
      default: defaultHooks.startSeconds,
      description: 'Maximum seconds that a plugin hook may take during startup.',
    }),
    closeSeconds: Type.Integer({
      minimum: 1,
      maximum: 60,
      default: defaultHooks.closeSeconds,
      description: 'Maximum seconds that a plugin hook, and all background work, may take during shutdown.',
    }),
    applySeconds: Type.Integer({
      minimum: 1,
      maximum: 600,
      default: defaultHooks.applySeconds,
      description: 'Maximum seconds that a projection may take for one event, or for all events of one append.',
    }),
  }),
  drain: Type.Object({
    delaySeconds: Type.Integer({
      minimum: 0,
      maximum: 60,
      default: 0,
      description: 'Seconds for which requests are still served after readiness fails, for load balancers.',
    }),
    graceSeconds: Type.Integer({
      minimum: 1,
      maximum: 600,
      default: 25,
      description: 'Seconds that requests in progress may then take to finish.',
    }),
  }),
})

/** See {@link coreSettingsSchema}. */
export type CoreSettings = Static<typeof coreSettingsSchema>
