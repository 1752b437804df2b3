/** What a document of OpenAPI says about names. */
export interface NamingDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}

// Of the package that oapi-codegen generates, besides those of schemas and operations.
const ofClient = [
  'Client',
  'ClientInterface',
  'ClientOption',
  'ClientWithResponses',
  'ClientWithResponsesInterface',
  'HttpRequestDoer',
  'NewClient',
  'NewClientWithResponses',
  'RequestEditorFn',
  'WithBaseURL',
  'WithHTTPClient',
  'WithRequestEditorFn',
]

/**
 * Schemas and values of enums whose names in Go are taken. oapi-codegen declares values without a prefix and knows only the names of schemas
 * and other values: its client would not compile. An enum can name its values with `x-enum-varnames`.
 */
export function takenGoNames(document: NamingDocument): readonly string[] {
  const { schemas } = document.components
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
  const taken = new Set([...ofClient, ...operations.flatMap(({ operationId }) => namesOf(toGoName(operationId)))])
  return [
    ...new Set([...Object.keys(schemas), ...enumsIn(document).flat()].filter((name) => taken.has(toGoName(name)))),
  ]
}

function namesOf(operation: string): readonly string[] {
  const bodies = ['', 'JSON', 'Text', 'Multipart'].map((kind) => `${operation}${kind}RequestBody`)
  const response = `${operation}Response`
  return [`${operation}Params`, ...bodies, response, `Parse${response}`, `New${operation}Request`]
}

/** Names of the values of each enum. */
function enumsIn(node: unknown): readonly (readonly string[])[] {
  if (typeof node !== 'object' || node === null) return []
  const below = Object.values(node).flatMap(enumsIn)
  if (!('enum' in node) || !Array.isArray(node.enum)) return below
  const names: unknown = 'x-enum-varnames' in node ? node['x-enum-varnames'] : node.enum
  return [...below, (Array.isArray(names) ? names : node.enum).map(String)]
}

// As oapi-codegen: words begin with a capital, and what is neither letter nor digit is gone.
function toGoName(name: string): string {
  return name
    .replace(/(?:^|[^\p{L}\p{N}])(\p{Ll})/gu, (_, first: string) => first.toUpperCase())
    .replace(/[^\p{L}\p{N}]/gu, '')
}
