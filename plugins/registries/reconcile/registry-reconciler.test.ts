import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { runReconcilers } from '#core/controllers/controller.ts'
import type { Resource } from '#core/kube/client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { clusters } from '#plugins/providers/testing/manager.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { AgentRegistry, MAX_MEMBERS } from '#schemas/crds/agent-registry.ts'
import type { AgentRegistryObject, AgentRegistryStatus } from '#schemas/crds/agent-registry.ts'
import { registryReconciler } from './registry-reconciler.ts'
import { toRegistryStatus } from './registry-status.ts'

const namespaces: Resource = { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false }
const silent = { debug: noop, info: noop, warn: noop, error: noop, child: () => silent }
function noop(): void {}

test('the status names the members, with the rights of the shipped manager', async (t) => {
  const { admin, manager } = await clusters.embedded(t)
  const [home, away] = [parseLabel('ns', 'home'), parseLabel('ns', 'away')]
  for (const name of [home, away])
    await admin.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  const stop = new AbortController()
  const reconcilers = [registryReconciler({ cluster: manager, now: () => new Date() })]
  const running = runReconcilers({ cluster: manager, reconcilers, log: silent, signal: stop.signal })
  t.after(async () => {
    stop.abort()
    await running.done
  })
  const ref = { namespace: home, name: parseName('name', 'team') }
  const apiVersion = 'mesh.dev/v1alpha1'
  const agent = (namespace: typeof home, name: string, registries: object[]) =>
    admin.create(AgentDeployment, {
      apiVersion,
      kind: 'AgentDeployment',
      metadata: { namespace, name },
      spec: { runtime: { command: ['x'] }, registries },
    })
  const members = async (...wanted: readonly string[]): Promise<AgentRegistryStatus> => {
    for (;;) {
      const { status } = await admin.get<AgentRegistryObject>(AgentRegistry, ref)
      const found = status?.members?.map((one) => `${one.namespace}/${one.name} ${one.role}`) ?? []
      if (status?.memberCount === wanted.length && wanted.every((one) => found.includes(one))) return status
      await pause(20)
    }
  }
  const spec = {
    allowedNamespaces: ['away'],
    roles: [{ name: 'lead', agents: [{ name: 'a' }] }],
    calls: [{ from: ['lead', 'unknown'], to: ['*'] }],
  }
  await admin.create(AgentRegistry, { apiVersion, kind: 'AgentRegistry', metadata: ref, spec })
  const empty = await members()
  assert.deepEqual(
    empty.conditions?.map(({ type, status, reason }) => [type, status, reason]),
    [
      ['Accepted', 'False', 'UnknownRole'],
      ['Ready', 'True', 'TooFewMembers'],
    ],
  )
  await agent(home, 'a', [{ name: 'team' }])
  await agent(away, 'b', [{ name: 'team', namespace: 'home' }])
  await agent(away, 'c', [{ name: 'team' }])
  await members('home/a lead', 'away/b member')
  const b = { namespace: away, name: parseName('name', 'b') }
  await admin.patch(AgentDeployment, b, { type: 'merge', body: { spec: { registries: null } } })
  await members('home/a lead')
  await admin.patch(AgentDeployment, b, {
    type: 'merge',
    body: { spec: { registries: [{ name: 'team', namespace: 'home' }] } },
  })
  await members('home/a lead', 'away/b member')
  await admin.delete(AgentDeployment, b)
  await members('home/a lead')
})

test('a registry has a bounded number of members, and says so', () => {
  const metadata = { namespace: 'home', name: 'team', generation: 2 }
  const registry: AgentRegistryObject = { apiVersion: 'mesh.dev/v1alpha1', kind: 'AgentRegistry', metadata, spec: {} }
  const members = Array.from({ length: MAX_MEMBERS + 1 }, (_, index) => ({
    namespace: 'home',
    name: `a${index}`,
    uid: String(index),
    role: 'member',
  }))
  const status = toRegistryStatus(registry, members, new Date(0))
  assert.deepEqual([status.members?.length, status.memberCount], [MAX_MEMBERS, MAX_MEMBERS + 1])
  assert.equal(status.conditions?.find(({ type }) => type === 'Ready')?.reason, 'TooManyMembers')
  const twice = [members[0], { ...members[0], namespace: 'away' }].filter((one) => one !== undefined)
  const ambiguous = toRegistryStatus(registry, twice as typeof members, new Date(0))
  assert.equal(ambiguous.conditions?.find(({ type }) => type === 'Ready')?.reason, 'AmbiguousNames')
})
