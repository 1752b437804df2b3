import { plural } from '#ui/text/plural.ts'

/** The words of the pages of MCP servers, in English. */
export const serversText = {
  title: 'MCP servers',
  noun: 'MCP server',
  about: 'A server of tools that agents may call, with the definitions that were accepted.',
  columns: { tools: 'Tools', waiting: 'Waiting', address: 'Address' },
  waits: (count: number) => `${plural(count, 'change', 'changes')} to accept`,
  connect: 'Connect',
  connection: { title: 'Connection' },
  manifest: {
    title: 'Accepted tools',
    none: 'No definitions are accepted yet.',
    protocol: (version: string) => `MCP ${version}`,
  },
  drift: {
    title: 'The server offers something else',
    first: 'The server waits for the acceptance of its tools',
    blocked: 'What differs is blocked until a person accepts it. Read it: the texts are those of the server.',
    accept: 'Accept these definitions',
  },
  references: {
    title: 'Used by',
    bindings: 'Bindings',
    registries: 'Registries',
    agents: 'Agents',
    none: 'none',
    denied: 'you may not list them',
    loading: 'Looking for what uses it',
    cut: 'There are more than one response reads.',
    bind: 'New binding',
  },
  dialog: {
    title: 'Connect an MCP server',
    hint: 'The server is asked for its tools before anything is stored. A credential goes to a Secret, and is never shown again.',
    action: 'Connect',
    name: 'Name',
    namespace: 'Namespace',
    url: 'Address',
    urlHint: 'Its streamable HTTP endpoint',
    urlExample: 'https://tools.example.com/mcp',
    steps: {
      label: 'Handshake',
      resolve: 'Resolve the address',
      connect: 'Connect',
      initialize: 'Begin a session',
      list_tools: 'List the tools',
    },
    ms: (ms: number) => `${ms} ms`,
    taken: 'The namespace has an MCP server with this name.',
    connected: (name: string, tools: number) => `${name} is connected: it offers ${plural(tools, 'tool', 'tools')}.`,
    waiting: (name: string) =>
      `${name} is connected. Its tools are read with the consent of a person: grant it on its page.`,
    open: 'Open the server',
    close: 'Close',
  },
} as const
