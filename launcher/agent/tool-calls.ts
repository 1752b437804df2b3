import { genAi, genAiOperations } from '#core/otlp/gen-ai.ts'
import { randomUUID } from 'node:crypto'
import { isObject } from '#core/json/is-object.ts'
import type { Trace } from '#core/telemetry/traceparent.ts'
import type { Interrupt, Resolution } from '#schemas/runs/run.ts'
import type { AgentConfig } from '../contract/settings/agent-config.ts'
import { parseBoundedJson } from '../contract/http/bounded-json.ts'
import type { RunContext } from '../runs/run-context.ts'
import { toContent } from '../contract/loop/chat-messages.ts'
import type { ToolCall } from '../contract/loop/chat-messages.ts'
import type { Conversation, PendingCall } from './conversation.ts'
import { askHuman } from './built-in-tools.ts'
import { ConsentAwaited } from '../contract/loop/tool.ts'
import type { Tool } from '../contract/loop/tool.ts'
import { stepTrace } from './steps.ts'

/** Dependencies of the tool calls of one response. */
export interface ToolCallOptions {
  readonly config: AgentConfig
  readonly tools: readonly Tool[]
  readonly context: RunContext
  readonly resolutions: ReadonlyMap<string, Resolution>
}

/**
 * Executes pending calls that need no decision or were decided, and adds their results to the conversation. Calls that wait for
 * a person remain pending; those for an answer are returned as interrupts.
 */
export async function makePendingCalls(conversation: Conversation, options: ToolCallOptions): Promise<Interrupt[]> {
  const waiting: PendingCall[] = []
  const interrupts: Interrupt[] = []
  for (const call of conversation.pending) {
    const resolution = call.interruptId === undefined ? undefined : options.resolutions.get(call.interruptId)
    const isOpen = resolution === undefined && call.isDecided !== true
    const interrupt = isOpen ? toInterrupt(call, options) : undefined
    if (interrupt === undefined) {
      const decided = editedCall(call, resolution)
      if (decided !== call) replaceArguments(conversation, decided)
      const parent = stepTrace(options.context, conversation)
      const content = await makeCall(decided, resolution, { ...options, parent })
      if (content === undefined) waiting.push(toDecided(decided))
      else conversation.messages.push({ role: 'tool', tool_call_id: call.id, content })
    } else {
      interrupts.push(interrupt)
      waiting.push({ ...call, interruptId: interrupt.id })
    }
  }
  conversation.pending = waiting
  return interrupts
}

// Its approval, if it needed one, also holds for the call after the consent.
function toDecided(call: PendingCall): PendingCall {
  const { interruptId: _, ...decided } = call
  return { ...decided, isDecided: true }
}

function editedCall(call: PendingCall, resolution: Resolution | undefined): PendingCall {
  if (resolution?.decision !== 'approve' || resolution.arguments === undefined) return call
  return { ...call, arguments: JSON.stringify(resolution.arguments) }
}

// The conversation contains the executed call instead of the proposed one, so that the result matches it.
function replaceArguments({ messages }: Conversation, { id, arguments: edited }: PendingCall): void {
  const at = messages.findLastIndex(
    (message) => message.role === 'assistant' && message.tool_calls?.some((call) => call.id === id) === true,
  )
  const message = messages[at]
  if (message?.role !== 'assistant') return
  const calls = (message.tool_calls ?? []).map((call) =>
    call.id === id ? { ...call, function: { ...call.function, arguments: edited } } : call,
  )
  messages[at] = { ...message, tool_calls: calls }
}

function toInterrupt(call: PendingCall, { config, tools }: ToolCallOptions): Interrupt | undefined {
  const id = call.interruptId ?? `int_${randomUUID()}`
  const args = parseArguments(call)
  const entry = config.tools.find(({ name }) => name === call.name)
  if (call.name === askHuman.name && entry !== undefined && typeof args?.question === 'string') {
    const schema = args.schema === undefined ? {} : { schema: args.schema }
    return { id, reason: 'input_required', tool: call.name, question: args.question, ...schema }
  }
  const tool = tools.find(({ definition }) => definition.name === call.name)
  const isNamed = entry?.requireApproval?.some((name) => name === '*' || name === call.name) === true
  if (!isNamed && tool?.requiresApproval !== true) return undefined
  const schema = tool === undefined ? {} : { schema: tool.definition.parameters }
  const about = { tool: call.name, toolCallId: call.id, arguments: args ?? call.arguments }
  return { id, reason: 'approval_required', ...about, ...schema }
}

/** Undefined: the call waits for a consent, which its tool has requested. */
async function makeCall(
  call: PendingCall,
  resolution: Resolution | undefined,
  options: ToolCallOptions & { readonly parent: Trace },
): Promise<string | undefined> {
  const { context, parent } = options
  const span = context.start(
    `tool ${call.name}`,
    { [genAi.operation]: genAiOperations.runTool, [genAi.toolName]: call.name },
    parent,
  )
  const args = parseArguments(call)
  const about = { toolCallId: call.id, name: call.name }
  context.emit(
    'tool.started',
    { ...about, arguments: args ?? call.arguments, parentSpanId: parent.spanId },
    span.spanId,
  )
  const startedAt = performance.now()
  let isError = false
  let isAwaited = false
  let result: unknown
  try {
    result = await answerOf(call, args, resolution, { ...options, span })
  } catch (error) {
    if (context.signal.aborted) throw error
    isError = true
    isAwaited = error instanceof ConsentAwaited
    result = { error: error instanceof Error ? error.message : String(error) }
  }
  span.end(isError ? 'error' : 'ok', {}, () => ({ arguments: args ?? call.arguments, result }))
  const durationMs = Math.round(performance.now() - startedAt)
  context.emit('tool.finished', { ...about, result, isError, durationMs }, span.spanId)
  return isAwaited ? undefined : toContent(result)
}

async function answerOf(
  call: PendingCall,
  args: Readonly<Record<string, unknown>> | undefined,
  resolution: Resolution | undefined,
  options: ToolCallOptions & { readonly span: RunContext['span']; readonly parent: Trace },
): Promise<unknown> {
  if (resolution?.decision === 'reject')
    throw new Error(`the call was rejected: ${resolution.reason ?? 'no reason given'}`)
  if (args === undefined) throw new Error('the arguments are not a JSON object')
  if (call.name === askHuman.name) return humanAnswer(resolution)
  const tool = options.tools.find(({ definition }) => definition.name === call.name)
  if (tool === undefined) throw new Error(`unknown tool ${call.name}`)
  const { context, span, parent } = options
  const emit: RunContext['emit'] = (kind, data) => context.emit(kind, data, span.spanId)
  const { runId, signal, approvals } = context
  return tool.run(args, { runId, span, parentSpanId: parent.spanId, signal, approvals, emit })
}

function humanAnswer(resolution: Resolution | undefined): unknown {
  if (resolution === undefined)
    throw new Error('question must be a string, and ask_human must be one of the agent’s tools')
  const answer = resolution.payload ?? resolution.reason
  if (answer === undefined) throw new Error('the question was not answered')
  return answer
}

function parseArguments(call: ToolCall): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseBoundedJson(call.arguments === '' ? '{}' : call.arguments)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
