import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { parse } from 'yaml'
import { composeHost } from '#core/host/process/compose-process.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { loadCertificate } from '@mesh.dev/embedded-apiserver/certificate'
import { identity } from '#plugins/identity/index.ts'
import { providers } from '#plugins/providers/index.ts'
import { templates } from '#plugins/templates/index.ts'
import type { AuditEvent } from '#schemas/api/audit.ts'
import { until } from '#test/chaos/until.ts'
import { createDatabase } from '#test/harness/database.ts'
import { needs } from '#test/harness/find-server.ts'
import { freePort } from '#test/harness/free-port.ts'
import { startKube } from '#test/harness/kube.ts'
import { kubectl } from '#test/harness/kubectl.ts'
import { audit } from './index.ts'

const repository = new URL('../../', import.meta.url).pathname
const policy: object = parse(readFileSync(join(repository, 'deploy/audit/policy.yaml'), 'utf8'))
const forged = 'system:serviceaccount:people:olga'

/** A real API server whose audit webhook reports to a manager. */
async function setUp(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'mesh-audit-webhook-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const token = randomBytes(32).toString('base64url')
  const tokenFile = join(folder, 'token')
  writeFileSync(tokenFile, token)
  const port = await freePort()
  const url = `https://127.0.0.1:${port}/audit-events`
  const files = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') }
  const serving = loadCertificate(join(folder, 'serving.json'), new Date())
  writeFileSync(files.certFile, serving.certificate)
  writeFileSync(files.keyFile, serving.key)
  const client = clientCertificate(folder)
  const clientCaFile = join(folder, 'client.crt')
  const kube = await startKube(t, { auditWebhook: { url, token, policy, ca: serving.certificate, client } })
  const kubeconfigs = new Map<string, string>()
  const configOf = (persona: string): string => {
    const known = kubeconfigs.get(persona) ?? kube.kubeconfig(kube.tokens[persona] ?? '')
    kubeconfigs.set(persona, known)
    return known
  }
  const run = async (persona: string, ...args: string[]): Promise<string> => {
    const { code, stderr } = await kubectl(configOf(persona), args)
    return code === 0 ? 'done' : stderr
  }
  assert.equal(await run('admin', 'apply', '--server-side', '-k', join(repository, 'deploy/crds')), 'done')
  await run('admin', 'wait', '--for=condition=Established', '--timeout=30s', 'crd', '--all')
  const composed = await composeHost({
    roles: ['migrate', 'manager', 'worker', 'bff'],
    plugins: [identity, templates, providers, audit],
    version: '0.0.0',
    env: { DATABASE_URL: await createDatabase(t), AUDIT_WEBHOOK_TOKEN_FILE: tokenFile },
    presets: {
      keysDir: folder,
      listen: { host: '127.0.0.1', bff: 0, admin: 0, manager: port, managerTls: { ...files, clientCaFile } },
    },
    cluster: {
      server: kube.url,
      tls: { ca: kube.ca },
      bearerOf: (role) => (role === 'manager' ? async () => kube.tokens['admin'] ?? '' : undefined),
    },
    generateKeys: true,
    log: createLogger({ level: 'error' }),
  })
  t.after(() => composed.close())
  await composed.host.start()
  const api = async (persona: string, path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${composed.host.addresses().bff}/api${path}`, {
      ...init,
      headers: { authorization: `Bearer ${kube.tokens[persona]}`, 'content-type': 'application/json' },
    })
  const rows = async (kind = 'AgentTemplate'): Promise<readonly AuditEvent[]> => {
    const answer = await api('admin', `/audit?limit=200&kind=${kind}`)
    return ((await answer.json()) as { items: AuditEvent[] }).items.toReversed()
  }
  return { run, rows, api, url, token, folder, ca: serving.certificate }
}

/** A certificate for clients, its own authority. */
function clientCertificate(folder: string): { certificate: string; key: string } {
  const [key, certificate] = [join(folder, 'client.key'), join(folder, 'client.crt')]
  const subject = ['-subj', '/CN=kube-apiserver', '-addext', 'extendedKeyUsage=clientAuth']
  const made = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '2',
    ...subject,
  ]
  execFileSync('openssl', [...made, '-keyout', key, '-out', certificate], { stdio: 'ignore' })
  return { certificate: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') }
}

/** Posts with the right token and no client certificate; rejects when the connection is refused. */
async function postWithoutCertificate(url: string, token: string, ca: string): Promise<number> {
  const sent = request(url, { method: 'POST', ca, headers: { authorization: `Bearer ${token}` } })
  sent.end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return answer.statusCode ?? 0
}

const template = (name: string, description = 'x', namespace = 'default'): object => ({
  apiVersion: 'mesh.dev/v1alpha1',
  kind: 'AgentTemplate',
  metadata: { name, namespace },
  spec: { title: description, template: { spec: {} } },
})

test(
  'PODS5, PODA5, UXM16: with the audit webhook, over mutual TLS, every act of kubectl has its actor, also denials and failures',
  { ...needs('etcd', 'kube-apiserver', 'kubectl', 'initdb'), timeout: 480_000 },
  async (t) => {
    const { run, rows, api, folder, url, token, ca } = await setUp(t)
    await assert.rejects(postWithoutCertificate(url, token, ca))
    const write = (object: object, name = 'object.json'): string => {
      writeFileSync(join(folder, name), JSON.stringify(object))
      return join(folder, name)
    }
    const roles = join(repository, 'deploy/rbac')
    assert.equal(await run('admin', 'create', 'namespace', 'mesh-system'), 'done')
    assert.equal(
      await run('admin', 'apply', '-f', join(roles, 'developer.yaml'), '-f', join(roles, 'viewer.yaml')),
      'done',
    )
    for (const persona of ['developer', 'viewer'])
      assert.equal(
        await run(
          'admin',
          'create',
          'clusterrolebinding',
          persona,
          `--clusterrole=mesh-${persona}`,
          `--user=${persona}`,
        ),
        'done',
      )
    assert.equal(await run('developer', 'create', `--field-manager=${forged}`, '-f', write(template('one'))), 'done')
    assert.equal(await run('admin', 'apply', '--server-side', '-f', write(template('two'))), 'done')
    assert.equal(await run('developer', 'label', 'agenttemplate/one', 'a=b'), 'done')
    // No change: the row of the previous change keeps its actor.
    assert.equal(await run('admin', 'label', 'agenttemplate/one', 'a=b', '--overwrite'), 'done')
    assert.equal(
      await run('admin', 'patch', 'agenttemplate/one', '--type=merge', '-p', '{"metadata":{"labels":{"a":"b"}}}'),
      'done',
    )
    assert.match(await run('viewer', 'create', '-f', write(template('three'))), /Forbidden/)
    assert.match(await run('viewer', 'delete', 'agenttemplate/one'), /Forbidden/)
    assert.match(await run('developer', 'create', '-f', write(template('one'))), /AlreadyExists/)
    const invalid = '{"spec":{"title":7}}'
    assert.match(await run('developer', 'patch', 'agenttemplate/one', '--type=merge', '-p', invalid), /Invalid|invalid/)
    assert.equal(await run('developer', 'delete', 'agenttemplate/one', '--dry-run=server'), 'done')
    assert.equal(await run('admin', 'delete', 'agenttemplate/two'), 'done')
    assert.equal(await run('developer', 'delete', 'agenttemplate/one'), 'done')
    const denied = await api('viewer', '/templates', {
      method: 'POST',
      body: JSON.stringify({
        metadata: { name: 'four', namespace: 'default' },
        spec: { title: 'x', template: { spec: {} } },
      }),
    })
    const expected = [
      'create one success developer exact',
      'create two success admin exact',
      'update one success developer exact',
      'create  denied viewer exact',
      'delete one denied viewer exact',
      'create one error developer exact',
      'update one error developer exact',
      'create four denied viewer exact',
      'delete two success admin exact',
      'delete one success developer exact',
    ]
    const reported = (found: readonly AuditEvent[]): readonly string[] =>
      found.map(
        (row) => `${row.action} ${row.resource_name} ${row.outcome} ${row.actor} ${row.actor_exact ? 'exact' : ''}`,
      )
    assert.equal(denied.status, 403, await denied.text())
    await until('every act is in the audit log', async () => {
      const found = reported(await rows())
      return expected.every((row) => found.includes(row))
    })
    assert.deepEqual(reported(await rows()).toSorted(), expected.toSorted())
    const provider = {
      apiVersion: 'mesh.dev/v1alpha1',
      kind: 'ModelProvider',
      metadata: { name: 'p', namespace: 'default' },
      spec: { type: 'openai', baseUrl: 'https://a.example/v1' },
    }
    assert.equal(await run('admin', 'create', '-f', write(provider)), 'done')
    const elsewhere = '{"spec":{"baseUrl":"https://b.example/v1"}}'
    assert.equal(await run('developer', 'patch', 'modelprovider/p', '--type=merge', '-p', elsewhere), 'done')
    const change = { baseUrl: { from: 'https://a.example/v1', to: 'https://b.example/v1' } }
    const update = await until('the change has its exact actor', async () =>
      (await rows('ModelProvider')).find(({ action, actor_exact: exact }) => action === 'update' && exact),
    )
    assert.deepEqual([update.actor, update.resource_name, update.detail['changes']], ['developer', 'p', change])
  },
)
