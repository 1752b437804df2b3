import assert from 'node:assert/strict'
import test from 'node:test'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import type { AgentRegistryObject, AgentRegistrySpec } from '#schemas/crds/agent-registry.ts'
import { callable, depthOf, isMember, mayCall, roleOf } from './membership.ts'

const apiVersion = 'mesh.dev/v1alpha1'

function registry(spec: AgentRegistrySpec = {}): AgentRegistryObject {
  return { apiVersion, kind: 'AgentRegistry', metadata: { namespace: 'home', name: 'team' }, spec }
}

function agent(
  namespace: string,
  name: string,
  registries?: { name: string; namespace?: string }[],
): AgentDeploymentObject {
  const spec = registries === undefined ? {} : { registries }
  return { apiVersion, kind: 'AgentDeployment', metadata: { namespace, name, uid: `${namespace}-${name}` }, spec }
}

test('a member names the registry, and the registry admits its namespace', () => {
  const team = { name: 'team', namespace: 'home' }
  const members = (spec: AgentRegistrySpec, one: AgentDeploymentObject): boolean => isMember(one, registry(spec))
  assert.equal(members({}, agent('home', 'a', [{ name: 'team' }])), true)
  assert.equal(members({}, agent('home', 'a', [team])), true)
  assert.equal(members({}, agent('home', 'a')), false)
  assert.equal(members({}, agent('home', 'a', [{ name: 'other' }])), false)
  assert.equal(
    members({}, agent('away', 'a', [{ name: 'team' }])),
    false,
    'a registry of its own namespace is another one',
  )
  assert.equal(members({}, agent('away', 'a', [team])), false, 'not admitted')
  assert.equal(members({ allowedNamespaces: ['away'] }, agent('away', 'a', [team])), true)
  assert.equal(members({ allowedNamespaces: ['*'] }, agent('else', 'a', [team])), true)
})

test('a member has the first role that lists it, and rules name roles', () => {
  const spec: AgentRegistrySpec = {
    roles: [
      { name: 'lead', agents: [{ name: 'planner' }] },
      { name: 'worker', agents: [{ name: 'planner' }, { name: 'writer', namespace: 'away' }] },
    ],
    calls: [{ from: ['lead'], to: ['*'] }],
    maxDepth: 3,
  }
  const role = (namespace: string, name: string): string => roleOf(registry(spec), { namespace, name })
  assert.deepEqual(
    [role('home', 'planner'), role('away', 'planner'), role('away', 'writer'), role('home', 'writer')],
    ['lead', 'member', 'worker', 'member'],
  )
  assert.deepEqual([mayCall(spec, 'lead', 'worker'), mayCall(spec, 'worker', 'lead')], [true, false])
  assert.deepEqual(
    [mayCall({}, 'a', 'b'), mayCall({ calls: [] }, 'a', 'b')],
    [true, false],
    'an empty list allows nothing',
  )
  assert.deepEqual([depthOf(spec), depthOf({}), depthOf({ maxDepth: 99 })], [3, 8, 8])
})

test('E5: a name means the member of the own namespace, and no one if it is ambiguous', () => {
  const member = (namespace: string, name: string) => ({ namespace, name, uid: `${namespace}-${name}`, role: 'member' })
  const members = [member('a', 'x'), member('b', 'x'), member('a', 'y'), member('c', 'self'), member('a', 'self')]
  const named = (namespace: string): string[] =>
    callable(members, { namespace, name: 'self' }).map((one) => `${one.namespace}/${one.name}`)
  assert.deepEqual(named('a'), ['a/x', 'a/y', 'c/self'])
  assert.deepEqual(named('c'), ['a/y', 'a/self'])
})
