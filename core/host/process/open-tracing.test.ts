import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { createLogger } from '#core/log/create-logger.ts'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import { startGrpcReceiver, startHttpReceiver } from '#core/telemetry/testing/otlp-receiver.ts'
import { asSpan } from '#core/telemetry/trace-context.ts'
import { openTracing } from './open-tracing.ts'

const canary = 'canary-of-a-header'

/** Opens tracing with these variables, which the exporter reads from the process. */
async function open(t: TestContext, variables: Readonly<Record<string, string>>) {
  const names = Object.keys(variables).filter((name) => process.env[name] === undefined)
  Object.assign(process.env, variables)
  t.after(() => names.forEach((name) => delete process.env[name]))
  const lines: string[] = []
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base } = variables
  const tracing = await openTracing({
    settings: { telemetry: { accessLog: true, ...(base === undefined ? {} : { otlpEndpoint: base }) }, install: 'x' },
    env: variables,
    roles: ['bff'],
    version: '1',
    log: createLogger({ destination: { write: (line) => lines.push(line) } }),
    metrics: createMetrics(),
  })
  return { ...tracing, lines }
}

const protocols = [
  ['http/protobuf', startHttpReceiver, '/v1/traces'],
  ['grpc', startGrpcReceiver, '/opentelemetry.proto.collector.trace.v1.TraceService/Export'],
] as const

for (const [protocol, startReceiver, path] of protocols) {
  test(`OTLP: a receiver of ${protocol} gets spans, the headers and the attributes of the resource`, async (t) => {
    const receiver = await startReceiver(t)
    const { tracer, close, lines } = await open(t, {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${canary}%20two,x-tenant=t`,
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=prod%2Cone,team=a',
      OTEL_SERVICE_NAME: 'own-name',
    })
    assert.ok(tracer !== undefined)
    await asSpan({ tracer, parent: undefined, name: { name: 'GET /api/x', kind: 'server' } }, async () => 1)
    await close()
    const [request] = receiver.requests
    assert.equal(request?.path, path)
    assert.deepEqual([request.headers['x-api-key'], request.headers['x-tenant']], [`${canary} two`, 't'])
    const {
      'service.name': name,
      'service.namespace': install,
      team,
      'deployment.environment': stage,
    } = request.resource
    assert.deepEqual([name, install, team, stage], ['own-name', 'x', 'a', 'prod,one'])
    assert.deepEqual(
      request.spans.map((span) => [span.name, span.kind, span.traceId.length]),
      [['GET /api/x', 2, 32]],
    )
    assert.deepEqual(lines, [])
  })
}

test('OTLP: samplers decide by the trace, and every process decides the same', async (t) => {
  const receiver = await startHttpReceiver(t)
  const opened = async (sampler: string, ratio: string) =>
    (
      await open(t, {
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.endpoint}/own`,
        OTEL_TRACES_SAMPLER: sampler,
        OTEL_TRACES_SAMPLER_ARG: ratio,
      })
    ).tracer
  const half = [await opened('parentbased_traceidratio', '0.5'), await opened('traceidratio', '.5')]
  const roots = Array.from({ length: 400 }, () => half[0]?.start('x', undefined))
  const sampled = roots.filter((root) => root?.sampled === true)
  assert.ok(sampled.length > 120 && sampled.length < 280, `${sampled.length} of 400`)
  // A stored context has no flag of the root: its parent says sampled.
  for (const root of roots) {
    const stored = { traceId: root?.traceId ?? '', spanId: 'b'.repeat(16), sampled: true }
    for (const tracer of half) assert.equal(tracer?.start('y', stored).sampled, root?.sampled)
  }
  const off = await opened('always_off', '1')
  assert.equal(off?.start('x', undefined).sampled, false)
  const on = await opened('parentbased_always_on', '1')
  const unsampled = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), sampled: false }
  assert.deepEqual([on?.start('x', undefined).sampled, on?.start('x', unsampled).sampled], [true, false])
})

test('OTLP: an invalid variable is refused by its name and never printed', async (t) => {
  const invalid = [
    ['OTEL_EXPORTER_OTLP_HEADERS', canary],
    ['OTEL_EXPORTER_OTLP_HEADERS', `=${canary}`],
    ['OTEL_EXPORTER_OTLP_HEADERS', `a b=${canary}`],
    ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', `a=${canary}%0d%0ab`],
    ['OTEL_EXPORTER_OTLP_HEADERS', `a=${canary}%zz`],
    ['OTEL_EXPORTER_OTLP_HEADERS', `a=${canary}\uD800`],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', canary],
    ['OTEL_EXPORTER_OTLP_TIMEOUT', `1e9${canary}`],
    ['OTEL_EXPORTER_OTLP_TIMEOUT', '0'],
    ['OTEL_EXPORTER_OTLP_COMPRESSION', canary],
    ['OTEL_EXPORTER_OTLP_CERTIFICATE', `/${canary}\0`],
    ['OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY', import.meta.dirname],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', `https://user:${canary}@host`],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'https://host:99999999'],
    ['OTEL_RESOURCE_ATTRIBUTES', canary],
    ['OTEL_TRACES_SAMPLER', canary],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['OTEL_TRACES_SAMPLER_ARG', 'NaN'],
    ['OTEL_TRACES_EXPORTER', canary],
    ['OTEL_SDK_DISABLED', canary],
  ] as const
  for (const [name, value] of invalid) {
    const settings = { telemetry: { otlpEndpoint: 'http://127.0.0.1:1', accessLog: true }, install: 'x' }
    const given = { settings, roles: [], version: '1', log: createLogger({}), metrics: createMetrics() }
    await assert.rejects(openTracing({ ...given, env: { [name]: value } }), (error) => {
      assert.ok(error instanceof Error && error.name === 'SettingsError', String(error))
      assert.ok(error.message.startsWith(`${name}: expected `) && !error.message.includes(canary), error.message)
      return true
    })
  }
  const off = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }
  assert.equal((await open(t, { ...off, OTEL_SDK_DISABLED: 'true' })).tracer, undefined)
  assert.equal((await open(t, { ...off, OTEL_TRACES_EXPORTER: 'none' })).tracer, undefined)
})

// prom-client loads the API by itself.
test('OTLP: without an endpoint neither SDK nor exporter of OpenTelemetry is loaded', () => {
  const loaded = (env: object): string[] => {
    const program = `
      import { registerHooks } from 'node:module'
      const loaded = []
      registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
      const { openTracing } = await import('#core/host/process/open-tracing.ts')
      await import('#core/host/process/compose-process.ts')
      const env = ${JSON.stringify(env)}
      const settings = { telemetry: { otlpEndpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT }, install: 'x' }
      const metrics = { counter: () => ({ inc() {} }) }
      await openTracing({ settings, env, roles: [], version: '1', metrics })
      console.log(JSON.stringify(loaded.filter((url) => /@opentelemetry.(?!api.)/.test(url))))`
    const args = ['--input-type=module', '--eval', program]
    return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', cwd: import.meta.dirname })) as string[]
  }
  assert.deepEqual(loaded({}), [])
  const urls = loaded({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })
  assert.ok(urls.some((url) => url.includes('/sdk-trace/')) && !urls.some((url) => url.includes('otlp-grpc')))
})
