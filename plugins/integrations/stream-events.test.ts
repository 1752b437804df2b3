import assert from 'node:assert/strict'
import test from 'node:test'
import { objectCreated, objectDeleted } from '#core/controllers/objects/object-events.ts'
import type { EventType } from '#core/event-store/event.ts'
import { pluralOf } from '#core/event-rights/right-to-see.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { requestOutcome } from '#core/http/audit/events.ts'
import { modelCallMetered } from '#plugins/providers/contract/events.ts'
import { kindsOf } from '#core/plugin/access-of-plugins.ts'
import { plugins } from '#plugins/index.ts'
import { needs } from '#test/harness/find-server.ts'
import { runCreated, runDeleted } from '#plugins/runs/contract/events.ts'
import { declaredTypes, grant, sentinel, startEventFeed } from './testing/event-feed.ts'

const kinds = kindsOf(plugins)

const real = needs('etcd', 'kube-apiserver', 'kubectl')

interface Expected {
  readonly kind: string
  readonly verb: string
  readonly resource: string
}

const run: Expected = { kind: 'Run', verb: 'get', resource: 'runs' }
const agent: Expected = { kind: 'AgentDeployment', verb: 'get', resource: 'agentdeployments' }
const knowledgeBase: Expected = { kind: 'KnowledgeBase', verb: 'get', resource: 'knowledgebases' }
const suite: Expected = { kind: 'EvalSuite', verb: 'get', resource: 'evalsuites' }
const dataset: Expected = { kind: 'Dataset', verb: 'get', resource: 'datasets' }
const prompt: Expected = { kind: 'PromptVersion', verb: 'get', resource: 'promptversions' }
const erasure: Expected = { kind: 'Erasure', verb: 'list', resource: 'erasures' }
const manifest: Expected = { kind: 'McpServer', verb: 'list', resource: 'mcpapprovals' }
const audit: Expected = { kind: 'AuditDay', verb: 'list', resource: 'auditlogs' }

/** The right that each type requires, written by hand; undefined: no caller may see it. */
const rights: Readonly<Record<string, Expected | undefined>> = {
  'dev.mesh.cluster.created.v1': agent,
  'dev.mesh.cluster.updated.v1': agent,
  'dev.mesh.cluster.deleted.v1': agent,
  'dev.mesh.cluster.gap.v1': agent,
  'dev.mesh.agents.revision-deployed.v1': agent,
  'dev.mesh.agents.revision-held.v1': agent,
  'dev.mesh.agents.ready.v1': agent,
  'dev.mesh.agents.degraded.v1': agent,
  'dev.mesh.audit.cluster-request.v1': { ...audit, kind: 'AgentDeployment' },
  'dev.mesh.audit.outcome.v1': { ...audit, kind: 'AgentDeployment' },
  'dev.mesh.audit.day-sealed.v1': audit,
  'dev.mesh.audit.rows-removed.v1': audit,
  'dev.mesh.budgets.spend-limit-exceeded.v1': agent,
  'dev.mesh.cost.agent-labels-changed.v1': agent,
  'dev.mesh.cost.person-erased.v1': undefined,
  'dev.mesh.datasets.dataset-created.v1': dataset,
  'dev.mesh.datasets.dataset-updated.v1': dataset,
  'dev.mesh.datasets.dataset-deleted.v1': dataset,
  'dev.mesh.datasets.dataset-pinned.v1': dataset,
  'dev.mesh.datasets.cases-stored.v1': dataset,
  'dev.mesh.datasets.case-archived.v1': dataset,
  'dev.mesh.datasets.label-added.v1': dataset,
  'dev.mesh.erasures.requested.v1': erasure,
  'dev.mesh.evals.evaluation-requested.v1': suite,
  'dev.mesh.evals.evaluation-finished.v1': suite,
  'dev.mesh.evals.gate-overridden.v1': suite,
  'dev.mesh.evals.run-scored.v1': { ...agent, verb: 'get', resource: 'evalresults' },
  'dev.mesh.erasures.finished.v1': erasure,
  'dev.mesh.knowledge.document-stored.v1': knowledgeBase,
  'dev.mesh.knowledge.document-deleted.v1': knowledgeBase,
  'dev.mesh.knowledge.ingest-failed.v1': knowledgeBase,
  'dev.mesh.mcp.approvals-began.v1': undefined,
  'dev.mesh.mcp.grant-created.v1': undefined,
  'dev.mesh.mcp.grant-revoked.v1': undefined,
  'dev.mesh.mcp.manifest-approved.v1': manifest,
  'dev.mesh.mcp.manifest-rejected.v1': manifest,
  'dev.mesh.mcp.server-published.v1': { kind: 'McpServer', verb: 'list', resource: 'mcpservers' },
  'dev.mesh.tenants.quota-changed.v1': { kind: 'Tenant', verb: 'get', resource: 'tenants' },
  'dev.mesh.feedback.score-recorded.v1': { kind: 'Run', verb: 'list', resource: 'feedback' },
  'dev.mesh.sharing.created.v1': { kind: 'RunShare', verb: 'list', resource: 'runshares' },
  'dev.mesh.sharing.revoked.v1': { kind: 'RunShare', verb: 'list', resource: 'runshares' },
  'dev.mesh.memory.item-remembered.v1': { kind: 'AgentDeployment', verb: 'list', resource: 'agentmemories' },
  'dev.mesh.prompts.prompt-version-created.v1': prompt,
  'dev.mesh.prompts.prompt-version-updated.v1': prompt,
  'dev.mesh.prompts.prompt-version-deleted.v1': prompt,
  'dev.mesh.prompts.prompt-version-label-moved.v1': prompt,
  'dev.mesh.prompts.revision-deleted.v1': prompt,
  'dev.mesh.pruning.unfinished.v1': undefined,
  'dev.mesh.providers.model-call-metered.v1': { kind: 'ModelRoute', verb: 'get', resource: 'modelroutes' },
  'dev.mesh.providers.model-call-refused.v1': { kind: 'ModelRoute', verb: 'get', resource: 'modelroutes' },
  'dev.mesh.runs.created.v1': run,
  'dev.mesh.runs.started.v1': run,
  'dev.mesh.runs.requeued.v1': run,
  'dev.mesh.runs.waiting.v1': run,
  'dev.mesh.runs.attached.v1': run,
  'dev.mesh.runs.paused.v1': run,
  'dev.mesh.runs.interrupt-resolved.v1': run,
  'dev.mesh.runs.resumed.v1': run,
  'dev.mesh.runs.cancel-requested.v1': run,
  'dev.mesh.runs.usage-reported.v1': run,
  'dev.mesh.runs.succeeded.v1': run,
  'dev.mesh.runs.failed.v1': run,
  'dev.mesh.runs.cancelled.v1': run,
  'dev.mesh.runs.timed-out.v1': run,
  'dev.mesh.runs.rejected.v1': run,
  'dev.mesh.runs.deleted.v1': run,
}

test('CON3: every declared event type has a decision on its right; kinds match the plurals of their resources', () => {
  assert.deepEqual(Object.keys(rights).toSorted(), declaredTypes.map(({ type }) => type).toSorted())
  for (const { kind, plural } of kinds) assert.equal(pluralOf(kind), plural)
  assert.deepEqual(['ToolRegistry', 'Ingress', 'Namespace'].map(pluralOf), [
    'toolregistries',
    'ingresses',
    'namespaces',
  ])
})

test('CON3: the feed shows each type to exactly the callers that have its right', real, async (t) => {
  const feed = await startEventFeed(t)
  const { namespace, other, admin, as } = feed
  const users = ['developer', 'viewer', 'other-tenant', 'unbound']
  const watch = { verbs: ['watch'], resources: ['events'] }
  const end = { verbs: ['get'], resources: ['sentinels'] }
  for (const one of [namespace, other]) await grant(admin, 'feed', users, { namespace: one, rules: [watch, end] })
  const everywhere = `feed-${namespace}`
  await grant(admin, everywhere, ['operator', 'unbound'], { rules: [watch, end] })
  for (const one of [namespace, other]) {
    for (const type of declaredTypes) {
      const kind = rights[type.type]?.kind ?? 'AgentDeployment'
      await feed.append(
        type,
        { namespace: one, kind, name: 'x' },
        type.plugin === 'cluster' ? { group: 'mesh.dev' } : {},
      )
    }
    await feed.append(sentinel, { namespace: one, kind: 'Sentinel', name: 'x' })
  }
  let shown = 0
  for (const who of ['developer', 'viewer', 'other-tenant', 'unbound', 'operator', 'admin'])
    for (const one of [namespace, other]) {
      const expected: string[] = []
      for (const { type } of declaredTypes) {
        const right = rights[type]
        if (right !== undefined && (await isAllowed(as(who), right, one))) expected.push(`${type} x`)
      }
      assert.deepEqual(await feed.seen(who, `?namespace=${one}`), expected, `${who} in ${one}`)
      shown += expected.length
    }
  assert.ok(shown > 60 && shown < 6 * 2 * declaredTypes.length, `${shown} events shown: the personas differ`)
  // Cluster-wide: events under a cluster-wide grant, and the others by namespace.
  assert.deepEqual(await feed.seen('unbound', ''), [])
  await grant(admin, 'runs', ['unbound'], { namespace: other, rules: [{ verbs: ['get'], resources: ['runs'] }] })
  await eventually(async () => isAllowed(as('unbound'), run, other))
  const runs = declaredTypes.filter(({ type }) => rights[type] === run).map(({ type }) => `${type} x`)
  await feed.append(sentinel, { namespace: undefined, kind: 'Sentinel', name: 'last' })
  const [first, ...rest] = [
    await feed.seen('unbound', `?namespace=${other}`),
    await feed.seen('unbound', `?namespace=${namespace}`),
  ]
  assert.deepEqual([first, rest], [runs, [[]]])
})

test('SEC17: the feed of a re-created namespace shows no event of its predecessor', real, async (t) => {
  const feed = await startEventFeed(t)
  const { namespace, append, observe, gone, seen } = feed
  await grant(feed.admin, `feed-${namespace}`, ['operator'], { rules: [{ verbs: ['get'], resources: ['sentinels'] }] })
  const all = async (name: string): Promise<void> => {
    await append(
      objectCreated,
      { namespace, kind: 'AgentDeployment', name },
      { group: 'mesh.dev' },
      `cluster/x/${name}`,
    )
    await append(requestOutcome, { namespace, kind: 'AgentDeployment', name })
    await append(modelCallMetered, { namespace, kind: 'ModelRoute', name })
    await append(runCreated, { namespace, kind: 'Run', name })
  }
  const types = (name: string): readonly string[] =>
    [objectCreated, requestOutcome, modelCallMetered, runCreated].map(({ type }) => `${type} ${name}`)
  // Before the manager has observed the namespace: shown, since the name had no other namespace.
  await all('early')
  await observe('uid-1', namespace, '10')
  await all('old')
  await append(sentinel, { namespace, kind: 'Sentinel', name: 'x' })
  assert.deepEqual(await seen('operator', `?namespace=${namespace}`), [...types('early'), ...types('old')])
  await gone('uid-1')
  // Between the two namespaces: an event of the predecessor.
  await all('between')
  await observe('uid-2', namespace, '20')
  const late: EventType = objectDeleted
  await append(late, { namespace, kind: 'AgentDeployment', name: 'old' }, { group: 'mesh.dev' }, 'cluster/x/old')
  await all('new')
  await append(sentinel, { namespace, kind: 'Sentinel', name: 'x' })
  assert.deepEqual(await seen('operator', `?namespace=${namespace}`), types('new'))
})

test('SEC20: a position that the log has not reached is refused', real, async (t) => {
  const feed = await startEventFeed(t)
  await feed.append(runCreated, { namespace: feed.namespace, kind: 'Run', name: 'x' })
  const sequence = (epoch: number, position: string): string =>
    `${String(epoch).padStart(6, '0')}-${position.padStart(20, '0')}`
  for (const after of [
    '999999-99999999999999999999',
    sequence(2, '1'),
    sequence(1, '2'),
    sequence(1, '9223372036854775808'),
  ]) {
    const answer = await feed.open('admin', `?after=${after}`)
    const { errors } = (await answer.json()) as { errors?: readonly { pointer: string }[] }
    assert.deepEqual([answer.status, errors?.[0]?.pointer], [400, '?after'], after)
  }
  for (const after of [sequence(1, '1'), sequence(1, '0'), sequence(0, '99')]) {
    const answer = await feed.open('admin', `?after=${after}`)
    assert.equal(answer.status, 200, after)
    await answer.body?.cancel()
  }
})

test(
  'UXL6: a stream without a position begins now, with `start` at the first event; a type filter accepts known types only',
  real,
  async (t) => {
    const { namespace, append, open, seen, upToSentinel } = await startEventFeed(t)
    const about = (name: string) => ({ namespace, kind: 'Run', name })
    await append(runCreated, about('before'))
    const now = await open('admin', `?namespace=${namespace}`)
    const some = await open('admin', `?namespace=${namespace}&type=${runDeleted.type},${sentinel.type}`)
    await append(runCreated, about('after'))
    await append(runDeleted, about('gone'))
    await append(sentinel, { namespace, kind: 'Sentinel', name: 'x' })
    const [created, deleted] = [runCreated.type, runDeleted.type]
    assert.deepEqual(await upToSentinel(now), [`${created} after`, `${deleted} gone`])
    assert.deepEqual(await upToSentinel(some), [`${deleted} gone`])
    const all = await seen('admin', `?namespace=${namespace}&after=start`)
    assert.deepEqual(all, [`${created} before`, `${created} after`, `${deleted} gone`])
    for (const type of ['', 'x', `${created},`, `${created},x`, '%00', 'a'.repeat(3000)]) {
      const answer = await open('admin', `?type=${type}`)
      const { errors } = (await answer.json()) as { errors?: readonly { pointer: string; detail: string }[] }
      assert.deepEqual([answer.status, errors?.[0]?.pointer], [400, '?type'], type)
    }
  },
)

test('a short name of an event type, and a number for a sequence, are refused with what to write', real, async (t) => {
  const { open } = await startEventFeed(t)
  const detail = async (query: string): Promise<unknown> => {
    const answer = await open('admin', query)
    return ((await answer.json()) as { detail?: unknown }).detail
  }
  assert.deepEqual(await Promise.all(['?type=run.created', '?type=run.nonsense', '?after=0'].map(detail)), [
    'type has an unknown event type at position 1; did you mean dev.mesh.runs.created.v1?.',
    'type has an unknown event type at position 1; see docs/reference/events.md.',
    'after must be start, or the sequence of an event, such as 000001-00000000000000000042.',
  ])
  // Types for the platform's own consumers are in no stream, so they are not suggested either.
  assert.doesNotMatch(String(await detail('?type=pruning.unfinished')), /did you mean/)
})

test('SEC20: a stream ends with an error event if the store cannot be read', real, async (t) => {
  const feed = await startEventFeed(t)
  const answer = await feed.open('admin', '')
  assert.equal(answer.status, 200)
  await feed.database.close()
  const text = await answer.text()
  assert.match(text, /event: error\ndata: \{"title":"[^"]+","status":50\d,"code":"\w+","retryable":\w+\}\n\n$/)
  assert.match(feed.lines.join(''), /event stream ended: read failed/)
})

async function isAllowed(cluster: KubeClient, { verb, resource }: Expected, namespace: string): Promise<boolean> {
  const answer = await cluster.review<{ status?: { allowed?: boolean } }>(
    '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { verb, resource, group: 'mesh.dev', namespace } },
    },
  )
  return answer.status?.allowed === true
}

/** RBAC reaches the authorizer through its informer, milliseconds later. */
async function eventually(ask: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000
  while (!(await ask())) assert.ok(performance.now() < end, 'it did not happen in time')
}
