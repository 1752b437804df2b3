import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { startApiServer } from '@mesh.dev/embedded-apiserver'
import { until } from '#test/chaos/until.ts'
import { needs } from '#test/harness/find-server.ts'
import { sharedKube } from '#test/harness/kube.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { closeConnections, send } from './http.ts'
import type { Target } from './http.ts'

/** A change in an audit log: verb, resource, name and code. */
type Change = string

interface AuditedRequest {
  readonly verb: string
  readonly objectRef?: { readonly resource?: string; readonly namespace?: string; readonly name?: string }
  readonly responseStatus?: { readonly code?: number }
}

const token = 'token-admin'
const secret = (metadata: object): object => ({ apiVersion: 'v1', kind: 'Secret', metadata })

/** Sends the changes of the transcript. The last one marks its end. */
async function change(target: Target, namespace: string): Promise<void> {
  const secrets = `/api/v1/namespaces/${namespace}/secrets`
  const made = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }
  const requests = [
    { verb: 'POST', path: '/api/v1/namespaces', body: made },
    { verb: 'POST', path: secrets, body: secret({ name: 'key' }) },
    { verb: 'POST', path: secrets, body: secret({ name: 'key' }) },
    { verb: 'POST', path: secrets, body: secret({ name: 'Not A Name' }) },
    { verb: 'PUT', path: `${secrets}/key`, body: secret({ name: 'key', labels: { a: 'b' } }) },
    { verb: 'DELETE', path: `${secrets}/key` },
    { verb: 'DELETE', path: `${secrets}/key` },
    { verb: 'POST', path: secrets, body: secret({ name: 'last' }) },
  ]
  for (const request of requests) await send(target, { user: 'admin', ...request })
}

function changesOf(requests: readonly AuditedRequest[], namespace: string): readonly Change[] {
  return requests
    .filter(({ verb, objectRef }) => verb !== 'get' && [objectRef?.namespace, objectRef?.name].includes(namespace))
    .map(({ verb, objectRef, responseStatus }) =>
      [verb, objectRef?.resource, objectRef?.name, responseStatus?.code].join(' '),
    )
}

async function embedded(t: TestContext): Promise<{ target: Target; events: readonly AuditedRequest[] }> {
  const folder = tempFolder('audit-events')
  const events: AuditedRequest[] = []
  const server = await startApiServer({
    dataDir: folder.path,
    crds: [],
    tokens: [{ token, username: 'admin', uid: 'uid-admin', groups: ['system:masters'] }],
    controllers: false,
    onAuditEvent: (event) => void events.push(event as AuditedRequest),
  })
  t.after(async () => {
    closeConnections()
    await server.close()
    folder.remove()
  })
  return { target: { url: server.url, tokens: { admin: token, alice: '' } }, events }
}

test(
  'R2-M7: audit events of changes name the same objects as those of kube-apiserver',
  { ...needs('etcd', 'kube-apiserver'), timeout: 480_000 },
  async (t) => {
    const namespace = `audited-${process.pid}`
    const kube = await sharedKube(t)
    const since = kube.auditLog().length
    await change({ url: kube.url, ca: kube.ca, tokens: { admin: kube.tokens['admin'] ?? '', alice: '' } }, namespace)
    const real = await until('kube-apiserver has logged the last change', () => {
      const found = changesOf(kube.auditLog(since), namespace)
      return Promise.resolve(found.includes('create secrets last 201') ? found : undefined)
    })
    const { target, events } = await embedded(t)
    await change(target, namespace)
    assert.deepEqual(changesOf(events, namespace), real)
  },
)

test('R2-M7: the audit event of an object with a generated name has that name', async (t) => {
  const { target, events } = await embedded(t)
  await send(target, {
    verb: 'POST',
    path: '/api/v1/namespaces/default/secrets',
    user: 'admin',
    body: secret({ generateName: 'key-' }),
  })
  assert.match(String(changesOf(events, 'default')), /^create secrets key-[a-z0-9]{5} 201$/)
})
