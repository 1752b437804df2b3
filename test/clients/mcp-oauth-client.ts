import { isObject } from '#core/json/is-object.ts'
import { signInAtIssuer } from '#core/http/sessions/oidc/testing/start-issuer.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { createOutbound } from '#core/http-client/outbound.ts'
import { withCredential } from '#plugins/mcp/broker/call-credential.ts'
import { createWithSession } from '#plugins/mcp/client/session.ts'
import { configuredClientOf, keepClientSecret } from '#plugins/mcp/oauth/server/configured-clients.ts'
import { createRunTokens } from '#plugins/mcp/oauth/tokens/run-tokens.ts'
import { openGrants } from '#plugins/mcp/testing/grants-world.ts'
import type { McpServerObject, McpServerSpec } from '#schemas/crds/mcp-server.ts'

// The client of the scenarios with authorization: `node mcp-oauth-client.ts URL`. A person consents at the routes of the BFF, and tools are called as
// the state role calls them. A call that needs a further consent is repeated after it, as the run is, at most this often.
const MOST_CONSENTS = 2
const hosts = ['localhost', '127.0.0.1', '::1']
const url = process.argv[2] ?? ''
const ends: (() => unknown)[] = []
const world = await openGrants({ after: (end) => void ends.unshift(end) }, hosts)
const known = clientOf(process.env['MCP_CONFORMANCE_CONTEXT'])
const spec: McpServerSpec = { url, auth: { kind: 'oauth', ...known.auth }, ...known.reference }
world.addServer('conformance', spec)
const server = {
  metadata: { namespace: 'default', name: 'conformance', uid: 'uid-conformance' },
  spec,
} as McpServerObject
const configured = configuredClientOf(server)
if (configured !== undefined) await keepClientSecret(world.services, configured, known.secret)
const run = { state: 'running', subject: 'ada', agentUid: 'agent' } as never
const runTokens = createRunTokens(world.services, { subjectOf: async () => run })
const dispatcher = createOutbound({ allow: hosts }).open({ connections: 4 })
const withSession = createWithSession({ dispatcher, version: '1', maxBytes: 1024 * 1024, maxRequests: 32 })
try {
  for (let consents = 0; ; consents += 1)
    try {
      await callTools()
      break
    } catch (error) {
      if (!needsConsent(error) || consents === MOST_CONSENTS) throw error
      await consent()
    }
} finally {
  await dispatcher.destroy()
  for (const end of ends) await end()
}
// Connections of the browser stay open at the servers of the suite.
process.exit()

function callTools(): Promise<void> {
  const cluster = { get: () => Promise.reject(new Error('the server has no Secret')) }
  return withCredential({ cluster, runTokens }, { agent: { uid: 'agent' }, runId: 'run', server }, (credential) =>
    withSession({ url, ...credential, deadlineMs: 20_000 }, async (client) => {
      const { tools } = await client.listTools()
      for (const { name } of tools) await client.callTool({ name, arguments: {} })
    }),
  )
}

function needsConsent(error: unknown): boolean {
  return error instanceof Fail && error.code === 'tool_auth_required'
}

async function consent(): Promise<void> {
  const begun = await world.ask('POST', '/grant', { server: 'conformance' })
  if (begun.status !== 201) throw new Error(`no consent begins: ${begun.text}`)
  const callback = await signInAtIssuer(String(begun.body['authorizationUrl']))
  const done = await world.ask('POST', '/complete', Object.fromEntries(callback.searchParams))
  if (done.status !== 200) throw new Error(`the consent fails: ${done.text}`)
}

// A secret is kept as the manager does, which has read it.
function clientOf(context: string | undefined) {
  const given: unknown = JSON.parse(context ?? '{}')
  const { client_id: clientId, client_secret: secret } = isObject(given) ? given : {}
  if (typeof clientId !== 'string') return { auth: {}, reference: {}, secret: undefined }
  if (typeof secret !== 'string') return { auth: { clientId }, reference: {}, secret: undefined }
  return { auth: { clientId }, reference: { secretRef: { name: 'client', key: 'secret' } }, secret }
}
