type Node = Readonly<Record<string, unknown>>

/** Keyword of `schemas/values/shown-as.ts`. */
const SHOWN_AS = 'x-mesh-shown-as'
const branches = ['anyOf', 'oneOf', 'allOf']

/** Fields of a checked response that have a value other than null, named as in `fieldsOfDocument`. */
export function fieldsWithValues(response: unknown): string[] {
  const { endpoint, status, value } = node(response)
  const { method, url, response: responses } = node(endpoint)
  const [first] = Object.values(node(responses))
  const path = String(url).replaceAll(/:(\w+)/g, '{$1}')
  const noted: Noted = { found: new Set(), titled: new Map() }
  noteValues(node(responses)[String(status)] ?? first, value, `${method} ${path} ${status}`, noted)
  return [...noted.found]
}

interface Noted {
  readonly found: Set<string>
  /** Components met so far, since a schema that contains itself names its component. */
  readonly titled: Map<string, Node>
}

function noteValues(schema: unknown, value: unknown, owner: string, noted: Noted): void {
  const shown = shownSchema(schema, noted.titled)
  const { title, properties, items, additionalProperties, patternProperties } = shown
  const at = typeof title === 'string' ? componentOf(title) : owner
  if (typeof title === 'string') noted.titled.set(at, shown)
  for (const branch of branches.flatMap((name) => list(shown[name]))) noteValues(branch, value, at, noted)
  if (Array.isArray(value)) return value.forEach((item) => noteValues(items, item, `${at}[]`, noted))
  const [record = additionalProperties] = Object.values(node(patternProperties))
  for (const [name, field] of Object.entries(node(value))) {
    if (field === null) continue
    const declared = node(properties)[name]
    if (declared !== undefined) noted.found.add(`${at}.${name}`)
    noteValues(declared ?? record, field, declared === undefined ? `${at}{}` : `${at}.${name}`, noted)
  }
}

function shownSchema(schema: unknown, titled: ReadonlyMap<string, Node>): Node {
  const given = node(schema)
  const shown = node(given[SHOWN_AS] ?? given)
  return typeof shown['$ref'] === 'string' ? (titled.get(componentOf(shown['$ref'])) ?? shown) : shown
}

/**
 * Names of the fields of an OpenAPI document's success responses: `Run.cost` of a component, `GET /api/x 200.items` of a schema without a
 * name. Components that requests contain are left out: their fields are those that a caller wrote.
 */
export function fieldsOfDocument(document: unknown): string[] {
  const components = node(node(node(document)['components'])['schemas'])
  const written = new Set<string>()
  const read = new Map<string, Set<string>>()
  for (const { at, schema, isRequest } of bodies(document)) {
    if (isRequest) referenced(schema, components, written)
    else declare(schema, at, { components, read })
  }
  return [...read].flatMap(([owner, fields]) => (written.has(owner) ? [] : [...fields])).toSorted()
}

interface Body {
  readonly at: string
  readonly schema: unknown
  readonly isRequest: boolean
}

function bodies(document: unknown): readonly Body[] {
  return Object.entries(node(node(document)['paths'])).flatMap(([path, operations]) =>
    Object.entries(node(operations)).flatMap(([method, operation]) => {
      const { requestBody, responses } = node(operation)
      const successes = Object.entries(node(responses)).filter(([status]) => status.startsWith('2'))
      const name = `${method.toUpperCase()} ${path}`
      return [
        ...schemasOf(requestBody).map((schema) => ({ at: name, schema, isRequest: true })),
        ...successes.flatMap(([status, response]) =>
          schemasOf(response).map((schema) => ({ at: `${name} ${status}`, schema, isRequest: false })),
        ),
      ]
    }),
  )
}

function schemasOf(body: unknown): readonly unknown[] {
  const schema = node(node(node(body)['content'])['application/json'])['schema']
  return schema === undefined ? [] : [schema]
}

function referenced(schema: unknown, components: Node, found: Set<string>): void {
  for (const [key, value] of Object.entries(node(schema))) {
    const name = key === '$ref' ? String(value).split('/').at(-1) : undefined
    if (name !== undefined && found.has(name)) continue
    if (name !== undefined) found.add(name)
    referenced(name === undefined ? value : components[name], components, found)
  }
}

interface Declared {
  readonly components: Node
  /** Fields by owner: a component, or a response. */
  readonly read: Map<string, Set<string>>
}

function declare(schema: unknown, at: string, into: Declared, owner = at): void {
  if (schema === undefined) return
  const { $ref, properties, items, additionalProperties } = node(schema)
  if (typeof $ref === 'string') {
    const name = $ref.split('/').at(-1) ?? ''
    if (into.read.has(name)) return
    into.read.set(name, new Set())
    return declare(into.components[name], name, into)
  }
  for (const branch of branches.flatMap((name) => list(node(schema)[name]))) declare(branch, at, into, owner)
  const fields = into.read.get(owner) ?? new Set()
  into.read.set(owner, fields)
  for (const [name, field] of Object.entries(node(properties))) {
    fields.add(`${at}.${name}`)
    declare(field, `${at}.${name}`, into, owner)
  }
  declare(items, `${at}[]`, into, owner)
  declare(additionalProperties, `${at}{}`, into, owner)
}

/** Name of a component, of its title or of a reference to it. */
function componentOf(title: string): string {
  return (title.split('/').at(-1) ?? '').replaceAll(/[^A-Za-z0-9._-]/g, '')
}

function node(value: unknown): Node {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
