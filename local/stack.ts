import { resolve } from 'node:path'
import { findSettingsFile } from '#core/config/find-settings-file.ts'
import type { ServicePort } from '#core/cluster/endpoint-slices.ts'
import type { Role } from '#core/config/profile.ts'
import { openSettings, readCoreSettings } from '#core/config/settings.ts'
import type { JournalCut } from '@mesh.dev/embedded-apiserver'
import { composeHost } from '#core/host/process/compose-process.ts'
import type { ComposedProcess } from '#core/host/process/compose-process.ts'
import { createLogger } from '#core/log/create-logger.ts'
import type { KubeClient } from '#core/kube/client.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { currentTrace } from '#core/telemetry/trace-context.ts'
import { createAuditFeed } from './cluster/audit-feed.ts'
import { createDemo } from './cluster/bootstrap.ts'
import { createEvaluatedDemo } from './cluster/evaluated-demo.ts'
import { shipped, startLocalCluster } from './cluster/local-cluster.ts'
import type { LocalCluster } from './cluster/local-cluster.ts'
import { loadSecret, openDataFolder } from './data-folder/data-folder.ts'
import type { DataFolder } from './data-folder/data-folder.ts'
import { removeRunning, writeRunning } from './data-folder/running-platform.ts'
import type { LocalOptions } from '#core/host/commands/all-command.ts'
import { createOneTimeCodes } from '#core/http/sessions/one-time-codes.ts'
import { ownEnvironment } from './own-environment.ts'
import { personas } from './data-folder/personas.ts'
import type { Persona } from './data-folder/personas.ts'
import { choosePorts, givenPorts } from './terminal/ports.ts'
import type { Listener, MovedPort } from './terminal/ports.ts'
import { imageOf } from './data-folder/store-image.ts'
import { createTerminal, terminalPlugin } from './terminal/failure-lines.ts'
import { startWorkloads } from './workloads/start-workloads.ts'
import type { WorkloadOptions, Workloads } from './workloads/start-workloads.ts'

/** The composed embedded default; `start` starts all parts, `close` stops them in reverse order. */
export interface Stack {
  readonly composed: ComposedProcess
  /** As cluster-admin. */
  readonly cluster: KubeClient
  start(): Promise<StartedStack>
  close(): Promise<void>
}

/** Addresses and credentials of a started stack. */
export interface StartedStack {
  readonly url: string
  readonly gatewayUrl: string
  readonly kubeconfig: string
  readonly demo: boolean
  readonly tokensFile: string
  readonly dataDir: string
  readonly tokens: Readonly<Record<Persona, string>>
  readonly code: string
  readonly adminUrl: string
  readonly moved: readonly MovedPort[]
  /** The settings file that was read. */
  readonly settingsFile?: string
  /** The lost part of a damaged journal of the embedded API server. */
  readonly journalCut?: JournalCut
}

/** Values from the process. */
export interface StackInput {
  readonly options: LocalOptions
  readonly roles: readonly Role[]
  readonly plugins: readonly AnyPlugin[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly version: string
  /** Origin at which browsers reach the API; default: that of the BFF. */
  readonly publicUrl?: string | undefined
  /** Objects that the roles find when they start. Never rejects. */
  readonly content?: ((cluster: KubeClient) => Promise<void>) | undefined
  /** How agents run; default: in the working directory, on allocated ports. */
  readonly workloads?: Pick<WorkloadOptions, 'cwd' | 'reservedPorts'>
  /** Reports a failed agent or run; default: a warning in the log. */
  readonly write?: (text: string) => void
}

/** Starts the cluster and composes all roles; if a part fails, the started parts are closed. */
export async function composeStack(input: StackInput): Promise<Stack> {
  const { options } = input
  const { env } = ownEnvironment(input.env, input.plugins)
  const chosen = await choosePorts(options.port)
  const { moved } = chosen
  const ports = givenPorts(chosen.ports, env)
  const { folder, release } = openDataFolder(options.data, options.fresh)
  const agents = createAgents()
  const background = createBackground()
  const log = createLogger({ level: 'warn', currentTrace })
  const terminal = createTerminal(input.write ?? ((text) => log.warn({}, text)))
  const feed = createAuditFeed(`http://127.0.0.1:${ports.manager}/audit-events`, loadSecret(folder.webhookToken))
  const url = `http://127.0.0.1:${ports.bff}`
  const cluster = await startLocalCluster({
    folder,
    apiUrl: url,
    auditFile: options.apiAudit,
    onAuditEvent: feed.add,
    plugins: input.plugins,
    log: (message, fields) => log.warn(fields, message),
    readPodLog: (request) => agents.running().readPodLog(request),
  }).catch((error: unknown) => {
    release()
    throw error
  })
  try {
    const codes = createOneTimeCodes()
    const ofPersona = Object.fromEntries(personas.map((name) => [name, cluster.tokens[name]]))
    const image = imageOf(env)
    const at = (name: Listener): string => `http://127.0.0.1:${ports[name]}`
    const page = {
      url,
      gatewayUrl: at('gateway'),
      adminUrl: at('admin'),
      tokensFile: folder.tokens,
      kubeconfig: folder.kubeconfig,
      demo: options.demo !== 'none',
    }
    const composed = await composeHost({
      roles: input.roles,
      plugins: [...input.plugins, terminalPlugin(terminal)],
      version: input.version,
      env,
      presets: { ...presets(folder, ports, input.publicUrl), outbound: { allow: allowedByDefault(env) } },
      cluster: {
        ...cluster.location,
        endpoints: async (service) => agents.launchers(service),
      },
      embeddedStore: { dir: folder.database, ...(image === undefined ? {} : { image }) },
      embeddedObjects: folder.objects,
      generateKeys: true,
      signIn: { codes, personas: ofPersona },
      ownUrls: agents.urls,
    })
    return {
      composed,
      cluster: cluster.admin,
      start: async () => {
        const found = { ...settingsFileOf(env), ...journalCutOf(cluster) }
        await cluster.install(composed.plugins)
        await input.content?.(cluster.admin)
        await composed.host.start()
        feed.start(composed.log)
        // The configuration of agents from an earlier process may be stale (other ports). Agents start after the manager has updated it, and thus only once.
        await composed.host.synced()
        const { log: logger } = composed
        const crash = { onCrash: terminal.crashed, ...input.workloads }
        await agents.start({ cluster: cluster.admin, dataDir: folder.root, log: logger, ...crash })
        const content = { ...shipped, plugins: composed.plugins }
        if (options.demo !== 'none') await createDemo(cluster.admin, content)
        // MESH_GATEWAY_PORT overrides the chosen port.
        const addresses = composed.host.addresses()
        const gatewayUrl = addresses.gateway ?? page.gatewayUrl
        const adminUrl = addresses.admin ?? page.adminUrl
        const { tokens } = cluster
        writeRunning(folder, { url, gatewayUrl, adminUrl })
        if (options.demo === 'all')
          background.run((signal) =>
            createEvaluatedDemo({ url, tokens, cluster: cluster.admin, ...content, signal }).catch((error: unknown) => {
              if (!signal.aborted) logger.warn({ error }, 'the demo of evaluations is incomplete')
            }),
          )
        return {
          ...page,
          gatewayUrl,
          adminUrl,
          dataDir: folder.root,
          tokens,
          code: codes.issue(tokens.admin),
          moved,
          ...found,
        }
      },
      close: () =>
        closeAll([
          () => removeRunning(folder),
          background.close,
          agents.close,
          feed.close,
          composed.close,
          cluster.close,
          release,
        ]),
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

// Agents stop before the roles that serve them, so that their last messages arrive. The cluster stops last: all parts use it.
async function closeAll(steps: readonly (() => Promise<void> | void | undefined)[]): Promise<void> {
  const failed: unknown[] = []
  for (const step of steps) await Promise.resolve(step()).catch((error: unknown) => failed.push(error))
  if (failed.length > 0) throw new AggregateError(failed, failed.map(String).join('; '))
}

/** Work that goes on after the start, until the stack is closed. */
function createBackground() {
  const ending = new AbortController()
  let work: Promise<void> | undefined
  return {
    run: (start: (signal: AbortSignal) => Promise<void>): void => {
      work = start(ending.signal)
    },
    close: async (): Promise<void> => {
      ending.abort()
      await work
    },
  }
}

/** The agents' processes. Callers may use them before the start, and close them during it. */
function createAgents() {
  let starting: Promise<Workloads> | undefined
  let workloads: Workloads | undefined
  let closed = false
  return {
    start: async (options: WorkloadOptions): Promise<void> => {
      if (closed) throw new Error('closed during the start')
      workloads = await (starting = startWorkloads(options))
    },
    running: (): Workloads => {
      if (!workloads) throw new Error('agents have not been started')
      return workloads
    },
    launchers: (service: ServicePort) => workloads?.launchers(service) ?? [],
    urls: () => workloads?.urls() ?? [],
    close: async (): Promise<void> => {
      closed = true
      await (await starting)?.close()
    },
  }
}

// A local model server is a common provider on a laptop; the hardened profile permits listed addresses only.
function allowedByDefault(env: StackInput['env']): readonly string[] {
  const { profile } = readCoreSettings(openSettings({ env }), env)
  return profile === 'hardened' ? [] : ['127.0.0.0/8', '::1']
}

function presets(
  folder: DataFolder,
  ports: Readonly<Record<Listener, number>>,
  publicUrl = `http://127.0.0.1:${ports.bff}`,
) {
  const at = (name: Listener): string => `http://127.0.0.1:${ports[name]}`
  return {
    logLevel: 'warn',
    keysDir: folder.keys,
    listen: { host: '127.0.0.1', ...ports },
    urls: { bff: at('bff'), gateway: at('gateway'), state: at('state') },
    agents: { isolation: 'none' },
    audit: { spoolDir: folder.audit, webhookTokenFile: folder.webhookToken },
    sharing: { publicUrl },
    sessions: { publicUrl, idleMinutes: 7 * 24 * 60, absoluteHours: 30 * 24 },
  }
}
