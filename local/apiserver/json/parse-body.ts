import { decodeProtobuf } from './decode-protobuf.ts'
import type { Json } from './json-value.ts'
import { parseYaml } from './parse-yaml.ts'

const DEPTH_LIMIT = 200
const PROTOBUF = 'application/vnd.kubernetes.protobuf'
export const MEDIA_TYPES = ['application/json', 'application/yaml', PROTOBUF]

/** Parses a body by its media type; throws an Error with the reason. */
export function parseAs(type: string, body: Buffer): Json {
  if (type === PROTOBUF) {
    const decoded = decodeProtobuf(body)
    checkShape(decoded, 0)
    return decoded
  }
  return parse(body.toString('utf8'), type === 'application/yaml')
}

/** True for a media type of an object body. */
export const isObjectType = (type: string): boolean => type === '' || MEDIA_TYPES.includes(type)

/** Parses JSON, or YAML without aliases; throws an Error with the reason. */
export function parse(text: string, yaml: boolean): Json {
  const value: Json = yaml ? parseYaml(text) : parseJson(text)
  checkShape(value, 0)
  return value
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`the body is not JSON: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

function checkShape(value: Json | undefined, depth: number): void {
  if (typeof value !== 'object' || value === null) return
  if (depth > DEPTH_LIMIT) throw new Error(`exceeded max depth of ${DEPTH_LIMIT}`)
  if (Object.hasOwn(value, '__proto__')) throw new Error('the key "__proto__" is not allowed')
  for (const item of Array.isArray(value) ? value : Object.values(value)) checkShape(item, depth + 1)
}
