import { parseTraceparent } from '#core/telemetry/traceparent.ts'
import type { CertificateIssuer } from '#core/signing/launcher-certificate.ts'
import { CONVERSATION_ID_DETAIL, isConversationId } from '#schemas/names/conversation-id.ts'
import { agentPath } from '#schemas/launcher/envelope.ts'
import { singleHeader } from '#launcher/contract/http/headers.ts'
import type { Call, Reply } from '#launcher/contract/http/port.ts'
import { Refusal } from '#launcher/contract/http/refusal.ts'
import { attribute } from '#launcher/contract/runs/attribution.ts'
import type { Settings } from '#launcher/contract/settings/settings.ts'
import { launcherKeys } from '#plugins/agents/contract/wire.ts'
import type { StateClient } from '#launcher/contract/state/state-client.ts'
import { defineListener } from '#launcher/contract/listener.ts'
import type { Pod } from '#launcher/contract/listener.ts'
import { createKeySet } from '#launcher/contract/state/key-set.ts'
import { createBudgetGuard } from './budget-guard.ts'
import { callPeer } from './call-peer.ts'
import type { CallPeerOptions } from './call-peer.ts'
import { runCall } from './called-run.ts'
import { createPeerSource } from './directory.ts'
import { createPeerConnections } from './peer-connections.ts'
import { ampInboundPort, ampPort } from './port.ts'
import { createReplayCache } from './replay-cache.ts'
import { createSendCall } from './send-call.ts'
import { checkBody, verifyCall } from './verify-call.ts'
import type { VerifyOptions } from './verify-call.ts'

type OutboundRoute = (typeof ampPort.routes)['amp']
type InboundRoute = (typeof ampInboundPort.routes)['amp']

/** Calls between agents: outbound on loopback, inbound on the address of the pod. The listener determines the direction (H3). */
export const ampListener = defineListener({
  port: [ampPort, ampInboundPort],
  // A launcher without a certificate (`meshctl dev`) can neither sign a call nor authenticate.
  wanted: ({ registryId, unsigned, stateUrl }) => registryId !== undefined && !unsigned && stateUrl !== undefined,
  start(pod) {
    const { settings, log } = pod
    const state = pod.state('the agent is a member of a registry')
    const directory = createPeerSource({ state, log, now: () => performance.now() })
    const issuer = issuerOf(settings, pod)
    const connections = createPeerConnections(issuer)
    const out = outboundOptions(pod, { state, directory, send: createSendCall(connections, log) })
    const inbound: VerifyOptions = {
      self: agentPath(settings.agent),
      directory,
      issuer,
      replays: createReplayCache(Date.now),
      log,
    }
    let draining = false
    const refuseDraining = (): void => {
      if (draining) throw new Refusal('draining', undefined, { 'retry-after': '1' })
    }
    const take = (call: Call<InboundRoute>): Promise<Reply<InboundRoute>> => {
      refuseDraining()
      return takeCall(call, inbound, { state, pod })
    }
    const send = (call: Call<OutboundRoute>): Promise<Reply<OutboundRoute>> => makeCall(call, out, pod)
    return {
      listeners: [ampPort.serve({ amp: send, a2a: send }), ampInboundPort.serve({ amp: take, a2a: take })],
      drain: () => {
        draining = true
      },
      close: connections.close,
    }
  },
})

// A separate key set: the keys of workers do not certify launchers.
function issuerOf({ stateUrl = '' }: Settings, { dispatcher }: Pod): CertificateIssuer {
  const keys = createKeySet({ stateUrl, path: launcherKeys, dispatcher, now: () => performance.now() })
  const find = (id: string) =>
    keys.find(id).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error
      throw new Refusal('upstream_failure', 'The keys of the installation cannot be read.', { 'retry-after': '1' })
    })
  return { find, now: () => new Date() }
}

function outboundOptions(
  { settings: { agent }, identity }: Pod,
  { state, directory, send }: Pick<CallPeerOptions, 'directory' | 'send'> & { readonly state: StateClient },
): CallPeerOptions {
  return {
    self: { namespace: agent.namespace, name: agent.name },
    signer: () => identity?.signer(),
    directory,
    budget: createBudgetGuard(state),
    send,
    maxDepth: agent.limits.maxDelegationDepth,
    timeoutMs: agent.limits.timeoutMs,
    now: () => new Date(),
  }
}

async function makeCall(
  { request, response, params, body }: Call<OutboundRoute>,
  options: CallPeerOptions,
  { registry, tracer }: Pod,
): Promise<Reply<OutboundRoute>> {
  const { targetAgent: target } = params
  const conversationId = readConversation(singleHeader(request, 'x-conversation-id'))
  const idempotencyKey = readKey(singleHeader(request, 'idempotency-key'))
  const { runId, parent } = attribute(request, registry)
  const origin = runId === undefined ? undefined : registry.originOf(runId)
  const payload = await body()
  const name = target.slice(0, 63)
  const span = tracer.start('call agent', parent, {
    'mesh.amp.target': name,
    ...(runId === undefined ? {} : { 'mesh.run.id': runId }),
  })
  // Both entries share a span: the run is known only at the end.
  const note = (kind: 'delegate.started' | 'delegate.finished', data: object): void =>
    registry.emit(runId, kind, { name, agent: name, mode: 'amp', ...data }, span.spanId)
  const gone = new AbortController()
  response.on('close', () => gone.abort(new Error('the agent closed the connection')))
  try {
    note('delegate.started', {})
    const answer = await callPeer(options, {
      target,
      payload,
      run: runId === undefined || origin === undefined ? undefined : { id: runId, origin },
      conversationId,
      idempotencyKey,
      traceparent: span.traceparent,
      signal: gone.signal,
    })
    note('delegate.finished', { childRunId: answer.runId, state: 'succeeded' })
    span.end('ok', { 'mesh.amp.run': answer.runId }, () => ({ arguments: payload, result: answer }))
    const headers = { 'x-mesh-run-id': answer.runId, 'x-conversation-id': answer.conversationId }
    return { status: 200, body: answer, headers }
  } catch (error) {
    note('delegate.finished', { state: 'failed', code: error instanceof Refusal ? error.code : 'upstream_failure' })
    span.end('error', {}, () => ({ arguments: payload }))
    throw error
  }
}

async function takeCall(
  { request, response, params, body }: Call<InboundRoute>,
  options: VerifyOptions,
  { state, pod }: { readonly state: StateClient; readonly pod: Pod },
): Promise<Reply<InboundRoute>> {
  const accepted = await verifyCall(options, request)
  const { token, envelope } = accepted
  if (params.agent !== pod.settings.agent.name) throw new Refusal('unknown_target')
  const sent = await body()
  checkBody(accepted, sent)
  const span = pod.tracer.start('called by agent', parseTraceparent(singleHeader(request, 'traceparent')), {
    'mesh.amp.from': envelope.from,
  })
  const gone = new AbortController()
  response.on('close', () => gone.abort(new Error('the caller closed the connection')))
  try {
    const run = await runCall(state, {
      envelope: token,
      payload: sent.payload,
      traceparent: span.traceparent,
      deadline: new Date(envelope.deadline),
      signal: gone.signal,
    })
    span.end('ok', { 'mesh.amp.run': run.runId })
    return { status: 200, body: run, headers: { 'x-mesh-run-id': run.runId } }
  } catch (error) {
    span.end('error')
    throw error
  }
}

function readConversation(text: string | undefined): string | undefined {
  if (text === undefined || isConversationId(text)) return text
  throw new Refusal('malformed_request', `X-Conversation-Id: ${CONVERSATION_ID_DETAIL}`)
}

function readKey(text: string | undefined): string | undefined {
  if (text === undefined || /^[\x21-\x7e]{1,255}$/.test(text)) return text
  throw new Refusal('malformed_request', 'Idempotency-Key: must have 1 to 255 printable characters')
}
