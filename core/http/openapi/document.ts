import type { MountedEndpoint } from '../endpoint/mounted-endpoint.ts'
import { headerParameters, responseHeaders } from './headers.ts'
import { toOperation } from './operation.ts'
import { tagOf } from './operation-names.ts'
import { problemResponses, problemSchema } from './problems.ts'
import { toDocumentSchema } from './schemas.ts'
import type { Components } from './schemas.ts'

/** Input of the document. */
export interface OpenApiInput {
  readonly catalog: readonly MountedEndpoint[]
  readonly version: string
  /** Purpose of each plugin, by name: descriptions of the tags. */
  readonly summaries: ReadonlyMap<string, string>
  /** Codes of the errors that plugins declare. */
  readonly errorCodes?: readonly string[]
}

/** Renders OpenAPI 3.1 of the mounted endpoints, sorted so that the output is deterministic. */
export function toOpenApi({ catalog, version, summaries, errorCodes = [] }: OpenApiInput): object {
  const schemas: Components = {}
  toDocumentSchema(problemSchema(errorCodes), schemas)
  const shown = catalog.filter(({ wiring }) => wiring !== 'hidden').toSorted((a, b) => compare(keyOf(a), keyOf(b)))
  const plugins = new Set(shown.map(({ plugin }) => plugin))
  const tags = new Set<string>()
  const paths: Record<string, Record<string, unknown>> = {}
  for (const mounted of shown) {
    const path = pathOf(mounted)
    const tag = tagOf(mounted, plugins)
    tags.add(tag)
    paths[path] = {
      ...paths[path],
      [mounted.endpoint.method.toLowerCase()]: toOperation(mounted, tag, schemas),
    }
  }
  const components = {
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', description: "The caller's own cluster bearer token." },
    },
    schemas: sortedByKey(schemas),
    responses: problemResponses(),
    parameters: headerParameters(),
    headers: responseHeaders,
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'mesh control plane',
      version,
      description: 'Agents, their runs and the audit log. The cluster authorizes each request as its caller.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    servers: [{ url: '/', description: 'The server that serves this document.' }],
    security: [{ bearer: [] }],
    tags: tagsOf(tags, summaries),
    paths,
    components: onlyUsed(components, paths),
  }
}

// A plugin whose operations all have the tag of a collection has no group of its own.
function tagsOf(names: ReadonlySet<string>, summaries: ReadonlyMap<string, string>): readonly object[] {
  return [...names]
    .toSorted(compare)
    .map((name) => ({ name, description: summaries.get(name) ?? `Routes of the plugin ${name}.` }))
}

// Linters refuse unused components, and which ones are used depends on the plugins.
function onlyUsed<T extends Readonly<Record<string, object>>>(components: T, paths: object): object {
  const text = JSON.stringify([paths, components])
  const isUsed = (section: string, name: string): boolean =>
    section === 'securitySchemes' || text.includes(`"#/components/${section}/${name}"`)
  const sections = Object.entries(components).map(([section, parts]) => [
    section,
    Object.fromEntries(Object.entries(parts).filter(([name]) => isUsed(section, name))),
  ])
  return Object.fromEntries(sections) as object
}

function sortedByKey(record: Components): Components {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => compare(a, b)))
}

function pathOf({ prefix, endpoint }: MountedEndpoint): string {
  return `${prefix}${endpoint.url}`.replaceAll(/:([A-Za-z]+)/g, '{$1}').replace(/\/\*$/, '/{path}')
}

function keyOf(mounted: MountedEndpoint): string {
  return `${pathOf(mounted)} ${mounted.endpoint.method}`
}

// Sorted by code unit, not by locale: the document is compared byte for byte.
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
