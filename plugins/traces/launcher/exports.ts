import { promisify } from 'node:util'
import type { OtlpSpan, ReceivedSpans, SpanOrigin } from '#core/otlp/span.ts'
import { OtlpMalformed } from '#core/otlp/span.ts'
import { readJsonTraces } from '#core/otlp/read-json.ts'
import { readProtobufTraces } from '#core/otlp/read-protobuf.ts'
import { parseBoundedJson, JsonRefused } from '#launcher/contract/http/bounded-json.ts'
import { Refusal } from '#launcher/contract/http/refusal.ts'
import type { SpanSink } from '#launcher/contract/thread.ts'
import { MAX_EXPORT_BYTES } from './port.ts'

/** Receives the spans of export requests. */
export interface Exports {
  /** Holds a slot for a request while its body is read; throws `Refusal` if all slots are taken. */
  admit<T>(work: () => Promise<T>): Promise<T>
  /** Decompresses, reads and queues the spans of a body. Throws `Refusal` for a body that is not an export request. */
  take(body: Buffer, form: BodyForm): Promise<Taken>
}

/** Encodings of a body. */
export interface BodyForm {
  readonly isJson: boolean
  /** Name of the compression; undefined or `identity`: none. */
  readonly compression: string | undefined
}

/** Number of refused spans, and the reason for the first one. */
export type Taken = Pick<ReceivedSpans, 'rejected' | 'reason'>

// Each slot holds a body and its parsed content.
const AT_ONCE = 16

/** Creates the receiver. `agent` has attributes of the agent, which its spans cannot override. */
export function createExports(target: Pick<SpanSink, 'add'>, agent: SpanOrigin['resource'], now = Date.now): Exports {
  let open = 0
  return {
    async admit(work) {
      if (open >= AT_ONCE) throw new Refusal('too_many_exports', undefined, { 'retry-after': '1' })
      open++
      try {
        return await work()
      } finally {
        open--
      }
    },
    async take(body, { isJson, compression }) {
      const bytes = await decompress(body, compression)
      const received = read(() =>
        isJson ? readJsonTraces(parseBoundedJson(bytes.toString('utf8')), now()) : readProtobufTraces(bytes, now()),
      )
      for (const [origin, spans] of byOrigin(received))
        target.add({ ...origin, resource: { ...origin.resource, ...agent } }, spans)
      return received
    },
  }
}

function byOrigin({ spans }: ReceivedSpans): ReadonlyMap<SpanOrigin, readonly OtlpSpan[]> {
  const groups = new Map<SpanOrigin, OtlpSpan[]>()
  for (const { origin, span } of spans) {
    const group = groups.get(origin)
    if (group === undefined) groups.set(origin, [span])
    else group.push(span)
  }
  return groups
}

function read(reading: () => ReceivedSpans): ReceivedSpans {
  try {
    return reading()
  } catch (error) {
    if (error instanceof OtlpMalformed || error instanceof JsonRefused)
      throw new Refusal('malformed_request', `the body ${error.message}`)
    throw error
  }
}

async function decompress(body: Buffer, compression: string | undefined): Promise<Buffer> {
  const name = compression?.trim().toLowerCase() ?? 'identity'
  if (name === 'identity' || name === '') return body
  if (name !== 'gzip') throw new Refusal('unsupported_media_type', 'the content encoding must be gzip or identity')
  const { gunzip, constants } = process.getBuiltinModule('node:zlib')
  try {
    return await promisify(gunzip)(body, { maxOutputLength: MAX_EXPORT_BYTES, finishFlush: constants.Z_FINISH })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ERR_BUFFER_TOO_LARGE') throw new Refusal('payload_too_large')
    throw new Refusal('malformed_request', 'the body is not valid gzip')
  }
}
