import assert from 'node:assert/strict'
import test from 'node:test'
import { KubeError } from '#core/kube/status.ts'
import { createFindCallingAgent, parseRunHeader } from './calling-agent.ts'
import type { OwnIdentity } from './token-review.ts'

const of = (name: string, uid = name, pod?: string) => ({
  username: `system:serviceaccount:team:${name}`,
  uid,
  groups: [],
  extra: pod === undefined ? {} : { 'authentication.kubernetes.io/pod-uid': [pod] },
  audience: 'state',
})
const bearers = new Map([
  ['bot', of('bot')],
  ['again', of('bot', 'second')],
  ['pod', of('bot', 'bot', 'pod')],
  ['next pod', of('bot', 'bot', 'next')],
  ['other', of('other')],
  ['user', { ...of('x'), username: 'alice' }],
])

function rig() {
  const read: string[] = []
  const cluster = {
    get: async (_kind: unknown, { name }: { name: string }) => {
      read.push(name)
      if (name !== 'bot') throw new KubeError(404, 'NotFound', 'not found')
      return { metadata: { name, uid: `agent-${read.length}` }, spec: { memory: {} } }
    },
  } as unknown as OwnIdentity['cluster']
  const authenticate: OwnIdentity['authenticate'] = async (bearer) => bearers.get(bearer)
  return { read, find: createFindCallingAgent({ authenticate, cluster }) }
}

test('an agent is found by the account of its pods, and read once for each account', async () => {
  const { read, find } = rig()
  const { namespace, name, uid, account } = await find('bot')
  assert.deepEqual([namespace, name, uid, account.uid], ['team', 'bot', 'agent-1', 'bot'])
  assert.equal((await find('bot')).uid, 'agent-1')
  // A re-created agent has another account, so that the former one is not returned.
  assert.equal((await find('again')).uid, 'agent-2')
  assert.deepEqual(read, ['bot', 'bot'])
})

test('the first call of a pod reads the agent: a new revision may have a budget that the former had not', async () => {
  const { read, find } = rig()
  for (const bearer of ['pod', 'pod', 'next pod', 'next pod']) await find(bearer)
  assert.deepEqual(read, ['bot', 'bot'])
})

test('unknown bearers are unauthenticated; accounts without an agent are forbidden', async () => {
  const { find } = rig()
  await assert.rejects(find('garbage'), { code: 'unauthenticated' })
  for (const bearer of ['other', 'user']) await assert.rejects(find(bearer), { code: 'forbidden' }, bearer)
})

test('X-Mesh-Run-Id is a UUID in lower case', () => {
  const id = '0190c0de-0000-7000-8000-000000000000'
  assert.deepEqual([parseRunHeader(id), parseRunHeader(undefined)], [id, undefined])
  for (const value of ['', 'x', id.toUpperCase(), `${id}\0`, `${id} `, '\ud800', '1'.repeat(100_000)])
    assert.throws(() => parseRunHeader(value), { code: 'malformed_request' }, value.slice(0, 40))
})
