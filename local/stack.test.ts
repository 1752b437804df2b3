import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { parse } from 'yaml'
import type { KubeClient } from '#core/kube/client.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { plugins } from '#plugins/index.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { composeStack } from './stack.ts'
import type { StartedStack } from './stack.ts'
import { workloadResources } from './workloads/objects/workload-objects.ts'
import type { LocalDeployment, Pod } from './workloads/objects/workload-objects.ts'

test('a restart on other ports starts each agent once, with the new addresses', { timeout: 480_000 }, async (t) => {
  const data = tempFolder('stack')
  const closers: (() => unknown)[] = [data.remove]
  // In reverse order of the start.
  t.after(async () => {
    for (const close of closers.toReversed()) await close()
  })
  const first = await start(closers, join(data.path, 'data'))
  const agents = await eventually(async () => {
    const { items } = await first.cluster.list<LocalDeployment>(workloadResources.deployments)
    assert.ok(items.length === 2 && items.every(({ status }) => status?.readyReplicas === 1))
    return items.length
  })
  await first.close()

  const audit = join(data.path, 'audit.log')
  const second = await start(closers, join(data.path, 'data'), audit)
  assert.notEqual(second.gatewayUrl, first.gatewayUrl)
  await eventually(async () => {
    const { items } = await second.cluster.list<Pod>(workloadResources.pods)
    const ready = items.filter((pod) => isReady(pod) && JSON.stringify(pod.spec).includes(second.gatewayUrl))
    assert.equal(ready.length, agents)
  })
  const created = readFileSync(audit, 'utf8')
    .split('\n')
    .filter((line) => /"verb":"create"/.test(line) && /\/pods[?"]/.test(line))
  assert.equal(created.length, agents, created.join('\n'))
})

async function start(
  closers: (() => unknown)[],
  data: string,
  apiAudit?: string,
): Promise<StartedStack & { cluster: KubeClient; close(): Promise<void> }> {
  const options = { data, port: 0, fresh: false, demo: 'agents', output: 'json', apiAudit } as const
  const stack = await composeStack({
    options,
    roles: ['migrate', 'state', 'manager', 'worker', 'gateway', 'bff'],
    plugins,
    env: { MESH_ADMIN_PORT: '0' },
    version: '0.0.0',
  })
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => (closing ??= stack.close())
  closers.push(close)
  const started = await stack.start()
  const { server, ca } = clusterOf(started.kubeconfig)
  const pool = createPool(server, { ca })
  closers.push(() => pool.close())
  return { ...started, cluster: createKubeClient({ server, pool, bearer: started.tokens.admin }), close }
}

function clusterOf(kubeconfig: string): { server: string; ca: string } {
  const { clusters } = parse(readFileSync(kubeconfig, 'utf8')) as {
    clusters: [{ cluster: { server: string; 'certificate-authority-data': string } }]
  }
  const [{ cluster }] = clusters
  return { server: cluster.server, ca: Buffer.from(cluster['certificate-authority-data'], 'base64').toString() }
}

function isReady({ status }: Pod): boolean {
  const conditions = (status?.['conditions'] ?? []) as readonly { readonly type: string; readonly status: string }[]
  return conditions.some((one) => one.type === 'Ready' && one.status === 'True')
}

async function eventually<T>(check: () => Promise<T>): Promise<T> {
  const end = Date.now() + 60_000
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (Date.now() > end) throw error
      await pause(50)
    }
  }
}
