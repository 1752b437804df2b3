import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import test from 'node:test'
import { ADMIN, startTestServer } from '@mesh.dev/embedded-apiserver/testing'
import { createPool } from '#core/kube/connection-pool.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { findServer, needs } from '#test/harness/find-server.ts'
import { applyNode } from '../../cluster/node-object.ts'
import { startWorkloads } from '../start-workloads.ts'

const silent = { debug: noop, info: noop, warn: noop, error: noop, child: () => silent }
function noop(): void {}

test(
  'kubectl: a roll-out of a Deployment that is no agent ends with the reason, and the one node is listed',
  needs('kubectl'),
  async (t) => {
    const server = await startTestServer(t)
    const pool = createPool(server.url)
    const cluster = createKubeClient({ server: server.url, pool, bearer: ADMIN })
    const workloads = await startWorkloads({ cluster, dataDir: server.dataDir, log: silent })
    t.after(async () => {
      await workloads.close()
      await pool.close()
    })
    const access = [`--server=${server.tlsUrl}`, `--token=${ADMIN}`, '--insecure-skip-tls-verify']
    const env = { ...process.env, HOME: server.dataDir, KUBECONFIG: join(server.dataDir, 'none') }
    const kubectl = (...args: string[]): Promise<{ code: number; text: string }> => {
      const { promise, resolve } = Promise.withResolvers<{ code: number; text: string }>()
      execFile(findServer('kubectl') ?? 'kubectl', [...access, ...args], { env, timeout: 20_000 }, (error, out, err) =>
        resolve({ code: Number(error?.code ?? 0), text: out + err }),
      )
      return promise
    }
    await kubectl('create', 'deployment', 'web', '--image=nginx')
    const ended = await kubectl('rollout', 'status', 'deployment/web', '--timeout=15s')
    assert.deepEqual([ended.code, ended.text.includes('exceeded its progress deadline')], [1, true], ended.text)
    const described = await kubectl('describe', 'deployment', 'web')
    assert.match(described.text, /ReplicaFailure\s+True\s+AgentsOnly/)
    const path = '{.status.conditions[?(@.type=="ReplicaFailure")].message}'
    const { text } = await kubectl('get', 'deployment', 'web', '-o', `jsonpath=${path}`)
    assert.equal(text, 'the embedded default runs agents only')
    await kubectl('scale', 'deployment', 'web', '--replicas=0')
    assert.equal((await kubectl('rollout', 'status', 'deployment/web', '--timeout=15s')).code, 0)
    await applyNode(cluster, 'test')
    await applyNode(cluster, 'test')
    assert.match((await kubectl('get', 'nodes')).text, /^NAME\s+STATUS\s+ROLES[^\n]*\nlocal\s+Ready\s+control-plane\s/)
  },
)
