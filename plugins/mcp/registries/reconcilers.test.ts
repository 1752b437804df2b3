import test from 'node:test'
import type { TestContext } from 'node:test'
import type { KubeObject } from '#core/kube/client.ts'
import { parseName } from '#core/kube/names.ts'
import { reconcileIn, startNamespace } from '#plugins/providers/testing/manager.ts'
import type { ApiServerMake } from '#plugins/providers/testing/manager.ts'
import { McpToolBinding } from '#schemas/crds/mcp-tool-binding.ts'
import { ToolRegistry } from '#schemas/crds/tool-registry.ts'
import type { ToolRegistryObject } from '#schemas/crds/tool-registry.ts'
import { findServer } from '#test/harness/find-server.ts'
import { toolRegistryReconciler } from './reconcilers.ts'

const apiVersion = 'mesh.dev/v1alpha1'

async function setUp(t: TestContext, make: ApiServerMake) {
  const cluster = await startNamespace(t, make, 'toolreg')
  const { admin, manager, namespace } = cluster
  const reconciler = toolRegistryReconciler({ cluster: manager, now: () => new Date() })
  reconcileIn(t, cluster, [reconciler])
  const refOf = (name: string) => ({ namespace, name: parseName('name', name) })
  const bind = (name: string) => {
    const spec = { serverRef: { name: 'crm' } }
    return admin.create(McpToolBinding, { apiVersion, kind: 'McpToolBinding', metadata: refOf(name), spec })
  }
  /** Writes what the reconciler of bindings would find. */
  const report = (name: string, toolCount: number, status: 'True' | 'False') => {
    const lastTransitionTime = '2026-01-01T00:00:00Z'
    const conditions = [{ type: 'Ready', status, reason: 'Any', message: '', lastTransitionTime }]
    const body = { status: { toolCount, conditions } }
    return admin.patch(McpToolBinding, refOf(name), { type: 'merge', body }, { subresource: 'status' })
  }
  /** Watches the registry until it has this number of tools and this condition. */
  const when = async (toolCount: number, condition: string): Promise<void> => {
    const matches = (object: KubeObject): boolean => {
      const { status } = object as ToolRegistryObject
      const found = status?.conditions?.some((one) => `${one.type}=${one.status} ${one.reason}` === condition)
      return found === true && status?.toolCount === toolCount
    }
    const selected = { namespace, fieldSelector: 'metadata.name=support' }
    const { items, resourceVersion } = await admin.list(ToolRegistry, selected)
    if (items.some(matches)) return
    for await (const event of admin.watch(ToolRegistry, { ...selected, resourceVersion, timeoutSeconds: 120 }))
      if ('object' in event && matches(event.object)) return
    throw new Error(`the registry never was ${condition}`)
  }
  return { admin, refOf, bind, report, when }
}

for (const make of ['real', 'embedded'] as const) {
  const skip = make === 'real' && findServer('kube-apiserver') === undefined ? 'no kube-apiserver' : false

  test(`mcp: a registry follows its bindings, from their absence to their removal (${make})`, { skip }, async (t) => {
    const { admin, refOf, bind, report, when } = await setUp(t, make)
    const spec = { bindings: [{ name: 'tickets' }, { name: 'calendar' }] }
    await bind('tickets')
    await admin.create(ToolRegistry, { apiVersion, kind: 'ToolRegistry', metadata: refOf('support'), spec })
    await when(0, 'Ready=False BindingMissing')
    await bind('calendar')
    await report('tickets', 3, 'True')
    await when(3, 'Ready=False BindingNotReady')
    await report('calendar', 2, 'True')
    await when(5, 'Ready=True Ready')
    await report('calendar', 2, 'False')
    await when(5, 'BindingsReady=False BindingNotReady')
    await admin.delete(McpToolBinding, refOf('calendar'))
    await when(3, 'Ready=False BindingMissing')
  })
}
