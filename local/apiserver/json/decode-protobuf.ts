import { readFileSync } from 'node:fs'
import { setKey } from './json-value.ts'
import type { Json, JsonObject } from './json-value.ts'

/**
 * Decodes bodies in the Kubernetes protobuf encoding: typed clients of client-go (`kubectl create` among them) send built-in kinds in it.
 * Responses are always JSON, which those clients accept.
 */

interface Field {
  readonly name: string
  readonly type: string
  readonly mode: string
}

type Message = ReadonlyMap<number, Field>

/** Group to the package of protobuf-messages.json; the core group is `core`. */
const PACKAGES: { readonly [group: string]: string } = {
  '': 'core',
  'rbac.authorization.k8s.io': 'rbac',
  'networking.k8s.io': 'networking',
  'coordination.k8s.io': 'coordination',
  'events.k8s.io': 'events',
  'discovery.k8s.io': 'discovery',
  'authentication.k8s.io': 'authentication',
  'authorization.k8s.io': 'authorization',
}
const MAGIC = Buffer.from('k8s\0', 'latin1')
const DEPTH_LIMIT = 100

let table: Map<string, Message> | undefined

function readTable(): Map<string, Message> {
  const raw: { [name: string]: string } = JSON.parse(
    readFileSync(new URL('./protobuf-messages.json', import.meta.url), 'utf8'),
  )
  return new Map(Object.entries(raw).map(([name, fields]) => [name, toMessage(fields)]))
}

function toMessage(fields: string): Message {
  return new Map(
    fields
      .split(';')
      .filter(Boolean)
      .map((field): [number, Field] => {
        const [number = '', name = '', type = '', mode = ''] = field.split(',')
        return [Number(number), { name, type, mode }]
      }),
  )
}

/** One field on the wire: a number (varint, fixed) or bytes. */
interface Wire {
  number: number
  value: bigint | Buffer
}

function varint(bytes: Buffer, at: number): [bigint, number] {
  let value = 0n
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = bytes[at]
    if (byte === undefined) throw new Error('unexpected EOF')
    at += 1
    value |= BigInt(byte & 0x7f) << shift
    if (byte < 0x80) return [value, at]
  }
  throw new Error('proto: integer overflow')
}

function* wires(bytes: Buffer): Generator<Wire> {
  let at = 0
  while (at < bytes.length) {
    const [tag, afterTag] = varint(bytes, at)
    const number = Number(tag >> 3n)
    const type = Number(tag & 7n)
    const [first, after] = type === 1 || type === 5 ? [0n, afterTag] : varint(bytes, afterTag)
    const end = type === 2 ? after + Number(first) : type === 1 ? after + 8 : type === 5 ? after + 4 : after
    if (end > bytes.length || ![0, 1, 2, 5].includes(type)) throw new Error('unexpected EOF')
    yield { number, value: type === 0 ? first : bytes.subarray(after, end) }
    at = end
  }
}

const field = (bytes: Buffer, number: number): bigint | Buffer | undefined => {
  for (const wire of wires(bytes)) if (wire.number === number) return wire.value
  return undefined
}

const integer = (value: bigint | Buffer | undefined): number =>
  typeof value === 'bigint' ? Number(BigInt.asIntN(64, value)) : 0
const text = (value: bigint | Buffer | undefined): string => (Buffer.isBuffer(value) ? value.toString('utf8') : '')

function time(bytes: Buffer, micro: boolean): Json | undefined {
  const seconds = integer(field(bytes, 1))
  if (bytes.length === 0 || seconds === -62_135_596_800) return undefined
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19)
  return micro ? `${whole}.${String(Math.trunc(integer(field(bytes, 2)) / 1000)).padStart(6, '0')}Z` : `${whole}Z`
}

function rawJson(bytes: Buffer): Json | undefined {
  const raw = text(field(bytes, 1))
  return raw === '' ? undefined : JSON.parse(raw)
}

/** Messages whose JSON form is not an object of their fields. */
const SPECIAL: { readonly [type: string]: (bytes: Buffer) => Json | undefined } = {
  'meta.Time': (bytes) => time(bytes, false),
  'meta.MicroTime': (bytes) => time(bytes, true),
  'meta.FieldsV1': rawJson,
  'runtime.RawExtension': rawJson,
  'resource.Quantity': (bytes) => text(field(bytes, 1)),
  'intstr.IntOrString': (bytes) => (integer(field(bytes, 1)) === 1 ? text(field(bytes, 3)) : integer(field(bytes, 2))),
  extra: (bytes) => [...wires(bytes)].filter((wire) => wire.number === 1).map((wire) => text(wire.value)),
}

function scalar(type: string, value: bigint | Buffer): Json {
  if (type === 'bool') return value === 1n
  if (type === 'bytes') return Buffer.isBuffer(value) ? value.toString('base64') : ''
  return type === 'string' ? text(value) : integer(value)
}

function decodeValue(type: string, value: bigint | Buffer, depth: number): Json | undefined {
  const message = table?.get(type)
  if (message || SPECIAL[type]) {
    if (!Buffer.isBuffer(value)) throw new Error(`proto: wrong wireType for ${type}`)
    return message ? decodeMessage(message, value, depth + 1) : SPECIAL[type]?.(value)
  }
  return scalar(type, value)
}

/** A field that is not a pointer is always on the wire; its zero value means absent, as `omitempty` does. */
const isZero = (value: Json): boolean =>
  value === '' ||
  value === 0 ||
  value === false ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0)

function decodeMessage(message: Message, bytes: Buffer, depth: number): JsonObject {
  if (depth > DEPTH_LIMIT) throw new Error(`exceeded max depth of ${DEPTH_LIMIT}`)
  const out: JsonObject = {}
  for (const { number, value } of wires(bytes)) {
    const known = message.get(number)
    if (known) place(out, known, value, depth)
  }
  return out
}

function place(out: JsonObject, { name, type, mode }: Field, value: bigint | Buffer, depth: number): void {
  if (mode === 'm' || mode === 'x') return placeEntry(out, name, type, { value, depth })
  const decoded = decodeValue(type, value, depth)
  if (decoded === undefined) return
  if (mode === 'r') {
    const list = out[name]
    if (Array.isArray(list)) list.push(decoded)
    else out[name] = [decoded]
  } else if (mode === 'i') Object.assign(out, decoded)
  else if (mode === 'p' || !isZero(decoded)) out[name] = decoded
}

function placeEntry(
  out: JsonObject,
  name: string,
  type: string,
  entry: { value: bigint | Buffer; depth: number },
): void {
  if (!Buffer.isBuffer(entry.value)) throw new Error(`proto: wrong wireType for ${name}`)
  const at = out[name]
  const map: JsonObject = typeof at === 'object' && at !== null && !Array.isArray(at) ? at : (out[name] = {})
  const value = field(entry.value, 2)
  const decoded = value === undefined ? '' : decodeValue(type, value, entry.depth)
  setKey(map, text(field(entry.value, 1)), decoded ?? null)
}

/** Decodes one object; throws an Error with the reason if it is not an object, or is of a kind without a table. */
export function decodeProtobuf(body: Buffer): JsonObject {
  if (!body.subarray(0, 4).equals(MAGIC)) throw new Error('the body is not in the Kubernetes protobuf encoding')
  table ??= readTable()
  const envelope = body.subarray(4)
  const typeMeta = field(envelope, 1)
  const raw = field(envelope, 2)
  if (!Buffer.isBuffer(typeMeta) || !Buffer.isBuffer(raw))
    throw new Error('the protobuf envelope has no type or no object')
  const apiVersion = text(field(typeMeta, 1))
  const kind = text(field(typeMeta, 2))
  const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : ''
  const message =
    kind === 'DeleteOptions' ? table.get('meta.DeleteOptions') : table.get(`${PACKAGES[group] ?? group}.${kind}`)
  if (!message) throw new Error(`no protobuf table for ${apiVersion}, Kind=${kind}`)
  return { kind, apiVersion, ...decodeMessage(message, raw, 0) }
}
