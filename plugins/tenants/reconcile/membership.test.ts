import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { TenantObject, TenantSpec } from '#schemas/crds/tenant.ts'
import { isClaimed, resolveMembership } from './membership.ts'
import { tenantVerdicts } from './tenant-status.ts'

function tenantOf(name: string, spec: TenantSpec, second = 0): TenantObject {
  const creationTimestamp = new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString().replace('.000Z', 'Z')
  const metadata = { name, uid: `uid-${name}`, creationTimestamp }
  return { apiVersion: 'mesh.dev/v1alpha1', kind: 'Tenant', metadata, spec }
}

const observed = [
  { name: 'a', labels: { team: 'x' } },
  { name: 'b', labels: { team: 'x', stage: 'live' } },
  { name: 'c', labels: {} },
]

test('a tenant has its named namespaces, also before they exist, and those that carry every label', () => {
  const matchLabels = { team: 'x', stage: 'live' }
  const tenant = tenantOf('t', { namespaces: ['c', 'later'], namespaceSelector: { matchLabels } })
  const found = resolveMembership(tenant, [tenant], observed)
  assert.deepEqual(found, { namespaces: ['b', 'c', 'later'], conflicts: [], missing: ['later'] })
  assert.deepEqual(resolveMembership(tenant, [tenant], undefined).namespaces, ['c', 'later'], 'names alone')
})

test('labels that every object has by its prototype select nothing', () => {
  for (const key of ['constructor', '__proto__', 'toString'])
    assert.equal(
      isClaimed(tenantOf('t', { namespaceSelector: { matchLabels: { [key]: 'x' } } }), { name: 'a', labels: {} }),
      false,
    )
  assert.equal(
    isClaimed(tenantOf('t', { namespaceSelector: { matchLabels: {} } }), { name: 'a', labels: {} }),
    false,
    'an empty selector is not all namespaces',
  )
})

test('a namespace of two tenants belongs to the older one, and the other names both', () => {
  const older = tenantOf('zeta', { namespaces: ['a', 'b'] }, 1)
  const younger = tenantOf('alpha', { namespaces: ['b', 'c'] }, 2)
  const all = [younger, older]
  assert.deepEqual(resolveMembership(older, all, observed).namespaces, ['a', 'b'])
  const found = resolveMembership(younger, all, observed)
  assert.deepEqual(found, { namespaces: ['c'], conflicts: [{ namespace: 'b', tenant: 'zeta' }], missing: [] })
  const [accepted, , ready] = tenantVerdicts({ ...found, isUnselectable: false })
  assert.deepEqual([accepted?.status, accepted?.reason], ['False', 'NamespaceConflict'])
  assert.equal(accepted?.message, 'Namespaces that belong to an older tenant: b (tenant zeta).')
  assert.deepEqual([ready?.status, ready?.reason], ['False', 'NamespaceConflict'])
  const leaving = { ...older, metadata: { ...older.metadata, deletionTimestamp: '2026-01-02T00:00:00Z' } }
  assert.deepEqual(resolveMembership(younger, [leaving, younger], observed).namespaces, ['b', 'c'])
})

test('no namespace has two tenants, and each that is claimed has one, whatever the tenants are', () => {
  const namespace = fc.constantFrom('a', 'b', 'c', 'd')
  const spec = fc.record({
    namespaces: fc.uniqueArray(namespace),
    namespaceSelector: fc.option(fc.constantFrom({ matchLabels: { team: 'x' } }, { matchLabels: { stage: 'live' } }), {
      nil: undefined,
    }),
  })
  const tenants = fc.array(fc.tuple(spec, fc.nat({ max: 3 })), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(tenants, (given) => {
      const all = given.map(([one, second], index) =>
        tenantOf(
          `t${index}`,
          {
            namespaces: one.namespaces,
            ...(one.namespaceSelector === undefined ? {} : { namespaceSelector: one.namespaceSelector }),
          },
          second,
        ),
      )
      const owned = all.flatMap((one) => resolveMembership(one, all, observed).namespaces)
      const claimed = new Set(all.flatMap((one) => resolveMembership(one, [one], observed).namespaces))
      assert.deepEqual(owned.toSorted(), [...claimed].toSorted())
    }),
    { numRuns: 300 },
  )
})
