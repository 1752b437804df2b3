import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import OpenAI from 'openai'
import { createKubeClient } from '#core/kube/create-client.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { needs } from '#test/harness/find-server.ts'
import { createCallLabels, labelBounds } from '../../contract/metrics.ts'
import { refusalOfKey } from '../../upstream/key-binding.ts'
import { addKey, addRoute, startGateway, startUpstream } from '../../testing/gateway.ts'

const servers = needs('kube-apiserver', 'etcd', 'kubectl', 'postgres', 'initdb')
const messages = [{ role: 'user' as const, content: 'hello' }]
const key = 'sk-canary-0123456789'

async function failure(
  client: OpenAI,
  model: string,
): Promise<[number | undefined, string | null | undefined, string]> {
  try {
    await client.chat.completions.create({ model, messages })
  } catch (error) {
    if (error instanceof OpenAI.APIError) return [error.status, error.code, error.message.replace(/^\d+ /, '')]
    throw error
  }
  return [200, null, 'answered']
}

test(
  'SEC9, B7, PODS9: the right to patch a provider does not allow to send its key to another address',
  servers,
  async (t) => {
    const gateway = await startGateway(t)
    const { a } = gateway.namespaces
    const answer = JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content: 'real' } }] })
    const honest = await startUpstream(t, (response) => response.end(answer))
    const listener = await startUpstream(t, (response) => response.end(answer))
    const { origin } = new URL(honest.url)
    await addKey(gateway, a, { name: 'llm', key, origin })
    const provider = { type: 'openai', baseUrl: honest.url, secretRef: { name: 'llm', key: 'key' } }
    await addRoute(gateway.admin, a, 'real', { provider })
    const client = gateway.as('developer')
    assert.equal((await failure(client, 'real'))[2], 'answered')
    assert.equal(honest.seen[0]?.headers.authorization, `Bearer ${key}`)

    await gateway.run('create', 'role', 'narrow', '-n', a, '--verb=get,patch', '--resource=modelproviders.mesh.dev')
    await gateway.run('create', 'serviceaccount', 'narrow', '-n', a)
    await gateway.run('create', 'rolebinding', 'narrow', '-n', a, '--role=narrow', `--serviceaccount=${a}:narrow`)
    const pool = createPool(gateway.kube.url, { ca: gateway.kube.ca })
    t.after(() => pool.close())
    const bearer = await gateway.run('create', 'token', 'narrow', '-n', a)
    const narrow = createKubeClient({ server: gateway.kube.url, pool, bearer })
    const namespace = a as never
    const secrets = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true }
    await assert.rejects(narrow.get(secrets, { namespace, name: 'llm' as never }), /forbidden/)
    const providers = {
      group: 'mesh.dev',
      version: 'v1alpha1',
      plural: 'modelproviders',
      kind: 'ModelProvider',
      namespaced: true,
    }
    await narrow.patch(
      providers,
      { namespace, name: 'real' as never },
      { type: 'merge', body: { spec: { baseUrl: listener.url } } },
    )

    // The gateway watches providers: until it has seen the change, calls go to the address before.
    let refused = await failure(client, 'real')
    for (let n = 0; refused[0] === 200 && n < 100; n++) {
      await pause(50)
      refused = await failure(client, 'real')
    }
    const [status, code, message] = refused
    const at = new URL(listener.url).origin
    assert.deepEqual([status, code], [502, 'provider_misconfigured'])
    assert.equal(message, `Secret ${a}/llm holds the key of another origin than ${at} (annotation mesh.dev/origin).`)
    assert.equal(listener.seen.length, 0)
  },
)

test('PODS9, B7: only a labelled Secret with a matching origin is used', servers, async (t) => {
  const gateway = await startGateway(t)
  const { a } = gateway.namespaces
  const upstream = await startUpstream(t, (response) => response.end('{"choices":[]}'))
  const { origin } = new URL(upstream.url)
  const secretRef = { name: 'llm', key: 'key' }
  await addRoute(gateway.admin, a, 'real', { provider: { type: 'openai', baseUrl: upstream.url, secretRef } })
  const asked = async () => (await failure(gateway.as('developer'), 'real'))[2]
  assert.equal(await asked(), `Secret ${a}/llm (key key) does not exist.`)
  await addKey(gateway, a, { name: 'llm', key })
  assert.equal(await asked(), `Secret ${a}/llm has no label mesh.dev/provider-key=true.`)
  await gateway.run('label', 'secret', 'llm', '-n', a, 'mesh.dev/provider-key=true')
  assert.equal(await asked(), `Secret ${a}/llm has no annotation mesh.dev/origin.`)
  await gateway.run('annotate', 'secret', 'llm', '-n', a, `mesh.dev/origin=${origin}0`)
  assert.match(await asked(), /holds the key of another origin/)
  assert.equal(upstream.seen.length, 0)
  await gateway.run('annotate', '--overwrite', 'secret', 'llm', '-n', a, `mesh.dev/origin=${origin}`)
  assert.equal(await asked(), 'answered')
  assert.equal(gateway.lines.join('').includes('canary'), false)
})

test('B7: origins are compared by scheme, host and port', () => {
  const metadata = (origin: string) => ({
    labels: { 'mesh.dev/provider-key': 'true' },
    annotations: { 'mesh.dev/origin': origin },
  })
  const refusal = (baseUrl: string | undefined, origin: string) =>
    refusalOfKey(
      'ns',
      { type: 'openai', ...(baseUrl === undefined ? {} : { baseUrl }), secretRef: { name: 's', key: 'k' } },
      metadata(origin),
    )?.reason
  for (const origin of ['https://api.openai.com', 'https://api.openai.com/', 'https://API.openai.com:443/v1'])
    assert.equal(refusal(undefined, origin), undefined, origin)
  for (const origin of [
    'http://api.openai.com',
    'https://api.openai.com:8443',
    'https://api.openai.com.evil',
    '*',
    '',
    'null',
    'api.openai.com',
  ])
    assert.equal(refusal('https://api.openai.com/v1', origin), 'origin_mismatch', origin)
  assert.equal(refusal('https://[bad', 'https://[bad'), 'origin_mismatch')
})

test('SEC9, M-2: the gateway refuses non-public addresses that the setting does not list', servers, async (t) => {
  const gateway = await startGateway(t, [], [])
  const { a } = gateway.namespaces
  const upstream = await startUpstream(t, (response) => response.end('{"choices":[]}'))
  const port = Number(new URL(upstream.url).port)
  const hosts = [
    '127.0.0.1',
    'localhost',
    '2130706433',
    '0x7f.1',
    '0.0.0.0',
    '[::ffff:127.0.0.1]',
    '[::1]',
    '169.254.169.254',
  ]
  for (const [index, host] of hosts.entries()) {
    const name = `refused-${index}`
    await addRoute(gateway.admin, a, name, { provider: { type: 'openai', baseUrl: `http://${host}:${port}/v1` } })
    const [status, code, message] = await failure(gateway.as('developer'), name)
    assert.deepEqual([host, status, code], [host, 502, 'provider_misconfigured'])
    assert.match(message, /^Provider \S+ \(\S+\): the address is refused \(setting outbound\.allow\)$/)
  }
  assert.equal(upstream.seen.length, 0)
})

test(
  'UXM12: the error of a call names provider, host and cause, and log and metrics have route, provider and reason',
  servers,
  async (t) => {
    const gateway = await startGateway(t)
    const { a } = gateway.namespaces
    const silent = await startUpstream(t, () => undefined)
    const broken = await startUpstream(t, (response) => response.writeHead(500).end('stack of sk-canary-0123456789'))
    const down = await startUpstream(t, () => undefined)
    await new Promise((resolve) => down.server.close(resolve))
    const hostOf = ({ url }: { url: string }): string => new URL(url).host
    const cases: [string, string, string, number, string][] = [
      ['down', down.url, `Provider ${a}/down (${hostOf(down)}): connection refused`, 502, 'connection_refused'],
      ['silent', silent.url, `Provider ${a}/silent (${hostOf(silent)}): timed out`, 504, 'timeout'],
      [
        'tls',
        silent.url.replace('http:', 'https:'),
        `Provider ${a}/tls (${hostOf(silent)}): TLS handshake failed`,
        502,
        'tls_error',
      ],
      ['broken', broken.url, `Provider ${a}/broken failed (500).`, 502, 'provider_error'],
      [
        'lost',
        'https://provider.invalid/v1',
        `Provider ${a}/lost (provider.invalid): the host name does not resolve`,
        502,
        'name_not_found',
      ],
    ]
    for (const [name, baseUrl, text, wanted] of cases) {
      await addRoute(gateway.admin, a, name, { provider: { type: 'openai', baseUrl } })
      const [status, , message] = await failure(gateway.as('developer'), name)
      assert.deepEqual([status, message], [wanted, text])
    }
    const metrics = await gateway.metrics()
    for (const [name, , , status, reason] of cases) {
      const pair = `route="${a}/${name}",provider="${a}/${name}"`
      assert.ok(metrics.includes(`mesh_model_call_failures_total{${pair},reason="${reason}"} 1`), reason)
      assert.ok(
        metrics.includes(`mesh_model_calls_total{${pair},operation="chat/completions",status="${status}"} 1`),
        name,
      )
      const line = gateway.lines
        .map((one) => JSON.parse(one) as Record<string, unknown>)
        .find((one) => one.provider === `${a}/${name}`)
      assert.deepEqual([line?.msg, line?.route, line?.reason], ['model call failed', `${a}/${name}`, reason])
    }
    assert.equal(`${metrics}${gateway.lines.join('')}`.includes('canary'), false)
  },
)

test('UXM12: the number of routes in metrics is bounded, in total and per namespace', () => {
  const labelsOf = createCallLabels({ pairs: 4, pairsPerNamespace: 2 })
  assert.deepEqual(labelsOf('a/1', 'a/p'), { route: 'a/1', provider: 'a/p' })
  assert.deepEqual(labelsOf('a/2', 'a/p'), { route: 'a/2', provider: 'a/p' })
  assert.deepEqual(labelsOf('a/3', 'a/p'), { route: 'other', provider: 'other' })
  assert.deepEqual(labelsOf('a/1', 'a/p'), { route: 'a/1', provider: 'a/p' })
  const named = (route: string): boolean => labelsOf(route, 'a/p').route === route
  assert.deepEqual(['b/1', 'b/2', 'b/3', 'c/1'].map(named), [true, true, false, false])
  // A tenant with 10,000 routes leaves the others their names.
  const ofInstall = createCallLabels()
  const many = Array.from({ length: 10_000 }, (_, n) => ofInstall(`a/${n}`, 'a/p').route)
  assert.equal(new Set(many).size, labelBounds.pairsPerNamespace + 1)
  assert.equal(ofInstall('b/1', 'b/p').route, 'b/1')
})
