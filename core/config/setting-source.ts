import type { TSchema } from 'typebox'
import type { Profile } from './profile.ts'

/** An environment variable or dotted settings path, and the key of the section that it sets. */
export interface SettingSource {
  readonly from: string
  readonly to: string
  readonly parse?: (text: string) => unknown
}

/** Owner of a section of the settings: a plugin. */
export interface SettingsOwner {
  readonly name: string
  readonly settings: TSchema
  readonly settingsFrom?: readonly SettingSource[]
  /** Profiles that do not start without it. */
  readonly requiredBy?: readonly Profile[]
}

/** Environment variables and aliases of the platform's settings. */
export const coreSettingSources: readonly SettingSource[] = [
  { from: 'MESH_PROFILE', to: 'profile' },
  { from: 'MESH_INSTALL', to: 'install' },
  { from: 'LOG_LEVEL', to: 'logLevel' },
  { from: 'MESH_STORE', to: 'store' },
  { from: 'DATABASE_URL', to: 'databaseUrl' },
  { from: 'MESH_DATABASE_CONNECTIONS', to: 'databaseConnections' },
  { from: 'MESH_DATABASE_PREPARED_STATEMENTS', to: 'databasePreparedStatements' },
  { from: 'NATS_URL', to: 'natsUrl' },
  { from: 'REDIS_URL', to: 'redisUrl' },
  { from: 'OBJECT_STORE_ADDR', to: 'objectStore.addr' },
  { from: 'OBJECT_STORE_ACCESS_KEY', to: 'objectStore.accessKey' },
  { from: 'OBJECT_STORE_SECRET_KEY', to: 'objectStore.secretKey' },
  { from: 'OBJECT_STORE_BUCKET', to: 'objectStore.bucket' },
  { from: 'OBJECT_STORE_REGION', to: 'objectStore.region' },
  { from: 'OBJECT_STORE_TLS', to: 'objectStore.tls' },
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
  { from: 'MESH_LIVENESS_PORT', to: 'liveness.port' },
  { from: 'MESH_LIVENESS_BLOCKED_SECONDS', to: 'liveness.blockedSeconds' },
  { from: 'MESH_MANAGER_PORT', to: 'listen.manager' },
  { from: 'MESH_MANAGER_TLS_CERT_FILE', to: 'listen.managerTls.certFile' },
  { from: 'MESH_MANAGER_TLS_KEY_FILE', to: 'listen.managerTls.keyFile' },
  { from: 'MESH_MANAGER_TLS_CLIENT_CA_FILE', to: 'listen.managerTls.clientCaFile' },
  { from: 'MESH_OUTBOUND_ALLOW', to: 'outbound.allow', parse: (text) => text.split(',').map((one) => one.trim()) },
  { from: 'OTEL_EXPORTER_OTLP_ENDPOINT', to: 'telemetry.otlpEndpoint' },
  { from: 'MESH_ACCESS_LOG', to: 'telemetry.accessLog' },
  { from: 'MESH_DRAIN_DELAY_SECONDS', to: 'drain.delaySeconds' },
  { from: 'MESH_PUBLIC_URL', to: 'sessions.publicUrl' },
  { from: 'MESH_SESSION_IDLE_MINUTES', to: 'sessions.idleMinutes' },
  { from: 'MESH_SESSION_ABSOLUTE_HOURS', to: 'sessions.absoluteHours' },
  { from: 'MESH_UI', to: 'ui' },
  { from: 'MESH_OIDC_ISSUER', to: 'sessions.oidc.issuer' },
  { from: 'MESH_OIDC_CLIENT_ID', to: 'sessions.oidc.clientId' },
  { from: 'MESH_OIDC_CLIENT_SECRET', to: 'sessions.oidc.clientSecret' },
  { from: 'MESH_OIDC_SCOPES', to: 'sessions.oidc.scopes', parse: (text) => text.trim().split(/\s+/) },
  { from: 'MESH_OIDC_TITLE', to: 'sessions.oidc.title' },
  { from: 'BFF_URL', to: 'urls.bff' },
  { from: 'GATEWAY_URL', to: 'urls.gateway' },
  { from: 'STATE_URL', to: 'urls.state' },
]
