import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { signInAtIssuer } from '#core/http/sessions/oidc/testing/start-issuer.ts'
import type { Persona } from '#local/data-folder/personas.ts'
import type { Scope } from '#test/harness/scope.ts'
import { clusterOf, startAll } from './embedded.ts'
import { createSend } from './send.ts'
import type { RawAnswer } from './send.ts'
import { untilObserved } from './until-observed.ts'

/** A run as a person reads it. */
export interface ShownRun {
  readonly state: string
  readonly output: unknown
  readonly subject: string
  readonly interrupts: readonly {
    readonly id: string
    readonly reason: string
    readonly consent?: { readonly namespace: string; readonly server: string; readonly path: string }
  }[]
}

const namespace = 'default'

/** The embedded default on a data folder, for people who consent to MCP servers on this machine. */
export async function startForConsents(t: Scope, data: string) {
  const all = await startAll(t, data, { flags: ['--no-demo'], env: { MESH_OUTBOUND_ALLOW: '127.0.0.1' } })
  const { url, tokens, kubeconfig } = all.ready
  const cluster = clusterOf(kubeconfig)
  const kube = createSend(t, cluster.server, cluster.ca)
  const send = untilObserved(createSend(t, url))
  const ask = (persona: Persona, line: string, body?: object): Promise<RawAnswer> => {
    const [method = '', path = ''] = line.split(' ')
    return send({ method, path: `/api${path}`, bearer: tokens[persona], ...(body === undefined ? {} : { body }) })
  }
  const run = async (id: string): Promise<ShownRun> => (await ask('developer', `GET /runs/${id}`)).json<ShownRun>()
  return {
    ...all,
    ask,
    run,
    /** Creates an object of the platform as cluster-admin. */
    create: async (plural: string, kind: string, name: string, spec: object): Promise<void> => {
      const path = `/apis/mesh.dev/v1alpha1/namespaces/${namespace}/${plural}`
      const body = { apiVersion: 'mesh.dev/v1alpha1', kind, metadata: { namespace, name }, spec }
      const made = await kube({ method: 'POST', path, bearer: tokens.admin, body })
      assert.equal(made.status, 201, made.text)
    },
    /** Starts a run, and returns its id and state. */
    invoke: async (name: string): Promise<{ readonly runId: string; readonly state: string }> => {
      const invoked = await ask('developer', 'POST /invoke', { agent: { namespace, name }, input: 'Go.' })
      assert.ok(invoked.status < 300, invoked.text)
      const shown = invoked.json<{ readonly runId: string; readonly state: string }>()
      assert.notEqual(shown.state, 'failed', (await ask('developer', `GET /runs/${shown.runId}`)).text)
      return shown
    },
    /** Consents as a person does: at the authorization server, whose redirect the console posts. */
    consent: async (persona: Persona, server: string): Promise<void> => {
      const begun = await ask(persona, 'POST /mcp/oauth/grant', { namespace, server })
      assert.equal(begun.status, 201, begun.text)
      const callback = await signInAtIssuer(begun.json<{ authorizationUrl: string }>().authorizationUrl)
      assert.equal(callback.href.startsWith(`${url}/oauth/callback?`), true, callback.href)
      const done = await ask(persona, 'POST /mcp/oauth/complete', Object.fromEntries(callback.searchParams))
      assert.equal(done.status, 200, done.text)
    },
    /** Waits for a state of a run. */
    until: async (id: string, isWanted: (run: ShownRun) => boolean): Promise<ShownRun> => {
      for (const end = performance.now() + 60_000; ; await pause(50)) {
        const shown = await run(id)
        if (isWanted(shown)) return shown
        assert.ok(performance.now() < end, JSON.stringify(shown))
      }
    },
  }
}

const script = [{ toolCalls: [{ name: 'tickets_echo', arguments: { text: 'hi' } }], reply: 'Echoed.' }]
const tools = [{ name: 'tickets', bindingRef: { name: 'tickets' } }]

type ConsentsPlatform = Awaited<ReturnType<typeof startForConsents>>

/** Connects a server whose tools need consent, reads them with a grant of the admin, and creates agents that are bound to it. */
export async function addConsentedAgents(
  platform: ConsentsPlatform,
  url: string,
  agents: readonly object[],
): Promise<void> {
  const { create, ask, consent } = platform
  await create('mcpservers', 'McpServer', 'tickets', { url, auth: { kind: 'oauth' } })
  await addBoundAgents(platform, agents)
  // The tools are read with the grant of a person who may update the server.
  await consent('admin', 'tickets')
  for (const end = performance.now() + 60_000; ; await pause(100)) {
    const { status } = (await ask('admin', 'GET /mcpservers/default/tickets')).json<{
      status?: { toolCount?: number }
    }>()
    if (status?.toolCount === 1) return
    assert.ok(performance.now() < end, JSON.stringify(status))
  }
}

/** Creates agents that are bound to the server `tickets`, and whose model calls its tool. */
export async function addBoundAgents({ create, ask }: ConsentsPlatform, agents: readonly object[]): Promise<void> {
  await create('mcptoolbindings', 'McpToolBinding', 'tickets', { serverRef: { name: 'tickets' } })
  await create('modelproviders', 'ModelProvider', 'script', { type: 'mock', mock: { script } })
  await create('modelroutes', 'ModelRoute', 'script', { providerRef: { name: 'script' }, model: 'mock-1' })
  for (const agent of agents) {
    const made = await ask('developer', 'POST /agents', { namespace, config: { ...agent, tools } })
    assert.equal(made.status, 201, made.text)
  }
}
