import type { LiveFrame } from '#plugins/runs/contract/api.ts'
import { isObject } from '#core/json/is-object.ts'
import { pauseReasons } from '#schemas/runs/run.ts'
import type { Interrupt, PauseReason } from '#schemas/runs/run.ts'
import type { A2aTaskState } from '#schemas/api/a2a.ts'
import { agentMessage, toArtifact, toQuestions, toState } from './to-task.ts'
import type { A2aPart, StreamItem } from './task.ts'

/** The task whose updates a stream sends. */
export interface StreamedTask {
  readonly id: string
  readonly contextId: string
}

/** Maximum number of open messages. The second value is the maximum length of a message id. */
const maxOpen = 1000
const maxId = 1024

/**
 * Creates the mapping of the frames of a run to updates of its task. Text is sent with states as messages of the agent, each part once; the output
 * becomes the artifact. Entries of steps and tools have no equivalent.
 */
export function createTaskUpdates(task: StreamedTask): (frame: LiveFrame) => readonly StreamItem[] {
  const of = { taskId: task.id, contextId: task.contextId }
  const sent = new Map<string, number>()
  const status = (
    state: A2aTaskState,
    { ts }: LiveFrame,
    messageId = '',
    parts: readonly A2aPart[] = [],
  ): StreamItem => {
    const message = parts.length === 0 ? {} : { message: agentMessage(task, messageId, parts) }
    return { statusUpdate: { ...of, status: { state, ...message, timestamp: ts } } }
  }
  const say = (frame: LiveFrame, isPart: boolean): readonly StreamItem[] => {
    const { messageId, text } = frame.data
    if (typeof messageId !== 'string' || typeof text !== 'string' || messageId.length > maxId) return []
    const have = sent.get(messageId) ?? 0
    const rest = isPart ? text : text.slice(have)
    if (rest === '' || (have === 0 && sent.size >= maxOpen)) return []
    sent.set(messageId, have + rest.length)
    return [status('TASK_STATE_WORKING', frame, messageId, [{ text: rest }])]
  }
  const failed = (state: A2aTaskState, frame: LiveFrame, fallback: string): readonly StreamItem[] => {
    const { failReason, message } = frame.data
    const code = typeof failReason === 'string' ? failReason : fallback
    const text = typeof message === 'string' ? message : `The run ended: ${code}.`
    return [status(state, frame, `${task.id}-error`, [{ text }, { data: { code } }])]
  }
  const maps: Readonly<Record<string, (frame: LiveFrame) => readonly StreamItem[]>> = {
    'run.started': (frame) => [status('TASK_STATE_WORKING', frame)],
    'run.resumed': (frame) => [status('TASK_STATE_WORKING', frame)],
    'message.delta': (frame) => say(frame, true),
    'message.snapshot': (frame) => say(frame, false),
    'message.finished': (frame) => {
      const items = say(frame, false)
      const { messageId } = frame.data
      if (typeof messageId === 'string') sent.delete(messageId)
      return items
    },
    'run.paused': (frame) => {
      const { pauseReason, interrupts } = frame.data
      const reason = pauseReasons.find((one): one is PauseReason => one === pauseReason) ?? 'input_required'
      const asked = (Array.isArray(interrupts) ? interrupts : []).filter(isInterrupt)
      return [status(toState('paused', reason), frame, `${task.id}-question`, toQuestions(asked))]
    },
    'run.succeeded': (frame) => {
      const output: unknown = frame.data['output'] ?? null
      const done = status('TASK_STATE_COMPLETED', frame)
      return output === null
        ? [done]
        : [{ artifactUpdate: { ...of, artifact: toArtifact(output), lastChunk: true } }, done]
    },
    'run.failed': (frame) => failed('TASK_STATE_FAILED', frame, 'agent_error'),
    'run.timed_out': (frame) => failed('TASK_STATE_FAILED', frame, 'timed_out'),
    'run.rejected': (frame) => failed('TASK_STATE_REJECTED', frame, 'approval_denied'),
    'run.cancelled': (frame) => [status('TASK_STATE_CANCELED', frame)],
  }
  return (frame) => (Object.hasOwn(maps, frame.kind) ? (maps[frame.kind]?.(frame) ?? []) : [])
}

function isInterrupt(value: unknown): value is Interrupt {
  return isObject(value) && typeof value['id'] === 'string'
}
