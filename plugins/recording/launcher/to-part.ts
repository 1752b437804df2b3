import { assembleResponse, parseResponse } from '#core/model-apis/assemble/response.ts'
import type { Redactor } from '#core/guardrails/redactor.ts'
import { toStorableValue } from '#schemas/values/storable-text.ts'
import { MAX_PART_BYTES } from '#schemas/runs/fixture-format.ts'
import type { FixtureResponse, FixtureCall, FixtureRequest } from '#schemas/runs/fixture.ts'
import type { CallEnd } from '#launcher/contract/calls/recorder.ts'

/** A call that has ended, before secrets are removed. */
export interface EndedCall {
  readonly place: Omit<FixtureCall, 'channel' | 'request' | 'answer'>
  readonly call: FixtureRequest
  readonly end: CallEnd
  /** Whether the content exceeds the limits and is omitted. */
  readonly tooLarge: boolean
}

/** JSON of the part of a call, without secrets. A call that is too large keeps its position, without content. */
export async function writePart(ended: EndedCall, redactor: Redactor): Promise<string> {
  const { place, call, end, tooLarge } = ended
  const answer = tooLarge ? omitted('too_large') : await toAnswer(call, end)
  const request = withoutContent(call, tooLarge)
  const clean = (await redactor.value(toStorableValue({ request, answer }))) as {
    request: object
    answer: FixtureResponse
  }
  const text = JSON.stringify({ ...place, channel: call.channel, ...clean })
  if (Buffer.byteLength(text) <= MAX_PART_BYTES) return text
  return JSON.stringify({
    ...place,
    channel: call.channel,
    request: withoutContent(call, true),
    answer: omitted('too_large'),
  })
}

async function toAnswer(call: FixtureRequest, end: CallEnd): Promise<FixtureResponse> {
  if (end.kind === 'aborted') return end
  if (end.kind === 'value') return { kind: 'answer', body: end.body }
  if (end.kind === 'error')
    return { ...end, code: end.code?.slice(0, 128) ?? null, message: end.message.slice(0, 4_000) }
  const operation = call.channel === 'model' ? call.request.operation : ''
  const body = end.stream ? await assembleResponse(operation, end.bytes) : parseResponse(end.bytes)
  return body === undefined ? omitted('unreadable') : { kind: 'answer', body }
}

function omitted(reason: 'too_large' | 'unreadable'): FixtureResponse {
  return { kind: 'omitted', reason }
}

function withoutContent({ channel, request }: FixtureRequest, leaveOut: boolean): object {
  if (!leaveOut) return request
  return channel === 'model' ? { ...request, body: null } : { ...request, arguments: null }
}
