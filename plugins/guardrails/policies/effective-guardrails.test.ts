import assert from 'node:assert/strict'
import test from 'node:test'
import { effectiveEndpoint } from '#plugins/agents/routes/effective.ts'
import { servePlugin } from '#plugins/agents/testing/serve.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { needs } from '#test/harness/find-server.ts'
import { applyPolicy, wordRule } from '../testing/policies.ts'
import { effectiveGuardrails } from './effective-guardrails.ts'

const real = needs('etcd', 'kube-apiserver', 'kubectl')

interface Effective {
  readonly guardrails: readonly {
    readonly namespace: string
    readonly name: string
    readonly found: boolean | null
    readonly rules: readonly { readonly name: string }[] | null
    readonly from: { readonly kind: string; readonly name: string; readonly field: string }
  }[]
  readonly namespaceGuardrails: boolean
}

test('the policies of an agent say where they come from, in the order of launchers', real, async (t) => {
  const endpoint = effectiveEndpoint({ effective: () => [effectiveGuardrails] })
  const { ask, admin, namespace, other } = await servePlugin(t, 'effective', () => [endpoint])
  const rules = [wordRule('mask')]
  await applyPolicy(admin, namespace, 'own', { rules })
  await applyPolicy(admin, namespace, 'wide', { rules, appliesTo: 'namespace' })
  await applyPolicy(admin, namespace, 'unused', { rules })
  await applyPolicy(admin, other, 'open', { rules, allowedNamespaces: [namespace] })
  await applyPolicy(admin, other, 'closed', { rules })
  const named = ['own', 'gone', 'wide']
  const guardrails = [
    ...named.map((name) => ({ name })),
    { name: 'open', namespace: other },
    { name: 'closed', namespace: other },
  ]
  await admin.create(AgentDeployment, {
    apiVersion: AgentDeployment.apiVersion,
    kind: AgentDeployment.kind,
    metadata: { name: 'guarded', namespace },
    spec: { model: { route: 'mock' }, guardrails },
  })
  await admin.create(AgentDeployment, {
    apiVersion: AgentDeployment.apiVersion,
    kind: AgentDeployment.kind,
    metadata: { name: 'plain', namespace },
    spec: { model: { route: 'mock' } },
  })
  const shown = async (who: string, name: string) => {
    const response = await ask(who, 'GET', `/agents/${namespace}/${name}/effective`)
    assert.equal(response.status, 200, response.text)
    const body = response.json<Effective>()
    const found = body.guardrails.map(({ name: policy, found: exists, from }) => [policy, exists, from.field])
    return { found, complete: body.namespaceGuardrails, rules: body.guardrails[0]?.rules }
  }
  const field = (index: number): string => `spec.guardrails[${index}]`
  assert.deepEqual(await shown('operator', 'guarded'), {
    found: [
      ['own', true, field(0)],
      ['gone', false, field(1)],
      ['wide', true, field(2)],
      ['open', true, field(3)],
      ['closed', false, field(4)],
    ],
    complete: true,
    rules: [{ name: 'mask', action: 'mask' }],
  })
  const { found } = await shown('viewer', 'guarded')
  assert.deepEqual(found.slice(3), [
    ['open', null, field(3)],
    ['closed', null, field(4)],
  ])
  assert.deepEqual((await shown('viewer', 'plain')).found, [['wide', true, 'spec.appliesTo']])
})
