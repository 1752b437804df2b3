import type { ReceivedResponse } from '#schemas/wire/read-response.ts'

/** A response of the state role with a JSON body. */
export function stateResponse(status: number, body: unknown = {}): ReceivedResponse {
  return { status, headers: {}, bytes: Buffer.from(JSON.stringify(body)) }
}
