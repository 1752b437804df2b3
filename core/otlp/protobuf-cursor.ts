import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import { boundText } from './raw-span.ts'
import { OtlpMalformed } from './span.ts'

/** Fields of nested messages, read in place by their ends: a view of each part costs more than reading it. */
export class ProtobufCursor {
  /** Number of the current field. */
  field = 0
  /** Its wire type. */
  wire: WireType = WireType.Varint
  readonly #bytes: Buffer
  readonly #reader: BinaryReader

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#reader = new BinaryReader(this.#bytes)
  }

  /** Reads numbers, which are checked by the next call of `next`. */
  get numbers(): Pick<BinaryReader, 'uint32' | 'int64' | 'fixed64' | 'double' | 'bool'> {
    return this.#reader
  }

  get position(): number {
    return this.#reader.pos
  }

  /** Moves to the next field of the message that ends at `end`; false at its end. Throws `OtlpMalformed` beyond it. */
  next(end: number): boolean {
    if (this.#reader.pos > end) throw tornMessage()
    if (this.#reader.pos === end) return false
    const [field, wire] = this.#reader.tag()
    this.field = field
    this.wire = wire
    return true
  }

  /** Enters the content of a field with a length, in the message that ends at `end`; returns the end of the content. */
  enter(end: number): number {
    const length = this.#reader.uint32()
    const stop = this.#reader.pos + length
    if (stop > end) throw tornMessage()
    return stop
  }

  /** Moves to a position: after a content, or back to the start of a message. */
  moveTo(position: number): void {
    this.#reader.pos = position
  }

  /** Skips a field that is not read: of a newer protocol, or of another type. */
  skip(): void {
    this.#reader.skip(this.wire, this.field)
  }

  /** The rest up to `stop` as a string of at most `most` UTF-16 units. It is cut before it is decoded: a character has at most four bytes. */
  text(stop: number, most: number): string {
    const start = this.#reader.pos
    this.#reader.pos = stop
    return boundText(this.#bytes.toString('utf8', start, Math.min(stop, start + most * 4)), most)
  }

  /** The rest up to `stop` as lower-case hex digits. An id longer than that of a trace is invalid and is not decoded. */
  hex(stop: number): string {
    const start = this.#reader.pos
    this.#reader.pos = stop
    return stop - start > 16 ? 'x' : this.#bytes.toString('hex', start, stop)
  }

  /** The rest up to `stop` as base64. */
  base64(stop: number): string {
    const start = this.#reader.pos
    this.#reader.pos = stop
    return this.#bytes.toString('base64', start, stop)
  }
}

function tornMessage(): OtlpMalformed {
  return new OtlpMalformed('must be a protobuf message of OTLP')
}
