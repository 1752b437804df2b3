import assert from 'node:assert/strict'
import test from 'node:test'
import type { AgentDeploymentObject, AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import { declarative, resolved, agentOf, revisionOf } from '../../testing/agent-fixture.ts'
import { toVersions } from '../../versions/revisions.ts'
import type { Revision } from '../../versions/revisions.ts'
import type { ReferenceResolution } from '../spec/resolve-references.ts'
import { planRevision, revisionsToPrune, toRevisionData } from './plan-revision.ts'

test('new content creates a revision, the newest needs no change, an older one gets a new number', () => {
  const agent = agentOf(declarative)
  const data = { spec: agent.spec, resolved }
  const first = planRevision(agent, data, [])
  assert.ok(first.do === 'create')
  assert.equal(first.object.revision, 1)
  assert.equal(first.object.metadata.annotations?.['mesh.dev/summary'], 'first revision')
  assert.equal(planRevision(agent, data, [revisionOf(first.name, 1)]).do, 'nothing')
  const again = planRevision(agent, data, [revisionOf(first.name, 1), revisionOf('bot-other', 2)])
  assert.ok(again.do === 'raise')
  assert.equal(again.revision, 3)
  assert.equal(again.annotations['mesh.dev/source'], 'update')
})

// The agent at a spec, with the annotation of a rollback to a revision.
const annotated = (spec: AgentDeploymentSpec, revision?: string) => {
  const annotations = revision === undefined ? {} : { annotations: { 'mesh.dev/rollback-to': revision } }
  return agentOf(spec, { metadata: { ...agentOf(spec).metadata, ...annotations, resourceVersion: '77' } })
}

// The annotations after a merge patch.
const patched = (annotations: Readonly<Record<string, string | null>>): Record<string, string> =>
  Object.fromEntries(Object.entries(annotations).flatMap(([key, value]) => (value === null ? [] : [[key, value]])))

const otherSpec: AgentDeploymentSpec = { ...declarative, systemPrompt: 'Other.' }

const withSpec = (revision: Revision, spec: AgentDeploymentSpec): Revision => ({ ...revision, data: { spec } })

test('UXM6: a rollback is what returns to the revision that the annotation names; a later edit is none', () => {
  const { name } = planRevision(annotated(declarative), toRevisionData(annotated(declarative), resolved), [])
  const existing = [withSpec(revisionOf(name, 4), declarative), withSpec(revisionOf('bot-other', 5), otherSpec)]
  const sourceOf = (agent: AgentDeploymentObject, revisions = existing, found: ReferenceResolution = resolved) => {
    const plan = planRevision(agent, toRevisionData(agent, found), revisions)
    if (plan.do === 'nothing') return plan.do
    const annotations = plan.do === 'raise' ? plan.annotations : plan.object.metadata.annotations
    return [plan.do, annotations?.['mesh.dev/source'], annotations?.['mesh.dev/rollback-to'] ?? null]
  }
  assert.deepEqual(sourceOf(annotated(declarative, '4')), ['raise', 'rollback', '4'])
  assert.deepEqual(sourceOf(annotated(declarative)), ['raise', 'update', null], 'an old spec that is applied again')
  for (const odd of ['5', '9', '0', '', '04', '1e9', 'not a number', '4\u0000', '4,5'])
    assert.deepEqual(sourceOf(annotated(declarative, odd)), ['raise', 'update', null], odd)
  const edited = annotated({ ...declarative, systemPrompt: 'Edited.' }, '4')
  assert.deepEqual(sourceOf(edited), ['create', 'update', null], 'the annotation of an earlier rollback')
  const moved = { ...resolved, routes: ['demo/another'] }
  assert.deepEqual(sourceOf(annotated(declarative, '4'), existing, moved), ['create', 'rollback', '4'])
  const restored = [withSpec(revisionOf(name, 6), declarative), ...existing.slice(1)]
  assert.deepEqual(sourceOf(annotated(declarative, '6'), restored), 'nothing')
  assert.deepEqual(
    sourceOf(annotated(declarative, '6'), restored, moved),
    ['create', 'update', null],
    'references alone',
  )
})

test('UXM6, UXL16: a revision that is restored keeps its former numbers', () => {
  const agent = annotated(declarative, '3')
  const data = toRevisionData(agent, resolved)
  const { name } = planRevision(agent, data, [])
  const before = withSpec(revisionOf(name, 4), declarative)
  const kept = { ...before, metadata: { ...before.metadata, annotations: { 'mesh.dev/revision-history': '1,3' } } }
  const back = planRevision(agent, data, [kept, revisionOf('bot-other', 5)])
  assert.ok(back.do === 'raise')
  assert.deepEqual(back.annotations, {
    'mesh.dev/source': 'rollback',
    'mesh.dev/rollback-to': '3',
    'mesh.dev/revision-history': '1,3,4',
    'mesh.dev/summary': 'changed model, systemPrompt',
    'mesh.dev/created-by-exact': 'false',
    'mesh.dev/change': '77',
  })
})

test('UXM7: a revision keeps its summary when its predecessor is pruned or renumbered', () => {
  const specs = ['first', 'second', 'first'].map((systemPrompt) => ({ ...declarative, systemPrompt }))
  let kept: Revision[] = []
  for (const spec of specs) {
    const agent = agentOf(spec)
    const plan = planRevision(agent, toRevisionData(agent, resolved), kept)
    assert.ok(plan.do !== 'nothing')
    const made =
      plan.do === 'create' ? (plan.object as Revision) : kept.find(({ metadata }) => metadata.name === plan.name)
    assert.ok(made)
    const annotations = plan.do === 'create' ? (made.metadata.annotations ?? {}) : patched(plan.annotations)
    const changed = { ...made, revision: plan.revision, metadata: { ...made.metadata, annotations } }
    kept = [changed, ...kept.filter((one) => one !== made)]
  }
  const summaries = (revisions: readonly Revision[]) =>
    toVersions(agentOf(declarative), revisions).map(({ revision: number, summary }) => [number, summary])
  const rolledBack = [
    [3, 'changed systemPrompt'],
    [2, 'changed systemPrompt'],
  ]
  assert.deepEqual(summaries(kept), rolledBack)
  assert.deepEqual(summaries(kept.slice(0, 1)), rolledBack.slice(0, 1))
})

test('a rollback replaces no pod: the revision keeps its first number', () => {
  const agent = agentOf(declarative)
  const data = toRevisionData(agent, resolved)
  const created = planRevision(agent, data, [])
  const old = revisionOf(created.name, 1)
  const other = revisionOf('bot-other', 2)
  const raised = planRevision(agent, data, [old, other])
  assert.ok(raised.do === 'raise')
  const now3 = {
    ...revisionOf(created.name, 3),
    metadata: { name: created.name, annotations: patched(raised.annotations) },
  }
  const after = planRevision(agent, data, [now3, other])
  const twice = planRevision(agent, data, [now3, revisionOf('bot-other', 4)])
  assert.deepEqual(
    [created, raised, after, twice].map((plan) => [plan.do, plan.revision, plan.first]),
    [
      ['create', 1, 1],
      ['raise', 3, 1],
      ['nothing', 3, 1],
      ['raise', 5, 1],
    ],
  )
})

test('UXM17: scaling does not create a revision', () => {
  const name = (spec: AgentDeploymentSpec) => {
    const agent = agentOf(spec)
    return planRevision(agent, toRevisionData(agent, resolved), []).name
  }
  assert.equal(name({ ...declarative, scaling: { replicas: 4 } }), name(declarative))
})

test('pruning removes the oldest revisions beyond the limit, except those in use', () => {
  const all = [1, 2, 3, 4, 5].map((number) => revisionOf(`r${number}`, number))
  const pruned = (limit: number) => revisionsToPrune(all, limit, new Set(['r5', 'r1'])).map((one) => one.metadata.name)
  assert.deepEqual([pruned(1), pruned(3), pruned(10)], [['r2', 'r3'], [], []])
})
