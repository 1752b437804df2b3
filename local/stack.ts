import { resolve } from 'node:path'
import { findSettingsFile } from '#core/config/find-file.ts'
import type { Role } from '#core/config/profile.ts'
import { openSettings, readCoreSettings } from '#core/config/settings.ts'
import { type Composed, composeHost } from '#core/host/process/compose-process.ts'
import { createLogger } from '#core/log/create-logger.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { currentTrace } from '#core/telemetry/trace-context.ts'
import { createDemo } from './bootstrap.ts'
import type { JournalCut } from './apiserver/storage/journal.ts'
import { type LocalCluster, shipped, startLocalCluster } from './cluster.ts'
import { createAuditFeed } from './audit-feed.ts'
import { type DataFolder, loadSecret, openDataFolder } from './data-folder.ts'
import { createOneTimeCode, landingRoutes } from './landing.ts'
import type { LocalOptions } from './options.ts'
import { choosePorts, givenPorts, type Listener, type MovedPort } from './ports.ts'
import { ownEnvironment } from './own-environment.ts'
import type { Persona } from './personas.ts'
import { imageOf } from './store-image.ts'
import { createTerminal, terminalPlugin } from './terminal.ts'
import { startWorkloads, type WorkloadOptions, type Workloads } from './workloads/workloads.ts'

/** The embedded default, composed; `start` brings it up, `close` takes everything down in reverse. */
export interface Stack {
  readonly composed: Composed
  start(): Promise<Started>
  close(): Promise<void>
}

/** What somebody needs to use a started stack. */
export interface Started {
  readonly url: string
  readonly gatewayUrl: string
  readonly kubeconfig: string
  readonly tokensFile: string
  readonly dataDir: string
  readonly tokens: Readonly<Record<Persona, string>>
  readonly code: string
  readonly adminUrl: string
  readonly moved: readonly MovedPort[]
  /** The settings file that was read. */
  readonly settingsFile?: string
  /** What was lost of a damaged journal of the embedded API server. */
  readonly journalCut?: JournalCut
}

/** What the process gives it. */
export interface StackInput {
  readonly options: LocalOptions
  readonly roles: readonly Role[]
  readonly plugins: readonly AnyPlugin[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly version: string
  /** Writes a line about an agent or a run that failed; default: a warning of the log. */
  readonly write?: (text: string) => void
}

/** Starts the cluster and composes every role over it; whatever was started is closed when a later part fails. */
export async function composeStack(input: StackInput): Promise<Stack> {
  const { options } = input
  const { env } = ownEnvironment(input.env, input.plugins)
  const chosen = await choosePorts(options.port)
  const { moved } = chosen
  const ports = givenPorts(chosen.ports, env)
  const { folder, release } = openDataFolder(options.data, options.fresh)
  const agents = createAgents()
  const log = createLogger({ level: 'warn', currentTrace })
  const terminal = createTerminal(input.write ?? ((text) => log.warn({}, text)))
  const feed = createAuditFeed(`http://127.0.0.1:${ports.manager}/audit-events`, loadSecret(folder.webhookToken))
  const cluster = await startLocalCluster({
    folder,
    auditFile: options.apiAudit,
    onAuditEvent: feed.add,
    log: (message, fields) => log.warn(fields, message),
    readPodLog: (request) => agents.running().readPodLog(request),
  }).catch((error: unknown) => {
    release()
    throw error
  })
  try {
    const code = createOneTimeCode(cluster.tokens.admin)
    const url = `http://127.0.0.1:${ports.bff}`
    const image = imageOf(env)
    const at = (name: Listener): string => `http://127.0.0.1:${ports[name]}`
    const page = {
      url,
      gatewayUrl: at('gateway'),
      adminUrl: at('admin'),
      tokensFile: folder.tokens,
      kubeconfig: folder.kubeconfig,
    }
    const composed = await composeHost({
      roles: input.roles,
      plugins: [...input.plugins, terminalPlugin(terminal)],
      version: input.version,
      env,
      presets: { ...presets(folder, ports), outbound: { allow: allowedByDefault(env) } },
      cluster: {
        ...cluster.location,
        endpoints: async ({ namespace, name }) => agents.launchers(namespace, name),
      },
      embeddedStore: { dir: folder.database, ...(image === undefined ? {} : { image }) },
      generateKeys: true,
      pages: landingRoutes(code, page),
      ownUrls: agents.urls,
    })
    return {
      composed,
      start: async () => {
        const found = { ...settingsFileOf(env), ...journalCutOf(cluster) }
        await composed.host.start()
        feed.start(composed.log)
        // What an earlier process told agents may be stale: other ports. They start when the manager has told them anew, and so only once.
        await composed.host.synced()
        const { log: logger } = composed
        await agents.start({ cluster: cluster.admin, dataDir: folder.root, log: logger, onCrash: terminal.crashed })
        if (options.demo) await createDemo(cluster.admin, shipped.demo)
        // MESH_GATEWAY_PORT may name another than the chosen one.
        const addresses = composed.host.addresses()
        const gatewayUrl = addresses.gateway ?? page.gatewayUrl
        const adminUrl = addresses.admin ?? page.adminUrl
        const { tokens } = cluster
        return { ...page, gatewayUrl, adminUrl, dataDir: folder.root, tokens, code: code.code, moved, ...found }
      },
      close: () => closeAll([agents.close, feed.close, composed.close, cluster.close, release]),
    }
  } catch (error) {
    await closeAll([cluster.close, release])
    throw error
  }
}

function settingsFileOf(env: StackInput['env']): { settingsFile?: string } {
  const file = findSettingsFile(env)
  return file === undefined ? {} : { settingsFile: resolve(file) }
}

function journalCutOf({ server: { journalCut } }: LocalCluster): { journalCut?: JournalCut } {
  return journalCut === undefined ? {} : { journalCut }
}

// Agents go before the roles that serve them: what they still say is heard. The cluster goes last: everybody uses it.
async function closeAll(steps: readonly (() => Promise<void> | void | undefined)[]): Promise<void> {
  const failed: unknown[] = []
  for (const step of steps) await Promise.resolve(step()).catch((error: unknown) => failed.push(error))
  if (failed.length > 0) throw new AggregateError(failed, failed.map(String).join('; '))
}

/** The agents' processes, which are asked for before they are started and may be closed while they start. */
function createAgents() {
  let starting: Promise<Workloads> | undefined
  let workloads: Workloads | undefined
  let closed = false
  return {
    start: async (options: WorkloadOptions): Promise<void> => {
      if (closed) throw new Error('closed while it started')
      workloads = await (starting = startWorkloads(options))
    },
    running: (): Workloads => {
      if (!workloads) throw new Error('agents are not started yet')
      return workloads
    },
    launchers: (namespace: string, name: string) => workloads?.launchers(namespace, name) ?? [],
    urls: () => workloads?.urls() ?? [],
    close: async (): Promise<void> => {
      closed = true
      await (await starting)?.close()
    },
  }
}

// A model server of this machine is the usual provider of a laptop; the hardened profile allows none that is not listed.
function allowedByDefault(env: StackInput['env']): readonly string[] {
  const { profile } = readCoreSettings(openSettings({ env }), env)
  return profile === 'hardened' ? [] : ['127.0.0.0/8', '::1']
}

function presets(folder: DataFolder, ports: Readonly<Record<Listener, number>>) {
  const at = (name: Listener): string => `http://127.0.0.1:${ports[name]}`
  return {
    logLevel: 'warn',
    keysDir: folder.keys,
    listen: { host: '127.0.0.1', ...ports },
    urls: { bff: at('bff'), gateway: at('gateway'), state: at('state') },
    agents: { isolation: 'none' },
    audit: { spoolDir: folder.audit, webhookTokenFile: folder.webhookToken },
  }
}
