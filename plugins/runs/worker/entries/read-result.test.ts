import assert from 'node:assert/strict'
import test from 'node:test'
import { readResult } from './read-result.ts'

const run = '01a22b3f-371f-7e04-87e3-1a186a27152a'
const path = `/consent/demo/tickets?run=${run}`
const wanted = { namespace: 'demo', server: 'tickets', path }

/** What is read of the consent of an interrupt. */
function read(consent: unknown) {
  const interrupts = [{ id: 'aut_1', reason: 'auth_required', consent }]
  const result = readResult({ state: 'paused', pauseReason: 'auth_required', interrupts }, 'run.paused')
  assert.ok(result.state === 'paused')
  return result.interrupts[0]?.consent
}

test('a paused run keeps the server whose consent it waits for', () => {
  assert.deepEqual(read(wanted), wanted)
  assert.deepEqual(read({ ...wanted, more: 1 }), wanted, 'without other fields')
})

test('a forged launcher leads a person to no other page or server', () => {
  const others = [
    'https://evil.example/consent/demo/tickets',
    `//evil.example/consent/demo/tickets?run=${run}`,
    `javascript:alert(1)//consent/demo/tickets?run=${run}`,
    `/consent/demo/mail?run=${run}`,
    `/consent/demo/tickets/../mail?run=${run}`,
    `${path}&next=//evil.example`,
    `/consent/demo/tickets?run=`,
    `${path}\u0000`,
    '',
  ]
  for (const one of others) assert.equal(read({ ...wanted, path: one }), undefined, one)
  for (const name of ['', '..', 'a/b', 'A', '\ud800', 'x'.repeat(300), 1, null, undefined])
    assert.equal(
      read({ namespace: name, server: 'tickets', path: `/consent/${String(name)}/tickets?run=${run}` }),
      undefined,
    )
  for (const none of [undefined, null, 'text', 1, [], {}]) assert.equal(read(none), undefined)
})
