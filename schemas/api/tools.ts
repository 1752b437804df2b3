import { Type } from 'typebox'
import type { Static } from 'typebox'
import { described } from '../values/described.ts'
import { anyObject, cursor, listOf, namespaceQuery, scope } from './common.ts'

/** Query of the catalog of tools. */
export const ToolQuery = Type.Object({
  namespace: Type.Optional(namespaceQuery),
  scope: Type.Optional(scope),
  cursor: Type.Optional(cursor),
})

/** Fields of a tool, as its server describes it. */
export const manifestTool = {
  name: Type.String({ description: 'Name of the tool at its server.', examples: ['forecast'] }),
  title: Type.Optional(Type.String({ description: 'Title of the tool, for people.', examples: ['Weather forecast'] })),
  description: Type.Optional(
    Type.String({
      description: 'Text of the server: show it as text.',
      examples: ['Returns the weather of a city.'],
    }),
  ),
  inputSchema: described(anyObject, 'JSON Schema of the arguments.', {
    type: 'object',
    properties: { city: { type: 'string' } },
  }),
  outputSchema: Type.Optional(described(anyObject, 'JSON Schema of the structured result.')),
  annotations: Type.Optional(
    described(anyObject, 'Hints of the server, such as readOnlyHint.', { readOnlyHint: true }),
  ),
}

/** A tool of a manifest. */
export const McpManifestTool = Type.Object(manifestTool, {
  title: 'McpManifestTool',
  description: 'A tool of a manifest. Texts are those of the server.',
})

const CatalogTool = Type.Object(
  {
    server: Type.Object(
      {
        namespace: Type.String({ description: 'Namespace of the server.', examples: ['tools'] }),
        name: Type.String({ description: 'Name of the server.', examples: ['weather'] }),
        ready: Type.Boolean({ description: 'Whether the tools of the server can be used now.', examples: [true] }),
      },
      { description: 'The McpServer.' },
    ),
    ...manifestTool,
  },
  { title: 'CatalogTool' },
)

/** A tool of the catalog. */
export type CatalogTool = Static<typeof CatalogTool>

/** Accepted tools. A page has the tools of some servers, and may be empty before the last one. */
export const ToolCatalog = listOf(CatalogTool)
