import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startMcpServer } from '#plugins/mcp/testing/mcp-server.ts'
import type { TestTool } from '#plugins/mcp/testing/mcp-server.ts'
import { namespace, readUntil, request, send } from './bff.ts'
import type { Bff } from './bff.ts'
import { exec } from './exec.ts'
import { here } from './toolbox.ts'
import type { Check, Workspace } from './workspace.ts'

// The names of the suite's tools begin with the entry of the agent that brings them.
const entries = ['test', 'json'] as const
// Milliseconds per scenario, on a machine that does other work.
const patience = ['--timeout', '120000'] as const

const image = { type: 'image', data: 'aQ==', mimeType: 'image/png' }
const resource = { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'An embedded resource.' }

/** Tools that the suite calls, by entry, without its prefix. */
const tools: Readonly<Record<(typeof entries)[number], Readonly<Record<string, TestTool>>>> = {
  test: {
    simple_text: text('This is a simple text response for testing.'),
    image_content: { result: { content: [image] } },
    audio_content: { result: { content: [{ type: 'audio', data: 'aQ==', mimeType: 'audio/wav' }] } },
    embedded_resource: { result: { content: [{ type: 'resource', resource }] } },
    multiple_content_types: {
      result: { content: [{ type: 'text', text: 'Many.' }, image, { type: 'resource', resource }] },
    },
    error_handling: {
      result: { ...text('This tool intentionally returns an error for testing').result, isError: true },
    },
    custom_header: {
      inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
    },
  },
  json: {
    schema_2020_12_tool: {
      inputSchema: JSON.parse(readFileSync(join(here, 'mcp-schema.json'), 'utf8')) as object,
    },
  },
}

type Revision = '2025-11-25' | '2026-07-28'

/** Client scenarios without authorization. The others need streams of a GET, or answers to questions of a server, which the client does not offer. */
const clientScenarios: Readonly<Record<Revision, readonly string[]>> = {
  '2025-11-25': ['initialize', 'tools_call', 'json-schema-2020-12-preservation'],
  '2026-07-28': [
    'tools_call',
    'request-metadata',
    'http-standard-headers',
    'http-custom-headers',
    'http-invalid-tool-headers',
    'json-schema-ref-no-deref',
    'json-schema-2020-12-preservation',
  ],
}

/**
 * Client scenarios with authorization, in which a person consents. The others need a document of metadata at an address of the suite, or are of
 * extensions.
 */
const consentScenarios: Readonly<Record<Revision, readonly string[]>> = {
  '2025-11-25': [
    'auth/metadata-default',
    'auth/metadata-var1',
    'auth/metadata-var2',
    'auth/metadata-var3',
    'auth/scope-from-www-authenticate',
    'auth/scope-from-scopes-supported',
    'auth/scope-omitted-when-undefined',
    'auth/scope-step-up',
    'auth/scope-retry-limit',
    'auth/token-endpoint-auth-basic',
    'auth/token-endpoint-auth-post',
    'auth/token-endpoint-auth-none',
    'auth/pre-registration',
  ],
  '2026-07-28': [
    'auth/iss-supported',
    'auth/iss-not-advertised',
    'auth/iss-supported-missing',
    'auth/iss-wrong-issuer',
    'auth/iss-unexpected',
    'auth/iss-normalized',
    'auth/metadata-issuer-mismatch',
    'auth/resource-mismatch',
    'auth/offline-access-scope',
  ],
}

function text(value: string): { readonly result: { readonly content: readonly object[] } } {
  return { result: { content: [{ type: 'text', text: value }] } }
}

const agent = `require('http').createServer((_, answer) => answer.end(process.env.DISCOVERY_PORT)).listen(process.env.AGENT_PORT)`

/**
 * The conformance suite of MCP, unchanged: against port 2999 of an agent whose tools are those of a server of the public SDK, and against the
 * client that reads manifests and calls tools, also with the tokens of a person. What the port does not offer is listed in mcp-expected-failures; a scenario of it that
 * passes is a failure.
 */
export function conformanceCheck({ folder, server }: Workspace, packages: string): Check {
  const program = join(packages, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
  const run = (...args: readonly string[]) => exec([process.execPath, program, ...args], { cwd: folder })
  const serve = (revision: Revision) => {
    const expected = join(here, 'mcp-expected-failures', `${revision}.yml`)
    return run('server', '--url', url, '--requirements', revision, '--expected-failures', expected, ...patience)
  }
  // One by one: a suite of the program runs all of its clients at once.
  const call = async (revision: Revision, scenarios: readonly string[], command: string) => {
    for (const scenario of scenarios)
      await run('client', '--command', command, '--scenario', scenario, '--spec-version', revision, ...patience)
  }
  const ends: (() => unknown)[] = []
  const client = `${process.execPath} ${join(here, 'mcp-client.ts')}`
  // Its store is WebAssembly, which is not worth optimizing for one consent.
  const consenting = `${process.execPath} --liftoff-only ${join(here, 'mcp-oauth-client.ts')}`
  let url = ''
  return {
    name: 'mcp-conformance',
    steps: {
      'bind tools': async () => {
        url = await bindTools(await server, { after: (end) => void ends.push(end) })
      },
      'server 2025-11-25': () => serve('2025-11-25'),
      'server 2026-07-28': () => serve('2026-07-28'),
      'client 2025-11-25': () => call('2025-11-25', clientScenarios['2025-11-25'], client),
      'consents 2025-11-25': () => call('2025-11-25', consentScenarios['2025-11-25'], consenting),
      'client 2026-07-28': () => call('2026-07-28', clientScenarios['2026-07-28'], client),
      'consents 2026-07-28': () => call('2026-07-28', consentScenarios['2026-07-28'], consenting),
    },
    end: async () => {
      for (const end of ends) await end()
    },
  }
}

/** Creates servers, bindings and an agent through the API. Returns the endpoint of the agent. */
async function bindTools(bff: Bff, scope: Parameters<typeof startMcpServer>[0]): Promise<string> {
  // A second run of the check has objects of its own.
  const id = randomUUID().slice(0, 8)
  for (const entry of entries) {
    const server = await startMcpServer(scope, '2026-07-28')
    server.tools.clear()
    for (const [tool, one] of Object.entries(tools[entry]))
      server.tools.set(tool, { description: `The tool ${tool} of the suite.`, ...one })
    const name = `${entry}-${id}`
    await send(bff, 'mcpservers', { name, spec: { url: server.url } })
    await send(bff, 'mcptoolbindings', { name, spec: { serverRef: { name } } })
    await readUntil(bff, `mcptoolbindings/${namespace}/${name}`, isReady)
  }
  const spec = {
    runtime: { command: [process.execPath, '-e', agent] },
    tools: entries.map((name) => ({ name, bindingRef: { name: `${name}-${id}` } })),
  }
  const name = `conformance-${id}`
  await send(bff, 'agents', { name, spec })
  const input = { agent: { namespace, name }, input: {} }
  const { output } = await request(bff, 'invoke', { method: 'POST', body: JSON.stringify(input) })
  return `http://127.0.0.1:${String(output)}/mcp`
}

interface Conditioned {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

function isReady({ status }: Conditioned): boolean {
  return status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') === true
}
