import assert from 'node:assert/strict'
import test from 'node:test'
import type { KubeClient } from '#core/kube/client.ts'
import { localEnvironment } from './container-environment.ts'
import type { Pod } from './objects/workload-objects.ts'

const pod: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'bot-1', namespace: 'default' },
  spec: { containers: [] },
}

test('allocated ports are the same in each container, also in variables that refer to them', async () => {
  const port = { name: 'MESH_BUDGET_PORT', value: '2996' }
  const launcher = { name: 'launcher', env: [port, { name: 'MODEL_GATEWAY_URL', value: 'http://gateway:4000' }] }
  const agent = {
    name: 'agent',
    env: [port, { name: 'MODEL_GATEWAY_URL', value: 'http://127.0.0.1:$(MESH_BUDGET_PORT)' }],
  }
  const volumes = { folderOf: () => '/none' } as unknown as Parameters<typeof localEnvironment>[3]
  const made = await localEnvironment({ cluster: {} as KubeClient }, pod, { launcher, agent }, volumes)
  const allocated = made.launcher['MESH_BUDGET_PORT'] ?? ''
  assert.match(allocated, /^\d+$/)
  assert.notEqual(allocated, '2996')
  assert.equal(made.agent?.['MESH_BUDGET_PORT'], allocated)
  assert.equal(made.agent?.['MODEL_GATEWAY_URL'], `http://127.0.0.1:${allocated}`)
  assert.equal(made.launcher['MODEL_GATEWAY_URL'], 'http://gateway:4000')
})
