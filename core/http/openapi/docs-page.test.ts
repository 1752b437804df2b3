import assert from 'node:assert/strict'
import test from 'node:test'
import { gunzipSync } from 'node:zlib'
import fastify from 'fastify'
import { openApiRoutes } from './routes.ts'

const app = fastify()
await app.register(openApiRoutes({ catalog: [], version: '1.2.3', summaries: new Map() }))
test.after(() => app.close())

test('UXM19: /docs runs scripts of its own server only, and styles with the nonce of the answer', async () => {
  const answer = await app.inject('/docs')
  const policy = String(answer.headers['content-security-policy'])
  const [, nonce] = /style-src 'nonce-([\w-]{22})'/.exec(policy) ?? []
  assert.ok(nonce !== undefined, policy)
  assert.doesNotMatch(policy, /unsafe|https?:|\*/)
  assert.match(policy, /default-src 'none'; script-src 'self';/)
  assert.ok(answer.body.includes(`<meta property="csp-nonce" content="${nonce}">`))
  assert.ok(answer.body.includes(`<style nonce="${nonce}">`))
  assert.doesNotMatch(answer.body, /https?:|<script>|style=| on[a-z]+=/)
  assert.match(answer.body, /<a href="\/">/)
  assert.notEqual((await app.inject('/docs')).body, answer.body)
})

test('UXM19: every script of /docs is served, Scalar compressed, and kept by its ETag', async () => {
  const { body } = await app.inject('/docs')
  const scripts = [...body.matchAll(/<script src="([^"]+)">/g)].map(([, path = '']) => path)
  assert.deepEqual(scripts, ['/docs/prepare.js', '/docs/scalar.js', '/docs/start.js'])
  for (const path of scripts) {
    const { statusCode, headers } = await app.inject(path)
    assert.deepEqual([statusCode, headers['content-type']], [200, 'text/javascript; charset=utf-8'], path)
  }
  const url = '/docs/scalar.js'
  const compressed = await app.inject({ url, headers: { 'accept-encoding': 'br, gzip' } })
  assert.equal(compressed.headers['content-encoding'], 'gzip')
  assert.ok(compressed.rawPayload.length < 2_000_000)
  assert.deepEqual(gunzipSync(compressed.rawPayload), (await app.inject(url)).rawPayload)
  const kept = await app.inject({ url, headers: { 'if-none-match': String(compressed.headers['etag']) } })
  assert.deepEqual([kept.statusCode, kept.body], [304, ''])
})
