import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import type { KubeObject } from '#core/kube/client.ts'
import { parseName } from '#core/kube/names.ts'
import { apply, reconcileIn, startNamespace } from '#plugins/providers/testing/manager.ts'
import type { ApiServerMake } from '#plugins/providers/testing/manager.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { SecretBinding } from '#schemas/crds/secret-binding.ts'
import type { SecretBindingObject } from '#schemas/crds/secret-binding.ts'
import { findServer } from '#test/harness/find-server.ts'
import { secretsGate } from './gate.ts'
import { secretsPodPart } from './pod-part.ts'
import { secretBindingReconciler } from './reconcilers.ts'

const apiVersion = 'mesh.dev/v1alpha1'

async function setUp(t: TestContext, make: ApiServerMake) {
  const cluster = await startNamespace(t, make, 'secrets')
  const { admin, manager, namespace } = cluster
  const reconciler = secretBindingReconciler({ cluster: manager, now: () => new Date() })
  reconcileIn(t, cluster, [reconciler])
  const secret = (name: string, labels: Readonly<Record<string, string>>, ...keys: readonly string[]) =>
    apply(admin, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace, name, labels },
      data: Object.fromEntries(keys.map((key) => [key, Buffer.from('canary').toString('base64')])),
    } as KubeObject)
  const bind = (name: string, of: string, ...keys: readonly string[]) => {
    const spec = { secretRef: { name: of }, env: keys.map((key) => ({ name: `${name.toUpperCase()}_${key}`, key })) }
    return apply(admin, { apiVersion, kind: 'SecretBinding', metadata: { namespace, name }, spec })
  }
  /** The reason of the condition Ready, as soon as the manager has written it. */
  const reasonOf = async (name: string): Promise<string> => {
    const readyOf = (object: KubeObject): string | undefined =>
      (object as SecretBindingObject).status?.conditions?.find(
        ({ type, observedGeneration }) => type === 'Ready' && observedGeneration === object.metadata.generation,
      )?.reason
    const selected = { namespace, fieldSelector: `metadata.name=${name}` }
    const { items, resourceVersion } = await admin.list(SecretBinding, selected)
    const [found] = items.flatMap((item) => readyOf(item) ?? [])
    if (found !== undefined) return found
    for await (const event of admin.watch(SecretBinding, { ...selected, resourceVersion })) {
      const reason = 'object' in event ? readyOf(event.object) : undefined
      if (reason !== undefined) return reason
    }
    throw new Error(`${name} has no condition`)
  }
  const agentOf = (names: readonly string[]) => {
    const metadata = { namespace, name: parseName('name', 'bot') }
    const spec = { image: 'agent:1', secrets: names.map((name) => ({ name })) }
    return { apiVersion, kind: 'AgentDeployment', metadata, spec } as AgentDeploymentObject
  }
  const partOf = async (...names: readonly string[]) => secretsPodPart(agentOf(names), manager)
  const holdOf = async (...names: readonly string[]) =>
    (await secretsGate({ agent: agentOf(names), revision: 'bot-1', deployed: undefined }, manager))?.reason
  return { secret, bind, reasonOf, partOf, holdOf }
}

for (const make of ['real', 'embedded'] as const) {
  const skip = make === 'real' && findServer('kube-apiserver') === undefined ? 'no kube-apiserver' : false

  test(
    `B7: agents get the keys of their bindings as variables, and none that the platform keeps (${make})`,
    { skip },
    async (t) => {
      const { secret, bind, reasonOf, partOf, holdOf } = await setUp(t, make)
      await secret('crm', {}, 'token', 'user')
      await secret('openai', { 'mesh.dev/provider-key': 'true' }, 'token')
      await secret('mcp', { 'mesh.dev/mcp-credential': 'true' }, 'token')
      await bind('crm', 'crm', 'token', 'user')
      await bind('openai', 'openai', 'token')
      await bind('mcp', 'mcp', 'token')
      await bind('none', 'absent', 'token')
      await bind('less', 'crm', 'token', 'gone')
      for (const [name, reason] of [
        ['crm', 'Ready'],
        ['openai', 'SecretNotForAgents'],
        ['mcp', 'SecretNotForAgents'],
        ['none', 'SecretMissing'],
        ['less', 'KeyMissing'],
      ] as const)
        assert.equal(await reasonOf(name), reason, name)
      assert.equal(await partOf(), undefined)
      const from = (key: string) => ({ secretKeyRef: { name: 'crm', key } })
      assert.deepEqual(await partOf('crm'), {
        env: [
          { name: 'CRM_token', valueFrom: from('token') },
          { name: 'CRM_user', valueFrom: from('user') },
        ],
        condition: {
          type: 'SecretsBound',
          status: 'True',
          reason: 'Bound',
          message: 'The agent has every key of its bindings.',
        },
      })
      for (const [name, reason, variables] of [
        ['openai', 'SecretNotForAgents', []],
        ['mcp', 'SecretNotForAgents', []],
        ['none', 'SecretMissing', ['NONE_token']],
        ['less', 'KeyMissing', ['LESS_token', 'LESS_gone']],
        ['unknown', 'BindingMissing', []],
      ] as const) {
        const part = await partOf(name)
        const { status, reason: why } = part?.condition ?? {}
        assert.deepEqual([part?.env?.map((one) => one.name), status, why], [variables, 'False', reason])
        assert.doesNotMatch(JSON.stringify(part), /canary/)
      }
      const holds = [await holdOf('crm', 'openai'), await holdOf('crm', 'none'), await holdOf('less')]
      assert.deepEqual(holds, [undefined, 'SecretMissing', 'KeyMissing'], 'no pod waits for a Secret that is missing')
      await secret('absent', { 'mesh.dev/provider-key': 'true' }, 'token')
      assert.deepEqual([await holdOf('none'), (await partOf('none'))?.env], [undefined, []])
    },
  )
}
