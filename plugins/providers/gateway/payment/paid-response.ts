import { createTokenCount } from '#core/model-apis/token-count.ts'
import type { TokenCount } from '#core/model-apis/token-count.ts'
import type { ResponseSink } from '../../contract/adapter.ts'
import type { RouteTarget } from '../route/targets.ts'
import type { Counted, UsageMeter } from '../response/usage-meter.ts'

/** What has arrived of a response. */
export interface SeenResponse {
  readonly target: RouteTarget
  readonly usage: Counted
  /** Estimate of the output of a stream so far; undefined for a document. */
  readonly outputTokens: number | undefined
}

/** Creates a meter of responses in the form in which providers send them. */
export type MeterOf = (streamed: boolean) => UsageMeter

/** Reads from the response of a provider what it costs, before filters hold back or change it. */
export interface PaidResponse {
  /** The sink for an attempt at a target; bytes are passed on unchanged. `meterOf` returns a meter that leaves them so, too. */
  from(target: RouteTarget, sink: ResponseSink, meterOf: MeterOf): ResponseSink
  /** Undefined: no provider has begun to answer with success. */
  seen(): SeenResponse | undefined
}

interface Answering {
  readonly target: RouteTarget
  readonly meter: UsageMeter
  readonly count: TokenCount | undefined
}

/** Creates a reader. */
export function createPaidResponse(): PaidResponse {
  let answering: Answering | undefined
  return {
    from: (target, sink, meterOf) => ({
      head(status, contentType, retryAfter) {
        const streamed = contentType.startsWith('text/event-stream')
        if (status >= 200 && status <= 299)
          answering = { target, meter: meterOf(streamed), count: streamed ? createTokenCount() : undefined }
        sink.head(status, contentType, retryAfter)
      },
      data(chunk) {
        answering?.meter.pass(chunk)
        answering?.count?.add(chunk)
        return sink.data(chunk)
      },
    }),
    seen() {
      if (answering === undefined) return undefined
      const { target, meter, count } = answering
      return { target, usage: meter.counted(), outputTokens: count?.tokens() }
    },
  }
}
