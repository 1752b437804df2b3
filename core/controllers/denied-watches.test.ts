import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import type { KubeObject, Resource } from '#core/kube/client.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { runInformers } from './informer.ts'
import { runReconcilers } from './controller.ts'
import { configMaps, facts, openStore, real, setUp, silent, until } from './testing/following.ts'
import { servedNamespaces } from '#core/cluster/served-namespaces.ts'
import { createWatchStates } from './watch/watch-states.ts'

const rbac = 'rbac.authorization.k8s.io'
const roles: Resource = { group: rbac, version: 'v1', plural: 'roles', kind: 'Role', namespaced: true }
const bindings: Resource = { ...roles, plural: 'rolebindings', kind: 'RoleBinding' }
const secrets: Resource = { ...configMaps, plural: 'secrets', kind: 'Secret' }
const widgets: Resource = {
  group: 'acme.example',
  version: 'v1',
  plural: 'widgets',
  kind: 'Widget',
  namespaced: true,
}

/** Informers as `viewer`, who may read ConfigMaps of one namespace and nothing else. */
async function startDenied(t: TestContext, resources: readonly Resource[]) {
  const it = await setUp(t)
  const metadata = { name: 'reader', namespace: it.namespace }
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }]
  await it.admin.create<KubeObject>(roles, { apiVersion: `${rbac}/v1`, kind: 'Role', metadata, rules })
  const subjects = [{ kind: 'User', name: 'viewer', apiGroup: rbac }]
  const roleRef = { kind: 'Role', name: 'reader', apiGroup: rbac }
  await it.admin.create<KubeObject>(bindings, {
    apiVersion: `${rbac}/v1`,
    kind: 'RoleBinding',
    metadata,
    subjects,
    roleRef,
  })
  const lines: string[] = []
  const log = createLogger({ level: 'warn', destination: { write: (line) => void lines.push(line) } })
  const bearer = it.kube.tokens['viewer'] ?? ''
  const cluster = createKubeClient({ server: it.kube.url, pool: it.pool, bearer })
  const controller = new AbortController()
  const states = createWatchStates({ log })
  const served = servedNamespaces([it.namespace])
  const options = { cluster, served, states, log, signal: controller.signal }
  const informers = resources.map((resource) => ({ resource, resourceKind: resource.kind }))
  const running = runInformers({ ...options, store: it.store, informers })
  t.after(async () => {
    controller.abort()
    await running.done
  })
  return { ...it, ...running, options, states, warnings: () => lines.map((line) => JSON.parse(line) as object) }
}

test(
  'CON4: a 403 of an informer names account, verb and resource, and does not hold back the rest',
  real,
  async (t) => {
    const it = await startDenied(t, [secrets, configMaps])
    await it.synced
    await it.make('seen')
    await until('the other kind is watched', async () => (await facts(it.database)).length === 1)
    assert.deepEqual(it.states.notes(), [`namespace ${it.namespace}: list of secrets is denied to viewer`])
    const [warning, ...more] = it.warnings() as readonly Record<string, unknown>[]
    assert.deepEqual(more, [], 'it is logged once')
    const { level, msg, kind, namespace, resource, account, verb } = warning ?? {}
    assert.deepEqual(
      { level, msg, kind, namespace, resource, account, verb },
      {
        level,
        msg: 'list or watch denied',
        kind: 'Secret',
        namespace: it.namespace,
        resource: 'secrets',
        account: 'viewer',
        verb: 'list',
      },
    )
  },
)

test('CON4: a kind without its CRD is reported and does not hold back informers or reconcilers', real, async (t) => {
  // The administrator may list everything, so that the answer is 404 and not 403.
  const it = await setUp(t)
  const { store } = await openStore(t)
  const controller = new AbortController()
  const log = silent
  const states = createWatchStates({ log })
  const options = { cluster: it.cluster, states, log, signal: controller.signal }
  const informers = [widgets, configMaps].map((resource) => ({ resource, resourceKind: resource.kind }))
  const running = runInformers({ ...options, store, informers })
  const reconcilers = runReconcilers({
    ...options,
    reconcilers: [{ name: 'widgets', resource: widgets, reconcile: async () => ({}) }],
  })
  t.after(async () => {
    controller.abort()
    await Promise.all([running.done, reconcilers.done])
  })
  await Promise.all([running.synced, reconcilers.synced])
  assert.deepEqual(states.notes(), [
    'the API server does not serve widgets.acme.example: a CRD is missing (mesh manifests)',
  ])
})
