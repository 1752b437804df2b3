import { isObject } from '#core/json/is-object.ts'
import { readChatUsage } from '#core/model-apis/chat-usage.ts'
import { createTokenCount } from '#core/model-apis/token-count.ts'
import type { Usage } from '#schemas/runs/run.ts'
import { frameData, framesIn } from '#core/sse/stream-frames.ts'

const nothing = Buffer.alloc(0)
const usageMark = '"usage"'
const emptyUsage = '"usage":null'
const doneMark = '[DONE]'

/** Reads usage and end of a streamed answer while it is relayed. */
export interface StreamMeter {
  /** Returns the frames for the caller: without the one that has the usage only, unless it was requested, and without the last. */
  pass(whole: Buffer): Buffer
  /** Usage as the provider reported it; null: not yet, or never. */
  usage(): Usage | null
  /** Estimate of the tokens of the response so far. */
  seenTokens(): number
  /** Name of the model at the provider. */
  model(): string | undefined
  /** The frame that ends the stream (`[DONE]`), if it has arrived. */
  done(): Buffer
  /** Whether the gateway has sent an error event. */
  failed(): boolean
}

/** Creates a meter. Frames without usage are relayed as they are, unparsed. */
export function createStreamMeter(usageWanted: boolean): StreamMeter {
  const seen = createTokenCount()
  let usage: Usage | null = null
  let model: string | undefined
  let done: Buffer = nothing
  let failed = false
  const look = (frame: Buffer): Buffer => {
    const text = frameData(frame)
    if (text === doneMark) {
      done = Buffer.from(frame)
      return nothing
    }
    const chunk = parse(text)
    if (typeof chunk?.model === 'string') model ??= chunk.model
    if (isObject(chunk?.error)) failed = true
    const found = readChatUsage(chunk?.usage)
    usage = found ?? usage
    const onlyUsage = found !== undefined && Array.isArray(chunk?.choices) && chunk.choices.length === 0
    return onlyUsage && !usageWanted ? nothing : frame
  }
  return {
    pass(whole) {
      seen.add(whole)
      if (model !== undefined && isPlain(whole)) return whole
      return Buffer.concat([...framesIn(whole)].map(look))
    },
    usage: () => usage,
    seenTokens: seen.tokens,
    model: () => model,
    done: () => done,
    failed: () => failed,
  }
}

function isPlain(whole: Buffer): boolean {
  if (whole.includes(doneMark) || whole.includes('"error"')) return false
  for (let at = whole.indexOf(usageMark); at !== -1; at = whole.indexOf(usageMark, at + 1))
    if (whole.toString('latin1', at, at + emptyUsage.length) !== emptyUsage) return false
  return true
}

function parse(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = text === undefined ? undefined : JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
