import type { Mutant } from './mutant.ts'

const discovery = ['plugins/mcp/discovery/discover.test.ts']
const pin = ['plugins/mcp/manifest/pin-manifest.test.ts']

/** Defects of MCP servers: tools that no person has accepted. */
export const mutants: readonly Mutant[] = [
  {
    name: 'mcp: a changed manifest replaces the accepted one',
    file: 'plugins/mcp/manifest/pin-manifest.ts',
    find: 'spec.acceptedManifest ?? before?.digest ?? first?.digest',
    replace: 'spec.acceptedManifest ?? offered?.digest',
    tests: pin,
  },
  {
    name: 'mcp: a description is not part of the digest',
    file: 'plugins/mcp/manifest/manifest.ts',
    find: 'const text = canonicalJson(sorted)',
    replace: 'const text = canonicalJson(sorted.map(({ description: _description, ...rest }) => rest))',
    tests: discovery,
  },
  {
    name: 'mcp: an agent refers to the token of an MCP server',
    file: 'plugins/agents/platform-secrets.ts',
    find: "    labels[MCP_CREDENTIAL_LABEL] === 'true' ||\n",
    replace: '',
    tests: ['plugins/agents/reconcile/reconcile-agent.test.ts'],
    only: 'a reference to a Secret of the platform',
  },
]
