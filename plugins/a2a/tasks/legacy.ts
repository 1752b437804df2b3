import { isObject } from '#core/json/is-object.ts'
import type { A2aTaskState } from '#schemas/api/a2a.ts'
import { isInterrupted } from './to-task.ts'
import type { Artifact, Message, A2aPart, StreamItem, A2aTask, TaskStatus } from './task.ts'

/** Formats of version 0.3: kinds as fields, states in lowercase, and results without a wrapper. */
const endStates: ReadonlySet<A2aTaskState> = new Set([
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_REJECTED',
])

/** A task in the format of version 0.3. */
export function toLegacyTask({ id, contextId, status, artifacts, history }: A2aTask): object {
  return {
    kind: 'task',
    id,
    contextId,
    status: toLegacyStatus(status),
    ...(artifacts === undefined ? {} : { artifacts: artifacts.map(toLegacyArtifact) }),
    ...(history === undefined ? {} : { history: history.map(toLegacyMessage) }),
  }
}

/** An item of a stream in the format of version 0.3. */
export function toLegacyItem(item: StreamItem): object {
  if ('task' in item) return toLegacyTask(item.task)
  if ('artifactUpdate' in item) {
    const { artifact, ...rest } = item.artifactUpdate
    return { kind: 'artifact-update', ...rest, append: false, artifact: toLegacyArtifact(artifact) }
  }
  const { status, ...rest } = item.statusUpdate
  const final = endStates.has(status.state) || isInterrupted(status.state)
  return { kind: 'status-update', ...rest, status: toLegacyStatus(status), final }
}

function toLegacyStatus({ state, message, timestamp }: TaskStatus): object {
  const name = state.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-')
  return { state: name, timestamp, ...(message === undefined ? {} : { message: toLegacyMessage(message) }) }
}

function toLegacyMessage({ role, parts, ...message }: Message): object {
  return {
    kind: 'message',
    ...message,
    role: role === 'ROLE_USER' ? 'user' : 'agent',
    parts: parts.map(toLegacyPart),
  }
}

function toLegacyArtifact({ parts, ...artifact }: Artifact): object {
  return { ...artifact, parts: parts.map(toLegacyPart) }
}

// A data part of version 0.3 is an object.
function toLegacyPart(part: A2aPart): object {
  if ('text' in part) return { kind: 'text', text: part.text }
  return { kind: 'data', data: isObject(part.data) ? part.data : { value: part.data } }
}
