import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { createKeyring } from '#core/signing/create-keyring.ts'
import { keyTypes } from '#core/signing/testing/key-types.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { defineCounter, defineGauge } from '#core/telemetry/metrics.ts'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import { childOf, formatTraceparent, parseTraceparent, startTrace } from '#core/telemetry/traceparent.ts'
import { createLogger } from './create-logger.ts'
import { conceal, createSecretValues } from './secrets.ts'

test('A8: secrets are removed by key and by registered value, in any position', () => {
  const lines: string[] = []
  const secrets = createSecretValues()
  const log = createLogger({ level: 'debug', secrets, destination: { write: (line) => lines.push(line) } })
  secrets.add('registered-canary')
  secrets.add('x') // too short to redact: it would match ordinary words
  log.info(
    {
      authorization: 'canary',
      nested: [{ apiKey: 'canary', api_key: 'canary', accessToken: 'canary', password: 'canary', prompt: 'canary' }],
      tokens: 12,
      ok: 'text',
    },
    'at https://x?k=registered-canary',
  )
  log.child({ clientSecret: 'canary' }).error(
    {
      error: new Error('registered-canary'),
      deep: { a: { b: { c: { d: { e: { f: { g: { h: { i: 'canary' } } } } } } } } },
    },
    'y',
  )
  assert.equal(lines.length, 2)
  assert.doesNotMatch(lines.join(''), /canary/)
  const first = JSON.parse(lines[0] ?? '') as { level: string; ok: string; msg: string }
  assert.deepEqual([first.level, first.ok, first.msg], ['info', 'text', 'at https://x?k=[redacted]'])
})

test('A8: keys, tokens and passwords that the process has read are removed, and so is any text in the form of a bearer', () => {
  const lines: string[] = []
  const log = createLogger({ destination: { write: (line) => lines.push(line) } })
  conceal('quoted"and\nbroken')
  const folder = tempFolder('keys')
  createKeyring({ dir: folder.path, generate: keyTypes })
  const texts = readdirSync(folder.path).map((file) => readFileSync(join(folder.path, file), 'utf8'))
  folder.remove()
  assert.equal(texts.length, 2 * keyTypes.size, 'of each name the key that signs and the next one')
  const jwt = `eyJ${'a'.repeat(20)}.eyJ${'b'.repeat(20)}.${'c'.repeat(20)}`
  log.info({ at: ['quoted"and\nbroken', ...texts], url: `/x?t=${jwt}` }, 'Authorization: Bearer opaque-token-1')
  const secrets = texts.flatMap((text) => text.split('\n').filter((line) => line !== '' && !line.startsWith('--')))
  for (const secret of [...secrets, 'quoted', jwt, 'opaque-token-1'])
    assert.ok(!lines.join('').includes(secret), secret)
})

test('traceparent: valid ones are continued, others start a trace (W3C Trace Context)', () => {
  const header = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
  const parent = parseTraceparent(header)
  assert.ok(parent)
  const child = childOf(parent)
  assert.deepEqual([child.traceId, child.sampled], ['a'.repeat(32), true])
  assert.notEqual(child.spanId, 'b'.repeat(16))
  assert.match(formatTraceparent(child), /^00-a{32}-[0-9a-f]{16}-01$/)
  assert.deepEqual(parseTraceparent(`01-${'a'.repeat(32)}-${'b'.repeat(16)}-00-more`)?.sampled, false)
  const bad = [
    '',
    'x',
    `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`,
    `00-${'a'.repeat(32)}-${'0'.repeat(16)}-01`,
    `ff-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
    `${header}-more`,
    header.toUpperCase(),
  ]
  for (const text of [undefined, ...bad]) assert.equal(parseTraceparent(text), undefined, String(text))
  assert.notEqual(startTrace().traceId, startTrace().traceId)
})

test('metrics: one name is one metric, declared once', async () => {
  const metrics = createMetrics()
  const given = defineCounter({ name: 'mesh_x_total', help: 'x', labels: ['kind'], roles: ['every'] })
  metrics.counter(given).inc({ kind: 'a' })
  metrics.counter(given).inc({ kind: 'a' }, 2)
  metrics.gauge(defineGauge({ name: 'mesh_y', help: 'y', labels: [], roles: ['every'] })).set(4)
  assert.match(await metrics.render(), /mesh_x_total\{kind="a"\} 3\n[\s\S]*mesh_y 4\n/)
  assert.throws(() => metrics.counter({ ...given }), /declared twice/)
})
