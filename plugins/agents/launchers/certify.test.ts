import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { parse } from 'yaml'
import { startApiServer } from '@mesh.dev/embedded-apiserver'
import { createOwnIdentity } from '#core/cluster/token-review.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { KubeObject } from '#core/kube/client.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { verifyCertificate } from '#core/signing/launcher-certificate.ts'
import { toThumbprinted } from '#core/signing/key-thumbprint.ts'
import { createTestIssuer } from '#core/signing/testing/test-issuer.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { children } from '../reconcile/owned/child-kinds.ts'
import { pods } from '../contract/resources.ts'
import { createFindCallingAgent } from '#core/cluster/calling-agent.ts'
import { createCertifyLauncher } from './certify.ts'

const folder = new URL('../../../deploy/crds/', import.meta.url)
const crds = readdirSync(folder)
  .map((file) => parse(readFileSync(new URL(file, folder), 'utf8')))
  .filter((document) => document.kind === 'CustomResourceDefinition')
const namespace = parseLabel('namespace', 'default')
const ref = { namespace, name: parseName('name', 'bot') }
const metadata = { name: 'bot', namespace: 'default' }
const testIssuer = createTestIssuer()
const spec = { systemPrompt: 'You help.', model: { route: 'r' } }

async function setUp(t: TestContext, ttlMs = 0) {
  const dir = tempFolder('certify')
  const admin = { token: 'admin-token', username: 'admin', groups: ['system:masters'] }
  const server = await startApiServer({ dataDir: join(dir.path, 'apiserver'), crds, tokens: [admin] })
  const pool = createPool(server.url)
  const cluster = createKubeClient({ server: server.url, pool, bearer: admin.token })
  t.after(async () => {
    await pool.close()
    await server.close()
    dir.remove()
  })
  const find = createFindCallingAgent(createOwnIdentity({ cluster }), ttlMs)
  const certify = createCertifyLauncher({ cluster, keys: testIssuer.keys, now: () => new Date(), ttlMs })
  const { x } = toThumbprinted((await testIssuer.launcherOf('any')).privateKey)
  const addAccount = (owner?: {
    readonly uid?: string | undefined
    readonly name?: string
    readonly controller?: boolean
  }) => {
    const { uid = '', name = 'bot', controller = true } = owner ?? {}
    const ownerReferences = [
      { apiVersion: AgentDeployment.apiVersion, kind: AgentDeployment.kind, name, uid, controller },
    ]
    const own = owner === undefined ? {} : { ownerReferences }
    return cluster.create(children.ServiceAccount, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { ...metadata, ...own },
    })
  }
  return {
    cluster,
    certify: async (bearer: string) => certify(await find(bearer), x),
    addAgent: (name = 'bot') =>
      cluster.create(AgentDeployment, AgentDeployment.object({ metadata: { ...metadata, name }, spec })),
    addAccount,
    addPod: () => {
      const containers = [{ name: 'agent', image: 'none' }]
      return cluster.create(pods, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata,
        spec: { serviceAccountName: 'bot', containers },
      } as KubeObject)
    },
    token: async (pod?: KubeObject, audience = 'state') => {
      const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: 'bot', uid: pod?.metadata.uid }
      const request = {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        metadata,
        spec: { audiences: [audience], expirationSeconds: 3600, ...(pod === undefined ? {} : { boundObjectRef }) },
      }
      const issued = await cluster.create<KubeObject<unknown, { token: string }>>(children.ServiceAccount, request, {
        subresource: 'token',
      })
      return issued.status?.token ?? ''
    },
  }
}

function refuses(code: string, detail?: RegExp) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof Fail, String(error))
    assert.equal(error.code, code)
    if (detail !== undefined) assert.match(error.message, detail)
    return true
  }
}

test('R2-N3, PODS12: the launcher in a pod of an agent is certified, by the uids of both', async (t) => {
  const { certify, addAgent, addAccount, addPod, token } = await setUp(t)
  const agent = await addAgent()
  await addAccount({ uid: agent.metadata.uid })
  const pod = await addPod()
  const { agentUid, podUid } = await verifyCertificate(await certify(await token(pod)), testIssuer.issuer)
  assert.deepEqual([agentUid, podUid], [agent.metadata.uid, pod.metadata.uid])
})

test('R2-N3: a token without a pod, of another audience, of a person or unknown is not certified', async (t) => {
  const { certify, addAgent, addAccount, addPod, token } = await setUp(t)
  const agent = await addAgent()
  await addAccount({ uid: agent.metadata.uid })
  const pod = await addPod()
  await assert.rejects(certify(await token()), refuses('forbidden', /not bound to a pod/))
  await assert.rejects(certify(await token(pod, 'gateway')), refuses('unauthenticated'))
  for (const bearer of ['admin-token', 'x', '\u0000', 'e30.e30.e30', 'a'.repeat(100_000)])
    await assert.rejects(certify(bearer), refuses('unauthenticated'), bearer.slice(0, 20))
})

test('R2-N3: an account that a user made with the name of an agent is not certified', async (t) => {
  const { certify, cluster, addAgent, addAccount, addPod, token } = await setUp(t)
  const agent = await addAgent()
  const other = await addAgent('other')
  const owners = [undefined, { uid: other.metadata.uid, name: 'other' }, { uid: agent.metadata.uid, controller: false }]
  for (const owner of owners) {
    await addAccount(owner)
    const pod = await addPod()
    await assert.rejects(
      certify(await token(pod)),
      refuses('forbidden', /does not belong to an agent/),
      JSON.stringify(owner),
    )
    await cluster.delete(pods, ref)
    await cluster.delete(children.ServiceAccount, ref)
  }
})

test('R2-N3: a deleted and re-created agent of the same name has other certificates', async (t) => {
  const { certify, cluster, addAgent, addAccount, addPod, token } = await setUp(t)
  const former = await addAgent()
  await addAccount({ uid: former.metadata.uid })
  const bearer = await token(await addPod())
  await certify(bearer)
  await cluster.delete(AgentDeployment, ref, { propagation: 'Orphan' })
  await assert.rejects(certify(bearer), refuses('forbidden'), 'without an agent')
  const agent = await addAgent()
  await assert.rejects(certify(bearer), refuses('forbidden'), 'the account is that of the former agent')
  await cluster.delete(children.ServiceAccount, ref)
  await addAccount({ uid: agent.metadata.uid })
  await assert.rejects(certify(bearer), refuses('forbidden'), 'the token is that of the former account')
})
