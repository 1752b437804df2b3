import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { startAll } from '#test/flows/platform/embedded.ts'
import { createSend } from '#test/flows/platform/send.ts'

interface Run {
  readonly id: string
  readonly state: string
  readonly agent: { readonly name: string } | null
  readonly executor?: string
  readonly subject: string
  readonly trigger: { readonly kind: string; readonly by: string }
  readonly parentRunId: string | null
  readonly input?: unknown
  readonly output?: unknown
}

function clusterOf(kubeconfig: string): { readonly server: string; readonly ca: string } {
  const { clusters } = parse(readFileSync(kubeconfig, 'utf8')) as {
    clusters: { cluster: { server: string; 'certificate-authority-data'?: string } }[]
  }
  const [found] = clusters
  assert.ok(found)
  return {
    server: found.cluster.server,
    ca: Buffer.from(found.cluster['certificate-authority-data'] ?? '', 'base64').toString(),
  }
}

test(
  'a kind with a reconciler runs its cases for a caller, and by cron for an account',
  { timeout: 480_000 },
  async (t) => {
    const folder = tempFolder('evals')
    t.after(folder.remove)
    const config = join(folder.path, 'mesh.yaml')
    const plugin = fileURLToPath(import.meta.resolve('./evals.ts'))
    writeFileSync(config, `plugins: [${plugin}]\n`)
    const { ready } = await startAll(t, join(folder.path, 'data'), { env: { MESH_CONFIG: config } })
    const send = createSend(t, ready.url)
    const cluster = clusterOf(ready.kubeconfig)
    const toCluster = createSend(t, cluster.server, cluster.ca)
    const ask = (who: keyof typeof ready.tokens, method: string, path: string, body?: object) =>
      send({ method, path, bearer: ready.tokens[who], ...(body === undefined ? {} : { body }) })
    const until = async <T>(what: string, look: () => Promise<T | undefined>, ms = 90_000): Promise<T> => {
      for (const end = performance.now() + ms; performance.now() < end;) {
        const found = await look()
        if (found !== undefined) return found
        await new Promise((resolve) => setTimeout(resolve, 250))
      }
      throw new Error(what)
    }
    const suite = (name: string, more: object = {}) => ({
      metadata: { name, namespace: 'demo' },
      spec: { agent: 'hello', cases: ['one', 'two'], ...more },
    })
    const path = '/api/x/records/evalrecords'
    const created = await ask('developer', 'POST', path, suite('smoke'))
    assert.equal(created.status, 201, created.text)
    await until('the reconciler counts the cases', async () => {
      const { status } = (await ask('viewer', 'GET', `${path}/demo/smoke`)).json<{ status?: { cases?: number } }>()
      return status?.cases === 2 ? true : undefined
    })
    const denied = await ask('viewer', 'POST', `${path}/demo/smoke/run`)
    assert.equal(denied.status, 403, denied.text)
    const started = await ask('developer', 'POST', `${path}/demo/smoke/run`)
    assert.equal(started.status, 201, started.text)
    const { runId } = started.json<{ runId: string }>()
    const stream = ask('developer', 'GET', `/api/runs/${runId}/events`)
    const ended = async (id: string) => {
      const run = (await ask('developer', 'GET', `/api/runs/${id}`)).json<Run>()
      return ['succeeded', 'failed'].includes(run.state) ? run : undefined
    }
    const run = await until('the evaluation ends', () => ended(runId))
    assert.deepEqual(
      [run.state, run.agent, run.executor, run.subject, run.trigger, run.output],
      [
        'succeeded',
        null,
        'eval',
        'developer',
        { kind: 'eval', by: 'developer' },
        { cases: 2, passed: 2, summary: 'succeeded' },
      ],
    )
    // The stream began beside the run, so it has at least the last progress.
    const progress = [...(await stream).text.matchAll(/^event: run\.progress\ndata: (.+)$/gm)].map(
      ([, data = '']) => (JSON.parse(data) as { data: unknown }).data,
    )
    assert.deepEqual(progress.at(-1), { done: 3, total: 3 })
    const list = async () => (await ask('developer', 'GET', '/api/runs?namespace=demo')).json<{ items: Run[] }>().items
    const children = (await list()).filter(({ parentRunId }) => parentRunId === runId)
    assert.deepEqual(
      children.map(({ agent, subject, state }) => [agent?.name, subject, state]),
      [
        ['hello', 'developer', 'succeeded'],
        ['hello', 'developer', 'succeeded'],
        ['hello', 'developer', 'succeeded'],
      ],
    )
    const detail = async (id: string) => (await ask('developer', 'GET', `/api/runs/${id}`)).json<Run>()
    const [summary, ...cases] = await Promise.all(children.map(({ id }) => detail(id)))
    assert.deepEqual(
      summary?.input,
      cases.map(({ output }) => output).toReversed(),
      'the second step has the outputs of the first',
    )
    await t.test('by cron for an account, which needs the rights itself', async () => {
      const kube = async (to: string, body: object) => {
        const made = await toCluster({ method: 'POST', path: to, bearer: ready.tokens.admin, body })
        assert.equal(made.status, 201, made.text)
      }
      const account = 'system:serviceaccount:demo:nightly'
      await kube('/api/v1/namespaces/demo/serviceaccounts', object('v1', 'ServiceAccount', 'nightly'))
      const rbac = 'rbac.authorization.k8s.io'
      const roles = `/apis/${rbac}/v1/namespaces/demo`
      const rules = [
        {
          apiGroups: ['mesh.dev'],
          resources: ['agentdeployments/invoke'],
          resourceNames: ['hello'],
          verbs: ['create'],
        },
        { apiGroups: ['acme.example'], resources: ['evalrecords/run'], resourceNames: ['nightly'], verbs: ['create'] },
      ]
      await kube(`${roles}/roles`, { ...object(`${rbac}/v1`, 'Role', 'nightly'), rules })
      await kube(`${roles}/rolebindings`, {
        ...object(`${rbac}/v1`, 'RoleBinding', 'nightly'),
        roleRef: { apiGroup: rbac, kind: 'Role', name: 'nightly' },
        subjects: [{ kind: 'ServiceAccount', name: 'nightly', namespace: 'demo' }],
      })
      // Only an executor that may act as agents invokes an agent by its own account.
      const runsRecords = {
        ...object(`${rbac}/v1`, 'Role', 'records'),
        rules: [{ ...rules[1], resourceNames: ['itself'] }],
      }
      await kube(`${roles}/roles`, runsRecords)
      await kube(`${roles}/rolebindings`, {
        ...object(`${rbac}/v1`, 'RoleBinding', 'records'),
        roleRef: { apiGroup: rbac, kind: 'Role', name: 'records' },
        subjects: [{ kind: 'ServiceAccount', name: 'hello', namespace: 'demo' }],
      })
      // The developer wrote them; none runs with the developer's rights.
      for (const [name, serviceAccount] of [
        ['itself', 'hello'],
        ['nightly', 'nightly'],
        ['unbound', 'unbound'],
      ] as const)
        assert.equal((await ask('developer', 'POST', path, suite(name, { serviceAccount }))).status, 201)
      const scheduled = async () => (await list()).filter(({ trigger }) => trigger.kind === 'schedule')
      const [first] = await until('cron starts a run', async () => {
        const found = await scheduled()
        return found.length > 0 ? found : undefined
      })
      const done = await until('it ends', () => ended(first?.id ?? ''))
      assert.deepEqual(
        [done.subject, done.trigger.by, done.output],
        [account, account, { cases: 2, passed: 2, summary: 'succeeded' }],
      )
      assert.ok(
        (await scheduled()).every(({ subject }) => subject === account),
        'neither an account that does not exist nor that of an agent without a RoleBinding runs anything',
      )
    })
  },
)

const object = (apiVersion: string, kind: string, name: string) => ({
  apiVersion,
  kind,
  metadata: { name, namespace: 'demo' },
})
