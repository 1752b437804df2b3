/** The words of the pages of tools, in English. */
export const toolsText = {
  title: 'Tools',
  view: 'Lists of tools',
  views: { tools: 'Catalog', bindings: 'Bindings', registries: 'Registries' },
  search: 'Filter by name, title or description',
  server: 'Server',
  note: 'Accepted tools, by server. A page has the tools of 20 servers.',
  columns: {
    tool: 'Tool',
    server: 'Server',
    hints: 'Hints',
    state: 'State',
    tools: 'Tools',
    approvals: 'Wait for a person',
    bindings: 'Bindings',
  },
  usable: 'Usable',
  notUsable: 'Server not ready',
  empty: 'No accepted tools',
  emptyDetail: 'Connect an MCP server: the tools that it offers stand here once they are accepted.',
  servers: 'MCP servers',
  gone: 'The tool is not on this page of the catalog.',
  bindings: {
    title: 'Tool bindings',
    noun: 'tool binding',
    about: 'A binding says which tools of a server agents may call, and which calls wait for a person.',
  },
  registries: {
    title: 'Tool registries',
    noun: 'tool registry',
    about: 'A registry joins bindings, so that agents use them as one.',
  },
} as const
