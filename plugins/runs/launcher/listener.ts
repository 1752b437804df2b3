import { durationToMs } from '#schemas/values/duration.ts'
import type { EntryKind } from '#schemas/runs/run.ts'
import type { Call, Reply } from '#launcher/contract/http/port.ts'
import { attribute } from '#launcher/contract/runs/attribution.ts'
import { defineListener } from '#launcher/contract/listener.ts'
import type { Pod } from '#launcher/contract/listener.ts'
import { createDelegate, toAgentName } from './delegate.ts'
import type { Delegate } from './delegate.ts'
import { delegateTool } from './delegate-tool.ts'
import { delegatePort } from './port.ts'

type DelegateRoute = (typeof delegatePort.routes)['delegate']

/** Delegation: `POST /delegate` for agents with a process, a tool for the built-in loop. */
export const delegateListener = defineListener({
  port: delegatePort,
  wanted: ({ stateUrl }) => stateUrl !== undefined,
  start(pod) {
    const delegate = createDelegateOf(pod)
    const { delegates = [], limits } = pod.settings.agent
    return {
      listeners: [
        delegatePort.serve({
          health: () => ({ status: 200, body: { status: 'ok' } }),
          delegate: (call) => delegateRun(call, delegate, pod),
        }),
      ],
      tools: delegates.length === 0 ? [] : [delegateTool(delegate, delegates, limits.timeoutMs)],
    }
  },
})

function createDelegateOf({ settings, state, registry }: Pod): Delegate {
  const { namespace, limits, delegates } = settings.agent
  return createDelegate({
    delegates: delegates?.map((one) => toAgentName(one, namespace)),
    state: state('the agent may delegate'),
    namespace,
    maxDepth: limits.maxDelegationDepth,
    deadlineOf: (runId) => registry.originOf(runId)?.deadline,
  })
}

async function delegateRun(
  { request, response, body }: Call<DelegateRoute>,
  delegate: Delegate,
  { registry, tracer, settings }: Pod,
): Promise<Reply<DelegateRoute>> {
  const { agent, input, mode = 'spawn', wait = true, timeout, conversationId } = await body()
  const timeoutMs = timeout === undefined ? settings.agent.limits.timeoutMs : (durationToMs(timeout) ?? 0)
  const { runId: parentRunId, parent } = attribute(request, registry)
  const span = tracer.start('delegate', parent, {
    'mesh.delegate.agent': agent,
    'mesh.delegate.mode': mode,
    ...(parentRunId === undefined ? {} : { 'mesh.run.id': parentRunId }),
  })
  const note = (kind: EntryKind, data: object): void =>
    registry.emit(parentRunId, kind, { agent, mode, ...data }, span.spanId)
  const gone = new AbortController()
  response.on('close', () => gone.abort(new Error('the agent closed the connection')))
  try {
    const { run, ended } = await delegate({
      agent,
      input,
      mode,
      wait,
      timeoutMs,
      ...(conversationId === undefined ? {} : { conversationId }),
      ...(parentRunId === undefined ? {} : { parentRunId }),
      traceparent: span.traceparent,
      signal: gone.signal,
      onCreated: ({ id }) => note('delegate.started', { runId: id }),
    })
    const { id: runId, state, output = null, error = null } = run
    note('delegate.finished', { runId, state })
    span.end('ok', { 'mesh.delegate.run': runId }, () => ({
      arguments: { agent, input },
      result: { state, output, error },
    }))
    return ended ? { status: 200, body: { runId, state, output, error } } : { status: 202, body: { runId } }
  } catch (error) {
    span.end('error', {}, () => ({ arguments: { agent, input } }))
    throw error
  }
}
