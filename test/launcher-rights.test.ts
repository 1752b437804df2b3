import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseAllDocuments } from 'yaml'
import { needs } from '#test/harness/find-server.ts'
import { kubectl } from '#test/harness/kubectl.ts'
import { buildNamespaced, manifestsOfNamespace } from './flows/platform/namespaced-rights.ts'

interface Rule {
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}
interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly rules?: readonly Rule[]
  readonly roleRef?: { readonly kind: string; readonly name: string }
  readonly subjects?: readonly { readonly name: string }[]
}

const deploy = fileURLToPath(new URL('../deploy/', import.meta.url))
const parse = (text: string): readonly Manifest[] => parseAllDocuments(text).map((one) => one.toJS() as Manifest)

async function overlay(name: string): Promise<readonly Manifest[]> {
  const { code, stdout, stderr } = await kubectl('/nonexistent', ['kustomize', `${deploy}overlays/${name}`])
  assert.equal(code, 0, stderr)
  return parse(stdout)
}

/** Rights of accounts on service accounts, by bindings of one kind: `account verb resource`. */
function rightsOnAccounts(manifests: readonly Manifest[], binding: 'ClusterRoleBinding' | 'RoleBinding'): string[] {
  const rulesOf = ({ roleRef }: Manifest): readonly Rule[] =>
    manifests.find(({ kind, metadata }) => kind === roleRef?.kind && metadata.name === roleRef.name)?.rules ?? []
  const all = manifests
    .filter(({ kind }) => kind === binding)
    .flatMap((one) => (one.subjects ?? []).flatMap(({ name }) => rulesOf(one).map((rule) => ({ name, rule }))))
    .flatMap(({ name, rule: { resources, verbs } }) =>
      resources
        .filter((resource) => resource === '*' || resource.startsWith('serviceaccounts'))
        .flatMap((resource) => verbs.map((verb) => `${name} ${verb} ${resource}`)),
    )
  return [...new Set(all)].toSorted()
}

// It makes the accounts of agents.
const ofManager = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'].map(
  (verb) => `mesh-manager ${verb} serviceaccounts`,
)
const ofState = 'mesh-state get serviceaccounts'

test(
  'R2-N3: the state role reads service accounts where the manager makes them, and nowhere else',
  needs('kubectl'),
  async () => {
    const bindings = parse(readFileSync(`${deploy}components/namespaced-writes/bindings.yaml`, 'utf8'))
    const hardened = await overlay('hardened')
    assert.deepEqual(rightsOnAccounts(await overlay('open'), 'ClusterRoleBinding'), [...ofManager, ofState])
    const wide = rightsOnAccounts(hardened, 'ClusterRoleBinding')
    assert.deepEqual(
      wide.filter((right) => right.startsWith('mesh-state')),
      [],
    )
    assert.deepEqual(rightsOnAccounts([...hardened, ...bindings], 'RoleBinding'), [...ofManager, ofState])
    for (const profile of ['open', 'hardened'] as const) {
      const namespaced = parse(await buildNamespaced(profile))
      assert.deepEqual(rightsOnAccounts(namespaced, 'ClusterRoleBinding'), [], profile)
    }
    assert.deepEqual(rightsOnAccounts(parse(manifestsOfNamespace('team-a')), 'RoleBinding'), [...ofManager, ofState])
  },
)

test('R2-N3: no persona of an agent may make accounts, their tokens, or pods', () => {
  for (const persona of ['viewer', 'developer', 'operator']) {
    const roles = parse(readFileSync(`${deploy}rbac/${persona}.yaml`, 'utf8'))
    const rules = roles.flatMap((one) => one.rules ?? [])
    assert.ok(rules.length > 5, persona)
    const made = rules.filter(
      ({ resources, verbs }) =>
        resources.some((one) => /^(\*|pods|serviceaccounts.*)$/.test(one)) &&
        verbs.some((verb) => !['get', 'list', 'watch'].includes(verb)),
    )
    assert.deepEqual(made, [], persona)
  }
})
