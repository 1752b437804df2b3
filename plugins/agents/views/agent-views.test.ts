import assert from 'node:assert/strict'
import test from 'node:test'
import type { KubeClient, Resource } from '#core/kube/client.ts'
import { parseName } from '#core/kube/names.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import type { LimitSource } from '#plugins/budgets/contract/points.ts'
import type { AgentStats, AgentStatsWindow } from '#plugins/runs/contract/api.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { needs } from '#test/harness/find-server.ts'
import { createEffectiveQuotas } from '#plugins/budgets/limits/effective-quotas.ts'
import { agentKind } from '../kinds.ts'
import { readEndpoints } from '../routes/read.ts'
import { effectiveEndpoint } from '../routes/effective.ts'
import { servePlugin } from '../testing/serve.ts'
import { createAgentViews } from './agent-views.ts'

const real = needs('etcd', 'kube-apiserver', 'kubectl')
const pods: Resource = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true }
const events: Resource = { group: '', version: 'v1', plural: 'events', kind: 'Event', namespaced: true }
const spending = {
  currency: 'USD',
  window: 'month' as const,
  spent: '1',
  held: '0',
  limit: '5',
  remaining: '4',
  windowStart: '2026-11-01T00:00:00.000Z',
  resetsAt: '2026-12-01T00:00:00.000Z',
}
const tenants: LimitSource = {
  name: 'tenants',
  limitsOf: async () => [
    { subject: { kind: 'Tenant', name: 'acme', uid: 't-1' }, requestsPerMinute: 60, concurrency: 4 },
  ],
}
const stats: AgentStats = {
  runs: 3,
  failed: 1,
  p50Ms: 100,
  p95Ms: 900,
  cost: { amount: '0.5', currency: 'USD' },
  tokens: 15,
  bins: [
    { ok: 0, failed: 1 },
    { ok: 2, failed: 0 },
  ],
}

interface Shown {
  readonly metadata: { readonly name: string }
  readonly stats?: AgentStats
  readonly can?: Readonly<Record<string, boolean>>
  readonly budget?: object | null
  readonly pods?: readonly Readonly<Record<string, unknown>>[] | null
  readonly events?: readonly { readonly object: string; readonly reason: string }[] | null
}

test(
  'agents show statistics, rights, money, pods and events on request, as far as the caller may read them',
  real,
  async (t) => {
    const asked: { readonly namespaces: readonly string[]; readonly window: AgentStatsWindow }[] = []
    const { ask, admin, namespace, other } = await servePlugin(t, 'views', () => {
      const views = createAgentViews({
        now: () => new Date('2026-11-20T12:00:00Z'),
        budgetOf: () => async () => spending,
        runs: {
          statsOfAgents: async (access, window) => {
            asked.push({ namespaces: access.map((one) => one.namespace), window })
            return new Map((window.agentUids ?? []).slice(0, 1).map((uid) => [uid, stats]))
          },
        },
      })
      return [
        ...agentKind.endpoints,
        ...readEndpoints(views),
        effectiveEndpoint({ effective: () => [createEffectiveQuotas(() => [tenants])] }),
      ]
    })
    const create = async (name: string, place: DnsLabel, spec: object = {}) =>
      admin.create<AgentDeploymentObject>(AgentDeployment, {
        apiVersion: AgentDeployment.apiVersion,
        kind: AgentDeployment.kind,
        metadata: { name, namespace: place },
        spec: { model: { route: 'mock' }, ...spec },
      })
    const agent = await create('one', namespace, { budget: { amount: '5' }, limits: { timeout: '5m' } })
    await create('two', namespace)
    await create('three', other)
    await createPod(admin, agent, 'one-pod')
    await createEvent(
      admin,
      agent,
      { kind: 'AgentDeployment', name: 'one', uid: agent.metadata.uid ?? '' },
      'RolledOut',
    )
    await createEvent(admin, agent, { kind: 'Pod', name: 'one-pod', uid: 'p' }, 'BackOff')
    await createEvent(admin, agent, { kind: 'Pod', name: 'of-another', uid: 'q' }, 'Killing')
    const list = async (who: string, query: string) => {
      const response = await ask(who, 'GET', `/agents?${query}`)
      assert.equal(response.status, 200, response.text)
      return response.json<{ readonly items: readonly Shown[] }>().items
    }
    const get = async (who: string, query: string) => {
      const response = await ask(who, 'GET', `/agents/${namespace}/one?${query}`)
      assert.equal(response.status, 200, response.text)
      return response.json<Shown>()
    }

    await t.test('rights are those of the cluster', async () => {
      const rights = async (who: string) => (await list(who, `namespace=${namespace}&include=can`))[0]?.can
      const none = { update: false, patch: false, delete: false, invoke: false, scale: false, cancelRuns: false }
      assert.deepEqual(await rights('viewer'), {
        ...none,
        complete: true,
        readLogs: false,
        listVersions: false,
        listRuns: true,
      })
      const developer = await rights('developer')
      assert.ok(developer !== undefined && Object.values(developer).every(Boolean), JSON.stringify(developer))
      const [own] = await list('other-tenant', 'scope=permitted&include=can')
      assert.deepEqual([own?.metadata.name, own?.can?.['invoke']], ['three', true])
    })

    await t.test('statistics are of the namespaces whose runs the caller may list', async () => {
      asked.length = 0
      const items = await list('viewer', `namespace=${namespace}&include=stats,can&window=2h&bins=2`)
      assert.deepEqual(
        items.map(({ stats: found }) => [found?.runs, found?.bins.length]),
        [
          [3, 2],
          [0, 2],
        ],
      )
      assert.deepEqual(asked[0]?.namespaces, [namespace])
      const { from, to, bins } = asked[0]?.window ?? {}
      assert.deepEqual(
        [from?.toISOString(), to?.toISOString(), bins],
        ['2026-11-20T10:00:00.000Z', '2026-11-20T12:00:00.000Z', 2],
      )
      const all = await list('operator', 'include=stats&scope=permitted')
      assert.equal(all.length, 3)
      assert.deepEqual((await list('viewer', `namespace=${namespace}`))[0]?.stats, undefined)
    })

    await t.test('money, pods and events of one agent', async () => {
      const shown = await get('developer', 'include=budget,pods,events')
      assert.deepEqual(shown.budget, spending)
      assert.deepEqual(
        shown.pods?.map(({ name, phase, ready, restarts, revision }) => ({ name, phase, ready, restarts, revision })),
        [{ name: 'one-pod', phase: 'Running', ready: true, restarts: 2, revision: 3 }],
      )
      assert.partialDeepStrictEqual(shown.pods?.[0]?.['lastTermination'], { reason: 'OOMKilled', exitCode: 137 })
      assert.deepEqual(shown.events?.map(({ object, reason }) => [object, reason]).toSorted(), [
        ['AgentDeployment/one', 'RolledOut'],
        ['Pod/one-pod', 'BackOff'],
      ])
      const viewer = await get('viewer', 'include=pods,events,budget')
      assert.equal(viewer.pods, null, 'a viewer may not list pods')
      assert.deepEqual(
        viewer.events?.map(({ object }) => object),
        ['AgentDeployment/one'],
      )
      const { status } = await ask('other-tenant', 'GET', `/agents/${namespace}/one?include=budget`)
      assert.equal(status, 403)
    })

    await t.test('effective limits say where they are written', async () => {
      const response = await ask('viewer', 'GET', `/agents/${namespace}/one/effective`)
      assert.equal(response.status, 200, response.text)
      const { limits } = response.json<{ limits: { name: string; value: unknown; from: { kind: string } }[] }>()
      assert.deepEqual(
        limits.map(({ name, value, from }) => [name, value, from.kind]),
        [
          ['timeout', '5m', 'AgentDeployment'],
          ['maxSteps', 25, 'Default'],
          ['maxDelegationDepth', 8, 'Default'],
          ['concurrency', 1, 'Default'],
        ],
      )
      const quotas = async (who: string) => {
        const shown = await ask(who, 'GET', `/agents/${namespace}/one/effective`)
        const { quotas: found } = shown.json<{ quotas: Readonly<Record<string, unknown>>[] }>()
        return found.map(({ readable, spend, requestsPerMinute }) => [readable, spend, requestsPerMinute])
      }
      const own = [true, { amount: '5', currency: 'USD', window: 'month' }, null]
      assert.deepEqual(await quotas('operator'), [own, [true, null, 60]])
      assert.deepEqual(await quotas('viewer'), [own, [false, null, null]], 'a viewer may not read tenants')
      assert.equal((await ask('other-tenant', 'GET', `/agents/${namespace}/one/effective`)).status, 403)
      assert.equal((await ask('viewer', 'GET', `/agents/${namespace}/none/effective`)).status, 404)
    })

    await t.test('hostile parameters are refused by name, before anything is read', async () => {
      for (const [query, pointer] of [
        ['include=all', '?include'],
        ['include=pods', '?include'],
        ['include=stats,', '?include'],
        ['include=stats%00', '?include'],
        ['include=constructor', '?include'],
        ['include=stats&window=1ms', '?window'],
        ['include=stats&window=3650d', '?window'],
        ['include=stats&window=24', '?window'],
        ['include=stats&bins=1000000000', '?bins'],
        ['include=stats&window=1h&bins=61', '?bins'],
      ]) {
        const { status, text } = await ask('viewer', 'GET', `/agents?namespace=${namespace}&${query}`)
        assert.equal(status, 400, `${query}: ${text}`)
        assert.ok(text.includes(`"${pointer}"`), text)
      }
    })
  },
)

async function createPod(admin: KubeClient, { metadata }: AgentDeploymentObject, name: string): Promise<void> {
  const namespace = metadata.namespace as DnsLabel
  const labels = { 'mesh.dev/agent': metadata.name, 'mesh.dev/revision-number': '3' }
  await admin.create(pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels },
    spec: { containers: [{ name: 'agent', image: 'a' }] },
  })
  const state = { running: { startedAt: '2026-11-20T11:00:00Z' } }
  const terminated = { reason: 'OOMKilled', exitCode: 137, finishedAt: '2026-11-20T10:59:00Z' }
  const container = {
    name: 'agent',
    image: 'a',
    imageID: '',
    ready: true,
    restartCount: 2,
    state,
    lastState: { terminated },
  }
  const body = {
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [container],
    },
  }
  const ref = { namespace, name: parseName('pod', name) }
  await admin.patch(pods, ref, { type: 'merge', body }, { subresource: 'status' })
}

async function createEvent(
  admin: KubeClient,
  { metadata: { namespace = '' } }: AgentDeploymentObject,
  of: { readonly kind: string; readonly name: string; readonly uid: string },
  reason: string,
): Promise<void> {
  await admin.create(events, {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${of.name}.${reason.toLowerCase()}`, namespace },
    involvedObject: { ...of, namespace },
    type: 'Normal',
    reason,
    message: 'Something happened.',
    count: 1,
    lastTimestamp: '2026-11-20T11:30:00Z',
  })
}
