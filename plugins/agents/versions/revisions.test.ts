import assert from 'node:assert/strict'
import test from 'node:test'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { specAt, toVersions } from './revisions.ts'
import { toRollbackPatch } from './rollback.ts'

const agent = (more: Partial<AgentDeploymentObject['metadata']> = {}, route = 'mock'): AgentDeploymentObject =>
  AgentDeployment.object({ metadata: { name: 'a', namespace: 'x', ...more }, spec: { model: { route } } })

test('UXM6, UXM17: a rollback replaces the whole spec, annotates it, and keeps annotations and the number of replicas', () => {
  const spec = { model: { route: 'old' } }
  const [replaced, ...annotated] = toRollbackPatch(agent({ resourceVersion: '7' }), spec, 4)
  assert.deepEqual(replaced, { op: 'replace', path: '/spec', value: spec })
  assert.deepEqual(annotated, [
    { op: 'replace', path: '/metadata/resourceVersion', value: '7' },
    { op: 'add', path: '/metadata/annotations', value: { 'mesh.dev/rollback-to': '4' } },
  ])
  const scaled = { ...agent({ annotations: {} }), spec: { model: { route: 'new' }, scaling: { replicas: 3 } } }
  assert.deepEqual(toRollbackPatch(scaled, spec, 4), [
    { op: 'replace', path: '/spec', value: { ...spec, scaling: { replicas: 3 } } },
    { op: 'add', path: '/metadata/annotations/mesh.dev~1rollback-to', value: '4' },
  ])
  const job = { image: 'job:1', executionModel: 'job' as const }
  assert.deepEqual(toRollbackPatch(scaled, job, 4)[0], { op: 'replace', path: '/spec', value: job })
})

test('UXL16: a version is found by its number, or by one that it had before a rollback', () => {
  const revision = (number: number, route: string, history?: string) => ({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: route,
      ...(history === undefined ? {} : { annotations: { 'mesh.dev/revision-history': history } }),
    },
    revision: number,
    data: { spec: { model: { route } } },
  })
  const all = [revision(4, 'a', '1,x,-3,1e9, 2'), revision(3, 'c'), revision(2, 'b')]
  const routeOf = (which: string) => specAt(agent(), all, which).model?.route
  assert.deepEqual(['1', '4', '3', '2'].map(routeOf), ['a', 'a', 'c', 'b'], 'a number of now comes first')
  assert.throws(() => routeOf('5'), /no revision 5/)
  assert.deepEqual(toVersions(agent(), all)[0]?.formerRevisions, [1])
})

test('UXM6: versions report what changed, which revision a rollback returned to, who made them and which one serves', () => {
  const revision = (number: number, route: string, annotations: Record<string, string> = {}) => ({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name: `a-${number}`, creationTimestamp: `2026-01-0${number}T00:00:00Z`, annotations },
    revision: number,
    data: { spec: { model: { route } } },
  })
  const current = { ...agent(), status: { currentRevision: 'a-2' } }
  const found = toVersions(current, [
    revision(3, 'x', { 'mesh.dev/rollback-to': '1' }),
    revision(2, 'y', { 'mesh.dev/created-by': 'ada', 'mesh.dev/created-by-exact': 'true' }),
    revision(1, 'x'),
  ])
  assert.deepEqual(
    found.map(({ revision: number, source, rollbackTo, createdBy, createdByExact, summary, current: serves }) => [
      number,
      source,
      rollbackTo,
      createdBy,
      createdByExact,
      summary,
      serves,
    ]),
    [
      [3, 'rollback', 1, null, false, 'changed model', false],
      [2, 'update', null, 'ada', true, 'changed model', true],
      [1, 'create', null, null, false, 'first kept revision', false],
    ],
  )
})
