import type { CatalogTool } from '#schemas/api/tools.ts'

/** What the filter of the page asks for. */
export interface ToolFilter {
  readonly q: string | undefined
  /** `namespace/name`. */
  readonly server: string | undefined
}

/** The server of a tool, as `namespace/name`. */
function serverOf({ server: { namespace, name } }: CatalogTool): string {
  return `${namespace}/${name}`
}

/** The key of a tool in the address: unique, since a server has no two tools with a name. */
export function keyOfTool(tool: CatalogTool): string {
  return `${serverOf(tool)}/${tool.name}`
}

/** The tools that match: each word is in the name, the title or the description. Pure. */
export function filterTools(tools: readonly CatalogTool[], { q = '', server }: ToolFilter): readonly CatalogTool[] {
  const words = q.toLowerCase().split(/\s+/)
  return tools.filter((tool) => {
    const known = [tool.name, tool.title ?? '', tool.description ?? ''].join('\n').toLowerCase()
    return (server === undefined || serverOf(tool) === server) && words.every((word) => known.includes(word))
  })
}

/** The servers of tools, in the order of the alphabet. Pure. */
export function serversOf(tools: readonly CatalogTool[]): readonly string[] {
  return [...new Set(tools.map(serverOf))].toSorted((a, b) => a.localeCompare(b))
}
