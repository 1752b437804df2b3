import type { InvokeResult } from '#schemas/run.ts'
import type { AgentConfig } from '../agent-config.ts'
import { pause } from '../invoke/outcome.ts'
import { failed, newMessageId, stopped } from '../invoke/run.ts'
import type { Agent, RunContext } from '../invoke/run.ts'
import { assistantMessage } from './chat.ts'
import type { ToolDefinition } from './chat.ts'
import { fromCheckpoint, resolutionsById, startConversation, toCheckpoint } from './conversation.ts'
import type { Conversation } from './conversation.ts'
import { ModelError } from './model-answer.ts'
import type { ModelAnswer } from './model-answer.ts'
import type { ModelClient } from './model-client.ts'
import { askHuman } from './own-tools.ts'
import type { Tool } from './own-tools.ts'
import { makePendingCalls } from './tool-calls.ts'

/** What the built-in loop works with; `tools` are those that it can call itself. */
export interface LoopOptions {
  readonly config: AgentConfig
  readonly model: ModelClient
  readonly tools: readonly Tool[]
}

/** The agent of a declarative deployment: asks the model, makes the calls that it wants, until it answers. */
export function createBuiltInAgent(options: LoopOptions): Agent {
  const offered = [...options.tools.map(({ definition }) => definition), askHuman].filter(
    ({ name }) => options.config.tools.some((entry) => entry.name === name) || name === 'delegate',
  )
  return {
    async run(context) {
      try {
        return await converse({ ...options, offered }, context)
      } catch (error) {
        if (context.signal.aborted) return stopped(context.signal, context.usage())
        if (error instanceof ModelError) return failed(error.failReason, error.message, context.usage())
        return failed('agent_error', error instanceof Error ? error.message : String(error), context.usage())
      }
    },
  }
}

interface Scope extends LoopOptions {
  readonly offered: readonly ToolDefinition[]
}

async function converse(scope: Scope, context: RunContext): Promise<InvokeResult> {
  const { resume } = context.request.context ?? {}
  const conversation =
    resume === undefined ? startConversation(scope.config, context.request) : fromCheckpoint(resume.checkpoint)
  if (conversation === undefined)
    return failed('agent_error', 'the checkpoint of the paused run is not readable', context.usage())
  const resolutions = resolutionsById(context.request)
  for (const resolution of resolutions.values()) context.emit('interrupt.resolved', { ...resolution })
  for (;;) {
    const interrupts = await makePendingCalls(conversation, { ...scope, context, resolutions })
    if (interrupts.length > 0) return pause(context, interrupts, toCheckpoint(conversation))
    context.signal.throwIfAborted()
    if (conversation.steps >= scope.config.limits.maxSteps)
      return failed('agent_error', `limits.maxSteps (${scope.config.limits.maxSteps}) was reached`, context.usage())
    const answer = await step(scope, context, conversation)
    if (answer.toolCalls.length === 0) return { state: 'succeeded', output: answer.text, usage: context.usage() }
  }
}

async function step(scope: Scope, context: RunContext, conversation: Conversation): Promise<ModelAnswer> {
  conversation.steps++
  const number = conversation.steps
  const startedAt = performance.now()
  context.emit('step.started', { step: number })
  const answer = await askModel(scope, context, conversation)
  conversation.messages.push(assistantMessage(answer.text, answer.toolCalls))
  conversation.pending = answer.toolCalls
  const durationMs = Math.round(performance.now() - startedAt)
  context.emit('step.finished', { step: number, durationMs, toolCalls: answer.toolCalls.length })
  return answer
}

// A fallback is asked only while nothing of the answer was shown: two halves of two answers are no answer.
async function askModel(scope: Scope, context: RunContext, conversation: Conversation): Promise<ModelAnswer> {
  const { route = '', fallbackRoutes = [] } = scope.config.model ?? {}
  const routes = [route, ...fallbackRoutes]
  for (const [index, name] of routes.entries()) {
    const shown = showMessage(context)
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
}): Promise<ModelAnswer> {
  const { scope, context, conversation, route, shown } = call
  const span = context.start('model call', { 'mesh.model.route': route })
  try {
    const answer = await scope.model({
      route,
      messages: conversation.messages,
      tools: scope.offered,
      runId: context.runId,
      traceparent: span.traceparent,
      signal: context.signal,
      onText: (text) => shown.add(text, span.spanId),
    })
    const { inputTokens, outputTokens } = answer.usage
    span.end('ok', {
      'gen_ai.response.model': answer.model,
      'gen_ai.usage.input_tokens': inputTokens,
      'gen_ai.usage.output_tokens': outputTokens,
    })
    shown.finish(answer.text, span.spanId)
    context.report(answer.usage, { route, model: answer.model, parentSpanId: context.span.spanId }, span.spanId)
    return answer
  } catch (error) {
    span.end('error')
    throw error
  }
}

interface ShownMessage {
  any(): boolean
  add(text: string, spanId: string): void
  finish(text: string, spanId: string): void
}

function showMessage(context: RunContext): ShownMessage {
  const messageId = newMessageId()
  let started = false
  return {
    any: () => started,
    add(text, spanId) {
      if (!started) context.emit('message.started', { messageId, role: 'assistant' }, spanId)
      started = true
      context.delta(messageId, text, spanId)
    },
    finish(text, spanId) {
      if (started) context.emit('message.finished', { messageId, role: 'assistant', text }, spanId)
    },
  }
}
