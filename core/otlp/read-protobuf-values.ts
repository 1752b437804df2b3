import { WireType } from '@bufbuild/protobuf/wire'
import type { ProtobufCursor } from './protobuf-cursor.ts'
import { boundText, toAttributeMap } from './raw-span.ts'
import type { RawAttributes } from './raw-span.ts'
import { spanBounds } from './span.ts'
import type { OtlpAttributes, OtlpValue } from './span.ts'

type Attributes = RawAttributes[number][]

/** Reads a KeyValue up to `end`, and adds it unless it has no key. */
export function readAttribute(cursor: ProtobufCursor, end: number, into: Attributes): void {
  const attribute = readKeyValue(cursor, end, 0)
  if (attribute[0] !== '') into.push(attribute)
}

/** The attributes in the fields `wanted` of the message that ends at `end`, within the bounds of a span. */
export function readAttributes(cursor: ProtobufCursor, end: number, wanted: number): OtlpAttributes {
  const kept: Attributes = []
  let given = 0
  while (cursor.next(end)) {
    const isAttribute = cursor.field === wanted && cursor.wire === WireType.LengthDelimited
    if (isAttribute && given++ < spanBounds.attributes) readAttribute(cursor, cursor.enter(end), kept)
    else cursor.skip()
  }
  return toAttributeMap(kept)
}

function readKeyValue(cursor: ProtobufCursor, end: number, depth: number): RawAttributes[number] {
  let key = ''
  let value: OtlpValue = null
  while (cursor.next(end)) {
    if (cursor.wire !== WireType.LengthDelimited) {
      cursor.skip()
      continue
    }
    const { field } = cursor
    const stop = cursor.enter(end)
    if (field === 1) key = cursor.text(stop, spanBounds.key)
    else if (field === 2) value = readValue(cursor, stop, depth)
    cursor.moveTo(stop)
  }
  return [key, value]
}

function readValue(cursor: ProtobufCursor, end: number, depth: number): OtlpValue {
  let value: OtlpValue = null
  while (cursor.next(end)) {
    const { field, wire, numbers } = cursor
    if (wire === WireType.LengthDelimited) {
      const stop = cursor.enter(end)
      value = readLong(cursor, stop, depth, field) ?? value
      cursor.moveTo(stop)
    } else if (field === 2 && wire === WireType.Varint) value = numbers.bool()
    else if (field === 3 && wire === WireType.Varint) value = toInteger(numbers.int64())
    else if (field === 4 && wire === WireType.Bit64) value = numbers.double()
    else cursor.skip()
  }
  return value
}

function readLong(cursor: ProtobufCursor, end: number, depth: number, field: number): OtlpValue | undefined {
  if (field === 1) return cursor.text(end, spanBounds.text)
  if (field === 7) return boundText(cursor.base64(end), spanBounds.text)
  if ((field !== 5 && field !== 6) || depth >= spanBounds.depth) return undefined
  if (field === 5) return readMembers(cursor, end, (stop) => readValue(cursor, stop, depth + 1))
  return toAttributeMap(readMembers(cursor, end, (stop) => readKeyValue(cursor, stop, depth + 1)))
}

// The first ones; the rest is skipped.
function readMembers<T>(cursor: ProtobufCursor, end: number, read: (stop: number) => T): T[] {
  const members: T[] = []
  while (cursor.next(end)) {
    const isMember = cursor.field === 1 && cursor.wire === WireType.LengthDelimited
    if (isMember && members.length < spanBounds.members) members.push(read(cursor.enter(end)))
    else cursor.skip()
  }
  return members
}

function toInteger(value: bigint | string): number | string {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}
