import { defineApiCommand } from '#cli/contract/command.ts'
import { listOptions } from '#cli/contract/list-options.ts'

const TEXT = 'TEXT'
const server = { positional: true, required: true, value: 'NAME', help: 'name of the McpServer' } as const

/** `meshctl mcp connect`. */
export const mcpConnect = defineApiCommand({
  words: 'mcp connect',
  summary: 'connect an MCP server after asking it for its tools',
  examples: [
    ['mcp connect weather --url https://tools.example.com/mcp', 'a server without a credential'],
    ['mcp connect weather --url https://tools.example.com/mcp --auth bearer --credential-env TOKEN', 'with a token'],
    [
      'mcp connect tickets --url https://tickets.example.com/mcp --client-id mesh --credential-env SECRET',
      'with a client',
    ],
    ['mcp connect wiki --connector shipped:deepwiki', 'an entry of mcp connectors'],
  ],
  description:
    'A credential is read from a file, from standard input or from a variable, never from an argument, which other users of the machine can see.',
  options: {
    name: server,
    url: { value: 'URL', help: 'Streamable HTTP endpoint of the server' },
    connector: { value: 'ID', help: 'id of a connector, instead of the URL' },
    description: { value: TEXT, help: 'what the server is for' },
    auth: { oneOf: ['none', 'bearer', 'header', 'oauth'], help: 'how the server authenticates' },
    header: { value: 'NAME', help: 'name of the header, for --auth header' },
    'client-id': {
      value: 'ID',
      help: 'client at the authorization server, for --auth oauth; the credential is its secret',
    },
    'credential-file': { value: 'FILE', help: 'file with the token, the value or the secret; - is standard input' },
    'credential-env': { value: 'NAME', help: 'variable with the token, the value or the secret' },
  },
  load: async () => (await import('./change-servers.ts')).connectOf,
})

/** `meshctl mcp list`. */
export const mcpList = defineApiCommand({
  words: 'mcp list',
  summary: 'list MCP servers with their state',
  options: listOptions,
  load: async () => (await import('./print-servers.ts')).printServers,
})

/** `meshctl mcp tools`. */
export const mcpTools = defineApiCommand({
  words: 'mcp tools',
  summary: 'list the accepted tools of MCP servers',
  options: listOptions,
  load: async () => (await import('./print-servers.ts')).printTools,
})

/** `meshctl mcp references`. */
export const mcpReferences = defineApiCommand({
  words: 'mcp references',
  summary: 'show which bindings, registries and agents use an MCP server',
  options: { name: server },
  load: async () => (await import('./print-servers.ts')).printReferences,
})

/** `meshctl mcp connectors`. */
export const mcpConnectors = defineApiCommand({
  words: 'mcp connectors',
  summary: 'list MCP servers that can be connected',
  options: { ...listOptions, find: { value: TEXT, help: 'part of the title, the description or a tag' } },
  load: async () => (await import('./print-servers.ts')).printConnectors,
})

/** `meshctl mcp publish`. */
export const mcpPublish = defineApiCommand({
  words: 'mcp publish',
  summary: 'publish an MCP server as a connector',
  examples: [
    ['mcp publish weather --title Weather --description "Forecasts." --visible-to all', 'for every namespace'],
    ['mcp publish weather --title Weather --description "Forecasts." --visible-to none', 'ends the publication'],
  ],
  options: {
    name: server,
    title: { value: TEXT, required: true, help: 'title, for people' },
    description: { value: TEXT, required: true, help: 'what the server is for' },
    tag: { value: 'WORD', repeatable: true, help: 'word to find it by' },
    'visible-to': { value: 'NAMESPACE', repeatable: true, required: true, help: 'a namespace, or all, or none' },
  },
  load: async () => (await import('./change-servers.ts')).publishOf,
})

/** `meshctl mcp approvals`. */
export const mcpApprovals = defineApiCommand({
  words: 'mcp approvals',
  summary: 'list manifests that wait for an approval, with their changes',
  options: listOptions,
  load: async () => (await import('./print-servers.ts')).printApprovals,
})

/** `meshctl mcp approve`. */
export const mcpApprove = defineApiCommand({
  words: 'mcp approve',
  summary: 'approve the manifest of an MCP server',
  examples: [['mcp approve weather --digest sha256:...', 'the manifest that was read']],
  options: {
    name: server,
    digest: { value: 'DIGEST', required: true, help: 'digest of the manifest, from mcp approvals' },
    note: { value: TEXT, help: 'note on the approval' },
  },
  load: async () => (await import('./change-servers.ts')).approveOf,
})

/** `meshctl mcp reject`. */
export const mcpReject = defineApiCommand({
  words: 'mcp reject',
  summary: 'reject a manifest of an MCP server, or revoke its approval',
  options: {
    name: server,
    reason: { required: true, help: 'why', value: TEXT },
    digest: { value: 'DIGEST', help: 'digest of the manifest; default: the one that waits' },
  },
  load: async () => (await import('./change-servers.ts')).rejectOf,
})

/** `meshctl mcp grant`. */
export const mcpGrant = defineApiCommand({
  words: 'mcp grant',
  summary: 'print the address at which you consent to an MCP server',
  examples: [['mcp grant tickets --wait', 'waits until you have consented']],
  description: 'The address is valid for ten minutes, in a browser in which you are signed in to the console.',
  options: {
    name: server,
    scope: { value: 'SCOPE', repeatable: true, help: 'scope to ask for; default: those that the server asks for' },
    wait: { help: 'wait for the consent, and print the grant' },
  },
  load: async () => (await import('./change-grants.ts')).grantOf,
})

/** `meshctl mcp grants`. */
export const mcpGrants = defineApiCommand({
  words: 'mcp grants',
  summary: 'list your grants of MCP servers',
  load: async () => (await import('./change-grants.ts')).printGrants,
})

/** `meshctl mcp revoke`. */
export const mcpRevoke = defineApiCommand({
  words: 'mcp revoke',
  summary: 'revoke your grants of an MCP server',
  options: { name: server },
  load: async () => (await import('./change-grants.ts')).revokeGrantOf,
})
