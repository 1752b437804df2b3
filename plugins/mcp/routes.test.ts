import assert from 'node:assert/strict'
import test from 'node:test'
import type { Part } from '#core/http/endpoint/mountable.ts'
import { buildServer } from '#core/http/testing/build-server.ts'
import { mcpRoutes } from './routes.ts'
import type { McpServices } from './services.ts'

const servicesOf = (enabled: boolean): McpServices =>
  ({
    core: { store: undefined },
    settings: { enabled, requireAcceptance: false },
    shakeHands: () => assert.fail('no server is asked'),
  }) as unknown as McpServices

const register = ['POST /mcpservers', 'POST /mcp/connect', 'POST /mcp/org-credential', 'POST /mcp/publish']
const catalog = ['GET /tools', 'GET /catalog', 'GET /mcp/connectors']

test('bff.mcp.enabled: false answers 501 for the routes that register servers and the catalog, and names the setting', async (t) => {
  const parts = mcpRoutes(servicesOf(false))
  const closed = parts.flatMap((one) => ('endpoints' in one && one.setting === 'bff.mcp.enabled' ? [one] : []))
  const routes = closed.flatMap(({ endpoints }) => endpoints.map(({ method, url }) => `${method} ${url}`))
  assert.deepEqual(routes.toSorted(), [...register, ...catalog].toSorted())
  assert.ok(closed.every(({ wiring }) => wiring === 'unwired'))
  const { app } = await buildServer(t, [{ name: 'mcp', endpoints: parts }])
  for (const route of routes) {
    const [method = 'GET', url] = route.split(' ')
    const answer = await app.inject({
      method: method as 'GET',
      url: `/api${url}`,
      headers: { authorization: 'Bearer good-token' },
      ...(method === 'POST' ? { payload: {} } : {}),
    })
    assert.equal(answer.statusCode, 501, `${route}: ${answer.body}`)
    assert.match(answer.body, /bff\.mcp\.enabled/)
    const unknown = await app.inject({ method: method as 'GET', url: `/api${url}` })
    assert.equal(unknown.statusCode, 401, route)
  }
})

test('bff.mcp.enabled: true needs a store for publishing, approvals and grants only', () => {
  const parts = mcpRoutes(servicesOf(true)).filter((one): one is Part => 'endpoints' in one)
  const unwired = parts.filter(({ wiring }) => wiring !== 'ready')
  assert.deepEqual(
    unwired.map(({ capability, setting }) => [capability, setting]),
    [
      ['mcp.publish', 'DATABASE_URL'],
      ['mcp.approvals', 'DATABASE_URL'],
      ['mcp.grants', 'DATABASE_URL'],
    ],
  )
})
