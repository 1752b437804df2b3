import { asObject, isObject } from '#core/json/is-object.ts'

type Node = Readonly<Record<string, unknown>>

/** Gaps of an OpenAPI document: places without an example or a description, and how many places there are. */
export interface DocumentGaps {
  /** Success and request bodies; without an example. */
  readonly bodies: Places
  /** Parameters; without a description. */
  readonly parameters: Places
  /** Fields of schemas; without a description. */
  readonly fields: Places
}

/** Places of one kind. */
export interface Places {
  readonly count: number
  readonly missing: readonly string[]
}

/** Finds bodies without an example, and parameters and fields without a description. */
export function findGaps(document: unknown): DocumentGaps {
  const root = asObject(document)
  const operations = operationsOf(root)
  const parameters = operations.flatMap(([route, operation]) =>
    listOf(operation.parameters).map((one) => {
      const parameter = resolve(root, one)
      return [`${route} ${String(parameter.name)}`, isDescribed(root, parameter)] as const
    }),
  )
  const bodies = operations.flatMap(([route, operation]) =>
    bodiesOf(root, operation).map(([name, media]) => [`${route} ${name}`, hasExample(media)] as const),
  )
  const fields = fieldsOf(root, '').map(([place, field]) => [place, isDescribed(root, field)] as const)
  return { bodies: toPlaces(bodies), parameters: toPlaces(parameters), fields: toPlaces(fields) }
}

/** Lines about the gaps; none if there are none. */
export function describeGaps({ bodies, parameters, fields }: DocumentGaps): readonly string[] {
  return [
    ...toLines(bodies, 'bodies have no example'),
    ...toLines(parameters, 'parameters have no description'),
    ...toLines(fields, 'fields have no description'),
  ]
}

function toLines({ count, missing }: Places, what: string): readonly string[] {
  return missing.length === 0 ? [] : [`${missing.length} of ${count} ${what}:`, ...missing.map((place) => `  ${place}`)]
}

function toPlaces(found: readonly (readonly [place: string, isThere: boolean])[]): Places {
  return { count: found.length, missing: found.flatMap(([place, isThere]) => (isThere ? [] : [place])) }
}

function resolve(root: Node, value: unknown): Node {
  const node = asObject(value)
  if (typeof node.$ref !== 'string') return node
  const steps = node.$ref.split('/').slice(1)
  return resolve(
    root,
    steps.reduce<unknown>((found, step) => asObject(found)[step], root),
  )
}

function isDescribed(root: Node, value: unknown): boolean {
  const { description, anyOf } = resolve(root, value)
  if (typeof description === 'string' && description !== '') return true
  return listOf(anyOf).some((branch) => isDescribed(root, branch))
}

function operationsOf({ paths }: Node): readonly (readonly [route: string, operation: Node])[] {
  return Object.entries(asObject(paths)).flatMap(([path, methods]) =>
    Object.entries(asObject(methods)).map(
      ([method, operation]) => [`${method.toUpperCase()} ${path}`, asObject(operation)] as const,
    ),
  )
}

function bodiesOf(root: Node, { requestBody, responses }: Node): readonly (readonly [name: string, media: Node])[] {
  const succeeded = Object.entries(asObject(responses)).filter(([status]) => status.startsWith('2'))
  return [...succeeded, ['request', requestBody] as const].flatMap(([name, body]) =>
    Object.entries(asObject(resolve(root, body).content)).flatMap(([type, value]) => {
      const media = asObject(value)
      // Bytes of a file have no example in JSON.
      return asObject(media.schema).format === 'binary' ? [] : [[`${name} ${type}`, media] as const]
    }),
  )
}

function hasExample(media: Node): boolean {
  return 'example' in media || Object.keys(asObject(media.examples)).length > 0
}

// These keywords contain values, not schemas.
const values = new Set(['example', 'examples', 'default', 'enum', 'const'])

function fieldsOf(node: unknown, place: string): readonly (readonly [place: string, field: unknown])[] {
  if (Array.isArray(node)) return node.flatMap((one, index) => fieldsOf(one, `${place}/${index}`))
  if (!isObject(node)) return []
  const own = Object.entries(asObject(node.properties)).map(
    ([name, field]) => [`${place}/properties/${name}`, field] as const,
  )
  const below = Object.entries(node).flatMap(([key, value]) =>
    values.has(key) ? [] : fieldsOf(value, `${place}/${key}`),
  )
  return [...own, ...below]
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
