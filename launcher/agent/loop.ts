import { toDecided } from '#core/guardrails/messages.ts'
import { genAi, genAiOperations, modelCallAttributes } from '#core/otlp/gen-ai.ts'
import type { Interrupt, InvokeResult } from '#schemas/runs/run.ts'
import type { AgentConfig } from '../contract/settings/agent-config.ts'
import { pause, toInterrupt } from '../runs/outcome.ts'
import { failed, newMessageId, stopped } from '../runs/run-context.ts'
import { noUsage } from '../contract/runs/usage.ts'
import type { Agent, RunContext } from '../runs/run-context.ts'
import { assistantMessage } from '../contract/loop/chat-messages.ts'
import type { ToolDefinition } from '../contract/loop/chat-messages.ts'
import { fromCheckpoint, resolutionsById, startConversation, toCheckpoint } from './conversation.ts'
import type { Conversation } from './conversation.ts'
import { BudgetHold, ModelError } from './model-response.ts'
import type { ModelResponse } from './model-response.ts'
import type { ModelClient } from './model-client.ts'
import { askHuman } from './built-in-tools.ts'
import type { Tool } from '../contract/loop/tool.ts'
import { readRequest, readResponse } from '../contract/content/read-messages.ts'
import { beginStep, finishStep, stepTrace } from './steps.ts'
import { makePendingCalls } from './tool-calls.ts'
import { recallTurns, storeTurn } from './turns.ts'
import type { Turns } from '../contract/loop/turns.ts'

/** Options of the built-in loop. */
export interface LoopOptions {
  readonly config: AgentConfig
  readonly model: ModelClient
  /** Called when a run starts; complete by the first run. */
  readonly parts: () => LoopParts
}

/** Parts that the listeners of the pod provide to the loop. */
export interface LoopParts {
  /** Tools that the loop calls itself. */
  readonly tools: readonly Tool[]
  /** Tools of bindings, read when a run starts; undefined: the agent has none. Rejects if they cannot be read. */
  readonly boundTools?: (() => Promise<readonly Tool[]>) | undefined
  /** Session memory; undefined: the context of a run is the history of its conversation. */
  readonly turns: Turns | undefined
}

/** The agent of a declarative deployment: calls the model and executes its tool calls until the model responds without tool calls. */
export function createBuiltInAgent(options: LoopOptions): Agent {
  return {
    async run(context) {
      const parts = options.parts()
      const bound = await readBoundTools(parts)
      // Without its tools the model would invent their results.
      if (bound === undefined) return failed('tool_error', 'the tools of the agent cannot be read', context.usage())
      const tools = [...parts.tools, ...bound]
      try {
        return await converse({ ...options, ...parts, tools, offered: offeredTools(options.config, tools) }, context)
      } catch (error) {
        if (context.signal.aborted) return stopped(context.signal, context.usage())
        if (error instanceof ModelError) return failed(error.failReason, error.message, context.usage())
        return failed('agent_error', error instanceof Error ? error.message : String(error), context.usage())
      }
    },
  }
}

async function readBoundTools({ boundTools }: LoopParts): Promise<readonly Tool[] | undefined> {
  return boundTools === undefined ? [] : boundTools().catch(() => undefined)
}

function offeredTools(config: AgentConfig, tools: readonly Tool[]): readonly ToolDefinition[] {
  const listed = ({ name }: ToolDefinition): boolean => config.tools.some((entry) => entry.name === name)
  const offered = tools.filter(({ always, definition }) => always === true || listed(definition))
  return [...offered.map(({ definition }) => definition), ...(listed(askHuman) ? [askHuman] : [])]
}

interface Scope extends Omit<LoopOptions, 'parts'>, LoopParts {
  readonly offered: readonly ToolDefinition[]
}

async function converse(scope: Scope, context: RunContext): Promise<InvokeResult> {
  const { resume } = context.request.context ?? {}
  const conversation =
    resume === undefined
      ? startConversation(scope.config, context.request, await recallTurns(scope.turns, context))
      : fromCheckpoint(resume.checkpoint)
  if (conversation === undefined)
    return failed('agent_error', 'the checkpoint of the paused run is invalid', context.usage())
  return takeSteps(scope, context, conversation).finally(() => conversation.open?.span?.end('ok'))
}

async function takeSteps(scope: Scope, context: RunContext, conversation: Conversation): Promise<InvokeResult> {
  const resolutions = resolutionsById(context.request)
  for (;;) {
    // A step whose model call waited continues.
    if (conversation.awaitsModel !== true) {
      const interrupts = await makePendingCalls(conversation, { ...scope, context, resolutions })
      if (conversation.pending.length > 0) return pause(context, interrupts, toCheckpoint(conversation))
      finishStep(context, conversation)
      context.signal.throwIfAborted()
      if (conversation.steps >= scope.config.limits.maxSteps)
        return failed('agent_error', `limits.maxSteps (${scope.config.limits.maxSteps}) was reached`, context.usage())
      beginStep(context, conversation)
    }
    conversation.awaitsModel = false
    const answer = await askModel(scope, context, conversation).catch((error: unknown) => waitFor(context, error))
    if ('interrupts' in answer) {
      conversation.awaitsModel = true
      return pause(context, answer.interrupts, toCheckpoint(conversation))
    }
    conversation.messages.push(assistantMessage(answer.text, answer.toolCalls))
    conversation.pending = answer.toolCalls
    if (answer.toolCalls.length > 0) continue
    finishStep(context, conversation)
    await storeTurn(scope.turns, context, conversation.messages)
    return { state: 'succeeded', output: answer.text, usage: context.usage() }
  }
}

/** Returns what the failed model call waits for (approval or budget). Throws the error if it waits for neither. */
function waitFor(context: RunContext, error: unknown): { readonly interrupts: readonly Interrupt[] } {
  if (awaitsApproval(context, error)) return { interrupts: [] }
  if (error instanceof BudgetHold && !context.signal.aborted)
    return { interrupts: [toInterrupt({ reason: 'budget_hold', question: error.message })] }
  throw error
}

function awaitsApproval({ approvals, signal }: RunContext, error: unknown): boolean {
  if (signal.aborted || approvals === undefined || approvals.pending().length === 0) return false
  return error instanceof ModelError && error.answered.code === 'guardrail_approval_required'
}

// A fallback is used only before any text was streamed: parts of two responses must not be mixed.
async function askModel(scope: Scope, context: RunContext, conversation: Conversation): Promise<ModelResponse> {
  const { route = '', fallbackRoutes = [] } = scope.config.model ?? {}
  const routes = [route, ...fallbackRoutes]
  for (const [index, name] of routes.entries()) {
    const shown = showMessage(context, stepTrace(context, conversation).spanId)
    try {
      return await callModel({ scope, context, conversation, route: name, shown })
    } catch (error) {
      const again = error instanceof ModelError && error.retryable && !shown.any() && !context.signal.aborted
      if (!again || index === routes.length - 1) throw error
    }
  }
  throw new ModelError('the agent has no model route')
}

async function callModel(call: {
  scope: Scope
  context: RunContext
  conversation: Conversation
  route: string
  shown: ShownMessage
}): Promise<ModelResponse> {
  const { scope, context, conversation, route, shown } = call
  const parent = stepTrace(context, conversation)
  const about = { [genAi.operation]: genAiOperations.chat, [genAi.requestModel]: route }
  const span = context.start('model call', { 'mesh.model.route': route, ...about }, parent)
  let decisions = 0
  const startedAt = performance.now()
  const reported = () => ({ route, durationMs: Math.round(performance.now() - startedAt), parentSpanId: parent.spanId })
  // The conversation grows until the content is read.
  const asked = conversation.messages.slice()
  const fail = (error: unknown): void => {
    context.signal.removeEventListener('abort', abort)
    span.end('error', { [genAi.decisions]: decisions }, () => readRequest({ messages: asked }))
    context.report(noUsage, { ...reported(), error: describeFailure(error) }, span.spanId)
  }
  // Immediately: no entry can follow the outcome of a run that exceeded its time limit.
  const abort = (): void => fail(new ModelError(`the run was stopped (${String(context.signal.reason)})`))
  context.signal.addEventListener('abort', abort, { once: true })
  try {
    const answer = await scope.model({
      route,
      messages: conversation.messages,
      tools: scope.offered,
      runId: context.runId,
      traceparent: span.traceparent,
      parentSpanId: parent.spanId,
      signal: context.signal,
      approvals: context.approvals,
      onText: (text) => shown.add(text, span.spanId),
      onFindings: (findings) => {
        decisions += findings.length
        for (const finding of findings) context.emit('guardrail.decided', { ...toDecided(finding) }, span.spanId)
      },
    })
    span.end('ok', { ...modelCallAttributes(answer), [genAi.decisions]: decisions }, () => ({
      ...readRequest({ messages: asked }),
      output: readResponse({ choices: [{ message: assistantMessage(answer.text, answer.toolCalls) }] }) ?? [],
    }))
    shown.finish(answer.text, span.spanId)
    const cost = answer.cost === undefined ? {} : { cost: answer.cost }
    context.report(answer.usage, { ...reported(), model: answer.model, ...cost }, span.spanId)
    return answer
  } catch (error) {
    if (!context.signal.aborted) fail(error)
    throw error
  } finally {
    context.signal.removeEventListener('abort', abort)
  }
}

/** Describes a failed model call for its node in the tree of the run. */
function describeFailure(error: unknown): object {
  const message = error instanceof Error ? error.message.slice(0, 1_000) : 'unknown'
  return error instanceof ModelError
    ? { code: error.failReason, message, ...error.answered }
    : { code: 'model_error', message }
}

interface ShownMessage {
  any(): boolean
  add(text: string, spanId: string): void
  finish(text: string, spanId: string): void
}

function showMessage(context: RunContext, parentSpanId: string): ShownMessage {
  const messageId = newMessageId()
  let started = false
  return {
    any: () => started,
    add(text, spanId) {
      if (!started) context.emit('message.started', { messageId, role: 'assistant', parentSpanId }, spanId)
      started = true
      context.delta(messageId, text, spanId)
    },
    finish(text, spanId) {
      if (started) context.emit('message.finished', { messageId, role: 'assistant', text }, spanId)
    },
  }
}
