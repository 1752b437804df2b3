import assert from 'node:assert/strict'
import test from 'node:test'
import { Type } from 'typebox'
import { endpoint } from '../endpoint/endpoint.ts'
import { buildServer } from '../testing/build-server.ts'
import { suggestRoute } from './suggest-route.ts'

const route = (url: string) =>
  endpoint({
    method: 'GET',
    url,
    summary: 'Get a thing.',
    authz: { kind: 'bearer' },
    response: { 200: Type.Object({}) },
    handle: async () => ({}),
  })
const endpoints = [route('/agents'), route('/agents/:ns/:name'), route('/agents/:ns/:name/versions')]
const headers = { authorization: 'Bearer good-token' }

test('an unknown path suggests the published route that differs in one word', async (t) => {
  const { app } = await buildServer(t, [{ endpoints }])
  const detailOf = async (url: string): Promise<string | undefined> => {
    const answer = await app.inject({ method: 'GET', url, headers })
    assert.equal(answer.statusCode, 404, answer.body)
    return answer.json<{ detail?: string }>().detail
  }
  assert.equal(await detailOf('/api/agent'), 'path has no route; did you mean /api/agents?')
  const versions = 'path has no route; did you mean /api/agents/{ns}/{name}/versions?'
  assert.equal(await detailOf('/api/agents/default/secret-name/version?x=1'), versions)
  assert.equal(await detailOf('/api/agnets/default/x'), 'path has no route; did you mean /api/agents/{ns}/{name}?')
  for (const url of [
    '/api/nothing',
    '/api/agnet/default/x/versoin',
    '/apl/agents',
    '/elsewhere',
    `/api/${'a'.repeat(900)}`,
  ])
    assert.equal(await detailOf(url), 'Not found.', url)
})

test('a hidden route is neither suggested nor distinguished from one that does not exist', async (t) => {
  const { app } = await buildServer(t, [{ endpoints: [route('/health')] }, { wiring: 'hidden', endpoints }])
  const bodyOf = async (url: string): Promise<object> => {
    const { instance: _, traceId: __, ...body } = (await app.inject({ url, headers })).json<Record<string, unknown>>()
    return body
  }
  const unknown = await bodyOf('/api/nothing')
  for (const url of ['/api/agents', '/api/agent', '/api/agents/a/b', '/api/agents/a/b/version'])
    assert.deepEqual(await bodyOf(url), unknown, url)
})

test('a caller without a bearer gets no suggestion', async (t) => {
  const { app } = await buildServer(t, [{ endpoints }])
  const answer = await app.inject({ url: '/api/agent' })
  assert.deepEqual([answer.statusCode, answer.body.includes('mean')], [401, false])
})

test('a path of many segments is compared with no route', () => {
  assert.equal(suggestRoute(`/api${'/a'.repeat(100_000)}`, []), undefined)
})
