import { encodeFrame } from '#core/sse/frame.ts'

/** Token counts in OpenAI's format. */
export interface WireUsage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
}

/** Token counts in OpenAI's format. */
export function wireUsage(input: number, output: number): WireUsage {
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
}

/** Fields that every object of one completion has. */
export interface CompletionHead {
  readonly id: string
  readonly created: number // seconds
  readonly model: string
}

/** A complete chat completion (OpenAI API reference, the chat completion object). */
export function completion(head: CompletionHead, message: object, reason: string, usage: WireUsage): object {
  const choices = [
    { index: 0, message: { role: 'assistant', refusal: null, ...message }, logprobs: null, finish_reason: reason },
  ]
  return { ...head, object: 'chat.completion', choices, usage }
}

/** One frame of a streamed completion. */
export function deltaFrame(head: CompletionHead, delta: object, reason: string | null = null): Buffer {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: reason }]
  return encodeFrame({ data: JSON.stringify({ ...head, object: 'chat.completion.chunk', choices }) })
}

/** The frame that carries the usage of a stream. */
export function usageFrame(head: CompletionHead, usage: WireUsage): Buffer {
  return encodeFrame({ data: JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [], usage }) })
}

/** The last frame of a stream. */
export const doneFrame = encodeFrame({ data: '[DONE]' })
