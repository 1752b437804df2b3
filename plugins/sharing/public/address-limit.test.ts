import assert from 'node:assert/strict'
import test from 'node:test'
import { createAddressLimit } from './address-limit.ts'

test('S5: an address has its reads of a minute, others have their own', () => {
  const clock = { now: 0 }
  const { take } = createAddressLimit(2, () => clock.now)
  assert.deepEqual([take('10.0.0.1'), take('10.0.0.1'), take('10.0.0.1')], [undefined, undefined, 60])
  assert.equal(take('10.0.0.2'), undefined)
  clock.now = 59_500
  assert.equal(take('10.0.0.1'), 1)
  clock.now = 60_000
  assert.equal(take('10.0.0.1'), undefined)
})

test('S5: a /64 of IPv6 is one address, in every spelling; a mapped IPv4 address is that address', () => {
  const { take } = createAddressLimit(1)
  const first = (address: string): boolean => take(address) === undefined
  assert.deepEqual(['2001:db8::1', '2001:DB8:0:0:9::', '2001:0db8:0000:0000:1:2:3:4'].map(first), [true, false, false])
  assert.deepEqual(['2001:db8:0:1::1', '::1', '0:0:0:0:0:0:0:2', 'fe80::1%eth0'].map(first), [true, true, false, true])
  assert.deepEqual(['10.0.0.1', '::ffff:10.0.0.1', '::ffff:10.0.0.2'].map(first), [true, false, true])
})

test('F6: many addresses use bounded memory, and the one that was counted last is remembered', () => {
  const { take } = createAddressLimit(1, () => 0, 100)
  take('10.0.0.1')
  for (let n = 0; n < 99; n++) take(`10.1.0.${n}`)
  assert.equal(take('10.0.0.1'), 60)
  for (let n = 0; n < 100; n++) take(`10.2.0.${n}`)
  assert.equal(take('10.0.0.1'), undefined, 'forgotten')
})
