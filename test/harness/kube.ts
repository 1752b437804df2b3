import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { requireServer } from './find-server.ts'
import { freePort } from './free-port.ts'
import {
  auditPolicy,
  compact,
  isReady,
  startApiserver,
  startEtcd,
  writeSigningKey,
  writeWebhookConfig,
} from './kube-processes.ts'
import type { AuditWebhook } from './kube-processes.ts'
import { personas, personaFile } from './kube-personas.ts'
import type { Persona } from './kube-personas.ts'
import type { Scope } from './scope.ts'
import { untilReady } from './server-process.ts'
import { tempFolder } from './temp-folder.ts'

/** A line of the API server's audit log, limited to the fields that tests read. */
export interface AuditEntry {
  readonly verb: string
  readonly requestURI: string
  readonly user: { readonly username: string; readonly groups?: readonly string[] }
  readonly impersonatedUser?: { readonly username: string }
  readonly objectRef?: {
    readonly resource?: string
    readonly namespace?: string
    readonly name?: string
    readonly apiGroup?: string
    readonly subresource?: string
  }
  readonly responseStatus?: { readonly code?: number }
  readonly requestReceivedTimestamp: string
  readonly userAgent?: string
}

/** A real kube-apiserver as shared by test files. */
export interface KubeServer {
  readonly url: string
  /** PEM of the authority of its certificate. */
  readonly ca: string
  /** Bearer tokens by persona: admin, viewer, developer, operator, other-tenant, unbound, and added ones. */
  readonly tokens: Readonly<Record<string, string>>
  /** Facts that another process needs to use the server. */
  readonly facts: KubeFacts
  /** All requests so far, oldest first; `since` is an earlier length. */
  auditLog(since?: number): AuditEntry[]
  /** Writes a kubeconfig for a bearer token and returns its path. */
  kubeconfig(token: string): string
}

/** A kube-apiserver of one test, which may stop and suspend it. */
export interface OwnKubeServer extends KubeServer {
  /** Stops the API server, then etcd. */
  stop(): Promise<void>
  /** SIGSTOP of etcd (the API server accepts and waits) or of the API server itself. */
  freeze(which?: KubePart): void
  thaw(): void
  kill9(which: KubePart): Promise<void>
  /** Restarts a process on the same port and data, and waits until the API server is ready. */
  restart(which: KubePart): Promise<void>
  /** Compacts etcd: a lagging watch cannot continue once the API server has dropped its cache too. */
  compact(): Promise<void>
}

/** The two processes of a cluster's API. */
export type KubePart = 'etcd' | 'apiserver'

/** Facts that a process needs to use an API server started by another process. */
export interface KubeFacts {
  readonly url: string
  readonly ca: string
  readonly tokens: Readonly<Record<string, string>>
  readonly auditFile: string
  readonly folder: string
}

/** Options of a test's own API server. */
export interface KubeOptions {
  readonly personas?: readonly Persona[]
  /** Sends audit events in batches. The policy replaces that of the test, which applies to the log file only. */
  readonly auditWebhook?: AuditWebhook
}

/** Starts etcd and kube-apiserver with RBAC and static tokens: about 3 s, 330 MB. Most tests use `sharedKube`. */
export async function startKube(t: Scope, options: KubeOptions = {}): Promise<OwnKubeServer> {
  const programs = { etcd: requireServer(t, 'etcd'), apiserver: requireServer(t, 'kube-apiserver') }
  const folder = tempFolder('kube')
  const everyone = [...personas, ...(options.personas ?? [])]
  writeFileSync(join(folder.path, 'personas.csv'), personaFile(everyone), { mode: 0o600 })
  writeFileSync(join(folder.path, 'audit-policy.json'), JSON.stringify(options.auditWebhook?.policy ?? auditPolicy))
  if (options.auditWebhook !== undefined) writeWebhookConfig(folder.path, options.auditWebhook)
  const etcdUrl = `http://127.0.0.1:${await freePort()}`
  const peerPort = await freePort()
  const port = await freePort()
  writeSigningKey(folder.path)
  const run = {
    etcd: () => startEtcd(programs.etcd, folder.path, etcdUrl, peerPort),
    apiserver: () =>
      startApiserver(programs.apiserver, {
        folder: folder.path,
        etcdUrl,
        port,
        webhook: options.auditWebhook !== undefined,
      }),
  }
  const parts = { etcd: run.etcd(), apiserver: run.apiserver() }
  // The API server first: without etcd it takes a minute to stop.
  const stop = async (): Promise<void> => {
    await parts.apiserver.end('SIGKILL')
    await parts.etcd.end('SIGKILL')
  }
  t.after(async () => {
    await stop()
    folder.remove()
  })
  const tokens = Object.fromEntries(everyone.map((persona) => [persona.name, persona.token]))
  const ready = (): Promise<void> => untilReady(parts.apiserver, () => isReady(port, tokens['admin'] ?? ''), 60_000)
  await ready()
  const ca = readFileSync(join(folder.path, 'certs', 'apiserver.crt'), 'utf8')
  const url = `https://127.0.0.1:${port}`
  const facts = { url, ca, tokens, folder: folder.path, auditFile: join(folder.path, 'audit.log') }
  return {
    ...kubeFromFacts(facts),
    stop,
    freeze: (which = 'etcd') => parts[which].freeze(),
    thaw: () => {
      parts.etcd.thaw()
      parts.apiserver.thaw()
    },
    kill9: (which) => parts[which].end('SIGKILL'),
    restart: async (which) => {
      await parts[which].end('SIGKILL')
      parts[which] = run[which]()
      await ready()
    },
    compact: () => compact(etcdUrl),
  }
}

let ownServer: Promise<KubeServer> | undefined

/** The API server started by the runner (`MESH_TEST_KUBE`), else one for this process. Files share it, each with its own namespaces. */
export function sharedKube(t: Scope): Promise<KubeServer> {
  const given = process.env.MESH_TEST_KUBE
  if (given !== undefined && given !== '') return Promise.resolve(kubeFromFacts(JSON.parse(given) as KubeFacts))
  const scope: Scope = {
    after: () => undefined,
    ...(t.skip === undefined ? {} : { skip: (reason) => t.skip?.(reason) }),
  }
  ownServer ??= startKube(scope)
  return ownServer
}

/** A handle on an API server that runs elsewhere. */
export function kubeFromFacts(facts: KubeFacts): KubeServer {
  return {
    facts,
    url: facts.url,
    ca: facts.ca,
    tokens: facts.tokens,
    auditLog: (since = 0) => readAuditLog(facts.auditFile).slice(since),
    kubeconfig: (token) => writeKubeconfig(facts, token),
  }
}

function readAuditLog(file: string): AuditEntry[] {
  const whole = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return whole.map((line) => JSON.parse(line) as AuditEntry)
}

let kubeconfigs = 0

// JSON is valid YAML, so kubectl can read it without quoting rules.
function writeKubeconfig(facts: KubeFacts, token: string): string {
  const path = join(facts.folder, `kubeconfig-${process.pid}-${++kubeconfigs}.json`)
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'test',
        cluster: { server: facts.url, 'certificate-authority-data': Buffer.from(facts.ca).toString('base64') },
      },
    ],
    users: [{ name: 'caller', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'caller', namespace: 'default' } }],
    'current-context': 'test',
  }
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 })
  return path
}
