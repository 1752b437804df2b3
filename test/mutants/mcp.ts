import type { Mutant } from './mutant.ts'

const discovery = ['plugins/mcp/discovery/discover.test.ts']
const pin = ['plugins/mcp/manifest/pin-manifest.test.ts']
const bindings = ['plugins/mcp/bindings/select-tools.test.ts']
const broker = ['plugins/mcp/broker/broker.test.ts']
const results = ['plugins/mcp/results/judge.test.ts']
const port = ['launcher/listeners/discovery/discovery.test.ts']
const loop = ['launcher/agent/bound-tools.test.ts']

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
    file: 'schemas/platform-secrets.ts',
    find: "    labels[MCP_CREDENTIAL_LABEL] === 'true' ||\n",
    replace: '',
    tests: ['plugins/agents/reconcile/reconcile-agent.test.ts'],
    only: 'a reference to a Secret of the platform',
  },
  {
    name: 'mcp: the entry of an agent widens its binding',
    file: 'plugins/mcp/bindings/select-tools.ts',
    find: 'restrictions.every(({ allow })',
    replace: 'restrictions.some(({ allow })',
    tests: bindings,
  },
  {
    name: 'mcp: an approval of the binding is not needed by an entry without one',
    file: 'plugins/mcp/bindings/select-tools.ts',
    find: 'requiresApproval: restrictions.some(',
    replace: 'requiresApproval: restrictions.every(',
    tests: bindings,
  },
  {
    name: 'mcp: a tool without hints counts as harmless',
    file: 'plugins/mcp/bindings/select-tools.ts',
    find: 'destructiveHint = true',
    replace: 'destructiveHint = false',
    tests: bindings,
  },
  {
    name: 'mcp: tools of the former manifest are offered after another one was accepted',
    file: 'plugins/mcp/bindings/select-tools.ts',
    find: 'spec.acceptedManifest === undefined || spec.acceptedManifest === manifestDigest ? tools : []',
    replace: 'tools',
    tests: bindings,
  },
  {
    name: 'mcp: a tool is called though its server offers another manifest',
    file: 'plugins/mcp/broker/call-tool.ts',
    find: 'offered.digest !== digest || definition === undefined',
    replace: 'definition === undefined',
    tests: broker,
  },
  {
    name: 'mcp: a binding serves agents of every namespace',
    file: 'plugins/mcp/broker/bound-tools.ts',
    find: "if (!mayRefer(agent.namespace, namespace, binding.spec.allowedNamespaces)) return 'not_allowed'",
    replace: '',
    tests: broker,
  },
  {
    name: 'mcp: a result of any size is returned',
    file: 'plugins/mcp/broker/tool-result.ts',
    find: 'Buffer.byteLength(JSON.stringify(read)) > maxBytes',
    replace: 'maxBytes === 0',
    tests: broker,
  },
  {
    name: 'mcp: a result that breaks the outputSchema of its tool is returned',
    file: 'plugins/mcp/broker/call-tool.ts',
    find: '      checkPromised(call.bound, result)\n',
    replace: '',
    tests: broker,
  },
  {
    name: 'mcp: a schema of a server copies lists for free',
    file: 'plugins/mcp/results/list-keywords.ts',
    find: '    spend(value.length)\n',
    replace: '',
    tests: results,
  },
  {
    name: 'mcp: a keyword that is not interpreted refuses results below not',
    file: 'plugins/mcp/results/verdict.ts',
    find: 'return verdict === undefined ? undefined : !verdict',
    replace: 'return !verdict',
    tests: results,
  },
  {
    name: 'mcp: tools of one namespace that hang take every place',
    file: 'plugins/mcp/broker/call-places.ts',
    find: 'all >= total || own >= perNamespace',
    replace: 'all >= total',
    tests: broker,
  },
  {
    name: 'mcp: an own agent calls a tool that waits for a person',
    file: 'launcher/tools/call-approval.ts',
    find: 'if (!tool.requiresApproval) return',
    replace: 'if (tool.requiresApproval) return',
    tests: port,
  },
  {
    name: 'mcp: an approval allows the same call twice',
    file: 'launcher/tools/call-approval.ts',
    find: 'counts.set(call, before + 1)',
    replace: '',
    tests: port,
  },
  {
    name: 'mcp: an approval allows other arguments',
    file: 'launcher/tools/call-approval.ts',
    find: 'canonicalJson([tool.name, tool.digest, args])',
    replace: 'canonicalJson([tool.name, tool.digest])',
    tests: port,
  },
  {
    name: 'mcp: the loop calls a tool that waits for a person',
    file: 'launcher/agent/tool-calls.ts',
    find: 'if (!isNamed && tool?.requiresApproval !== true) return undefined',
    replace: 'if (!isNamed) return undefined',
    tests: loop,
  },
  {
    name: 'mcp: a run goes on without its tools',
    file: 'launcher/agent/loop.ts',
    find: 'boundTools().catch(() => undefined)',
    replace: 'boundTools().catch(() => [])',
    tests: loop,
  },
  {
    name: 'mcp: a header may say something else than the argument that it repeats',
    file: 'launcher/listeners/discovery/argument-headers.ts',
    find: 'return isEqual ? undefined',
    replace: 'return isEqual || values.length === 1 ? undefined',
    tests: ['launcher/listeners/discovery/discovery.test.ts'],
    only: 'headers of revision 2026-07-28 that repeat arguments',
  },
  {
    name: 'mcp: each failed call is a write to the API server',
    file: 'plugins/mcp/broker/report-call.ts',
    find: 'age < PAUSE_MS && (before.reason === reason || age < MIN_PAUSE_MS)',
    replace: 'age < 0',
    tests: ['plugins/mcp/broker/report-call.test.ts'],
  },
  {
    name: 'mcp: a manifest that a call finds changed is not read again',
    file: 'plugins/mcp/reconcilers.ts',
    find: "status?.failedCall?.reason === 'ManifestChanged' ?",
    replace: "status?.failedCall?.reason === 'other' ?",
    tests: ['plugins/mcp/reconcilers.test.ts'],
    only: 'a changed manifest waits for acceptance',
  },
  {
    name: 'mcp: a registry of another namespace need not allow the agent',
    file: 'plugins/mcp/broker/bound-tools.ts',
    find: 'if (!mayRefer(agent.namespace, namespace, registry.spec.allowedNamespaces))',
    replace: 'if (registry.spec.bindings.length === 0)',
    tests: ['plugins/mcp/broker/broker.test.ts'],
    only: 'calls of MCP tools by launchers',
  },
  {
    name: 'secrets: an agent gets the key of a provider through a binding',
    file: 'plugins/secrets/find-secret.ts',
    find: 'if (isPlatformSecret(secret.metadata))',
    replace: 'if (secret.kind === name)',
    tests: ['plugins/secrets/secrets.test.ts'],
  },
]
