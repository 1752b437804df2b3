import { parseRef } from '#core/kube/names.ts'
import type { AgentCall, AgentOutcome, AgentRuns } from '#plugins/providers/contract/points.ts'
import { withCallerRuns } from '../services/create-services.ts'
import type { CallerRunsServices, RunsServices } from '../services/create-services.ts'
import { waitForRun } from '../stream/wait-for-run.ts'
import type { LiveFrame } from '../contract/live-frame.ts'
import type { RunDetail } from '../contract/run.ts'
import { readAgentsAbove } from '../store/internal/agents-above.ts'
import { findRun } from '../store/internal/find-run.ts'
import type { RunsTables, SelectedRun } from '../contract/tables.ts'
import { streamRun } from '../stream/stream-run.ts'
import type { StreamServices } from '../stream/stream-run.ts'

/** Runs for the model gateway: agents as models, and the owner of a run. */
export function createGatewayRuns(services: RunsServices): AgentRuns {
  return {
    invokeForGateway: (call) => invokeForGateway(withCallerRuns(services), call),
    agentOf: async (runId) => {
      const run = await findRun(services.store.reader<RunsTables>(), runId)
      if (!run || run.agent_name === null || run.agent_uid === null) return undefined
      const { namespace, agent_name: name, agent_uid: uid, trace_id: traceId, root_run_id: rootRunId } = run
      return { namespace, name, uid, traceId, rootRunId }
    },
    agentsAbove: (agentUid, runId) => readAgentsAbove(services.store.reader<RunsTables>(), agentUid, runId),
  }
}

async function invokeForGateway(services: CallerRunsServices, call: AgentCall): Promise<AgentOutcome> {
  const { caller, input, conversationId, traceparent } = call
  const agent = parseRef(call.agent, ['model', 'model'])
  const access = await caller.review('create', 'agentdeployments/invoke', agent)
  // The response of a chat is the outcome of its run, so the right to read it is reviewed before the run exists (SEC18).
  await caller.review('get', 'runs', { namespace: agent.namespace })
  const made = await services.runs.create(caller, access, {
    agent,
    input,
    conversationId,
    traceparent,
    trigger: 'gateway',
  })
  const { run } = await services.runs.open(caller, made.id)
  const ended = await followGatewayRun(services, run, call)
  const isExplained = ended === undefined || ended.failReason === 'agent_unreachable'
  const { id, state, output, error, usage } = isExplained ? await services.runs.explain(caller, made.id) : ended
  return { runId: id, state, output, error, usage }
}

/**
 * Relays the text of a run until it ends or pauses, or until timeout or disconnect (undefined). Waiting and streaming are awaited
 * together, and each ends the other on failure: an unhandled rejection would end the process (PODA1).
 */
export async function followGatewayRun(
  services: StreamServices & { readonly runs: Pick<CallerRunsServices['runs'], 'get'> },
  run: SelectedRun,
  call: Pick<AgentCall, 'caller' | 'timeoutMs' | 'signal' | 'onText'>,
): Promise<RunDetail | undefined> {
  const over = new AbortController()
  const wait = async (): Promise<RunDetail | undefined> => {
    const { caller, timeoutMs } = call
    const signal = AbortSignal.any([call.signal, over.signal])
    const ended = await waitForRun(services.live, run.id, {
      read: () => services.runs.get(caller, run.id),
      timeoutMs,
      signal,
    })
    // The stream of an ended run ends by itself, with the last text. The stream of a paused run does not.
    if (ended === undefined || ended.state === 'paused') over.abort()
    return ended
  }
  const send = (frame: LiveFrame): void => passText(frame, call)
  try {
    const [ended] = await Promise.all([wait(), streamRun(services, run, 0, { send, signal: over.signal })])
    return ended
  } finally {
    over.abort()
  }
}

function passText(frame: LiveFrame, call: Pick<AgentCall, 'onText'>): void {
  const { text } = frame.data
  if (frame.kind === 'message.delta' && typeof text === 'string') call.onText(text)
}
