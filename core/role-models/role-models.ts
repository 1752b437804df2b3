import { assertOutsideTransaction } from '#core/async/transaction-guard.ts'
import { payerHeaders, postToGateway, readGatewayRefusal } from '#core/retrieval/gateway-client.ts'
import type { GatewayClientOptions } from '#core/retrieval/gateway-client.ts'
import type { Payer } from '#core/retrieval/payer.ts'
import { ModelCallFailed } from './model-call-error.ts'
import { readChatResult } from './read-chat-result.ts'
import { capHeader, formatCap } from './spend-cap.ts'
import type { SpendCap } from './spend-cap.ts'
import type { ChatResult } from './read-chat-result.ts'

/** A message of a chat. */
export interface ChatInput {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** A chat completion. */
export interface PaidChat {
  /** `namespace/name` of a ModelRoute. The role may use every route, so the plugin checks who may name one. */
  readonly route: string
  readonly messages: readonly ChatInput[]
  /** Maximum output tokens: the bound of what the call may cost. */
  readonly maxOutputTokens: number
  readonly temperature?: number
  /** JSON Schema of the response, for models that support it. The caller checks the text itself. */
  readonly schema?: { readonly name: string; readonly schema: Readonly<Record<string, unknown>> }
  /** What calls for this purpose may cost together. A call whose maximum cost does not fit is refused with `cap_exceeded`. */
  readonly cap?: SpendCap | undefined
  readonly signal?: AbortSignal
  /** Default: 60 s. */
  readonly timeoutMs?: number
}

/** Client of the gateway's `POST /v1/chat/completions`. */
export interface PaidModels {
  /** Throws `ModelCallFailed`, or the reason of the signal. A call that timed out may have been charged. */
  chat(call: PaidChat): Promise<ChatResult>
}

/**
 * Model calls with the identity of a role. Each names its payer, whose budgets, quotas and guardrail policies apply (ADR 0257). The gateway meters
 * them.
 */
export interface RoleModels {
  /** `runId` is a run of the paying agent: the agents above it pay, too. */
  paidBy(payer: Payer, runId?: string): PaidModels
}

const MAX_RESPONSE_BYTES = 4 * 1024 * 1024
const TIMEOUT_MS = 60_000

/** Creates the model calls of a role without connecting. */
export function createRoleModels(options: Omit<GatewayClientOptions, 'headers'>): RoleModels {
  return {
    paidBy: (payer, runId) => {
      const paid = { ...options, headers: payerHeaders(payer, runId) }
      return {
        chat: (call) => {
          assertOutsideTransaction('a call of a model')
          return chat(paid, call)
        },
      }
    },
  }
}

async function chat(options: GatewayClientOptions, call: PaidChat): Promise<ChatResult> {
  const { signal, cap, timeoutMs = TIMEOUT_MS } = call
  const headers = { ...options.headers, ...(cap === undefined ? {} : { [capHeader]: formatCap(cap) }) }
  const deadline = AbortSignal.timeout(timeoutMs)
  try {
    const response = await postToGateway({ ...options, headers }, '/v1/chat/completions', {
      body: toBody(call),
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      maxBytes: MAX_RESPONSE_BYTES,
    })
    if (response === 'no_identity' || response === 'unreachable') throw new ModelCallFailed(response)
    if (response.status !== 200) throw failureOf(response)
    return readChatResult(response)
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof ModelCallFailed) throw error
    throw new ModelCallFailed(deadline.aborted ? 'timeout' : 'unreachable')
  }
}

function toBody({ route, messages, maxOutputTokens, temperature, schema }: PaidChat): object {
  return {
    model: route,
    messages,
    max_tokens: maxOutputTokens,
    ...(temperature === undefined ? {} : { temperature }),
    ...(schema === undefined ? {} : { response_format: { type: 'json_schema', json_schema: schema } }),
  }
}

// Codes of the gateway itself; a provider's code is never relayed as one of these.
const guarded: ReadonlySet<unknown> = new Set(['guardrail_blocked', 'guardrail_approval_required'])
const invalid: ReadonlySet<unknown> = new Set(['invalid_body', 'malformed_request'])

function failureOf(response: Parameters<typeof readGatewayRefusal>[0]): ModelCallFailed {
  const { problem, retryAfterMs, code } = readGatewayRefusal(response)
  if (response.status === 403 && guarded.has(code)) return new ModelCallFailed('guardrail_blocked')
  if (response.status === 400 && invalid.has(code)) return new ModelCallFailed('invalid_request')
  return new ModelCallFailed(problem, retryAfterMs)
}
