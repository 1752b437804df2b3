import { GatewayError } from '../../gateway/errors/gateway-error.ts'

/** Stage at which a filter decides. */
export type FilterStage = 'open' | 'request' | 'text' | 'tool_call'

/** Why a filter ended a call. */
export type StopOutcome = 'refused' | 'failed' | 'timed_out'

/** Ends a call: a filter refused it, or failed and is closed (`onFailure: 'refuse'`). No provider failed, so there is no fallback. */
export class FilterStop extends GatewayError {
  readonly filter: string
  readonly stage: FilterStage
  readonly outcome: StopOutcome
  constructor(
    at: { readonly filter: string; readonly stage: FilterStage; readonly outcome: StopOutcome },
    {
      status,
      code,
      message,
      param,
    }: {
      readonly status: number
      readonly code: string
      readonly message: string
      readonly param?: string | undefined
    },
  ) {
    super(status, code, message, param === undefined ? {} : { param })
    this.filter = at.filter
    this.stage = at.stage
    this.outcome = at.outcome
  }
}

const maxMessage = 1_000
const maxParam = 500

/** A refusal, with the code and the message of the filter. */
export function refusedBy(
  filter: string,
  stage: FilterStage,
  answer: { readonly code: string; readonly message: string; readonly param?: string | undefined },
): FilterStop {
  const message = answer.message.slice(0, maxMessage).toWellFormed()
  const param = answer.param?.slice(0, maxParam).toWellFormed()
  return new FilterStop({ filter, stage, outcome: 'refused' }, { status: 403, code: answer.code, message, param })
}

/** A failure of a closed filter. The message contains no text of its error, which may quote the content. */
export function failedIn(filter: string, stage: FilterStage, outcome: 'failed' | 'timed_out'): FilterStop {
  const what = outcome === 'failed' ? 'failed' : 'exceeded its timeout'
  const message = `The filter ${filter} ${what}, so the model call was refused.`
  return new FilterStop({ filter, stage, outcome }, { status: 503, code: 'filter_failed', message })
}
