import type { RunDetail } from '#plugins/runs/contract/api.ts'
import type { A2aTaskState } from '#schemas/api/a2a.ts'
import { pauseReasons, runStates } from '#schemas/runs/run.ts'
import type { Interrupt, PauseReason, RunState } from '#schemas/runs/run.ts'
import { toPart } from './task.ts'
import type { Artifact, Message, A2aPart, A2aTask } from './task.ts'

/** Fields of a run that are also in lists. */
export type ListedRun = Omit<RunDetail, 'input' | 'output' | 'decisions' | 'error'>

const states: Readonly<Record<RunState, A2aTaskState>> = {
  queued: 'TASK_STATE_SUBMITTED',
  running: 'TASK_STATE_WORKING',
  paused: 'TASK_STATE_INPUT_REQUIRED',
  cancelling: 'TASK_STATE_WORKING',
  succeeded: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  cancelled: 'TASK_STATE_CANCELED',
  timed_out: 'TASK_STATE_FAILED',
  rejected: 'TASK_STATE_REJECTED',
}

/** The state of a task. */
export function toState(state: RunState, pauseReason: PauseReason | null): A2aTaskState {
  return state === 'paused' && pauseReason === 'auth_required' ? 'TASK_STATE_AUTH_REQUIRED' : states[state]
}

/** The runs that correspond to a state of the protocol: run states, and pause reasons. */
export function runsInState(state: A2aTaskState): {
  readonly states: readonly RunState[]
  readonly pauseReasons?: readonly PauseReason[]
} {
  if (state === 'TASK_STATE_AUTH_REQUIRED') return { states: ['paused'], pauseReasons: ['auth_required'] }
  const others = pauseReasons.filter((reason) => reason !== 'auth_required')
  const found = runStates.filter((one) => states[one] === state)
  return { states: found, ...(state === 'TASK_STATE_INPUT_REQUIRED' ? { pauseReasons: others } : {}) }
}

/** Whether a task waits for its caller. */
export function isInterrupted(state: A2aTaskState): boolean {
  return state === 'TASK_STATE_INPUT_REQUIRED' || state === 'TASK_STATE_AUTH_REQUIRED'
}

/** Which parts of a task are shown. */
export interface TaskView {
  /** 0: no history. */
  readonly historyLength?: number | undefined
}

/** A run as a task: its input is the history, its output the artifact `output`. */
export function toTask(run: RunDetail, { historyLength }: TaskView = {}): A2aTask {
  const task = toListedTask(run)
  const isDone = run.state === 'succeeded'
  const message = statusMessage(run)
  return {
    ...task,
    status: { ...task.status, ...(message === undefined ? {} : { message }) },
    ...(isDone && run.output !== null ? { artifacts: [toArtifact(run.output)] } : {}),
    ...(historyLength === 0 ? {} : { history: [toInputMessage(run)] }),
  }
}

/** A task without content, as in a list. */
export function toListedTask(run: ListedRun): A2aTask {
  const timestamp = run.finishedAt ?? run.startedAt ?? run.createdAt
  return {
    id: run.id,
    contextId: run.conversationId,
    status: { state: toState(run.state, run.pauseReason), timestamp },
  }
}

/** The output of a run. */
export function toArtifact(output: unknown): Artifact {
  return { artifactId: 'output', name: 'output', parts: [toPart(output)] }
}

/** A message of the agent about the state of its task. */
export function agentMessage(
  { id: taskId, contextId }: Pick<A2aTask, 'id' | 'contextId'>,
  messageId: string,
  parts: readonly A2aPart[],
): Message {
  return { messageId, contextId, taskId, role: 'ROLE_AGENT', parts }
}

/** The questions of a paused task: each question as text, and all of them as data. */
export function toQuestions(interrupts: readonly Interrupt[]): readonly A2aPart[] {
  const texts = interrupts.map(({ question, tool }) => ({
    text: question ?? (tool === undefined ? 'The agent is waiting for an answer.' : `May the agent call ${tool}?`),
  }))
  return [...texts, { data: { interrupts } }]
}

function statusMessage(run: RunDetail): Message | undefined {
  const task = { id: run.id, contextId: run.conversationId }
  if (run.state === 'paused') return agentMessage(task, `${run.id}-question`, toQuestions(run.interrupts))
  if (run.error === null) return undefined
  return agentMessage(task, `${run.id}-error`, [{ text: run.error.message }, { data: { code: run.error.code } }])
}

function toInputMessage({ id, conversationId, input }: RunDetail): Message {
  return {
    messageId: `${id}-input`,
    contextId: conversationId,
    taskId: id,
    role: 'ROLE_USER',
    parts: [toPart(input)],
  }
}
