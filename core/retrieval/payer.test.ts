import assert from 'node:assert/strict'
import test from 'node:test'
import { formatPayer, parsePayer } from './payer.ts'

const uid = '0b7a3c1e-4f6d-4c55-9a42-0e8c1f7d2b3a'

test('a payer is read as it was written', () => {
  for (const payer of [
    { kind: 'agent', namespace: 'demo', name: 'writer.v2', uid },
    { kind: 'namespace', namespace: 'demo', uid },
  ] as const)
    assert.deepEqual(parsePayer(formatPayer(payer)), payer)
})

test('any other text names no payer', () => {
  const others = [
    '',
    '/',
    'agent',
    'agent/demo',
    `agent/demo/${uid}`,
    `agent/demo/writer/${uid}/`,
    `agent/demo/writer/${uid}/more`,
    `agent//writer/${uid}`,
    `agent/demo//${uid}`,
    `agent/Demo/writer/${uid}`,
    `agent/demo/../${uid}`,
    `agent/demo/${'a'.repeat(254)}/${uid}`,
    'agent/demo/writer/',
    'agent/demo/writer/a b',
    `agent/demo/writer/${'a'.repeat(129)}`,
    `agent/demo\0/writer/${uid}`,
    `agent/demo/wr\ud800iter/${uid}`,
    `namespace/demo/writer/${uid}`,
    `namespace/${'a'.repeat(64)}/${uid}`,
    'namespace/demo/%00',
    `tenant/demo/${uid}`,
    `Agent/demo/writer/${uid}`,
    `__proto__/demo/${uid}`,
    `agent/demo/writer/${uid}`.repeat(10_000),
    '/'.repeat(1_000_000),
  ]
  for (const text of others) assert.equal(parsePayer(text), undefined, text.slice(0, 80))
})
