import assert from 'node:assert/strict'
import test from 'node:test'
import { KubeError } from '#core/kube/status.ts'
import type { KubeClient, KubeObject } from '#core/kube/client.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { createRemoveFormerKeys } from './former-keys.ts'
import type { FormerKeysState } from './former-keys.ts'

const agent = AgentDeployment.object({ metadata: { name: 'bot', namespace: 'default', uid: 'u1' }, spec: {} })
const settled = { serving: true, complete: true, scaledToZero: false, failure: undefined }
const rolling = { ...settled, complete: false }

function stateOf(progress: FormerKeysState['progress'], secretName?: string, phase = 'Running'): FormerKeysState {
  const volumes = secretName === undefined ? [] : [{ secret: { secretName } }]
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { volumes }, status: { phase } }
  return { deployed: 'r1', progress, podProblem: undefined, pods: [pod], isNew: false }
}

const { uid = '' } = agent.metadata
const ownerReferences = [{ apiVersion: AgentDeployment.apiVersion, kind: AgentDeployment.kind, name: 'bot', uid }]
const account: KubeObject = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'bot', namespace: 'default', ownerReferences },
}

function removal(answer: () => Promise<void> = async () => undefined, kept: { account: KubeObject } = { account }) {
  const deleted: string[] = []
  const cluster: Parameters<typeof createRemoveFormerKeys>[0] = {
    list: async <O extends KubeObject>() => ({
      items: [kept.account as O],
      resourceVersion: '1',
      continue: undefined,
    }),
    patch: async <O extends KubeObject>(...[, , { body }]: Parameters<KubeClient['patch']>) => {
      const { annotations } = (body as KubeObject).metadata
      kept.account = { ...kept.account, metadata: { ...kept.account.metadata, ...(annotations && { annotations }) } }
      return kept.account as O
    },
    delete: async ({ plural }, { name }) => {
      deleted.push(`${plural}/${name}`)
      await answer()
      return { object: undefined, uid: undefined }
    },
  }
  return { deleted, remove: createRemoveFormerKeys(cluster) }
}

test('R2-N3: the Secret of former keys is deleted once no pod needs it, and once for each agent', async () => {
  const { deleted, remove } = removal()
  await remove(agent, stateOf(rolling))
  await remove(agent, stateOf(settled, 'bot.keys.mesh.dev'))
  assert.deepEqual(deleted, [], 'a pod of the former version could not restart without it')
  await remove(agent, stateOf(settled, 'other'))
  await remove(agent, stateOf(settled))
  assert.deepEqual(deleted, ['secrets/bot.keys.mesh.dev'])
})

test('R2-N3: ended pods need no Secret, an absent one is no error, and a refused deletion is repeated', async () => {
  const ended = removal()
  await ended.remove(agent, stateOf(settled, 'bot.keys.mesh.dev', 'Succeeded'))
  assert.equal(ended.deleted.length, 1)
  const failing = async (status: number): Promise<number> => {
    const { deleted, remove } = removal(() => Promise.reject(new KubeError(status, '', '')))
    await remove(agent, stateOf(settled)).catch(() => undefined)
    await remove(agent, stateOf(settled)).catch(() => undefined)
    return deleted.length
  }
  assert.deepEqual([await failing(404), await failing(403)], [1, 2])
})

test('R2-CL-5: the Secret of former keys is deleted once for each agent, however often the manager starts', async () => {
  const kept = { account }
  const [first, second] = [removal(undefined, kept), removal(undefined, kept)]
  await first.remove(agent, stateOf(settled))
  await second.remove(agent, stateOf(settled))
  assert.deepEqual([first.deleted.length, second.deleted.length], [1, 0])
})

test('R2-CL-5: no Secret is deleted of an agent that no former version ran', async () => {
  const kept = { account }
  const [first, second] = [removal(undefined, kept), removal(undefined, kept)]
  await first.remove(agent, { ...stateOf(rolling), isNew: true })
  await first.remove(agent, stateOf(settled))
  await second.remove(agent, stateOf(settled))
  assert.deepEqual([first.deleted, second.deleted], [[], []], 'nor after a restart of the manager')
})
