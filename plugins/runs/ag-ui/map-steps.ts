import { asObject } from '#core/json/is-object.ts'
import { MAX_OPEN, readId } from './event.ts'
import type { Events } from './event.ts'
import type { LiveFrame } from '../contract/live-frame.ts'

type StepFrame = Pick<LiveFrame, 'data' | 'spanId'>

/** Maps entities with a start and an end: steps and delegations. */
export interface SpanMapper {
  started(frame: StepFrame): Events
  finished(frame: StepFrame): Events
  closeAll(): Events
  readonly open: number
}

/** Creates the mapper of steps. Both events of a step contain its name, which identifies the step in the protocol. */
export function createStepMapper(): SpanMapper {
  const open = new Set<string>()
  const end = (stepName: string): Events => (open.delete(stepName) ? [{ type: 'STEP_FINISHED', stepName }] : [])
  return {
    started: (frame) => {
      const stepName = nameOf(frame)
      if (open.has(stepName) || open.size >= MAX_OPEN) return []
      open.add(stepName)
      return [{ type: 'STEP_STARTED', stepName }]
    },
    finished: (frame) => end(nameOf(frame)),
    closeAll: () => [...open].flatMap(end),
    get open() {
      return open.size
    },
  }
}

function nameOf({ data, spanId }: StepFrame): string {
  const { name, step } = data
  return readId(name) ?? (typeof step === 'number' ? `step ${step}` : `step ${spanId}`)
}

/**
 * Creates the mapper of delegations, which are subagents of the protocol. Clients before version 1.0 have no subagents and refuse unknown types, so
 * they receive custom events.
 */
export function createDelegateMapper(knowsSubagents: boolean): SpanMapper {
  const open = new Set<string>()
  const known = new Set<string>()
  return {
    started: ({ data, spanId }) => {
      if (!knowsSubagents) return [{ type: 'CUSTOM', name: 'mesh.delegate.started', value: data }]
      const subagentRunId = readId(data['runId']) ?? spanId
      // An id names one invocation, even after its end.
      if (known.has(subagentRunId) || known.size >= MAX_OPEN) return []
      known.add(subagentRunId)
      open.add(subagentRunId)
      return [{ type: 'SUBAGENT_STARTED', subagentRunId, name: agentOf(data) }]
    },
    finished: ({ data, spanId }) => {
      if (!knowsSubagents) return [{ type: 'CUSTOM', name: 'mesh.delegate.finished', value: data }]
      const subagentRunId = readId(data['runId']) ?? spanId
      if (!open.delete(subagentRunId)) return []
      if (data['state'] === 'succeeded') return [{ type: 'SUBAGENT_FINISHED', subagentRunId }]
      const message = `The run of ${agentOf(data)} did not succeed.`
      return [{ type: 'SUBAGENT_ERROR', subagentRunId, message, code: readId(data['code']) ?? 'agent_error' }]
    },
    // Detached delegations continue, and those of a paused run may continue.
    closeAll: () => {
      const left = [...open]
      open.clear()
      known.clear()
      return left.map((subagentRunId) => ({
        type: 'SUBAGENT_FINISHED',
        subagentRunId,
        outcome: { type: 'suspended' },
      }))
    },
    get open() {
      return open.size
    },
  }
}

function agentOf({ agent, name }: LiveFrame['data']): string {
  return readId(agent) ?? readId(asObject(agent)['name']) ?? readId(name) ?? 'agent'
}
