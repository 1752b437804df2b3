import { randomBytes } from 'node:crypto'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'

type Value = string | Uint8Array | bigint

function message(...fields: readonly (readonly [number: number, value: Value])[]): Uint8Array {
  const writer = new BinaryWriter()
  for (const [number, value] of fields) {
    if (typeof value === 'bigint') writer.tag(number, WireType.Bit64).fixed64(value)
    else if (typeof value === 'string') writer.tag(number, WireType.LengthDelimited).string(value)
    else writer.tag(number, WireType.LengthDelimited).bytes(value)
  }
  return writer.finish()
}

// As of an instrumented HTTP client with a model call.
const texts = ['http.request.method', 'server.address', 'url.full', 'gen_ai.request.model', 'gen_ai.operation.name']
const attributes = Array.from({ length: 10 }, (_, index) => {
  const key = texts[index] ?? `app.key.${index}`
  return [9, message([1, key], [2, message([1, `value ${index}`])])] as const
})

/** An ExportTraceServiceRequest with spans of now, of ten attributes each. */
export function encodeBatch(spans: number): Buffer {
  const now = BigInt(Date.now()) * 1_000_000n
  const traceId = randomBytes(16)
  const encoded = Array.from({ length: spans }, () =>
    message([1, traceId], [2, randomBytes(8)], [5, 'GET /items'], [7, now - 1_000_000n], [8, now], ...attributes),
  )
  const scoped = message(...encoded.map((span) => [2, span] as const))
  return Buffer.from(message([1, message([2, scoped])]))
}
