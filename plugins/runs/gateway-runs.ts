import { parseLabel, parseName } from '#core/kube/names.ts'
import type { AgentCall, AgentOutcome, AgentRuns } from '#plugins/providers/agent-model.ts'
import { type RunsInner, type RunsServing, serving } from './inner.ts'
import { waitForRun } from './invoke.ts'
import type { LiveFrame } from './live.ts'
import { findRun } from './store/system.ts'
import type { RunsTables } from './store/tables.ts'
import { streamRun } from './stream.ts'

/** What the model gateway asks of runs: an agent as a model, and whose run an id is. */
export function createGatewayRuns(inner: RunsInner): AgentRuns {
  return {
    invokeForGateway: (call) => invokeForGateway(serving(inner, call.observed), call),
    agentOf: async (runId) => {
      const run = await findRun(inner.store.reader<RunsTables>(), runId)
      if (!run || run.agent_name === null || run.agent_uid === null) return undefined
      return { namespace: run.namespace, name: run.agent_name, uid: run.agent_uid }
    },
  }
}

async function invokeForGateway(served: RunsServing, call: AgentCall): Promise<AgentOutcome> {
  const { caller, input, conversationId, traceparent, timeoutMs, signal } = call
  const agent = { namespace: parseLabel('model', call.agent.namespace), name: parseName('model', call.agent.name) }
  const access = await caller.review('create', 'agentdeployments/invoke', agent)
  const made = await served.runs.create(caller, access, {
    agent,
    input,
    conversationId,
    traceparent,
    trigger: 'gateway',
  })
  const { run } = await served.runs.open(caller, made.id)
  const stop = new AbortController()
  const streaming = streamRun(served, run, 0, { send: (frame) => passText(frame, call), signal: stop.signal })
  const ended = await waitForRun(served, caller, made.id, { timeoutMs, signal })
  // An ended run ends its stream by itself, with the last text; a paused one would stay.
  if (ended === undefined || ended.state === 'paused') stop.abort()
  await streaming
  const { id, state, output, error, usage } = ended ?? (await served.runs.get(caller, made.id))
  return { runId: id, state, output, error, usage }
}

function passText(frame: LiveFrame, call: AgentCall): void {
  const { text } = frame.data
  if (frame.kind === 'message.delta' && typeof text === 'string') call.onText(text)
}
