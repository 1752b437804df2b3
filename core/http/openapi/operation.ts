import type { TSchema } from 'typebox'
import { isObject } from '#core/json/is-object.ts'
import type { AnyEndpoint } from '../endpoint/endpoint.ts'
import { isOpen } from '../endpoint/authz.ts'
import type { Authz, ReviewAuthz } from '../endpoint/authz.ts'
import { YAML_TYPE } from '../input/body-errors.ts'
import type { MountedEndpoint } from '../endpoint/mounted-endpoint.ts'
import { exampleOf } from '#schemas/values/example-of.ts'
import { paramNames } from '../input/params.ts'
import { headersReadBy, headersSentBy } from './headers.ts'
import { problemsOf } from './problems.ts'
import { toDocumentSchema } from './schemas.ts'
import type { Components } from './schemas.ts'

/** Renders one operation; its titled schemas are added to `components`. */
export function toOperation({ endpoint }: MountedEndpoint, tag: string, components: Components): object {
  const { authz, summary } = endpoint
  return {
    operationId: endpoint.id ?? derivedId(endpoint),
    tags: [tag],
    summary,
    description: `Access: ${accessOf(authz)}`,
    ...(isOpen(authz) ? { security: [] } : {}),
    'x-mesh-authz': shortAccess(authz),
    parameters: [
      ...pathParameters(endpoint, components),
      ...queryParameters(endpoint, components),
      ...headersReadBy(endpoint),
    ],
    ...requestBody(endpoint, components),
    responses: { ...responses(endpoint, components), ...problemsOf(endpoint) },
  }
}

// Clients of oapi-codegen have an argument `server` of their own: a parameter of this name would not compile.
function pathParameters({ url, params }: AnyEndpoint, components: Components): readonly object[] {
  return paramNames(url).map((name) => ({
    name: name === '*' ? 'path' : name,
    in: 'path',
    required: true,
    ...(name === 'server' ? { 'x-go-name': 'ServerName' } : {}),
    ...describedSchema(propertiesOf(params)[name] ?? kubernetesName(name), components),
  }))
}

function kubernetesName(name: string): object {
  return {
    type: 'string',
    maxLength: name === 'name' ? 253 : 63,
    description: name === 'name' ? 'Name of the object (RFC 1123).' : 'Namespace (RFC 1123).',
  }
}

function queryParameters({ query }: AnyEndpoint, components: Components): readonly object[] {
  const required = query !== undefined && 'required' in query && Array.isArray(query.required) ? query.required : []
  return Object.entries(propertiesOf(query)).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...describedSchema(schema, components),
  }))
}

// Renderers and generators read the description of a parameter, not that of its schema. A component keeps its own.
function describedSchema(schema: unknown, components: Components): object {
  const written = toDocumentSchema(schema, components)
  if (!isObject(written)) return { schema: written }
  const { description, ...rest } = written
  const shown = '$ref' in written ? components[String(written['$ref']).split('/').at(-1) ?? ''] : undefined
  const text = isObject(shown) ? shown['description'] : description
  return { ...(text === undefined ? {} : { description: text }), schema: rest }
}

function requestBody({ body, docs, handleYaml, fileTypes = [] }: AnyEndpoint, components: Components): object {
  if (body === undefined) return {}
  const schema = toDocumentSchema(body, components, { closed: true })
  const examples = docs?.examples === undefined ? {} : { examples: docs.examples }
  const yaml = handleYaml === undefined ? {} : { [YAML_TYPE]: { schema: yamlText, example: yamlText.examples[0] } }
  const files = Object.fromEntries(fileTypes.map((type) => [type, { schema: fileBytes }]))
  return {
    requestBody: { required: true, content: { 'application/json': { schema, ...examples }, ...yaml, ...files } },
  }
}

const fileBytes = { type: 'string', format: 'binary', description: 'The file as it is.' }

const yamlText = {
  type: 'string',
  description: 'An agent file: the simplified format, or objects of Kubernetes.',
  examples: ['name: hello\nmodel: {route: mock}\nsystemPrompt: You greet people in one sentence.\n'],
}

const meanings: Readonly<Record<number, string>> = {
  201: 'Created.',
  202: 'Accepted.',
  204: 'Done; no body.',
  304: 'Not changed; no body.',
}

function responses(endpoint: AnyEndpoint, components: Components): Record<string, object> {
  const entries = Object.entries(endpoint.response).map(([code, schema]): [string, object] => {
    const status = Number(code)
    const description = meanings[status] ?? 'Success.'
    const headers = headersSentBy(endpoint, status)
    return [code, { description, ...headers, ...contentOf(endpoint, { status, schema }, components) }]
  })
  return Object.fromEntries(entries)
}

function contentOf(
  { docs }: AnyEndpoint,
  { status, schema }: { readonly status: number; readonly schema: TSchema },
  components: Components,
): object {
  if (status === 204 || status === 304) return {}
  const media = 'contentMediaType' in schema ? String(schema.contentMediaType) : 'application/json'
  const { events, text } = status === 200 ? (docs ?? {}) : {}
  const body = (shown: TSchema) => ({ schema: toDocumentSchema(shown, components), ...writtenExample(shown) })
  const own = docs?.response === undefined ? writtenExample(schema) : { example: docs.response }
  return {
    content: {
      [media]: { schema: toDocumentSchema(schema, components), ...own },
      ...(events === undefined ? {} : { 'text/event-stream': body(events) }),
      ...(text === undefined ? {} : { [text.type]: { schema: { type: 'string' }, example: text.example } }),
    },
  }
}

function writtenExample(schema: unknown): { readonly example?: unknown } {
  const found = exampleOf(schema)
  return found === undefined ? {} : { example: found.value }
}

function accessOf(authz: Authz): string {
  switch (authz.kind) {
    case 'kube':
      return `the cluster checks \`${authz.verb} ${authz.resource}\` as the caller.`
    case 'review':
      return `an access review of \`${authz.verb} ${qualified(authz)}\` as the caller.`
    case 'row':
      return `an access review of \`${authz.verb} ${authz.resource}\` in the namespace of each row, as the caller.`
    case 'bearer':
      return 'any authenticated caller.'
    case 'all':
      return `${authz.of.map((one) => accessOf(one).replace(/\.$/, '')).join('; and ')}.`
    case 'owner':
      return 'the caller sees only its own objects.'
    case 'agent':
      return 'the launcher of an agent.'
    case 'token':
      return `the token of ${authz.of}${authz.header === undefined ? '' : `, in \`${authz.header}\``}; no bearer of the cluster.`
    case 'public':
      return authz.shownBy === 'shareToken' ? 'the token in the path; no bearer.' : 'public; no bearer.'
  }
}

function shortAccess(authz: Authz): string {
  if (authz.kind === 'all') return `all: ${authz.of.map(shortAccess).join(' and ')}`
  if (authz.kind === 'review') return `review: ${authz.verb} ${qualified(authz)}`
  return 'verb' in authz ? `${authz.kind}: ${authz.verb} ${authz.resource}` : authz.kind
}

function derivedId({ method, url }: AnyEndpoint): string {
  const words = url.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  return [method.toLowerCase(), ...words.map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`)].join('')
}

function propertiesOf(schema: TSchema | undefined): Readonly<Record<string, TSchema>> {
  const found = schema !== undefined && 'properties' in schema ? schema.properties : undefined
  return typeof found === 'object' && found !== null ? (found as Record<string, TSchema>) : {}
}

// Formatted as in kubectl: `widgets.acme.example/status`.
function qualified({ resource, group }: ReviewAuthz): string {
  if (group === undefined) return resource
  const [plural = '', ...subresource] = resource.split('/')
  return [`${plural}.${group}`, ...subresource].join('/')
}
