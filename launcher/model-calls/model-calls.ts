import type { Dispatcher } from 'undici'
import { approvalKey, fromErrorParam } from '#core/guardrails/messages.ts'
import type { Logger } from '#core/log/logger.ts'
import { Refusal } from '../contract/http/refusal.ts'
import { createTokenReader } from '../contract/state/state-client.ts'
import { createCharge } from './charge.ts'
import type { Charge } from './charge.ts'
import type { AdmittedCall } from './responses.ts'
import { forwardCall } from './forward-call.ts'
import { createCallApproval } from './call-approval.ts'
import { GatewayRefusal } from '../contract/calls/gateway-refusal.ts'
import { createResponseGuard } from './guard-response.ts'
import type { ResponseGuard } from './guard-response.ts'
import { guardMessages } from './guard-messages.ts'
import { guardRequest } from './guard-request.ts'
import type { GatewayTimeouts } from '../contract/calls/gateway-timeouts.ts'
import type { GuardedCall } from './guard-request.ts'
import type { ModelCalls, OnFindings, CallContext } from '../contract/calls/model-call.ts'
import type { GuardSource } from './guard-source.ts'
import type { Holds } from './holds/holds.ts'
import { coveredBy } from '../contract/calls/model-request.ts'
import type { ModelRequest } from '../contract/calls/model-request.ts'

/** Options of `createModelCalls`. */
export interface ModelCallsOptions {
  readonly gatewayUrl: string
  readonly gatewayTokenFile: string | undefined
  readonly namespace: string
  readonly dispatcher: () => Promise<Dispatcher>
  readonly timeouts?: GatewayTimeouts | undefined
  /** Undefined: no limit applies to the agent, and no guardrails that the money of agents above precedes. */
  readonly holds: Holds | undefined
  /** Whether calls in a run are held at all; undefined: each is. */
  readonly isHeld?: (runId: string | undefined) => boolean
  /** Undefined: the agent has no guardrail policies. */
  readonly guards?: GuardSource | undefined
  /** Counts the matches of rules. */
  readonly countFindings?: OnFindings | undefined
  readonly log: Logger
}

/** Streams in progress, as many as the launcher has connections to the gateway. */
const maxCalls = 256

/** Bytes of all requests in progress: the launcher has 512 MiB. */
const maxRequestBytes = 128 * 1024 * 1024

/** Creates the service. */
export function createModelCalls(options: ModelCallsOptions): ModelCalls {
  const live = new Set<AbortController>()
  let bytes = 0
  let waiters: (() => void)[] = []
  const { origin, pathname } = new URL(options.gatewayUrl)
  const prefix = pathname === '/' ? '' : pathname
  const to = { ...options, origin, prefix, token: createTokenReader(options.gatewayTokenFile) }
  const admit = ({ bytes: { length } }: ModelRequest): AbortController => {
    if (live.size >= maxCalls || (live.size > 0 && bytes + length > maxRequestBytes))
      throw new Refusal('too_many_calls', undefined, { 'retry-after': '1' })
    const controller = new AbortController()
    live.add(controller)
    bytes += length
    return controller
  }
  const leave = (controller: AbortController, { bytes: { length } }: ModelRequest): void => {
    live.delete(controller)
    bytes -= length
    if (live.size > 0) return
    for (const resolve of waiters) resolve()
    waiters = []
  }
  const idle = (): Promise<void> => {
    if (live.size === 0) return Promise.resolve()
    return new Promise((resolve) => waiters.push(resolve))
  }
  return {
    active: () => live.size,
    idle,
    async call(request, context, sink) {
      const controller = admit(request)
      const abort = (): void => controller.abort(context.signal.reason)
      context.signal.addEventListener('abort', abort, { once: true })
      if (context.signal.aborted) abort()
      try {
        const onLost = (): void => controller.abort(new Refusal('budget_unavailable'))
        const charge = await chargeFor(options, request, { context, onLost })
        const covered = coveredBy(request, charge.hold?.maxOutputTokens ?? null)
        // A refusal gives the money back.
        const guarded = await guardedCall(options, covered, context).catch(async (error: unknown) => {
          await charge.release()
          throw error
        })
        return await forwardCall(to, { ...guarded, context, sink, charge }, controller.signal).catch(
          (error: unknown) => {
            throw guarded.refusal?.(error) ?? error
          },
        )
      } finally {
        context.signal.removeEventListener('abort', abort)
        leave(controller, request)
      }
    },
    async stop() {
      for (const controller of live) controller.abort(new Refusal('draining'))
      await idle()
      await options.holds?.close()
    },
  }
}

interface Guarded extends Pick<AdmittedCall, 'request' | 'guard' | 'proof'> {
  /** What a refusal of the gateway by a rule is for the caller. */
  readonly refusal?: (error: unknown) => unknown
}

async function guardedCall(
  { guards, countFindings }: ModelCallsOptions,
  request: ModelRequest,
  { approvals, onFindings: report }: CallContext,
): Promise<Guarded> {
  if (guards === undefined) return { request }
  const { guard, external, prove } = await guards.current()
  const approval = createCallApproval(approvals, request)
  const onFindings: OnFindings = (findings) => {
    countFindings?.(findings)
    report?.(findings)
  }
  const call: GuardedCall = { guard, approval, onFindings }
  const hasExternalAnswers = external.some(({ stage }) => stage !== 'request')
  return {
    request: await guardRequest(call, request),
    guard: answerGuardOf(request, call, hasExternalAnswers),
    proof: await prove(external.filter(approval.isApproved).map(approvalKey)),
    refusal: (error) => refusedByGateway(error, call),
  }
}

function answerGuardOf({ operation }: ModelRequest, call: GuardedCall, external: boolean): ResponseGuard | undefined {
  // Embeddings and numbers have no text.
  if (operation === 'embeddings' || operation === 'messages/count_tokens') return undefined
  const answers = createResponseGuard(call, external)
  const seesAnswers = call.guard.stages.has('response') || call.guard.stages.has('tool_call')
  return operation === 'messages' && answers !== undefined && seesAnswers ? guardMessages(answers) : answers
}

// A rule of the gateway is decided there, and reported and approved here.
function refusedByGateway(error: unknown, { approval, onFindings }: GuardedCall): unknown {
  if (!(error instanceof GatewayRefusal)) return error
  const decision = gatewayDecisions[error.code ?? '']
  const by = fromErrorParam(error.param, decision ?? 'block')
  if (decision === undefined || by === undefined) return error
  onFindings([by])
  try {
    approval.enforce({ decision, by })
  } catch (refusal) {
    return refusal
  }
  return error
}

const gatewayDecisions: Readonly<Record<string, 'block' | 'require_approval'>> = {
  guardrail_blocked: 'block',
  guardrail_approval_required: 'require_approval',
}

async function chargeFor(
  { holds, isHeld = () => true }: ModelCallsOptions,
  { route: model, operation, inputTokens, maxOutputTokens, choices }: ModelRequest,
  { context: { runId, signal }, onLost }: { readonly context: CallContext; readonly onLost: () => void },
): Promise<Charge> {
  const priced = operation === 'embeddings' ? operation : 'chat/completions'
  const request = { runId: runId ?? null, model, operation: priced, inputTokens, maxOutputTokens, choices } as const
  // Counting tokens is free at the provider.
  const isFree = operation === 'messages/count_tokens' || !isHeld(runId)
  const hold = isFree ? undefined : await holds?.open(request, onLost)
  const charge = createCharge(holds, hold)
  if (!signal.aborted) return charge
  await charge.release()
  throw signal.reason
}
