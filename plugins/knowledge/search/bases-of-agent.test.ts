import assert from 'node:assert/strict'
import test from 'node:test'
import type { KubeClient } from '#core/kube/client.ts'
import { KubeError } from '#core/kube/status.ts'
import { adapters } from '#core/database/testing/databases.ts'
import { openKnowledge } from '../testing/knowledge-rig.ts'
import { basesOfAgent } from './bases-of-agent.ts'

interface Stored {
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly spec: object
}

const objects: readonly Stored[] = [
  {
    kind: 'AgentDeployment',
    namespace: 'ns-a',
    name: 'helper',
    uid: 'agent',
    spec: {
      knowledge: [
        { name: 'own' },
        { name: 'open', namespace: 'ns-b' },
        { name: 'closed', namespace: 'ns-b' },
        { name: 'gone' },
      ],
    },
  },
  { kind: 'KnowledgeBase', namespace: 'ns-a', name: 'own', uid: 'own', spec: {} },
  { kind: 'KnowledgeBase', namespace: 'ns-a', name: 'unnamed', uid: 'unnamed', spec: {} },
  { kind: 'KnowledgeBase', namespace: 'ns-b', name: 'open', uid: 'open', spec: { allowedNamespaces: ['ns-a'] } },
  { kind: 'KnowledgeBase', namespace: 'ns-b', name: 'closed', uid: 'closed', spec: { allowedNamespaces: ['ns-c'] } },
]

// The API server is asked for objects by name only; its own rules are tested with the real one in test/flows.
const cluster = {
  get: async ({ kind }: { kind: string }, { namespace, name }: { namespace?: string; name: string }) => {
    const found = objects.find((one) => one.kind === kind && one.namespace === namespace && one.name === name)
    if (found === undefined) throw new KubeError(404, 'NotFound', 'not found')
    return { metadata: { name, namespace, uid: found.uid }, spec: found.spec }
  },
} as unknown as Pick<KubeClient, 'get'>

test('an agent searches what its spec names and what allows its namespace, and nothing else', async (t) => {
  const [pglite] = adapters
  const rig = await openKnowledge(t, pglite.open)
  for (const { kind, uid } of objects) if (kind === 'KnowledgeBase') await rig.configure(uid)
  const helper = { namespace: 'ns-a', name: 'helper' }
  const uidsOf = async (wanted?: string, of = helper) =>
    (await basesOfAgent({ cluster, db: rig.db }, of, wanted)).bases.map(({ uid }) => uid).toSorted()
  assert.deepEqual(await uidsOf(), ['open', 'own'])
  const { agent } = await basesOfAgent({ cluster, db: rig.db }, helper, undefined)
  assert.deepEqual(agent, { namespace: 'ns-a', name: 'helper', uid: 'agent' })
  assert.deepEqual(await uidsOf('open'), ['open'])
  for (const name of ['closed', 'unnamed', 'gone', '..', 'own\0', 'a/b', '\ud800'])
    await assert.rejects(uidsOf(name), { code: 'unknown_knowledge_base' }, name)
  for (const name of ['other', '', '..', 'own\0'])
    await assert.rejects(uidsOf(undefined, { namespace: 'ns-a', name }), { code: 'forbidden' }, name)
})
