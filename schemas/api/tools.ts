import { Type } from 'typebox'
import { anyObject, cursor, listOf, namespaceQuery, scope } from './common.ts'

/** Query of the catalog of tools. */
export const ToolQuery = Type.Object({
  namespace: Type.Optional(namespaceQuery),
  scope: Type.Optional(scope),
  cursor: Type.Optional(cursor),
})

const CatalogTool = Type.Object(
  {
    server: Type.Object(
      {
        namespace: Type.String(),
        name: Type.String(),
        ready: Type.Boolean({ description: 'Whether the tools of the server can be used now.' }),
      },
      { description: 'The McpServer.' },
    ),
    name: Type.String(),
    title: Type.Optional(Type.String()),
    description: Type.Optional(Type.String({ description: 'Text of the server: show it as text.' })),
    inputSchema: anyObject,
    outputSchema: Type.Optional(anyObject),
    annotations: Type.Optional(anyObject),
  },
  { title: 'CatalogTool' },
)

/** Accepted tools. A page has the tools of some servers, and may be empty before the last one. */
export const ToolCatalog = listOf(CatalogTool)
