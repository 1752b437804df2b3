import assert from 'node:assert/strict'
import test from 'node:test'
import { isLoopbackAddress, isServedHost } from './loopback-host.ts'

test('SEC13, H1: a Host of this machine is served, with any port or none; every other is not', () => {
  for (const host of ['localhost', 'LOCALHOST:8080', '127.0.0.1:1', '127.9.9.9', '[::1]', '[::1]:65535'])
    assert.equal(isServedHost(host), true, host)
  const refused = [
    'evil.example',
    'evil.example:8080',
    'localhost.evil.example',
    'evil.localhost',
    '127.0.0.1.evil.example',
    'localhost:',
    'localhost:x',
    'localhost:123456',
    'localhost:80:80',
    'localhost@evil.example',
    'localhost, evil.example',
    '[::1',
    '::1',
    '[::1]x',
    '0.0.0.0',
    '128.0.0.1',
    ' localhost',
    '',
    undefined,
  ]
  for (const host of refused) assert.equal(isServedHost(host), false, String(host))
})

test('SEC13: a listener serves the names that its settings list', () => {
  assert.equal(isServedHost('Mesh.Example.com:443', ['mesh.example.com']), true)
  assert.equal(isServedHost('other.example.com', ['mesh.example.com']), false)
})

test('SEC13: only an address of loopback is one', () => {
  for (const address of ['localhost', '127.0.0.1', '127.0.0.2', '::1']) assert.equal(isLoopbackAddress(address), true)
  for (const address of ['::', '0.0.0.0', '10.0.0.1', '::ffff:10.0.0.1', 'mesh']) {
    assert.equal(isLoopbackAddress(address), false, address)
  }
})
