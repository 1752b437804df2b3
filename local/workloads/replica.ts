import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sleep } from '#core/async/sleep.ts'
import { backoffMs } from '#core/async/backoff.ts'
import { describeError } from '#core/log/describe-error.ts'
import type { KubeClient, ObjectRef } from '#core/kube/client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { KubeError, isStatus } from '#core/kube/status.ts'
import type { Logger } from '#core/log/logger.ts'
import { MissingKey, localEnvironment } from './container-environment.ts'
import type { LocalEnvironment } from './container-environment.ts'
import { commandOf, containersOf } from './local-containers.ts'
import type { LocalContainers } from './local-containers.ts'
import { AGENT_OUTPUT_FD, isHealthy, startProcess } from './local-process.ts'
import type { LocalProcess } from './local-process.ts'
import { createContainerLog } from './log-file.ts'
import type { ContainerLog } from './log-file.ts'
import { workloadResources } from './objects/workload-objects.ts'
import type { Container, Pod } from './objects/workload-objects.ts'
import { toPodStatus } from './objects/pod-object.ts'
import type { ContainerEnd, ContainerState } from './objects/pod-object.ts'
import { AGENT_LABEL, CANDIDATE_LABEL } from '#schemas/names/labels.ts'
import type { AgentCrash } from '../terminal/failure-lines.ts'
import { mountVolumes } from './volumes.ts'

/** Dependencies that all replicas share. */
export interface ReplicaContext {
  readonly cluster: KubeClient
  readonly dataDir: string
  /** Command of the launcher on this machine. */
  readonly launcher: readonly string[]
  readonly cwd: string
  readonly log: Logger
  /** Called for each process that failed. */
  readonly onCrash?: ((crash: AgentCrash) => void) | undefined
  /** Launchers listen on the ports of a pod. */
  readonly reservedPorts?: boolean
  /** Time after which an agent without a response is reported. */
  readonly listenMs: number
  /** Replicas that were removed from their workload and are still running. */
  readonly ending: Set<Replica>
}

/** One pod as a process: restarts the process and updates the pod's status. */
export interface Replica {
  readonly pod: Pod
  ready(): boolean
  /** Base URL of a port of its launcher, by its name in the Service, while it runs. */
  url(portName: string): string | undefined
  readonly pid: () => number | undefined
  /** Exit code of an ended pod that is not restarted. */
  ended(): number | undefined
  /** The log of a container: of the current or the previous start. */
  logOf(container: string, previous: boolean): ContainerLog | undefined
  /** Stops the process within the grace period and deletes the pod. */
  stop(graceMs?: number): Promise<void>
}

const RESTART = { minMs: 500, maxMs: 30_000 }
// A process that ran this long resets the back-off.
const SETTLED_MS = 60_000
const PROBE_MS = { starting: 25, ready: 2_000 }

/** Runs an existing pod; `restart: false` is for Jobs. */
export function runReplica(context: ReplicaContext, pod: Pod, restart: boolean): Replica {
  const ref = {
    namespace: parseLabel('namespace', pod.metadata.namespace ?? ''),
    name: parseName('name', pod.metadata.name),
  }
  const folder = join(context.dataDir, 'pods', `${ref.namespace}_${ref.name}`)
  const ending = new AbortController()
  const live: Live = {
    state: starting,
    restarts: 0,
    lastEnd: undefined,
    process: undefined,
    port: undefined,
    ampPort: undefined,
    logs: [],
  }
  const report = (state: ContainerState): Promise<void> => {
    live.state = state
    return writeStatus(context, ref, toPodStatus(named(pod), state, live))
  }
  const running = keepRunning({ context, pod, folder, restart, live, report, signal: ending.signal }).catch(
    (error: unknown) => {
      context.log.error({ pod: ref.name, ...describeError(error) }, 'a local pod is no longer run')
    },
  )
  const finish = async (): Promise<void> => {
    await running
    await removePod(context, ref)
    rmSync(folder, { recursive: true, force: true })
  }
  let finished: Promise<void> | undefined
  const stop = (graceMs = (pod.spec?.terminationGracePeriodSeconds ?? 30) * 1000): Promise<void> => {
    ending.abort()
    // A second call with a shorter grace period applies the shorter one.
    // oxlint-disable-next-line typescript/no-floating-promises -- never rejects
    void live.process?.stop(graceMs)
    return (finished ??= finish())
  }
  return {
    pod,
    ready: () => live.state.is === 'running' && live.state.ready,
    url: (portName) => {
      const port = portName === 'amp' ? live.ampPort : live.port
      return port === undefined ? undefined : `https://127.0.0.1:${port}`
    },
    pid: () => live.process?.pid,
    ended: () => (live.state.is === 'ended' ? live.state.exitCode : undefined),
    logOf: (container, previous) => live.logs.at(previous ? -2 : -1)?.get(container),
    stop,
  }
}

interface Live {
  state: ContainerState
  restarts: number
  lastEnd: ContainerEnd | undefined
  process: LocalProcess | undefined
  port: number | undefined
  /** Port for calls of other agents. */
  ampPort: number | undefined
  /** Logs per start, by container. */
  readonly logs: ReadonlyMap<string, ContainerLog>[]
}

interface Run {
  readonly context: ReplicaContext
  readonly pod: Pod
  readonly folder: string
  readonly restart: boolean
  readonly live: Live
  readonly report: (state: ContainerState) => Promise<void>
  readonly signal: AbortSignal
}

const starting: ContainerState = { is: 'waiting', reason: 'ContainerCreating', message: '' }

async function keepRunning(run: Run): Promise<void> {
  const { live, report, signal } = run
  const containers = containersOf(run.pod)
  if (containers === undefined) return
  if (containers.agent !== undefined && commandOf(containers.agent) === undefined) return report(needsRuntime)
  for (let failures = 0; !signal.aborted;) {
    await report(failures === 0 ? starting : live.state)
    const began = performance.now()
    const { reason, message, end } = await runOnce(run, containers)
    if (signal.aborted) return
    if (end !== undefined && end.exitCode !== 0) run.context.onCrash?.({ ...agentOf(run.pod), ...end })
    if (!run.restart && end !== undefined) return report({ is: 'ended', ...end })
    if (performance.now() - began > SETTLED_MS) failures = 0
    live.lastEnd = end ?? live.lastEnd
    await report({ is: 'waiting', reason, message })
    await sleep(backoffMs(failures, RESTART), signal)
    failures += 1
    live.restarts += 1
  }
}

function agentOf({ metadata }: Pod): { namespace: string; name: string } {
  return { namespace: metadata.namespace ?? '', name: agentLabelOf(metadata.labels) ?? metadata.name }
}

function agentLabelOf(labels: Readonly<Record<string, string>> = {}): string | undefined {
  return labels[AGENT_LABEL] ?? labels[CANDIDATE_LABEL]
}

const needsRuntime: ContainerState = {
  is: 'waiting',
  reason: 'ImageNeedsContainerRuntime',
  message:
    'This machine runs agents as processes and has no container runtime; set runtime.command to start the agent as a process.',
}

interface Outcome {
  readonly reason: string
  readonly message: string
  readonly end?: ContainerEnd
}

/** One start and its end; a failed start is an outcome too. */
async function runOnce(run: Run, containers: LocalContainers): Promise<Outcome> {
  const { context, pod, live, report, signal } = run
  const began = new AbortController()
  try {
    const volumes = await mountVolumes(context.cluster, pod, join(run.folder, 'volumes'))
    try {
      const environment = await localEnvironment(context, pod, containers, volumes)
      if (signal.aborted) return { reason: 'Stopped', message: '' }
      const { port } = environment
      const child = start(run, containers, environment)
      live.process = child
      live.port = port
      live.ampPort = environment.ampPort
      const startedAt = new Date()
      await report({ is: 'running', startedAt, ready: false })
      // oxlint-disable-next-line typescript/no-floating-promises -- handles its errors
      void probe(port, began.signal, (ready) => report({ is: 'running', startedAt, ready }))
      const silentPort = Number(environment.agent?.['AGENT_PORT'] ?? 0) || undefined
      const silent = setTimeout(() => {
        if (live.state.is === 'running' && !live.state.ready)
          // oxlint-disable-next-line typescript/no-floating-promises -- handles its errors
          void report({ is: 'running', startedAt, ready: false, silentPort })
      }, context.listenMs)
      const exitCode = await child.exited.finally(() => clearTimeout(silent))
      const message = `back-off restarting container ${named(pod).name}`
      const end = { exitCode, at: new Date(), lastLine: lastLineOf(live, containers) }
      return { reason: 'CrashLoopBackOff', message, end }
    } finally {
      volumes.close()
    }
  } catch (error) {
    if (error instanceof KubeError || error instanceof MissingKey)
      return { reason: 'CreateContainerConfigError', message: error.message }
    throw error
  } finally {
    began.abort()
    live.port = undefined
    live.ampPort = undefined
  }
}

// An agent that was not started has no log: the launcher's log has the reason.
function lastLineOf({ logs }: Live, { launcher, agent }: LocalContainers): string | undefined {
  const last = (name: string | undefined): string | undefined =>
    logs
      .at(-1)
      ?.get(name ?? '')
      ?.lastLine()
  const line = last(launcher.name)
  return last(agent?.name) ?? (line?.includes('"level":"error"') === true ? line : undefined)
}

/** Starts the launcher with the agent as its child. Each has its own log: a line of the agent cannot appear as the launcher's. */
function start(run: Run, { launcher, agent }: LocalContainers, environment: LocalEnvironment): LocalProcess {
  const { context, folder, live } = run
  const logFor = ({ name }: Container): ContainerLog => createContainerLog(join(folder, `${name}.${live.restarts}.log`))
  const log = logFor(launcher)
  const about = { cwd: context.cwd, log }
  const command = agent === undefined ? undefined : commandOf(agent)
  if (agent === undefined || command === undefined) {
    live.logs.push(new Map([[launcher.name, log]]))
    return startProcess({ ...about, command: context.launcher, env: environment.launcher })
  }
  const agentLog = logFor(agent)
  live.logs.push(
    new Map([
      [launcher.name, log],
      [agent.name, agentLog],
    ]),
  )
  const file = join(folder, 'agent-environment.json')
  writeFileSync(file, JSON.stringify(environment.agent), { mode: 0o600 })
  const env = { ...environment.launcher, MESH_AGENT_ENV_FILE: file, MESH_AGENT_OUTPUT_FD: String(AGENT_OUTPUT_FD) }
  return startProcess({ ...about, command: [...context.launcher, '--', ...command], env, agentLog })
}

async function probe(port: number, signal: AbortSignal, changed: (ready: boolean) => Promise<void>): Promise<void> {
  for (let was = false; !signal.aborted;) {
    const ready = await isHealthy(port)
    if (signal.aborted) return
    if (ready !== was) await changed(ready)
    was = ready
    await sleep(ready ? PROBE_MS.ready : PROBE_MS.starting, signal)
  }
}

function named(pod: Pod): { name: string; image: string } {
  const container = pod.spec?.containers[0]
  return { name: container?.name ?? 'agent', image: container?.image ?? '' }
}

async function removePod(context: ReplicaContext, ref: ObjectRef): Promise<void> {
  await context.cluster.delete(workloadResources.pods, ref, { graceSeconds: 0 }).catch((error: unknown) => {
    if (!isStatus(error, 404))
      context.log.warn({ pod: ref.name, ...describeError(error) }, 'a local pod was not deleted')
  })
}

async function writeStatus(context: ReplicaContext, ref: ObjectRef, status: object): Promise<void> {
  const { cluster, log } = context
  await cluster
    .patch(workloadResources.pods, ref, { type: 'merge', body: { status } }, { subresource: 'status' })
    .catch((error: unknown) => {
      // The pod was deleted: reconciling its workload ends the process.
      if (!isStatus(error, 404)) log.warn({ pod: ref.name, ...describeError(error) }, 'a pod status was not written')
    })
}
