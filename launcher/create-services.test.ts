import assert from 'node:assert/strict'
import test from 'node:test'
import type { ServiceParts } from './contract/service.ts'
import { createServices } from './create-services.ts'

test('R2-LA-2: a service of the launcher that two plugins define ends its start', () => {
  const parts = { settings: { modelProxy: true, gatewayUrl: 'http://127.0.0.1:1' } } as ServiceParts
  const one = { filter: () => undefined, payment: () => undefined }
  assert.equal(createServices(parts, [one, {}]).isFiltered, false)
  assert.throws(() => createServices(parts, [one, { filter: one.filter }]), /two plugins .*'filter'/)
  assert.throws(() => createServices(parts, [one, { payment: one.payment }]), /two plugins .*'payment'/)
})
