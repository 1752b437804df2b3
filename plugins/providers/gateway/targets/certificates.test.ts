import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { needs } from '#test/harness/find-server.ts'
import { listen } from '#test/harness/listen.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import type { MeteredModelCall } from '../../contract/events.ts'
import { addKey, addTargets, refused, startGateway } from '../../testing/gateway.ts'

const servers = needs('kube-apiserver', 'etcd', 'kubectl', 'postgres', 'initdb')
const messages = [{ role: 'user' as const, content: 'hello' }]
const choices = [{ index: 0, message: { role: 'assistant', content: 'fine' }, finish_reason: 'stop' }]
const OPEN_MS = 1_000

/** A certificate of this machine's loopback address, signed by itself. */
function createCertificate(folder: string, name: string) {
  const [key, cert] = ['key', 'crt'].map((kind) => join(folder, `${name}.${kind}`))
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1']
  const about = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1']
  execFileSync('openssl', [...made, '-keyout', key ?? '', '-out', cert ?? '', ...about], { stdio: 'ignore' })
  return { key: readFileSync(key ?? '', 'utf8'), cert: readFileSync(cert ?? '', 'utf8') }
}

function trust(t: TestContext, certificates: readonly string[]): void {
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, ...certificates])
  t.after(() => setDefaultCACertificates(before))
}

test(
  'B7: a provider whose certificate changes to one that is not trusted gets no key, and opens its circuit',
  servers,
  async (t) => {
    const { path, remove } = tempFolder('certificates')
    t.after(remove)
    const [first, renewed, foreign] = ['first', 'renewed', 'foreign'].map((name) => createCertificate(path, name))
    assert.ok(first !== undefined && renewed !== undefined && foreign !== undefined)
    trust(t, [first.cert, renewed.cert])
    const keys: (string | undefined)[] = []
    const server = createServer(first, (request, response) => {
      keys.push(request.headers.authorization)
      request.resume()
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ id: 'x', object: 'chat.completion', choices, usage: {} }))
    })
    const origin = (await listen(t, server)).replace('http:', 'https:')
    const gateway = await startGateway(t)
    const { a } = gateway.namespaces
    await addKey(gateway, a, { name: 'llm', key: 'sk-canary', origin })
    const provider = { type: 'openai', baseUrl: `${origin}/v1`, secretRef: { name: 'llm', key: 'key' } }
    const route = { providerRef: { name: 'llm' }, model: 'm', circuitBreaker: { failures: 2, openFor: '1s' } }
    await addTargets(gateway, a, 'secure', { providers: { llm: provider }, route })
    const ask = () => gateway.as('developer').chat.completions.create({ model: 'secure', messages })
    // A certificate is judged when a connection is made: those that are open go on.
    const present = (certificate: typeof first): void => {
      server.setSecureContext(certificate)
      server.closeAllConnections()
    }

    await ask()
    present(foreign)
    for (const _ of ['first', 'second']) {
      const error = await refused(ask())
      assert.deepEqual([error.status, error.code], [502, 'bad_gateway'])
      assert.match(error.message, /^502 Provider .*\/llm \(127\.0\.0\.1:\d+\): TLS handshake failed$/)
      assert.equal(error.headers?.get('x-mesh-attempts'), '1')
    }
    const open = await refused(ask())
    assert.deepEqual([open.status, open.code, open.headers?.get('x-mesh-attempts')], [503, 'circuit_open', null])
    assert.equal(keys.length, 1, 'no request was sent over a connection that is not trusted')

    present(renewed)
    await pause(OPEN_MS)
    await ask()
    await ask()
    assert.deepEqual(
      keys,
      Array.from({ length: 3 }, () => 'Bearer sk-canary'),
    )
    const reasons = (await gateway.metered(6)).map(({ data }) =>
      (data as MeteredModelCall).failed?.map(({ reason }) => reason).join(),
    )
    assert.deepEqual(reasons, [undefined, 'tls_error', 'tls_error', undefined, undefined, undefined])
    assert.ok(!gateway.lines.join('').includes('canary'))
  },
)
