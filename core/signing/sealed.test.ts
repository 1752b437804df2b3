import assert from 'node:assert/strict'
import { createSecretKey, randomBytes } from 'node:crypto'
import test from 'node:test'
import type { Keyring } from './keyring.ts'
import { NotOpenable, createSealed } from './sealed.ts'

const binding = { purpose: 'refresh-token', of: ['uid-1', 'github'] }

/** A keyring whose newest key seals; `rotate` adds one, `forget` removes the oldest. */
function keyring() {
  let next = 1
  const kept = [newKey()]
  function newKey() {
    return { id: `kek-${next++}`, key: createSecretKey(randomBytes(32)) }
  }
  const keys: Keyring = {
    current: (name) => {
      const key = name === 'kek' ? kept.at(-1) : undefined
      if (key === undefined) throw new Error(`no key "${name}"`)
      return key
    },
    find: (name, id) => (name === 'kek' ? kept.find((one) => one.id === id) : undefined),
    jwks: () => ({ keys: [] }),
  }
  return { keys, rotate: () => void kept.push(newKey()), forget: () => void kept.shift() }
}

const refused = (reason: NotOpenable['reason']) => ({ name: 'NotOpenable', reason })

test('sealed: a text opens for its owner with its own binding only', () => {
  const { keys } = keyring()
  const sealed = createSealed(keys, 'mcp')
  for (const text of ['', 'token', 'ü\0🔑', 'x'.repeat(262_144)])
    assert.equal(sealed.open(sealed.seal(text, binding), binding), text)
  const value = sealed.seal('token', binding)
  assert.notEqual(sealed.seal('token', binding), value)
  assert.throws(() => createSealed(keys, 'providers').open(value, binding), refused('not_authentic'))
  for (const other of [
    { ...binding, purpose: 'access-token' },
    { ...binding, of: ['uid-2', 'github'] },
    { ...binding, of: ['uid-1'] },
    { ...binding, of: ['uid-1', 'github', ''] },
    // The same characters, divided differently.
    { ...binding, of: ['uid-1g', 'ithub'] },
    { purpose: 'refresh-tokenuid-1', of: ['github'] },
  ])
    assert.throws(() => sealed.open(value, other), refused('not_authentic'), JSON.stringify(other))
})

test('sealed: values outlive a rotation until their key is removed, and tell which key sealed them', () => {
  const { keys, rotate, forget } = keyring()
  const sealed = createSealed(keys, 'mcp')
  const old = sealed.seal('token', binding)
  assert.equal(sealed.isCurrent(old), true)
  rotate()
  assert.equal(sealed.isCurrent(old), false)
  assert.equal(sealed.open(old, binding), 'token')
  const again = sealed.seal(sealed.open(old, binding), binding)
  forget()
  assert.throws(() => sealed.open(old, binding), refused('unknown_key'))
  assert.equal(sealed.open(again, binding), 'token')
})

test('sealed: every changed bit, another key of the same id and hostile values are refused', () => {
  const sealed = createSealed(keyring().keys, 'mcp')
  const value = Buffer.from(sealed.seal('token', binding), 'base64url')
  for (let bit = 0; bit < value.length * 8; bit++) {
    const changed = Buffer.from(value)
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    assert.throws(() => sealed.open(changed.toString('base64url'), binding), NotOpenable, `bit ${bit}`)
  }
  for (let length = 0; length < value.length; length++)
    assert.throws(() => sealed.open(value.subarray(0, length).toString('base64url'), binding), NotOpenable)
  const other = createSealed(keyring().keys, 'mcp')
  assert.throws(() => other.open(value.toString('base64url'), binding), refused('not_authentic'))
  const text = value.toString('base64url')
  for (const hostile of ['', '.', `${text}=`, ` ${text}`, `${text}\0`, '\ud800', 'A'.repeat(10_000_000), null, 5, {}])
    assert.throws(() => sealed.open(hostile as string, binding), NotOpenable, String(hostile).slice(0, 20))
})

test('sealed: what cannot be bound or would change is refused before it is encrypted', () => {
  const sealed = createSealed(keyring().keys, 'mcp')
  for (const text of ['\ud800', 5, undefined]) assert.throws(() => sealed.seal(text as string, binding), TypeError)
  assert.throws(() => sealed.seal('x'.repeat(262_145), binding), RangeError)
  for (const wrong of [
    { purpose: '', of: ['a'] },
    { purpose: 'a', of: [] },
    { purpose: 'a', of: ['\udfff'] },
    { purpose: 'a', of: [5] },
  ])
    assert.throws(() => sealed.seal('a', wrong as typeof binding), TypeError, JSON.stringify(wrong))
})
