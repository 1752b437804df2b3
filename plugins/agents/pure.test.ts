import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { isEqual, toPatch, toSections } from './versions/diff.ts'
import type { PatchOperation } from './versions/diff.ts'
import { toFork } from './authoring/fork.ts'
import { generateConfig, nameFrom } from './generate/generate-config.ts'
import type { ChatMessage, ModelGateway } from './generate/model-gateway.ts'
import { choosePod, sinceSeconds } from './logs.ts'
import { specAt, toVersions } from './versions/revisions.ts'
import { toRollbackPatch } from './versions/rollback.ts'

// A second, independent reading of RFC 6902: what a patch of ours does to a document.
function applyPatch(document: unknown, patch: readonly PatchOperation[]): unknown {
  const root = { '': structuredClone(document) } as Record<string, unknown>
  for (const { op, path, value } of patch) {
    const steps = [
      '',
      ...path
        .split('/')
        .slice(1)
        .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')),
    ]
    const last = steps.pop() ?? ''
    let parent = root as Record<string, unknown> | unknown[]
    for (const step of steps) {
      parent = (Array.isArray(parent) ? parent[Number(step)] : parent[step]) as typeof parent
    }
    if (Array.isArray(parent)) {
      if (op === 'add') parent.splice(Number(last), 0, value)
      else if (op === 'remove') parent.splice(Number(last), 1)
      else parent[Number(last)] = value
    } else if (op === 'remove') delete parent[last]
    // Not by assignment: a field may be called __proto__.
    else Object.defineProperty(parent, last, { value, writable: true, enumerable: true, configurable: true })
  }
  return root['']
}

const json = fc.jsonValue({ maxDepth: 4 })

test('diff: the patch turns the one value into the other, whatever they are', () => {
  fc.assert(
    fc.property(json, json, (from, to) => {
      assert.ok(isEqual(applyPatch(from, toPatch(from, to)), to))
    }),
    { numRuns: 3000 },
  )
})

test('diff: equal values have no patch; the order of keys does not matter', () => {
  assert.deepEqual(toPatch({ a: 1, b: [1, { c: 2 }] }, { b: [1, { c: 2 }], a: 1 }), [])
})

test('diff: an entry put in front of a list is one operation', () => {
  assert.deepEqual(toPatch({ tools: ['b', 'c'] }, { tools: ['a', 'b', 'c'] }), [
    { op: 'add', path: '/tools/0', value: 'a' },
  ])
})

test('diff: sections name the top-level fields', () => {
  const sections = toSections(
    { model: { route: 'a' }, image: 'x', same: 1 },
    { model: { route: 'b' }, limits: {}, same: 1 },
  )
  assert.deepEqual(sections, [
    { path: '/image', from: 'x' },
    { path: '/limits', to: {} },
    { path: '/model', from: { route: 'a' }, to: { route: 'b' } },
  ])
})

const agent = (more: Partial<AgentDeploymentObject['metadata']> = {}, route = 'mock'): AgentDeploymentObject =>
  AgentDeployment.object({ metadata: { name: 'a', namespace: 'x', ...more }, spec: { model: { route } } })

test('fork: has the spec with its overrides, a mark of its origin, and none of the platform labels', () => {
  const origin = agent({ uid: 'u', resourceVersion: '5', labels: { team: 'a', 'mesh.dev/agent': 'a' } })
  const copy = toFork(origin, {
    name: 'b',
    namespace: 'y',
    overrides: { model: { route: 'other' }, limits: { maxSteps: 2 } },
  })
  assert.deepEqual(copy.metadata, {
    name: 'b',
    namespace: 'y',
    labels: { team: 'a' },
    annotations: { 'mesh.dev/forked-from': 'x/a' },
  })
  assert.deepEqual(copy.spec, { model: { route: 'other' }, limits: { maxSteps: 2 } })
})

test('rollback: the old spec replaces the whole one; UXM17: the number of replicas stays', () => {
  const spec = { model: { route: 'old' } }
  assert.deepEqual(toRollbackPatch(agent(), spec), [{ op: 'replace', path: '/spec', value: spec }])
  const scaled = { ...agent(), spec: { model: { route: 'new' }, scaling: { replicas: 3 } } }
  assert.deepEqual(toRollbackPatch(scaled, spec), [
    { op: 'replace', path: '/spec', value: { ...spec, scaling: { replicas: 3 } } },
  ])
  const job = { image: 'job:1', executionModel: 'job' as const }
  assert.deepEqual(toRollbackPatch(scaled, job), [{ op: 'replace', path: '/spec', value: job }])
})

test('UXL16: a version is found by its number, or by one that it had before it was rolled back to', () => {
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

test('versions: say what changed, who made them and which one serves', () => {
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
    found.map(({ revision: number, source, createdBy, createdByExact, summary, current: serves }) => [
      number,
      source,
      createdBy,
      createdByExact,
      summary,
      serves,
    ]),
    [
      [3, 'rollback', null, false, 'changed model', false],
      [2, 'update', 'ada', true, 'changed model', true],
      [1, 'create', null, false, 'first kept revision', false],
    ],
  )
})

test('logs: since is a duration or a time; SEC6, F5: one out of reach is refused', () => {
  const now = new Date('2026-01-01T00:10:00Z')
  assert.equal(sinceSeconds('10m', now), 600)
  assert.equal(sinceSeconds('1h30m', now), 5400)
  assert.equal(sinceSeconds('500ms', now), 1)
  assert.equal(sinceSeconds('2026-01-01T00:00:00Z', now), 600)
  assert.equal(sinceSeconds(undefined, now), undefined)
  for (const bad of ['soon', '10', '-5m', 'm']) assert.throws(() => sinceSeconds(bad, now), { code: 'invalid_query' })
  for (const far of ['999999999d999999999d', '40000d', '0001-01-01T00:00:00Z'])
    assert.throws(() => sinceSeconds(far, now), {
      code: 'invalid_query',
      errors: [{ pointer: '?since', detail: 'must be at most 100 years ago' }],
    })
})

test('logs: a running pod comes before a newer one that is not', () => {
  const pod = (name: string, phase: string, creationTimestamp: string) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, creationTimestamp },
    status: { phase },
  })
  const chosen = choosePod([
    pod('old', 'Running', '2026-01-01T00:00:00Z'),
    pod('new', 'Running', '2026-01-02T00:00:00Z'),
    pod('pending', 'Pending', '2026-01-03T00:00:00Z'),
  ])
  assert.equal(chosen?.metadata.name, 'new')
})

function scripted(answers: readonly unknown[]): ModelGateway & { asked: (readonly ChatMessage[])[] } {
  const asked: (readonly ChatMessage[])[] = []
  return {
    asked,
    ask: async (_bearer, { messages }) => {
      asked.push([...messages])
      const answer = answers[asked.length - 1]
      return typeof answer === 'string' ? answer : JSON.stringify(answer)
    },
  }
}

const context = (gateway: ModelGateway) => ({
  gateway,
  bearer: 'b',
  route: 'default/mock',
  signal: new AbortController().signal,
})
const good = { config: { name: 'bot', model: { route: 'mock' }, systemPrompt: 'Hi.' }, explanation: 'A bot.' }

test('generate: a valid answer is taken as it is, also from a fence', async () => {
  for (const answer of [good, `\`\`\`json\n${JSON.stringify(good)}\n\`\`\``]) {
    const made = await generateConfig({ request: 'a bot', routes: ['mock'] }, context(scripted([answer])))
    assert.deepEqual(made, { ...good, warnings: [] })
  }
})

test('generate: an invalid answer goes back with its problems', async () => {
  const gateway = scripted([{ ...good, config: { ...good.config, tols: [] } }, 'not json', good])
  const made = await generateConfig({ request: 'a bot', routes: ['mock'] }, context(gateway))
  assert.deepEqual(made.warnings, ['The model needed 3 tries for a valid config.'])
  assert.match(gateway.asked[1]?.at(-1)?.content ?? '', /\/tols: unknown field "tols"; did you mean tools\?/)
  assert.match(gateway.asked[2]?.at(-1)?.content ?? '', /not JSON/)
})

test('generate: after three tries it is generation_failed with the problems', async () => {
  const bad = { ...good, config: { ...good.config, limits: { maxSteps: 0 } } }
  const gateway = scripted([bad, bad, bad, good])
  await assert.rejects(generateConfig({ request: 'a bot', routes: ['mock'] }, context(gateway)), {
    code: 'generation_failed',
    errors: [{ pointer: '/config', detail: '/limits/maxSteps: must be at least 1' }],
  })
  assert.equal(gateway.asked.length, 3)
})

test('generate: unknown routes and bad names are put right, a refined name is kept', async () => {
  const answer = { ...good, config: { ...good.config, name: 'X!', model: { route: 'gpt' } } }
  const made = await generateConfig(
    { request: '3 Bots for my Mail!', routes: ['mock'], namespace: 'demo' },
    context(scripted([answer])),
  )
  assert.equal(made.config['name'], 'bots-for-my')
  assert.equal(made.config['namespace'], 'demo')
  assert.deepEqual(made.config['model'], { route: 'mock' })
  assert.match(made.warnings.join(), /mock was put in its place/)
  const refined = await generateConfig(
    { request: 'x', base: { name: 'kept' }, routes: ['mock'] },
    context(scripted([good])),
  )
  assert.equal(refined.config['name'], 'kept')
  assert.match(refined.warnings.join(), /the name; it was kept/)
  assert.equal(nameFrom('!!!'), 'agent')
})
