import { readResponse } from '#schemas/wire/read-response.ts'
import type { PathResponse } from '#schemas/wire/read-response.ts'
import { requestTarget } from '#schemas/wire/state-path.ts'
import type { PathParams, StatePath } from '#schemas/wire/state-path.ts'
import type { StateCall, StateClient } from './state-client.ts'

type Sent = Pick<StateCall, 'headers' | 'signal' | 'timeoutMs' | 'json'>

/** Input of a call of a path. `json` is an already serialized body, in place of `body`. */
export type PathCall<Url extends string, Request> = Sent & {
  readonly query?: Readonly<Record<string, string | number | undefined>>
} & (keyof PathParams<Url> extends never ? { readonly params?: undefined } : { readonly params: PathParams<Url> }) &
  (unknown extends Request ? { readonly body?: undefined } : { readonly body?: Request })

/** Calls a path of the state role. Rejects without a complete response. */
export async function callState<Url extends string, Request, Response>(
  state: StateClient,
  path: StatePath<Url, Request, Response>,
  { params, query, body, ...call }: PathCall<Url, Request>,
): Promise<PathResponse<Response>> {
  const sent: StateCall = { ...(call as Sent), method: path.method, path: requestTarget(path, params, query) }
  return readResponse(path, await state(body === undefined ? sent : { ...sent, body: body as object }))
}
