import type { TestContext } from 'node:test'
import { Value } from 'typebox/value'
import { createOutbound } from '#core/http-client/outbound.ts'
import type { KubeClient, ObjectRef } from '#core/kube/client.ts'
import type { UnenforcedField } from '#core/plugin/enforced-fields.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { tokenOf } from '#test/harness/service-accounts.ts'
import { apply } from '#plugins/providers/testing/manager.ts'
import { McpServer } from '#schemas/crds/mcp-server.ts'
import type { McpServerSpec, McpServerStatus } from '#schemas/crds/mcp-server.ts'
import type { McpToolBindingSpec } from '#schemas/crds/mcp-tool-binding.ts'
import { ToolRegistry } from '#schemas/crds/tool-registry.ts'
import { createTestCore, serveRole, startStateCluster } from '#test/harness/role.ts'
import { createWithSession } from '../client/session.ts'
import { discover } from '../discovery/discover.ts'
import { mcp } from '../index.ts'
import { mcpSettings } from '../contract/settings.ts'
import type { McpSettings } from '../contract/settings.ts'

const apiVersion = 'mesh.dev/v1alpha1'

/** A response of the state role. */
export interface BrokerAnswer {
  readonly status: number
  readonly etag: string | null
  readonly body: Readonly<Record<string, unknown>>
}

/** The state role with the plugin and exactly its rights, on a real kube-apiserver; it ends with the test. */
export async function startBrokerRole(t: TestContext, settings: Partial<McpSettings> = {}) {
  const cluster = await startStateCluster(t)
  const { kube, admin, callers, identity } = cluster
  const outbound = createOutbound({ allow: ['127.0.0.1'] })
  const unenforced: UnenforcedField[] = []
  const core = createTestCore(t, { role: 'state', outbound, cluster: callers, unenforced: () => unenforced })
  const services = mcp.create(core, { ...Value.Create(mcpSettings), ...settings }, { runs: undefined })
  const url = await serveRole(t, {
    role: 'state',
    core,
    platform: { callers, store: undefined, directory: undefined, identity },
    built: [{ plugin: mcp as AnyPlugin, services, wired: { wiring: 'ready' } }],
    close: async () => {
      await services.close()
      await outbound.close()
      await cluster.close()
    },
  })
  return { url, admin, kube, unenforced, metrics: () => core.metrics.render(), ...mcpObjectsIn(admin) }
}

/** Objects of tools, and agents that use them. */
export function mcpObjectsIn(admin: KubeClient) {
  return {
    addNamespace: (name: string) => apply(admin, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
    /** Registers a server with the tools that it offers now as the accepted ones, as the manager does. */
    addServer: async (namespace: string, name: string, spec: McpServerSpec, status?: McpServerStatus) => {
      await apply(admin, { apiVersion, kind: 'McpServer', metadata: { namespace, name }, spec })
      const body = { status: status ?? (await acceptedOf(spec.url)) }
      const ref = { namespace, name } as ObjectRef
      await admin.patch(McpServer, ref, { type: 'merge', body }, { subresource: 'status' })
    },
    addBinding: (namespace: string, name: string, spec: McpToolBindingSpec) =>
      apply(admin, { apiVersion, kind: 'McpToolBinding', metadata: { namespace, name }, spec }),
    addRegistry: (namespace: string, name: string, spec: object) =>
      admin.create(ToolRegistry, { apiVersion, kind: 'ToolRegistry', metadata: { namespace, name }, spec }),
    /** Creates an agent with its service account; resolves with a launcher's token for the state role. */
    addAgent: async (namespace: string, name: string, tools: readonly object[]) => {
      await apply(admin, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } })
      const spec = { model: { route: 'any' }, tools }
      await apply(admin, { apiVersion, kind: 'AgentDeployment', metadata: { name, namespace }, spec })
      return tokenOf(admin, namespace, name, 'state')
    },
  }
}

async function acceptedOf(url: string): Promise<McpServerStatus> {
  const dispatcher = createOutbound({ allow: ['127.0.0.1'] }).open({ connections: 1 })
  const withSession = createWithSession({ dispatcher, version: '1', maxBytes: 1024 * 1024, maxRequests: 32 })
  try {
    const found = await discover(withSession, { url, bearer: undefined })
    if ('failure' in found) throw found.failure
    return { manifestDigest: found.manifest.digest, tools: [...found.manifest.tools] }
  } finally {
    await dispatcher.destroy()
  }
}

interface Offer {
  readonly name: string
  readonly digest: string
  readonly requiresApproval: boolean
}

/** Calls the state role as a launcher does. */
export function createToolClient(url: string, token: string) {
  const send = async (method: string, path: string, body?: unknown, headers = {}): Promise<BrokerAnswer> => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    const parsed = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>
    return { status: answer.status, etag: answer.headers.get('etag'), body: parsed }
  }
  const list = (headers = {}) => send('GET', '/mcp/tools', undefined, headers)
  return {
    send,
    list,
    /** Lists the tools and calls one of them, approved if necessary. */
    call: async (tool: string, args: unknown = {}, more = {}) => {
      const items = ((await list()).body['items'] ?? []) as readonly Offer[]
      const { digest = '', requiresApproval = false } = items.find(({ name }) => name === tool) ?? {}
      const body = { arguments: args, digest, approved: requiresApproval, ...more }
      return send('POST', `/mcp/tools/${tool}/calls`, body)
    },
  }
}
