import assert from 'node:assert/strict'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { toManifest } from '#core/cluster/roles/manifest.ts'
import { pluginRoles } from '#core/cluster/roles/role-objects.ts'
import { readVerbs, writeVerbs } from '#core/cluster/roles/access-rule.ts'
import { startCluster } from './cluster.ts'
import { setTimeout as pause } from 'node:timers/promises'

const rbac = fileURLToPath(new URL('../../deploy/rbac', import.meta.url))
const resource = 'shelves.library.example'
const added = pluginRoles('shelves', [
  { group: 'library.example', resource: 'shelves', viewer: readVerbs, developer: writeVerbs },
])

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 90_000; !(await holds()); await pause(100))
    assert.ok(performance.now() < end, `not reached in time: ${what}`)
}

test('people who are bound to a persona get the rights of a plugin, also after the base is applied again', async (t) => {
  const cluster = await startCluster(t, process.env.MESH_TEST_CLUSTER ?? '', [])
  const applyBase = () => cluster.kubectl(['apply', '--server-side', '--force-conflicts', '-k', rbac])
  // Not `kubectl auth can-i`, which knows served resources only.
  const may = async (user: string, verb: string, what: string): Promise<boolean> => {
    const [plural = '', ...group] = what.split('.')
    const resourceAttributes = { verb, group: group.join('.'), resource: plural, namespace: 'default' }
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user, resourceAttributes },
    }
    const answer = await cluster.kubectl(
      ['create', '-f', '-', '-o', 'jsonpath={.status.allowed}'],
      JSON.stringify(review),
    )
    return answer === 'true'
  }
  await applyBase()
  for (const persona of ['viewer', 'developer'])
    await cluster.kubectl(['create', 'rolebinding', persona, `--clusterrole=mesh-${persona}`, `--user=${persona}`])
  const shipped = async (): Promise<unknown> =>
    JSON.parse(await cluster.kubectl(['get', 'clusterrole', 'mesh-viewer', '-o', 'jsonpath={.rules}']))
  const before = await shipped()
  assert.deepEqual([await may('viewer', 'list', 'runs.mesh.dev'), await may('viewer', 'list', resource)], [true, false])
  await cluster.kubectl(['apply', '--server-side', '-f', '-'], toManifest(added, 'Plugin shelves.'))
  for (const round of ['added', 'after the base is applied again']) {
    await until(`${round}: viewers may list`, () => may('viewer', 'list', resource))
    await until(`${round}: developers may create`, () => may('developer', 'create', resource))
    assert.equal(await may('viewer', 'create', resource), false, round)
    assert.equal(await may('viewer', 'list', 'runs.mesh.dev'), true, round)
    await applyBase()
  }
  await cluster.kubectl(['delete', 'clusterrole', 'mesh-plugin-shelves-viewer'])
  await until('the rights end with the role', async () => !(await may('viewer', 'list', resource)))
  assert.deepEqual(await shipped(), before, 'without plugins the controller changes nothing')
})
