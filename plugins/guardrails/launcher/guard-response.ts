import { guardToolCall } from '#core/guardrails/guard-body.ts'
import { UnreadableBody } from '#core/guardrails/body/unreadable-body.ts'
import type { StreamGuard } from '#core/guardrails/guard.ts'
import { isObject } from '#core/json/is-object.ts'
import { writeLike } from '#core/json/write-like.ts'
import { encodeFrame } from '#core/sse/frame.ts'
import { GatewayRefusal } from '#launcher/contract/calls/gateway-refusal.ts'
import type { ResponseFilter } from '#launcher/contract/calls/model-filter.ts'
import { enforce } from './guard-request.ts'
import type { GuardedCall } from './guard-request.ts'
import { frameData, framesIn } from '#core/sse/stream-frames.ts'

type Part = Record<string, unknown>

interface ToolCall {
  id: unknown
  type: unknown
  name: string
  arguments: string
}

interface Choice {
  /** The guard of each field with text, treated as one text even if other fields come between. */
  readonly guards: Map<string, StreamGuard>
  /** The field whose text is held back. */
  open: string | undefined
  calls: Map<number, ToolCall>
}

const maxChoices = 128
const maxFields = 16

function emptyChoice(): Choice {
  return { guards: new Map(), open: undefined, calls: new Map() }
}

/** Creates the guard of a response; undefined if no rule sees responses, neither here nor in the gateway (`external`). */
export function createResponseGuard(call: GuardedCall, external: boolean): ResponseFilter | undefined {
  const { guard, approval } = call
  const guardsText = guard.stages.has('response')
  const guardsCalls = guard.stages.has('tool_call')
  if (!guardsText && !guardsCalls && !external) return undefined
  const choices = new Map<number, Choice>()
  let last: Part = {}
  const choiceOf = (index: number): Choice => {
    const choice = choices.get(index) ?? emptyChoice()
    choices.set(index, choice)
    if (choices.size > maxChoices) throw unreadable()
    return choice
  }
  const frameOf = (index: number, delta: Part): Buffer => {
    const one = { index, delta, logprobs: null, finish_reason: null }
    return encodeFrame({ data: JSON.stringify({ ...last, usage: undefined, choices: [one] }) })
  }
  const endText = (choice: Choice): string => {
    const outcome = choice.open === undefined ? undefined : choice.guards.get(choice.open)?.end()
    if (outcome !== undefined) enforce(call, outcome)
    return outcome?.release ?? ''
  }
  // The text of a field is released when another field begins, so that the order of a response is kept. The field may continue later.
  const closeText = (index: number, choice: Choice): Buffer[] => {
    const { open } = choice
    const text = endText(choice)
    choice.open = undefined
    return open === undefined || text === '' ? [] : [frameOf(index, { [open]: text })]
  }
  const closeCalls = async (index: number, choice: Choice): Promise<Buffer[]> => {
    const calls = [...choice.calls.entries()].toSorted(([a], [b]) => a - b)
    choice.calls = new Map()
    if (calls.length === 0) return []
    const decided = []
    for (const [at, one] of calls) decided.push({ index: at, ...(await decide(one)) })
    return [frameOf(index, { tool_calls: decided })]
  }
  const decide = async ({ id, type, name, arguments: json }: ToolCall): Promise<Part> => {
    const outcome = await guardToolCall(guard, { name, arguments: json }, approval.isApproved).catch(refuseUnreadable)
    enforce(call, outcome)
    return { id, type: type ?? 'function', function: { name: outcome.name, arguments: outcome.arguments } }
  }
  const guardText = (choice: Choice, field: string, text: string): string => {
    const guarding = choice.guards.get(field) ?? guard.stream(approval.isApproved)
    choice.guards.set(field, guarding)
    if (choice.guards.size > maxFields) throw unreadable()
    choice.open = field
    const outcome = guarding.push(text)
    enforce(call, outcome)
    return outcome.release
  }
  const guardChoice = async (choice: Part): Promise<Buffer[]> => {
    const index = typeof choice.index === 'number' ? choice.index : 0
    const state = choiceOf(index)
    const delta = partOf(choice, 'delta')
    const before: Buffer[] = []
    if (guardsText) removeUnseen(choice, delta, 'delta')
    if (typeof delta.thinking_signature === 'string') before.push(...closeText(index, state))
    for (const field of guardsText ? textFields(delta) : []) {
      if (state.open !== field) before.push(...closeText(index, state))
      delta[field] = guardText(state, field, String(delta[field]))
    }
    if (guardsCalls && takeCalls(state.calls, delta)) before.push(...closeText(index, state))
    if ((choice.finish_reason ?? null) !== null)
      before.push(...closeText(index, state), ...(await closeCalls(index, state)))
    return before
  }
  const guardFrame = async (frame: Buffer): Promise<Buffer[]> => {
    const data = frameData(frame)
    if (data === undefined) return [frame]
    if (!guardsText && !guardsCalls && !data.includes('"guardrail_')) return [frame]
    const chunk = parse(data)
    if (isObject(chunk.error)) return [refusedFrame(frame, chunk.error)]
    if (!guardsText && !guardsCalls) return [frame]
    const parts = choicesOf(chunk)
    if (parts.length === 0) return [frame]
    const { choices: _, ...head } = chunk
    last = head
    const before: Buffer[] = []
    for (const part of parts) before.push(...(await guardChoice(part)))
    if (!hasContent(chunk, parts)) return before
    const written = writeLike(data, chunk)
    return [...before, written === data ? frame : encodeFrame({ data: written })]
  }
  return {
    async frames(whole) {
      const out: Buffer[] = []
      for (const frame of framesIn(whole)) out.push(...(await guardFrame(frame)))
      return Buffer.concat(out)
    },
    async end() {
      const out: Buffer[] = []
      for (const [index, choice] of choices) out.push(...closeText(index, choice), ...(await closeCalls(index, choice)))
      return Buffer.concat(out)
    },
    async whole(bytes) {
      if (!guardsText && !guardsCalls) return bytes
      const document = bytes.toString('utf8')
      const body = parse(document)
      for (const choice of choicesOf(body)) {
        const message = partOf(choice, 'message')
        if (guardsText) removeUnseen(choice, message, 'message')
        for (const field of guardsText ? textFields(message) : []) {
          const state = emptyChoice()
          const begun = guardText(state, field, String(message[field]))
          message[field] = begun + endText(state)
        }
        const calls = new Map<number, ToolCall>()
        if (!guardsCalls || !takeCalls(calls, message)) continue
        const decided: Part[] = []
        for (const one of calls.values()) decided.push(await decide(one))
        message.tool_calls = decided
      }
      return Buffer.from(writeLike(document, body))
    },
  }
}

// A rule of the gateway has stopped the response.
function refusedFrame(frame: Buffer, { message, code, param }: Readonly<Record<string, unknown>>): Buffer {
  if (typeof code !== 'string' || !code.startsWith('guardrail_')) return frame
  const text = typeof message === 'string' ? message : 'A guardrail policy blocked the response.'
  throw new GatewayRefusal(403, text, { code, param: typeof param === 'string' ? param : null })
}

/** Fields of a message or a delta that are not text of the model. */
const noText: ReadonlySet<string> = new Set(['role', 'tool_calls', 'function_call', 'thinking_signature'])

function textFields(message: Part): string[] {
  return Object.keys(message).filter((key) => !noText.has(key) && typeof message[key] === 'string')
}

// Fields that repeat text in another form, such as log probabilities, audio and annotations: rules do not see them.
function removeUnseen(choice: Part, message: Part, field: 'delta' | 'message'): void {
  if (isStructure(message.content)) throw unreadable()
  for (const key of Object.keys(message)) if (!noText.has(key) && isStructure(message[key])) message[key] = null
  for (const key of Object.keys(choice)) {
    const isText = typeof choice[key] === 'string' && !key.endsWith('_reason')
    if (key !== field && (isText || isStructure(choice[key]))) choice[key] = null
  }
}

function isStructure(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}

// Moves the parts of tool calls out of a message. Rules can only read function calls.
function takeCalls(calls: Map<number, ToolCall>, message: Part): boolean {
  if ((message.function_call ?? null) !== null) throw unreadable()
  const { tool_calls: given = null } = message
  delete message.tool_calls
  if (given === null) return false
  if (!Array.isArray(given)) throw unreadable()
  for (const [position, part] of given.entries()) {
    if (!isObject(part) || !isObject(part.function ?? {})) throw unreadable()
    const { name = null, arguments: json = null } = (part.function ?? {}) as Part
    if (part.custom !== undefined || (name !== null && typeof name !== 'string')) throw unreadable()
    if (json !== null && typeof json !== 'string') throw unreadable()
    const at = typeof part.index === 'number' ? part.index : position
    const call = calls.get(at) ?? { id: undefined, type: undefined, name: '', arguments: '' }
    calls.set(at, call)
    call.id ??= part.id
    call.type ??= part.type
    call.name += name ?? ''
    call.arguments += json ?? ''
  }
  return calls.size > 0
}

// A frame whose text is held back is otherwise empty.
function hasContent({ usage = null }: Part, choices: readonly Part[]): boolean {
  if (usage !== null) return true
  return choices.some((choice) => {
    const { role, ...delta } = partOf(choice, 'delta')
    const texts = Object.values(delta).filter((value) => value !== null && value !== '')
    return role !== undefined || texts.length > 0 || (choice.finish_reason ?? null) !== null
  })
}

function partOf(choice: Part, field: 'delta' | 'message'): Part {
  const { [field]: part = null } = choice
  if (part === null) return {}
  if (!isObject(part)) throw unreadable()
  return part as Part
}

function choicesOf(body: Part): Part[] {
  const { choices } = body
  if (!Array.isArray(choices) || !choices.every(isObject)) throw unreadable()
  return choices as Part[]
}

function parse(text: string): Part {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value as Part
  } catch {
    // Falls through to the error below.
  }
  throw unreadable()
}

function refuseUnreadable(error: unknown): never {
  if (!(error instanceof UnreadableBody)) throw error
  const message = 'The arguments of a tool call are not JSON, so guardrails cannot read them.'
  throw new GatewayRefusal(502, message, { code: 'bad_gateway' })
}

function unreadable(): GatewayRefusal {
  const message = 'The response of the provider has a format that guardrails cannot read.'
  return new GatewayRefusal(502, message, { code: 'bad_gateway' })
}
