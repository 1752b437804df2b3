import type { Operation } from '../adapter.ts'
import { readModelRequest } from '../gateway/model-request.ts'
import type { Body } from '../gateway/model-request.ts'
import { isObject } from '#core/json/is-object.ts'
import type { FilterSession } from './filter-session.ts'
import { createRequestView } from './request-view.ts'

/** Fields that were decided before the filters: route, form of the answer, metering. */
const fixed = ['model', 'stream', 'stream_options', 'n'] as const

/** The filters that apply to one call, in the order of requests. */
export class CallFilters {
  readonly #sessions: readonly FilterSession[]
  constructor(sessions: readonly FilterSession[]) {
    this.#sessions = sessions
  }

  /** Returns the request as the filters leave it. Each sees the changes of those before it. Throws `FilterStop`. */
  async request<B extends Body>(operation: Operation, given: B): Promise<Body> {
    let body: Body = given
    for (const session of this.#sessions) {
      const { hooks } = session
      if (hooks.request === undefined) continue
      const view = createRequestView(operation, body)
      const changed = await session.decide(
        'request',
        () => hooks.request?.(view),
        (change) => checkChange(operation, given, change),
      )
      body = changed ?? body
    }
    return body
  }

  /** Cancels work of the filters that is still in progress. */
  close(): void {
    for (const session of this.#sessions) session.close()
  }
}

function checkChange(operation: Operation, given: Body, change: unknown): Body {
  if (!isObject(change)) throw new TypeError('the changed request must be an object')
  for (const field of fixed)
    if (JSON.stringify(change[field]) !== JSON.stringify(given[field]))
      throw new TypeError(`a filter must not change ${field}`)
  return readModelRequest(operation, change)
}
