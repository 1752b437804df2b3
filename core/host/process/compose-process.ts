import { resolve } from 'node:path'
import { clusterEvents } from '#core/controllers/objects/object-events.ts'
import { servedNamespaces } from '#core/cluster/served-namespaces.ts'
import type { CoreSettings } from '#core/config/core-settings.ts'
import type { Role } from '#core/config/profile.ts'
import {
  openSettings,
  originOfSetting,
  readCoreSettings,
  readSettings,
  refuseUnusableFiles,
} from '#core/config/settings.ts'
import type { Settings } from '#core/config/settings.ts'
import type { FileKind } from '#core/config/file-setting.ts'
import { SettingsError } from '#core/config/settings-error.ts'
import { parseAllowList } from '#core/http-client/allow-list.ts'
import type { SignInWays } from '#core/http/sessions/sign-in-ways.ts'
import type { GuardOptions } from '#core/http-client/guard.ts'
import { createLogger } from '#core/log/create-logger.ts'
import type { Logger } from '#core/log/logger.ts'
import { conceal } from '#core/log/secrets.ts'
import { hasDecodableCredentials } from '#core/net/url-credentials.ts'
import { createKeyring } from '#core/signing/create-keyring.ts'
import type { Keyring, KeyTypes } from '#core/signing/keyring.ts'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import { currentTrace } from '#core/telemetry/trace-context.ts'
import { locateCluster } from '#core/cluster/cluster-config.ts'
import type { ClusterLocation } from '#core/cluster/cluster-config.ts'
import { createHost } from './host.ts'
import type { Host } from './host.ts'
import { openResources } from './open-resources.ts'
import { pick } from './pick.ts'
import { createPlatformOpener } from '../platform/open-platform.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import type { RebuildRequest } from '../role/role-cradle.ts'
import { declareKeys } from '../load/plugin-keys.ts'
import { loadPlugins } from '../third-party/load-plugins.ts'

/** Input of a process. */
export interface Composition {
  readonly roles: readonly Role[]
  readonly plugins: readonly AnyPlugin[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly version: string
  /** Settings file; default `MESH_CONFIG`, then `mesh.yaml` in the working directory. */
  readonly file?: string
  /** Settings given in code; file and environment override them. */
  readonly presets?: Readonly<Record<string, unknown>>
  /** Set by the embedded default; otherwise derived from the settings. */
  readonly cluster?: ClusterLocation
  /** Folder of the embedded store, used without `DATABASE_URL`. Without both there is no store. */
  readonly embeddedStore?: { readonly dir: string; readonly image?: string }
  /** Folder of objects without an S3 server. */
  readonly embeddedObjects?: string
  /** Creates missing keys in `keysDir` (the embedded default), or without one in memory. */
  readonly generateKeys?: boolean
  readonly log?: Logger
  readonly now?: () => Date
  /** Base URLs of further listeners, such as local agents; addresses given by users may not name them. */
  readonly ownUrls?: () => readonly string[]
  /** Ways to sign in at the BFF, besides those of the settings. */
  readonly signIn?: SignInWays
  readonly mayMovePorts?: boolean
  /** The role `migrate` rebuilds this projection instead. */
  readonly rebuild?: RebuildRequest
}

/** A composed process; `close` also closes the parts shared by its roles. */
export interface ComposedProcess {
  readonly host: Host
  readonly settings: Settings
  /** Plugins of the installation, third parties included. */
  readonly plugins: readonly AnyPlugin[]
  readonly log: Logger
  /** Maximum duration of a drain and the following close in milliseconds, after which the process exits. */
  readonly drainDeadlineMs: number
  close(): Promise<void>
}

/** Reads the settings, loads third-party plugins, opens store, bus and cluster, and creates the host. `host.start()` starts it. */
export async function composeHost(composition: Composition): Promise<ComposedProcess> {
  const { env, roles, version } = composition
  const read = await readInstallation(composition)
  const { core, settings, plugins, origin } = read
  const log = composition.log ?? createLogger({ level: core.logLevel, currentTrace })
  const metrics = createMetrics({ process: true })
  const cluster = composition.cluster ?? (await locateCluster(core, env))
  if (read.file !== undefined) log.info({ file: resolve(read.file) }, 'settings file read')
  const { embeddedStore, embeddedObjects } = composition
  const needs = { core, env, roles, version, log, metrics, origin, embeddedStore, embeddedObjects }
  const resources = await openResources(needs)
  const host = createHost({
    roles,
    plugins,
    settings,
    version,
    log,
    metrics,
    tracer: resources.tracer,
    openPlatform: createPlatformOpener({ ...resources, ...platformSettings(core), cluster, log, metrics }),
    keys: openKeys(core, composition.generateKeys === true ? read.keys.types : undefined, log),
    outbound: outboundOf(core, cluster, composition),
    coreEventTypes: clusterEvents,
    thirdParty: read.thirdParty,
    ...pick(composition, 'now', 'signIn', 'mayMovePorts', 'rebuild'),
  })
  const close = (): Promise<void> => host.close().finally(resources.close)
  return { host, settings, plugins, log, drainDeadlineMs: drainDeadlineMs(core), close }
}

/** Reads the settings of the process, and of the plugins that they add. */
async function readInstallation(composition: Composition) {
  const { env, roles } = composition
  const file = openSettings({ env, ...pick(composition, 'file', 'presets') })
  const core = readCoreSettings(file, env)
  concealPasswords(core)
  const { plugins, thirdParty } = await loadPlugins(composition.plugins, file, core)
  const keys = declareKeys(plugins, thirdParty)
  const settings = readSettings(file, env, plugins)
  refuseUnusableFiles({ file, env, plugins }, settings, { roles, instead: filesOf(core, composition) })
  const origin = (setting: string): string => originOfSetting(file, env, setting)
  return { file: file.file, core, plugins, thirdParty, keys, settings, origin }
}

function platformSettings({ cluster, pluginHooks, install, eventRetentionDays }: CoreSettings) {
  return {
    served: servedNamespaces(cluster.namespaces),
    deadlineMs: cluster.deadlineSeconds * 1000,
    retries: { perSecond: cluster.retryRequestsPerSecond, burst: cluster.retryRequestBurst },
    attempts: { perSecond: cluster.reconcileRequestsPerSecond, burst: cluster.reconcileRequestBurst },
    hookSeconds: pluginHooks.startSeconds,
    applySeconds: pluginHooks.applySeconds,
    install,
    eventRetentionDays,
  }
}

function openKeys({ keysDir }: CoreSettings, generate: KeyTypes | undefined, log: Logger): Keyring {
  return createKeyring({
    ...(keysDir === undefined ? {} : { dir: keysDir }),
    ...(generate === undefined ? {} : { generate }),
    onError: (error) => log.warn({ error: error instanceof Error ? error.message : 'unknown' }, 'keys not reloaded'),
  })
}

// A process with its own cluster or keys does not read these files; an address takes precedence over a kubeconfig.
function filesOf({ cluster }: CoreSettings, composition: Composition): Record<string, FileKind | undefined> {
  const isEmbedded = composition.cluster !== undefined
  return {
    ...(isEmbedded ? { 'cluster.caFile': undefined, 'cluster.tokenFile': undefined } : {}),
    ...(isEmbedded || cluster.server !== undefined ? { kubeconfig: undefined } : {}),
    ...(composition.generateKeys === true ? { keysDir: 'written-folder' } : {}),
  }
}

const CLOSE_MS = 5_000

// Delay for load balancers, twice that for connections (see `drain` of the host), requests in progress, then the close.
function drainDeadlineMs({ drain }: CoreSettings): number {
  return (2 * drain.delaySeconds + drain.graceSeconds + 2) * 1_000 + CLOSE_MS
}

function outboundOf(
  { outbound, urls }: CoreSettings,
  cluster: ClusterLocation,
  { ownUrls }: Composition,
): GuardOptions {
  try {
    parseAllowList(outbound.allow)
  } catch (error) {
    throw new SettingsError(`outbound.allow: ${error instanceof Error ? error.message : 'not a list'}`)
  }
  const roles = Object.values(urls).filter((url) => URL.canParse(url))
  return { allow: outbound.allow, ownUrls: () => [cluster.server, ...roles, ...(ownUrls?.() ?? [])] }
}

// Credentials in URLs must not reach a log, whichever library prints the URL.
function concealPasswords({
  databaseUrl = '',
  natsUrl = '',
  redisUrl = '',
  objectStore,
  sessions,
}: CoreSettings): void {
  for (const key of [objectStore.accessKey, objectStore.secretKey, sessions.oidc?.clientSecret]) conceal(key ?? '')
  for (const text of [databaseUrl, redisUrl, ...natsUrl.split(',')]) {
    const url = URL.parse(text.trim())
    if (url === null) continue
    const { username, password } = url
    // NATS treats a name without a password as a token.
    const secret = password === '' && text !== databaseUrl && text !== redisUrl ? username : password
    conceal(secret)
    if (hasDecodableCredentials(url)) conceal(decodeURIComponent(secret))
  }
}
