import { uuidV7 } from '#core/async/uuid-v7.ts'
import { guardedHeader } from '#core/guardrails/proof.ts'
import { agentOfServiceAccount } from '#schemas/names/agent-names.ts'
import type { Core } from '#core/plugin/core-services.ts'
import type { Operation } from '../contract/adapter.ts'
import { modelCallRefused } from '../contract/events.ts'
import type { RefusedModelCall } from '../contract/events.ts'
import { filterMetrics } from '../contract/metrics.ts'
import type { GatewayCall } from '../gateway/request/gateway-call.ts'
import type { ModelName } from '../gateway/request/model-name.ts'
import type { Body } from '../gateway/request/model-request.ts'
import { modelFilter } from '../contract/points.ts'
import { createCallDecisions } from './session/call-decisions.ts'
import type { CallDecisions } from './session/call-decisions.ts'
import { CallFilters } from './call-filters.ts'
import { orderFilters } from './session/filter-order.ts'
import { FilterSession } from './session/filter-session.ts'
import type { Invocation, SessionContext } from './session/filter-session.ts'
import type { FilterStop } from './session/filter-stop.ts'
import type { FilteredCall } from '../contract/model-filter.ts'

/** The filters of this process. */
export interface Filters {
  /** Returns the filters that apply to a call; undefined if none does. Throws {@link FilterStop}. */
  open(call: GatewayCall, target: FilterTarget): Promise<CallFilters | undefined>
}

/** Target of a call. */
export interface FilterTarget {
  readonly operation: Operation
  readonly model: ModelName
  /** Uid of a route. */
  readonly uid: string | undefined
  readonly streamed: boolean
}

/** Returns undefined if no plugin contributes a filter: calls then have no overhead. */
export function createFilters(core: Core): Filters | undefined {
  const ordered = orderFilters(core.extensions(modelFilter))
  if (ordered.length === 0) return undefined
  const onInvocation = observe(core)
  const onError: SessionContext['onError'] = (filter, stage, error) =>
    core.log.warn({ filter, stage, error: error instanceof Error ? error.name : typeof error }, 'model filter failed')
  return {
    async open(call, target) {
      const { gateway, signal } = call
      const onStop = (stop: FilterStop): void => {
        // oxlint-disable-next-line typescript/no-floating-promises -- handles its errors
        void record(core, { call, target, stop })
      }
      const decisions = createCallDecisions()
      const on = { onInvocation, onError, onStop, onDecided: decisions.add }
      const context = { call: toFilteredCall(call, target), gateway, signal, ...on }
      const sessions = ordered.map((filter) => new FilterSession(filter, context))
      return openAll(sessions, decisions)
    },
  }
}

/** A call, its target, and its request. */
export interface FilterInput {
  readonly call: GatewayCall
  readonly target: FilterTarget
  /** The request as the provider receives it. */
  readonly body: Body
  /** Whether it is a request of Anthropic's Messages API. */
  readonly isMessages?: boolean
  /** Called before the filters that apply see the request, or if a launcher has applied rules. */
  readonly onRules?: () => void
}

/** Makes a call with the filtered request and the filters that apply to it. Without filters it is made immediately. */
export async function withFilters(
  filters: Filters | undefined,
  { call, target, body, isMessages = false, onRules }: FilterInput,
  make: (body: Body, applying: CallFilters | undefined) => Promise<void>,
): Promise<void> {
  const applying = filters === undefined ? undefined : await filters.open(call, target)
  if (applying === undefined) {
    if (call.header(guardedHeader) !== undefined) onRules?.()
    return make(body, undefined)
  }
  try {
    onRules?.()
    await make(await applying.request({ operation: target.operation, body, isMessages }), applying)
  } finally {
    applying.close()
  }
}

async function openAll(sessions: readonly FilterSession[], decisions: CallDecisions): Promise<CallFilters | undefined> {
  const applying: FilterSession[] = []
  try {
    for (const session of sessions) if (await session.open()) applying.push(session)
  } catch (error) {
    new CallFilters(applying).close()
    throw error
  }
  return applying.length === 0 ? undefined : new CallFilters(applying, decisions)
}

function toFilteredCall(call: GatewayCall, { operation, model, streamed }: FilterTarget): FilteredCall {
  const { kind, username } = call.principal
  const named = kind === 'pod' ? agentOfServiceAccount(username) : undefined
  const { agentUid: uid, runId, conversationId, traceparent, header } = call
  return {
    operation,
    model,
    caller: { kind, username },
    agent: named === undefined || uid === undefined ? undefined : { ...named, uid },
    payer: payerOfTexts(call, operation),
    runId,
    conversationId,
    traceparent,
    streamed,
    header,
  }
}

// Texts of embeddings have passed the rules where they were written.
function payerOfTexts({ payer }: GatewayCall, operation: FilterTarget['operation']): FilteredCall['payer'] {
  if (payer === undefined || operation === 'embeddings') return undefined
  const { name, uid = '' } = payer.agent?.metadata ?? {}
  return { namespace: payer.namespace, agent: name === undefined ? undefined : { name, uid } }
}

function observe({ metrics }: Core): (invocation: Invocation) => void {
  const decisions = metrics.counter(filterMetrics.decisions)
  const duration = metrics.histogram(filterMetrics.seconds)
  const busy = metrics.counter(filterMetrics.busy)
  return ({ filter, stage, outcome, seconds, busySeconds }) => {
    decisions.inc({ filter, stage, outcome })
    duration.observe(seconds, { filter, stage })
    busy.inc({ filter }, busySeconds)
  }
}

interface Stopped {
  readonly call: GatewayCall
  readonly target: FilterTarget
  readonly stop: FilterStop
}

async function record(core: Core, { call, target, stop }: Stopped): Promise<void> {
  const { operation, model, uid, streamed } = target
  const { filter, stage, outcome, code } = stop
  const ids = { agentUid: call.agentUid ?? null, runId: call.runId ?? null }
  const data: RefusedModelCall = { filter, stage, outcome, code, operation, streamed, ...ids }
  const kind = model.kind === 'route' ? 'ModelRoute' : 'AgentDeployment'
  const subject = { namespace: model.namespace, kind, name: model.name, ...(uid === undefined ? {} : { uid }) }
  const actor = { name: call.principal.username, kind: call.principal.kind === 'person' ? 'user' : 'system' } as const
  const event = { type: modelCallRefused, subject, data, actor, traceparent: call.traceparent }
  try {
    await core.store?.transact((tx) => tx.append(`model-calls/${uuidV7()}`, 0, [event]))
  } catch (error) {
    const err = error instanceof Error ? error.message : 'unknown'
    core.log.error({ err, filter, namespace: model.namespace }, 'refused model call not recorded')
  }
}
