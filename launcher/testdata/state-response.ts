import type { StateResponse } from '../contract/state/state-client.ts'

/** A response of the state role with a JSON body. */
export function stateResponse(status: number, body: unknown = {}): StateResponse {
  return { status, headers: {}, body: body as StateResponse['body'], bytes: Buffer.from(JSON.stringify(body)) }
}
