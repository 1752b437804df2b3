import { AGENT_LISTENS } from '#schemas/names/labels.ts'
import type { AgentPod, ContainerStatus, ContainerTermination } from './agent-pod.ts'
import { LAUNCHER_CONTAINER } from '../owned/names.ts'
import type { ConditionProblem } from '../conditions/problem.ts'
import { lastLine, missingProgram } from './termination-message.ts'

const CRASH_LOOP = 'CrashLoopBackOff'
// Reasons that every starting pod has for a moment.
const usual: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing'])

/** An agent that has not answered on its port for this long is reported. It may still be starting. */
export const LISTEN_MS = 15_000

/** Returns why the newest unready pod does not start: reason and message of a condition. Pure. */
export function podProblem(
  pods: readonly AgentPod[],
  about: { readonly now: Date; readonly port: number },
): ConditionProblem | undefined {
  const newest = pods
    .filter((pod) => pod.metadata.deletionTimestamp === undefined && !isReady(pod))
    .toSorted((a, b) => (a.metadata.creationTimestamp ?? '').localeCompare(b.metadata.creationTimestamp ?? ''))
    .at(-1)
  if (newest === undefined) return undefined
  for (const status of statusesOf(newest)) {
    const problem = containerProblem(status, newest, about.now)
    if (problem !== undefined) return { ...problem, message: problem.message.slice(0, 1024) }
  }
  return schedulingProblem(newest) ?? listeningProblem(newest, about)
}

// Init containers of third parties exit with 0 before the others start, which is not a failure.
function statusesOf({ status }: AgentPod): readonly ContainerStatus[] {
  const { initContainerStatuses = [], containerStatuses = [] } = status ?? {}
  const done = ({ name, state }: ContainerStatus): boolean =>
    name !== LAUNCHER_CONTAINER && state?.terminated?.exitCode === 0
  return [...initContainerStatuses.filter((one) => !done(one)), ...containerStatuses]
}

function containerProblem(status: ContainerStatus, pod: AgentPod, now: Date): ConditionProblem | undefined {
  const { waiting, running, terminated } = status.state ?? {}
  if (waiting?.reason !== undefined && waiting.reason !== CRASH_LOOP && !usual.has(waiting.reason)) {
    const program = missingProgram(waiting.message)
    const why = program === undefined ? (waiting.message ?? waiting.reason) : `program ${program} not found`
    return { reason: waiting.reason, message: `container ${status.name}: ${why}` }
  }
  const ended = terminated ?? status.lastState?.terminated
  // A container that has been running for a while since its restart is unready for another reason.
  if (ended === undefined || isUp(running?.startedAt, now)) return undefined
  return ended.exitCode === 0 && !isService(pod) ? undefined : describeEnd(status, ended, pod)
}

/** Returns why a container terminated. Crash, back-off and restart have one reason, so that the condition does not flap between them. Pure. */
export function describeEnd(status: ContainerStatus, ended: ContainerTermination, pod: AgentPod): ConditionProblem {
  const restarts = status.restartCount ?? 0
  const again = restarts === 0 ? '' : `, ${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`
  const reason = isService(pod) ? CRASH_LOOP : (ended.reason ?? 'Error')
  if (ended.reason === 'OOMKilled')
    return {
      reason: 'OOMKilled',
      message: `container ${status.name} exceeded its memory limit${limitOf(status, pod)}${again}`,
    }
  const program = missingProgram(ended.message)
  if (program !== undefined)
    return { reason, message: `container ${status.name}: program ${program} not found${again}` }
  if (ended.exitCode === 0)
    return {
      reason,
      message: `container ${status.name}: the process ended by itself with code 0, and a service must keep running${again}`,
    }
  const line = lastLine(ended.message)
  const how = `container ${status.name} exited with code ${ended.exitCode ?? 'unknown'}${again}`
  return { reason, message: line === undefined ? how : `${how}; last line of its log: ${line}` }
}

function isUp(startedAt: string | undefined, now: Date): boolean {
  return now.getTime() - Date.parse(startedAt ?? '') >= LISTEN_MS
}

function isService(pod: AgentPod): boolean {
  return pod.spec?.restartPolicy !== 'Never'
}

function limitOf({ name }: ContainerStatus, { spec }: AgentPod): string {
  const container = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].find((one) => one.name === name)
  const memory = container?.resources?.limits?.['memory']
  return memory === undefined ? '' : ` of ${memory}`
}

function schedulingProblem({ status }: AgentPod): ConditionProblem | undefined {
  const scheduled = status?.conditions?.find((one) => one.type === 'PodScheduled' && one.status === 'False')
  return scheduled && { reason: scheduled.reason ?? 'Unschedulable', message: scheduled.message ?? '' }
}

// The embedded default assigns the port and reports it itself.
function listeningProblem(
  { status }: AgentPod,
  { now, port }: { now: Date; port: number },
): ConditionProblem | undefined {
  const reported = status?.conditions?.find(({ type }) => type === AGENT_LISTENS)
  if (reported?.status === 'False') return { reason: 'AgentNotListening', message: reported.message ?? '' }
  const launcher = status?.initContainerStatuses?.find(({ name }) => name === LAUNCHER_CONTAINER)
  const agent = status?.containerStatuses?.find(({ name }) => name === 'agent')
  if (launcher?.state?.running === undefined || launcher.ready === true) return undefined
  if (!isUp(agent?.state?.running?.startedAt, now)) return undefined
  return { reason: 'AgentNotListening', message: notListening(port) }
}

/** Message for a running agent that does not answer on its port. */
export function notListening(port: number): string {
  return `the agent runs and does not respond on AGENT_PORT=${port}: it must listen there, on 127.0.0.1 or all addresses`
}

function isReady(pod: AgentPod): boolean {
  return pod.status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') === true
}
