import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ServiceEndpoint } from '#core/cluster/endpoint-slices.ts'
import { runReconcilers } from '#core/controllers/controller.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { isLabel, isName } from '#core/kube/names.ts'
import type { Logger } from '#core/log/logger.ts'
import { AGENT_LABEL } from '#schemas/labels.ts'
import type { AgentCrash } from '../terminal.ts'
import { serveEndpoints } from './endpoints.ts'
import type { LogQuery } from './log-file.ts'
import { resources } from './objects.ts'
import type { Pod } from './objects.ts'
import { LOCAL_LABEL, LOCAL_NODE, TEMPLATE_LABEL } from './pod-object.ts'
import type { Replica, ReplicaContext } from './replica.ts'
import { deploymentReconciler, jobReconciler } from './workload-controller.ts'
import type { Replicas } from './workload-controller.ts'

/** What the runner works with. `cluster` may read and write Deployments, Jobs, Pods, ConfigMaps, Secrets and tokens everywhere. */
export interface WorkloadOptions {
  readonly cluster: KubeClient
  readonly dataDir: string
  readonly log: Logger
  /** How a launcher is started; default: this Node.js with `launcher/main.ts`. */
  readonly launcher?: readonly string[]
  /** Where commands of agents are started; default: where this process was. */
  readonly cwd?: string
  /** How long an agent may run before its silence is reported (10 s). */
  readonly listenMs?: number
  /** Called for each process of an agent that ended with an error by itself. */
  readonly onCrash?: ((crash: AgentCrash) => void) | undefined
}

/** Agents as processes of this machine. */
export interface Workloads {
  /** Launchers of the agent that run now, each known by its address: another process has another one. */
  launchers(namespace: string, name: string): readonly ServiceEndpoint[]
  /** Where other processes ask the same: `GET {endpointsUrl}/endpoints/{namespace}/{name}`. */
  readonly endpointsUrl: string
  /** Base URLs of everything that runs for agents here. */
  urls(): readonly string[]
  /** The log of a pod that runs here, for the embedded API server. */
  readPodLog(
    request: LogQuery & {
      readonly pod: { readonly metadata: { readonly uid?: string } }
      readonly container: string
      readonly previous: boolean
    },
  ): AsyncIterable<string>
  /** Ends every process; none is left. */
  close(): Promise<void>
}

/** Grace of launchers when the platform itself ends: a person waits at the terminal. */
const CLOSE_GRACE_MS = 5_000
const LISTEN_MS = 10_000

/** Starts running the workloads of agents, after clearing the pods that an earlier process left. */
export async function startWorkloads(options: WorkloadOptions): Promise<Workloads> {
  const context: ReplicaContext = {
    cluster: options.cluster,
    dataDir: join(options.dataDir, 'workloads'),
    launcher: options.launcher ?? defaultLauncher(),
    cwd: options.cwd ?? process.cwd(),
    log: options.log,
    onCrash: options.onCrash,
    listenMs: options.listenMs ?? LISTEN_MS,
    ending: new Set(),
  }
  await clearPods(options.cluster)
  const all: Replicas = new Map()
  const controller = new AbortController()
  const running = runReconcilers({
    cluster: options.cluster,
    log: options.log,
    signal: controller.signal,
    reconcilers: [deploymentReconciler(context, all), jobReconciler(context, all)],
  })
  const launchers = (namespace: string, name: string) =>
    toLaunchers(
      [...context.ending, ...everyReplica(all)].filter(({ pod }) => isOf(pod, namespace, name)),
      context.ending,
    )
  const endpoints = await serveEndpoints(launchers)
  await running.synced
  return {
    launchers,
    endpointsUrl: endpoints.url,
    urls: () => [endpoints.url, ...[...context.ending, ...everyReplica(all)].flatMap((one) => one.url() ?? [])],
    readPodLog: (request) => readLog(all, request),
    close: async () => {
      controller.abort()
      await running.done
      await Promise.all([...everyReplica(all), ...context.ending].map((one) => one.stop(CLOSE_GRACE_MS)))
      await endpoints.close()
    },
  }
}

function defaultLauncher(): string[] {
  const cache = new URL('./compile-cache.mjs', import.meta.url).href
  const main = fileURLToPath(import.meta.resolve('#launcher/main.ts'))
  return [process.execPath, '--max-semi-space-size=4', '--disable-sigusr1', '--import', cache, main]
}

function everyReplica(all: Replicas): Replica[] {
  return [...all.values()].flatMap((entry) => entry.list)
}

function isOf({ metadata }: Pod, namespace: string, name: string): boolean {
  return metadata.namespace === namespace && metadata.labels?.[AGENT_LABEL] === name
}

// After a rollout began, new runs go to the new revision as soon as one of it is ready.
function toLaunchers(replicas: readonly Replica[], ending: ReadonlySet<Replica>): readonly ServiceEndpoint[] {
  const takesRuns = (one: Replica): boolean => one.ready() && !ending.has(one)
  const newest = replicas.findLast(takesRuns)?.pod.metadata.labels?.[TEMPLATE_LABEL]
  return replicas.flatMap((one) => {
    const url = one.url()
    if (url === undefined) return []
    return [{ id: url, url, ready: takesRuns(one) && one.pod.metadata.labels?.[TEMPLATE_LABEL] === newest }]
  })
}

async function* readLog(all: Replicas, request: Parameters<Workloads['readPodLog']>[0]): AsyncGenerator<string> {
  const replica = everyReplica(all).find((one) => one.pod.metadata.uid === request.pod.metadata.uid)
  const log = replica?.logOf(request.container, request.previous)
  if (log !== undefined) yield* log.read(request)
}

// Their processes ended with the one that ran them (the lifeline), so these pods describe nothing.
async function clearPods(cluster: KubeClient): Promise<void> {
  const left = await cluster.list<Pod>(resources.pods, { labelSelector: `${LOCAL_LABEL}=${LOCAL_NODE}` })
  for (const { metadata } of left.items) {
    const { name, namespace = '' } = metadata
    if (isLabel(namespace) && isName(name))
      await cluster.delete(resources.pods, { namespace, name }, { graceSeconds: 0 })
  }
}
