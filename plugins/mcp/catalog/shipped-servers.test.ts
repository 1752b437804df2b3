import assert from 'node:assert/strict'
import test from 'node:test'
import Schema from 'typebox/schema'
import { McpServer } from '#schemas/crds/mcp-server.ts'
import { SHIPPED_AS_OF, shippedServers } from './shipped-servers.ts'

test('mcp: the shipped list has a day, and each entry has an address that a server accepts, a source and sorted tags', () => {
  assert.match(SHIPPED_AS_OF, /^20\d\d-[01]\d-[0-3]\d$/)
  assert.ok(Date.parse(SHIPPED_AS_OF) > Date.parse('2026-11-01'))
  const ids = shippedServers.map(({ id }) => id)
  assert.deepEqual(ids, [...new Set(ids)].toSorted())
  assert.equal(new Set(shippedServers.map(({ url }) => url)).size, ids.length)
  for (const { id, title, description, url, tags, source } of shippedServers) {
    assert.match(id, /^[a-z0-9-]{1,40}$/)
    assert.ok(title.length <= 60 && /^[A-Z]/.test(title), id)
    assert.ok(description.length <= 120 && description.endsWith('.'), id)
    assert.equal(new URL(url).protocol, 'https:', id)
    assert.ok(Schema.Check(McpServer.spec, { url }), id)
    assert.equal(new URL(source).protocol, 'https:', id)
    assert.deepEqual(tags, tags.toSorted())
    assert.ok(tags.length > 0 && tags.every((tag) => /^[a-z-]{1,30}$/.test(tag)), id)
  }
})
