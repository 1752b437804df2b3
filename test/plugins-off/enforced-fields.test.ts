import assert from 'node:assert/strict'
import test from 'node:test'
import { plugins } from '#plugins/index.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { hasField, problemOfUnenforced, refuseUnenforced, unenforcedFields } from '#core/plugin/enforced-fields.ts'

const off = plugins.map(({ name }) => [name, { wiring: 'unwired', because: 'disabled in the settings' }] as const)
const all = unenforcedFields(AgentDeployment.kind, plugins, new Map(off))

// What the platform itself or the launcher does with a field, without a plugin.
const own = 'image executionModel runtime resources scaling pod prompt systemPrompt limits rollout'.split(' ')

test('R2-C1: each field of an agent is enforced by a plugin that names it, or by the platform itself', () => {
  const named = new Set(all.map(({ field }) => field.split(/[.[]/, 1)[0]))
  for (const field of Object.keys(AgentDeployment.spec.properties))
    assert.notEqual(
      named.has(field),
      own.includes(field),
      `spec.${field} is named by a plugin or is the platform's own`,
    )
  for (const { field } of all) assert.ok(hasField(AgentDeployment.spec, field), field)
  assert.equal(hasField(AgentDeployment.spec, 'guardrail'), false)
  assert.equal(hasField(AgentDeployment.spec, 'tools[].bindingReference'), false)
})

test('R2-C1: only a field that is used is a problem, and its plugin and reason are named', () => {
  const used = (spec: unknown): string | undefined => all.find((one) => problemOfUnenforced(spec, [one]))?.field
  assert.equal(used({ guardrails: [{ name: 'a' }] }), 'guardrails')
  assert.equal(used({ memory: { longTerm: {} } }), 'memory.longTerm')
  assert.equal(used({ tools: [{ name: 'time' }, { name: 'x', bindingRef: { name: 'x' } }] }), 'tools[].bindingRef')
  for (const spec of [undefined, null, 'x', {}, { guardrails: [] }, { memory: {} }, { tools: [{ name: 'time' }] }])
    assert.equal(used(spec), undefined, JSON.stringify(spec))
  const ready = new Map(plugins.map(({ name }) => [name, { wiring: 'ready' }] as const))
  assert.deepEqual(unenforcedFields(AgentDeployment.kind, plugins, ready), [])
  assert.throws(() => refuseUnenforced({ budget: { amount: '1' } }, all), {
    code: 'plugin_disabled',
    message: 'spec.budget needs the plugin budgets, which is not available: disabled in the settings.',
  })
})
