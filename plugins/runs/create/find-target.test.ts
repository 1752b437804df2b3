import assert from 'node:assert/strict'
import test from 'node:test'
import type { ObservedReads } from '#core/cluster/observed-objects.ts'
import type { Caller } from '#core/cluster/caller.ts'
import { KubeError } from '#core/kube/status.ts'
import { readAgentExistence } from '../launchers/agent-exists.ts'
import { findAgent } from './find-target.ts'

const ref = { namespace: 'demo', name: 'bot' }

// An index that has the agent only for those who wait.
function lagging() {
  const waits: number[] = []
  const observed: ObservedReads = {
    find: async (kind, namespace, name, waitMs = 0) => {
      waits.push(waitMs)
      const found = { uid: 'a-1', kind, namespace, namespaceUid: 'ns-1', name, resourceVersion: '1' }
      return waitMs > 0 ? found : undefined
    },
    namespaceUid: async () => 'ns-1',
  }
  return { observed, waits }
}

function callerThat(get: () => Promise<unknown>): Pick<Caller, 'cluster'> {
  return { cluster: { get } as unknown as Caller['cluster'] }
}

const refusing = (status: number) =>
  callerThat(() => Promise.reject(new KubeError(status, status === 404 ? 'NotFound' : 'Forbidden', 'no')))

test('R2-UX-14: an agent that the cluster does not have is 404 at once', async () => {
  const { observed, waits } = lagging()
  const asked = findAgent(observed, ref, () => readAgentExistence(refusing(404), ref))
  await assert.rejects(asked, { code: 'not_found', message: 'There is no agent bot in demo.' })
  assert.deepEqual(waits, [0], 'the index is not waited for')
})

test('R2-UX-14: a fresh agent is waited for, also by callers who may not read it', async () => {
  const broken = callerThat(() => Promise.reject(new Error('down')))
  const callers = [refusing(403), refusing(500), broken].map((caller) => [caller, 2_000] as const)
  for (const [caller, waited] of [[callerThat(async () => ({})), 10_000] as const, ...callers]) {
    const { observed, waits } = lagging()
    const found = await findAgent(observed, ref, () => readAgentExistence(caller, ref))
    assert.deepEqual(found, { agent: { ...ref, uid: 'a-1' }, namespaceUid: 'ns-1', previews: 'hidden' })
    assert.deepEqual(waits, [0, waited])
  }
})

test('R2-UX-14: an agent that exists and is not observed in time is never `not_found`', async () => {
  const observed: ObservedReads = { find: async () => undefined, namespaceUid: async () => undefined }
  const asked = (caller: Pick<Caller, 'cluster'>) => findAgent(observed, ref, () => readAgentExistence(caller, ref))
  await assert.rejects(asked(callerThat(async () => ({}))), {
    code: 'agent_not_observed',
    message: 'bot in demo is not observed yet.',
  })
  await assert.rejects(asked(refusing(403)), { code: 'not_found' })
})

test('R2-UX-14: an indexed agent is not read from the cluster', async () => {
  const observed: ObservedReads = {
    find: async (kind, namespace, name) => ({
      uid: 'a-1',
      kind,
      namespace,
      namespaceUid: 'ns-1',
      name,
      resourceVersion: '1',
    }),
    namespaceUid: async () => 'ns-1',
  }
  const found = await findAgent(observed, ref, () => assert.fail('it was read'))
  assert.equal(found.agent.uid, 'a-1')
})
