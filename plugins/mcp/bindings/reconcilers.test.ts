import test from 'node:test'
import type { TestContext } from 'node:test'
import type { KubeObject } from '#core/kube/client.ts'
import { parseName } from '#core/kube/names.ts'
import { reconcileIn, startNamespace } from '#plugins/providers/testing/manager.ts'
import type { ApiServerMake } from '#plugins/providers/testing/manager.ts'
import { McpServer } from '#schemas/crds/mcp-server.ts'
import type { McpServerStatus } from '#schemas/crds/mcp-server.ts'
import { McpToolBinding } from '#schemas/crds/mcp-tool-binding.ts'
import type { McpToolBindingObject } from '#schemas/crds/mcp-tool-binding.ts'
import { findServer } from '#test/harness/find-server.ts'
import { bindingReconciler } from './reconcilers.ts'

const apiVersion = 'mesh.dev/v1alpha1'
const ready = {
  type: 'Ready',
  status: 'True',
  reason: 'Ready',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
}
const digest = (digit: string) => `sha256:${digit.repeat(64)}`
const statusOf = (digit: string, ...names: string[]): McpServerStatus => ({
  manifestDigest: digest(digit),
  tools: names.map((name) => ({ name, inputSchema: '{"type":"object"}' })),
  conditions: [{ ...ready, status: 'True' }],
})

async function setUp(t: TestContext, make: ApiServerMake) {
  const cluster = await startNamespace(t, make, 'bind')
  const { admin, manager, namespace } = cluster
  const reconciler = bindingReconciler({ cluster: manager, now: () => new Date() })
  reconcileIn(t, cluster, [reconciler])
  const refOf = (name: string) => ({ namespace, name: parseName('name', name) })
  /** Watches a binding until it has these tools and this condition. */
  const when = async (name: string, tools: readonly string[], condition: string): Promise<void> => {
    const matches = (object: KubeObject): boolean => {
      const { status } = object as McpToolBindingObject
      const found = status?.conditions?.some((one) => `${one.type}=${one.status} ${one.reason}` === condition)
      return found === true && String(status?.tools) === String(tools)
    }
    const selected = { namespace, fieldSelector: `metadata.name=${name}` }
    const { items, resourceVersion } = await admin.list(McpToolBinding, selected)
    if (items.some(matches)) return
    for await (const event of admin.watch(McpToolBinding, { ...selected, resourceVersion, timeoutSeconds: 120 }))
      if ('object' in event && matches(event.object)) return
    throw new Error(`${name} never was ${condition}`)
  }
  return { admin, refOf, when }
}

for (const make of ['real', 'embedded'] as const) {
  const skip = make === 'real' && findServer('kube-apiserver') === undefined ? 'no kube-apiserver' : false

  test(`mcp: a binding follows its server, from its absence to other tools (${make})`, { skip }, async (t) => {
    const { admin, refOf, when } = await setUp(t, make)
    const spec = { serverRef: { name: 'crm' }, allow: ['find', 'close'] }
    await admin.create(McpToolBinding, { apiVersion, kind: 'McpToolBinding', metadata: refOf('tickets'), spec })
    await when('tickets', [], 'Ready=False ServerMissing')
    const url = 'https://tools.example.com/mcp'
    await admin.create(McpServer, { apiVersion, kind: 'McpServer', metadata: refOf('crm'), spec: { url } })
    await when('tickets', [], 'Ready=Unknown NoManifest')
    const report = (status: McpServerStatus) =>
      admin.patch(McpServer, refOf('crm'), { type: 'merge', body: { status } }, { subresource: 'status' })
    await report(statusOf('a', 'close', 'drop', 'find'))
    await when('tickets', ['close', 'find'], 'Ready=True Ready')
    await report(statusOf('b', 'drop', 'find'))
    await when('tickets', ['find'], 'Ready=False UnknownTool')
    await admin.patch(McpToolBinding, refOf('tickets'), { type: 'merge', body: { spec: { allow: null } } })
    await when('tickets', ['drop', 'find'], 'Ready=True Ready')
    await admin.delete(McpServer, refOf('crm'))
    await when('tickets', [], 'Ready=False ServerMissing')
  })
}
