import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ServiceEndpoint, ServicePort } from '#core/cluster/endpoint-slices.ts'
import { runReconcilers } from '#core/controllers/controller.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { isLabel, isName } from '#core/kube/names.ts'
import type { Logger } from '#core/log/logger.ts'
import { AGENT_LABEL, CANDIDATE_LABEL, REVISION_NUMBER_LABEL } from '#schemas/names/labels.ts'
import type { AgentCrash } from '../terminal/failure-lines.ts'
import { deploymentReconciler } from './deployment-reconciler.ts'
import { serveEndpoints } from './endpoint-server.ts'
import { jobReconciler } from './job-reconciler.ts'
import type { LogQuery } from './log-file.ts'
import { workloadResources } from './objects/workload-objects.ts'
import type { Pod } from './objects/workload-objects.ts'
import { LOCAL_LABEL, LOCAL_NODE, TEMPLATE_LABEL } from './objects/pod-object.ts'
import type { Replica, ReplicaContext } from './replica.ts'
import type { Replicas } from './replicas.ts'

/** Options of the workload runner. `cluster` may read and write Deployments, Jobs, Pods, ConfigMaps, Secrets and tokens in all namespaces. */
export interface WorkloadOptions {
  readonly cluster: KubeClient
  readonly dataDir: string
  readonly log: Logger
  /** Command of the launcher; default: this Node.js with `launcher/main.ts`. */
  readonly launcher?: readonly string[]
  /** Working directory of agents; default: that of this process. */
  readonly cwd?: string | undefined
  /** The launcher listens on the ports of a pod, if they are free; a rollout then stops the old process first. Default: allocated ports. */
  readonly reservedPorts?: boolean | undefined
  /** Time after which an agent without a response is reported (10 s). */
  readonly listenMs?: number
  /** Called for each process of an agent that failed. */
  readonly onCrash?: ((crash: AgentCrash) => void) | undefined
}

/** The agent of launchers; `http` is the default port. */
export type LaunchersOf = Pick<ServicePort, 'namespace' | 'name' | 'candidate'> & Partial<Pick<ServicePort, 'portName'>>

/** Agents as local processes. */
export interface Workloads {
  /**
   * Running launchers of the agent with the address of a port of its Service, or those of a candidate only. They are identified by their address: each
   * process has its own.
   */
  launchers(agent: LaunchersOf): readonly ServiceEndpoint[]
  /** The same look-up for other processes: `GET {endpointsUrl}/endpoints/{namespace}/{name}`. */
  readonly endpointsUrl: string
  /** Base URLs of all running launchers. */
  urls(): readonly string[]
  /** The log of a local pod, for the embedded API server. */
  readPodLog(
    request: LogQuery & {
      readonly pod: { readonly metadata: { readonly uid?: string } }
      readonly container: string
      readonly previous: boolean
    },
  ): AsyncIterable<string>
  /** Stops all processes. */
  close(): Promise<void>
}

/** Grace period of launchers when the platform ends: short, because a user waits at the terminal. */
const CLOSE_GRACE_MS = 5_000
const LISTEN_MS = 10_000

/** Runs the workloads of agents, after deleting the pods of an earlier process. */
export async function startWorkloads(options: WorkloadOptions): Promise<Workloads> {
  const context: ReplicaContext = {
    cluster: options.cluster,
    dataDir: join(options.dataDir, 'workloads'),
    launcher: options.launcher ?? defaultLauncher(),
    cwd: options.cwd ?? process.cwd(),
    log: options.log,
    onCrash: options.onCrash,
    reservedPorts: options.reservedPorts === true,
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
  const launchers = ({ portName = 'http', ...agent }: LaunchersOf) =>
    toLaunchers(
      [...context.ending, ...everyReplica(all)].filter(({ pod }) => isOf(pod, agent)),
      { ending: context.ending, portName },
    )
  const endpoints = await serveEndpoints((namespace, name) => launchers({ namespace, name }))
  await running.synced
  return {
    launchers,
    endpointsUrl: endpoints.url,
    urls: () => [endpoints.url, ...[...context.ending, ...everyReplica(all)].flatMap((one) => one.url('http') ?? [])],
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
  return launcherCommand(fileURLToPath(import.meta.resolve('#launcher/main.ts')), cache)
}

/** Command of a launcher, of its main file and the URL of `compile-cache.mjs`. */
export function launcherCommand(main: string, cache: string): string[] {
  return [process.execPath, '--max-semi-space-size=4', '--disable-sigusr1', '--import', cache, main]
}

function everyReplica(all: Replicas): Replica[] {
  return [...all.values()].flatMap((entry) => entry.list)
}

// Pods of a candidate are found by its revision, and never without it.
function isOf({ metadata }: Pod, { namespace, name, candidate }: LaunchersOf): boolean {
  const { labels = {} } = metadata
  const isSelected =
    candidate === undefined
      ? labels[AGENT_LABEL] === name
      : labels[CANDIDATE_LABEL] === name && labels[REVISION_NUMBER_LABEL] === String(candidate)
  return metadata.namespace === namespace && isSelected
}

// During a rollout, new runs use the new revision as soon as one of its replicas is ready.
function toLaunchers(
  replicas: readonly Replica[],
  { ending, portName }: { readonly ending: ReadonlySet<Replica>; readonly portName: string },
): readonly ServiceEndpoint[] {
  const takesRuns = (one: Replica): boolean => one.ready() && !ending.has(one)
  const newest = replicas.findLast(takesRuns)?.pod.metadata.labels?.[TEMPLATE_LABEL]
  return replicas.flatMap((one) => {
    const url = one.url(portName)
    if (url === undefined) return []
    return [{ id: url, url, ready: takesRuns(one) && one.pod.metadata.labels?.[TEMPLATE_LABEL] === newest }]
  })
}

async function* readLog(all: Replicas, request: Parameters<Workloads['readPodLog']>[0]): AsyncGenerator<string> {
  const replica = everyReplica(all).find((one) => one.pod.metadata.uid === request.pod.metadata.uid)
  const log = replica?.logOf(request.container, request.previous)
  if (log !== undefined) yield* log.read(request)
}

// Their processes ended with the previous runner (by the parent pipe), so these pods are stale.
async function clearPods(cluster: KubeClient): Promise<void> {
  const left = await cluster.list<Pod>(workloadResources.pods, { labelSelector: `${LOCAL_LABEL}=${LOCAL_NODE}` })
  for (const { metadata } of left.items) {
    const { name, namespace = '' } = metadata
    if (isLabel(namespace) && isName(name))
      await cluster.delete(workloadResources.pods, { namespace, name }, { graceSeconds: 0 })
  }
}
