import assert from 'node:assert/strict'
import test from 'node:test'
import { createOwnIdentity } from '#core/cluster/token-review.ts'
import type { KubeClient, ObjectRef } from '#core/kube/client.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { addBudgetedAgent } from '#plugins/budgets/testing/state-role.ts'
import { tokenOf } from '#test/harness/service-accounts.ts'
import { apply } from '#plugins/providers/testing/manager.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { GuardrailPolicy } from '#schemas/crds/guardrail-policy.ts'
import { createTestCore, serveRole, startStateCluster } from '#test/harness/role.ts'
import { policyEndpoint } from './state-routes.ts'
import { guardrails } from './index.ts'
import { createPolicySource } from './policies/policy-source.ts'
import { applyPolicy, wordRule } from './testing/policies.ts'

test('guardrails: launchers read the policies of their own agent, and learn of every change', async (t) => {
  const { kube, admin, account, callers, close } = await startStateCluster(t)
  const [a, b] = [`gr-${process.pid}-a`, `gr-${process.pid}-b`]
  for (const name of [a, b]) await apply(admin, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  let isAway = false
  // With exactly the rights of the state role.
  const cluster: KubeClient = {
    ...account,
    get: (...args) => (isAway ? Promise.reject(new Error('away')) : account.get(...args)),
  } as KubeClient
  const core = createTestCore(t, { role: 'state', cluster: callers })
  const plugin = { ...guardrails, stateRoutes: (_: unknown, state: never) => [policyEndpoint(state, 0)] }
  const url = await serveRole(t, {
    role: 'state',
    core,
    platform: { callers, store: undefined, directory: undefined, identity: createOwnIdentity({ cluster }) },
    built: [{ plugin: plugin as unknown as AnyPlugin, services: { core }, wired: { wiring: 'ready' } }],
    close,
  })
  const read = async (token: string, digest?: string) => {
    const headers: Record<string, string> = { authorization: `Bearer ${token}` }
    if (digest !== undefined) headers['if-none-match'] = `"${digest}"`
    const answer = await fetch(`${url}/guardrails`, { headers })
    const text = await answer.text()
    const body = (text === '' ? {} : JSON.parse(text)) as {
      digest: string
      code?: string
      detail?: string
      policies: { name: string; rules: unknown[] }[]
    }
    return {
      status: answer.status,
      etag: answer.headers.get('etag'),
      ...body,
      names: body.policies?.map(({ name }) => name),
    }
  }
  const setPolicies = (namespace: string, name: string, refs: readonly object[]) =>
    admin.patch(
      AgentDeployment,
      { namespace, name } as ObjectRef,
      { type: 'merge', body: { spec: { guardrails: refs } } } as never,
    )

  const own = await addBudgetedAgent(admin, a, 'own')
  const other = await addBudgetedAgent(admin, b, 'other')
  const rules = [wordRule('block')]
  await applyPolicy(admin, a, 'mine', { rules })
  await applyPolicy(admin, a, 'wide', { appliesTo: 'namespace', rules })
  await applyPolicy(admin, b, 'theirs', { rules })
  await setPolicies(a, 'own', [{ name: 'mine' }])

  const first = await read(own.token)
  assert.deepEqual([first.status, first.names, first.etag], [200, ['mine', 'wide'], `"${first.digest}"`])
  assert.partialDeepStrictEqual(first.policies[0]?.rules, rules)
  assert.equal((await read(own.token, first.digest)).status, 304)
  assert.deepEqual((await read(other.token)).names, [], 'policies of another namespace')

  await applyPolicy(admin, a, 'mine', { rules: [wordRule('mask')] })
  const changed = await read(own.token, first.digest)
  assert.deepEqual([changed.status, changed.digest === first.digest], [200, false])

  const closed = async (detail: RegExp): Promise<void> => {
    const { status, code, detail: given } = await read(own.token, first.digest)
    assert.deepEqual([status, code], [503, 'guardrail_unavailable'])
    assert.match(given ?? '', detail)
  }
  await setPolicies(a, 'own', [{ name: 'theirs', namespace: b }])
  await closed(/theirs does not allow the namespace/)
  await applyPolicy(admin, b, 'theirs', { rules, allowedNamespaces: [a] })
  assert.deepEqual((await read(own.token)).names, ['theirs', 'wide'])
  await setPolicies(a, 'own', [{ name: 'gone' }])
  await closed(/gone does not exist/)
  await applyPolicy(admin, a, 'gone', { rules: [{ name: 'bad', action: 'block', regex: { patterns: ['secret('] } }] })
  await closed(/spec\/rules\/0\/regex\/patterns\/0 is not a valid RE2 regular expression/)
  await admin.delete(GuardrailPolicy, { namespace: a, name: 'gone' } as ObjectRef)
  await setPolicies(a, 'own', [])

  isAway = true
  const down = await read(own.token, first.digest)
  assert.ok(down.status >= 500 && down.code !== 'guardrail_unavailable', 'launchers keep known policies for a while')
  isAway = false

  for (const bearer of ['', 'garbage', kube.tokens['admin'] ?? '', await tokenOf(admin, a, 'own', 'gateway')])
    assert.equal((await read(bearer)).status, 401)
  await apply(admin, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'no-agent', namespace: a } })
  assert.equal((await read(await tokenOf(admin, a, 'no-agent', 'state'))).status, 403, 'no agent has this name')

  await t.test('F2, F4: 1,000 policies, and policies of 1 MiB, are read within bounds or refused', async () => {
    const cached = createPolicySource(account)
    for (let count = 0; count < 1_000; count += 50)
      await Promise.all(
        Array.from({ length: 50 }, (_, nth) =>
          applyPolicy(admin, b, `many-${count + nth}`, { rules: [wordRule('block')] }),
        ),
      )
    assert.deepEqual((await cached.ofNamespace(b)).policies, [], 'none applies to the namespace')
    for (let nth = 0; nth < 33; nth++) await applyPolicy(admin, b, `many-${nth}`, { appliesTo: 'namespace', rules })
    await assert.rejects(createPolicySource(account).ofNamespace(b), { message: /^More than 32 guardrail policies/ })
    const enumeration = {
      type: 'string',
      enum: Array.from({ length: 20_000 }, (_, nth) => `value-${nth}-${'x'.repeat(30)}`),
    }
    const large = [{ name: 'form', action: 'block' as const, outputSchema: enumeration }]
    for (const name of ['large-1', 'large-2']) await applyPolicy(admin, a, name, { rules: large })
    await setPolicies(a, 'own', [{ name: 'large-1' }])
    assert.equal((await read(own.token)).status, 200)
    await setPolicies(a, 'own', [{ name: 'large-1' }, { name: 'large-2' }])
    await closed(/exceed 1048576 bytes in total/)
  })
})
