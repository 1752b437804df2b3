import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { needs } from '#test/harness/find-server.ts'
import { sharedKube } from '#test/harness/kube.ts'
import { createKubeClient } from '../create-client.ts'
import { bearerFromFile, inClusterAccess } from '../in-cluster.ts'
import type { ClusterAccess } from '../in-cluster.ts'
import { loadKubeconfig } from './load-kubeconfig.ts'
import { createPool } from '../connection-pool.ts'

const real = needs('etcd', 'kube-apiserver')
const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }

async function username(t: TestContext, access: ClusterAccess): Promise<string | undefined> {
  const pool = createPool(access.server, access.tls)
  t.after(() => pool.close())
  const client = createKubeClient({ server: access.server, pool, bearer: access.bearer })
  const answer = await client.review<{ status?: { userInfo?: { username?: string } } }>(path, body)
  return answer.status?.userInfo?.username
}

function folder(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'mesh-kubeconfig-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

test('a kubeconfig with a token has the identity of the token', real, async (t) => {
  const kube = await sharedKube(t)
  const access = await loadKubeconfig({ file: kube.kubeconfig(kube.tokens['viewer'] ?? '') })
  assert.equal(await username(t, access), 'viewer')
  assert.equal(access.namespace, 'default')
})

test('a kubeconfig with an exec plugin runs it', real, async (t) => {
  const kube = await sharedKube(t)
  const credential = {
    apiVersion: 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    status: { token: kube.tokens['developer'] },
  }
  const file = join(folder(t), 'config.json')
  const ca = Buffer.from(kube.ca).toString('base64')
  const exec = {
    apiVersion: credential.apiVersion,
    command: process.execPath,
    args: ['-e', `process.stdout.write(${JSON.stringify(JSON.stringify(credential))})`],
    interactiveMode: 'Never',
  }
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'a', cluster: { server: kube.url, 'certificate-authority-data': ca } }],
    users: [{ name: 'plugin', user: { exec } }],
    contexts: [{ name: 'dev', context: { cluster: 'a', user: 'plugin' } }],
    'current-context': 'none',
  }
  writeFileSync(file, JSON.stringify(config))
  assert.equal(await username(t, await loadKubeconfig({ file, context: 'dev' })), 'developer')
  await assert.rejects(loadKubeconfig({ file, context: 'other' }), /no context "other"/)
})

test('in a pod the mounted service account is used, and its token is reread', real, async (t) => {
  assert.equal(inClusterAccess({}), undefined)
  const kube = await sharedKube(t)
  const mount = folder(t)
  writeFileSync(join(mount, 'ca.crt'), kube.ca)
  writeFileSync(join(mount, 'namespace'), 'mesh-system\n')
  const { hostname, port } = new URL(kube.url)
  const env = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port }
  assert.equal(inClusterAccess(env, mount)?.bearer, null, 'a pod without a mounted token has no identity')
  writeFileSync(join(mount, 'token'), `${kube.tokens['operator'] ?? ''}\n`)
  const access = inClusterAccess(env, mount)
  assert.equal(await username(t, access ?? assert.fail()), 'operator')
  assert.equal(access?.namespace, 'mesh-system')
  let now = 0
  const bearer = bearerFromFile(join(mount, 'token'), () => now)
  const old = await bearer()
  writeFileSync(join(mount, 'token'), 'next')
  now = 59_999
  assert.equal(await bearer(), old)
  now = 60_000
  assert.equal(await bearer(), 'next')
})
