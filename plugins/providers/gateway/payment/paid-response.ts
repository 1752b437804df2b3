import type { MessageUsage } from '#core/model-apis/usage/message-usage.ts'
import type { ResponseMeter } from '#core/model-apis/usage/response-meter.ts'
import type { ResponseSink } from '../../contract/adapter.ts'
import type { RouteTarget } from '../route/targets.ts'

/** The part of a response received so far. */
export interface SeenResponse {
  readonly target: RouteTarget
  readonly streamed: boolean
  /** Undefined: the provider has not reported it. */
  readonly usage: MessageUsage | undefined
  /** Estimate of the output of a stream so far; undefined for a document. */
  readonly outputTokens: number | undefined
}

/** Creates a meter of responses in the form in which providers send them. */
export type MeterOf = (streamed: boolean) => ResponseMeter

/** Reads the usage of a provider's response before filters hold back or change the response. */
export interface PaidResponse {
  /** The sink for an attempt at a target; bytes are passed on unchanged. */
  from(target: RouteTarget, sink: ResponseSink, meterOf: MeterOf): ResponseSink
  /** Returns the received part; undefined: no provider has begun a successful response. */
  seen(): SeenResponse | undefined
}

interface Answering {
  readonly target: RouteTarget
  readonly streamed: boolean
  readonly meter: ResponseMeter
}

/** Creates a reader. */
export function createPaidResponse(): PaidResponse {
  let answering: Answering | undefined
  return {
    from: (target, sink, meterOf) => ({
      head(status, contentType, retryAfter) {
        const streamed = contentType.startsWith('text/event-stream')
        if (status >= 200 && status <= 299) answering = { target, streamed, meter: meterOf(streamed) }
        sink.head(status, contentType, retryAfter)
      },
      data(chunk) {
        answering?.meter.pass(chunk)
        return sink.data(chunk)
      },
    }),
    seen() {
      if (answering === undefined) return undefined
      const { target, streamed, meter } = answering
      meter.end()
      return { target, streamed, usage: meter.usage(), outputTokens: meter.seenTokens() }
    },
  }
}
