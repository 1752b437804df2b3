import assert from 'node:assert/strict'
import test from 'node:test'
import { createOutbound } from '#core/http-client/outbound.ts'
import type { ObjectRef } from '#core/kube/client.ts'
import { isStatus } from '#core/kube/status.ts'
import { addRoute } from '#plugins/providers/testing/gateway.ts'
import { apply, clusters } from '#plugins/providers/testing/manager.ts'
import { GuardrailPolicy } from '#schemas/crds/guardrail-policy.ts'
import type { GuardrailPolicyObject, GuardrailRule } from '#schemas/crds/guardrail-policy.ts'
import { guardrails } from './index.ts'
import { policyReconciler } from './reconcilers.ts'
import { applyPolicy, wordRule } from './testing/policies.ts'

const http = (url: string): GuardrailRule => ({ name: 'r', action: 'block', http: { url, onFailure: 'closed' } })
const deep = (levels: number): object => (levels === 0 ? { type: 'string' } : { items: deep(levels - 1) })

test('guardrails: the status of a policy names the field that cannot be applied', async (t) => {
  const { admin, manager } = await clusters.real(t)
  const namespace = `gs-${process.pid}`
  await apply(admin, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  const outbound = createOutbound({ allow: [] })
  t.after(() => outbound.close())
  const { reconcile, watches = [] } = policyReconciler({ cluster: manager, outbound, now: () => new Date() })
  const ref = (name: string): ObjectRef => ({ namespace, name }) as ObjectRef
  const statusOf = async (name: string, rules: readonly GuardrailRule[]) => {
    await applyPolicy(admin, namespace, name, { rules: [...rules] })
    await reconcile(ref(name), undefined)
    const { metadata, status } = await admin.get<GuardrailPolicyObject>(GuardrailPolicy, ref(name))
    const accepted = status?.conditions?.find(({ type }) => type === 'Accepted')
    assert.equal(accepted?.observedGeneration, metadata.generation)
    return accepted
  }
  const good = await statusOf('good', [wordRule('mask'), { ...wordRule('block'), name: 'b' }])
  assert.deepEqual([good?.status, good?.reason, good?.message], ['True', 'Accepted', '2 rules are applied.'])

  const invalid: readonly (readonly [GuardrailRule, RegExp])[] = [
    [
      { name: 'r', action: 'block', regex: { patterns: ['ok', 'secret('] } },
      /^spec\.rules\[0\]\.regex\.patterns\[1\] is no/,
    ],
    [
      { name: 'r', action: 'block', regex: { patterns: ['((a{50}){50}){50}'] } },
      /^spec\.rules\[0\]\.regex\.patterns\[0\] /,
    ],
    [
      { name: 'r', action: 'block', outputSchema: { properties: { a: { pattern: 'x' } } } },
      /^spec\.rules\[0\]\.outputSchema\.properties\.a /,
    ],
    [{ name: 'r', action: 'block', outputSchema: deep(40) as Record<string, unknown> }, /more than 32 levels deep/],
  ]
  for (const [rule, message] of invalid) {
    const accepted = await statusOf('bad', [rule])
    assert.deepEqual([accepted?.status, accepted?.reason], ['False', 'InvalidRule'])
    assert.match(accepted?.message ?? '', message)
    assert.equal(accepted?.message.includes('secret('), false)
  }

  const models: GuardrailRule = {
    name: 'r',
    action: 'block',
    models: { allow: ['cheap', `${namespace}/dear`, 'gpt-*'] },
  }
  await addRoute(admin, namespace, 'cheap', { provider: { type: 'mock' } })
  const unknown = await statusOf('models', [models])
  assert.deepEqual([unknown?.status, unknown?.reason], ['False', 'UnknownModel'])
  assert.equal(unknown?.message, `spec.rules[0].models.allow[1]: there is no route ${namespace}/dear.`)
  await addRoute(admin, namespace, 'dear', { provider: { type: 'mock' } })
  const route = { apiVersion: 'mesh.dev/v1alpha1', kind: 'ModelRoute', metadata: { namespace, name: 'dear' } }
  assert.deepEqual(
    await watches[0]?.toRefs(route as never, manager, 'present'),
    [ref('models')],
    'a new route reconciles the policy',
  )
  assert.equal((await statusOf('models', [models]))?.status, 'True')

  const refused = await statusOf('http', [http('http://169.254.169.254/latest')])
  assert.deepEqual([refused?.status, refused?.reason], ['False', 'AddressRefused'])
  assert.match(refused?.message ?? '', /^spec\.rules\[0\]\.http\.url: /)
  assert.deepEqual(
    guardrails.kinds?.map(({ endpoints }) => endpoints.map(({ method, url }) => `${method} ${url}`)),
    [['GET /guardrailpolicies']],
  )

  await t.test('the API server refuses policies that no schema can express', async () => {
    const wrong: readonly object[] = [
      { rules: [] },
      { rules: [wordRule('block'), wordRule('block')] },
      { rules: [{ name: 'r', action: 'block' }] },
      { rules: [{ name: 'r', action: 'block', pii: {}, secrets: {} }] },
      { rules: [{ name: 'r', action: 'mask', models: { allow: ['x'] } }] },
      { rules: [{ name: 'R', action: 'block', pii: {} }] },
      { rules: [{ name: 'r', action: 'block', mask: 'x', pii: {} }] },
      { rules: [http('http://user:pw@host/')] },
      { rules: Array.from({ length: 33 }, (_, nth) => ({ ...wordRule('block'), name: `r${nth}` })) },
    ]
    const metadata = { name: 'wrong', namespace }
    for (const spec of wrong) {
      const object = { apiVersion: 'mesh.dev/v1alpha1', kind: 'GuardrailPolicy', metadata, spec }
      const refusal = await admin.create(GuardrailPolicy, object as never).then(
        () => undefined,
        (error: unknown) => error,
      )
      assert.ok(isStatus(refusal, 422), `${JSON.stringify(spec).slice(0, 80)}: ${String(refusal)}`)
    }
  })
})
