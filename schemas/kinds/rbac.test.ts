import assert from 'node:assert/strict'
import { readFile, readdir } from 'node:fs/promises'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { sharedKube } from '#test/harness/kube.ts'
import { kubectl } from '#test/harness/kubectl.ts'
import { accessVerbs, personaRoles } from '#core/cluster/roles/access-rule.ts'
import { policyRules } from '#core/cluster/roles/policy-rules.ts'
import { GROUP } from '../names/group.ts'
import { accessOfPlugins, kindsOf } from '#core/plugin/access-of-plugins.ts'
import { plugins } from '#plugins/index.ts'

const kinds = kindsOf(plugins)

const FOLDER = new URL('../../deploy/rbac/', import.meta.url)
const CRDS = new URL('../../deploy/crds', import.meta.url).pathname

interface RbacObject {
  kind: string
  metadata: { name: string; namespace?: string }
  rules?: { apiGroups: string[]; resources: string[]; verbs: string[] }[]
  automountServiceAccountToken?: boolean
}

async function readObjects(): Promise<RbacObject[]> {
  const files = (await readdir(FOLDER)).filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml')
  const texts = await Promise.all(files.map((name) => readFile(new URL(name, FOLDER), 'utf8')))
  return texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as RbacObject))
}

async function roles(): Promise<RbacObject[]> {
  const found = (await readObjects()).filter((object) => object.kind === 'ClusterRole' || object.kind === 'Role')
  assert.ok(found.length >= 6)
  return found
}

/** `resource verb` pairs that a role gives in our group. */
async function ours(name: string): Promise<string[]> {
  const role = (await roles()).find((object) => object.metadata.name === name)
  const rules = (role?.rules ?? []).filter((rule) => rule.apiGroups.includes(GROUP))
  return rules.flatMap((rule) => rule.resources.flatMap((resource) => rule.verbs.map((verb) => `${resource} ${verb}`)))
}

test('K6 M2 M3: no role has a star or deletecollection', async () => {
  for (const { metadata, rules = [] } of await roles()) {
    for (const rule of rules) {
      const words = [...rule.apiGroups, ...rule.resources, ...rule.verbs]
      assert.ok(!words.some((word) => word.includes('*')), `${metadata.name}: a star in ${words.join(' ')}`)
      assert.ok(!rule.verbs.includes('deletecollection'), `${metadata.name}: deletecollection`)
      assert.ok(!rule.verbs.some((verb) => ['impersonate', 'bind', 'escalate'].includes(verb)), metadata.name)
    }
  }
})

test('K6: auditlogs is readable by the operator only', async () => {
  const names = (await roles()).filter((role) => role.rules?.some((rule) => rule.resources.includes('auditlogs')))
  assert.deepEqual(
    names.map((role) => role.metadata.name),
    ['mesh-operator', 'mesh-operator-base'],
  )
  assert.deepEqual(
    (await ours('mesh-operator')).filter((pair) => pair.startsWith('auditlogs')),
    ['auditlogs list'],
  )
})

test('personas: each has all of the weaker one, and every kind of ours is granted', async () => {
  const [viewer, developer, operator] = await Promise.all(['mesh-viewer', 'mesh-developer', 'mesh-operator'].map(ours))
  assert.ok(viewer && developer && operator)
  assert.deepEqual(
    viewer.filter((pair) => !developer.includes(pair)),
    [],
  )
  assert.deepEqual(
    developer.filter((pair) => !operator.includes(pair)),
    [],
  )
  assert.deepEqual([...new Set(viewer.map((pair) => pair.split(' ')[1]))].toSorted(), ['get', 'list', 'watch'])
  for (const kind of kinds) {
    assert.ok(operator.includes(`${kind.plural} delete`), kind.kind)
    assert.equal(developer.includes(`${kind.plural} create`), kind.namespaced, kind.kind)
  }
})

test('D2: bff and restore have an account without token and without role', async () => {
  const objects = await readObjects()
  for (const name of ['mesh-bff', 'mesh-restore']) {
    const account = objects.find((object) => object.kind === 'ServiceAccount' && object.metadata.name === name)
    assert.equal(account?.automountServiceAccountToken, false, name)
    assert.ok(!objects.some((object) => object.kind === 'ClusterRoleBinding' && object.metadata.name === name), name)
  }
})

const namespace = 'rbac-test'

async function setUp(t: TestContext) {
  const kube = await sharedKube(t)
  const admin = kube.kubeconfig(kube.tokens['admin'] ?? '')
  const binding = (kind: string, role: string, group: string) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind,
    metadata: { name: `rbac-test-${role}`, ...(kind === 'RoleBinding' ? { namespace } : {}) },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'User', name: group, apiGroup: 'rbac.authorization.k8s.io' }],
  })
  const items = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    binding('RoleBinding', 'mesh-viewer', 'viewer'),
    binding('RoleBinding', 'mesh-developer', 'developer'),
    binding('ClusterRoleBinding', 'mesh-operator', 'operator'),
  ]
  for (const [args, input] of [
    [['apply', '--server-side', '--force-conflicts', '-k', CRDS], ''],
    [['apply', '--server-side', '--force-conflicts', '-k', FOLDER.pathname], ''],
    [['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items })],
  ] as const) {
    const done = await kubectl(admin, args, input)
    assert.equal(done.code, 0, done.stderr)
  }
  t.after(() => kubectl(admin, ['delete', 'clusterrolebinding', 'rbac-test-mesh-operator', '--ignore-not-found']))
  return (asked: readonly Question[]) => review(admin, asked)
}

/** Who, verb, resource (of our group unless it names one), and where: '' is cluster-wide. */
type Question = readonly [who: string, verb: string, resource: string, where: string, answer: boolean]

// One call for all: a List of SubjectAccessReviews comes back with their verdicts.
async function review(config: string, asked: readonly Question[]): Promise<boolean[]> {
  const items = asked.map(([user, verb, path, where]) => {
    const [qualified = '', subresource = ''] = path.split('/')
    const [resource = '', ...group] = qualified.split('.')
    return {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user, resourceAttributes: { verb, resource, subresource, group: group.join('.'), namespace: where } },
    }
  })
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
  const { stdout, stderr } = await kubectl(config, ['create', '-f', '-', '-o', 'json'], list)
  const answers =
    stdout.trim() === '' ? [] : (JSON.parse(`[${stdout.trim().replaceAll(/\n}\n{/g, '\n},\n{')}]`) as ReviewList[])
  const flat = answers.flatMap((answer) => answer.items ?? [answer])
  assert.equal(flat.length, asked.length, stderr)
  return flat.map((answer) => answer.status?.allowed === true)
}

interface ReviewList {
  items?: ReviewList[]
  status?: { allowed: boolean }
}

test('K6: live reviews of the personas and the service accounts', async (t) => {
  const ask = await setUp(t)
  const account = (name: string) => `system:serviceaccount:mesh-system:${name}`
  const group = (resource: string) => {
    const [name = '', subresource] = resource.split('/')
    return `${name}.${GROUP}${subresource === undefined ? '' : `/${subresource}`}`
  }
  const agents = group('agentdeployments')
  const questions: Question[] = [
    ['viewer', 'list', agents, namespace, true],
    ['viewer', 'list', agents, 'default', false],
    ['viewer', 'list', agents, '', false],
    ['viewer', 'create', agents, namespace, false],
    ['viewer', 'create', group('agentdeployments/invoke'), namespace, false],
    ['viewer', 'get', 'pods/log', namespace, false],
    ['viewer', 'list', group('auditlogs'), namespace, false],
    ['viewer', 'list', group('runs'), namespace, true],
    ['viewer', 'update', group('runs'), namespace, false],
    ['developer', 'create', agents, namespace, true],
    ['developer', 'create', group('agentdeployments/invoke'), namespace, true],
    ['developer', 'create', group('modelroutes/invoke'), namespace, true],
    ['developer', 'create', group('modelroutes/charge'), namespace, false],
    ['developer', 'watch', group('events'), namespace, true],
    ['developer', 'get', 'pods/log', namespace, true],
    ['developer', 'get', 'controllerrevisions.apps', namespace, true],
    ['developer', 'create', 'secrets', namespace, true],
    ['developer', 'create', 'secrets', 'default', false],
    ['developer', 'deletecollection', agents, namespace, false],
    ['developer', 'list', group('auditlogs'), namespace, false],
    ['developer', 'create', group('tenants'), '', false],
    ['operator', 'list', group('auditlogs'), '', true],
    ['operator', 'create', agents, 'default', true],
    ['operator', 'create', group('tenants'), '', true],
    ['operator', 'create', 'namespaces', '', true],
    ['operator', 'create', group('modelroutes/charge'), '', false],
    ['operator', 'deletecollection', agents, '', false],
    [account('mesh-bff'), 'list', agents, '', false],
    [account('mesh-worker'), 'list', 'endpointslices.discovery.k8s.io', '', true],
    [account('mesh-worker'), 'watch', 'endpointslices.discovery.k8s.io', '', false],
    [account('mesh-worker'), 'list', agents, '', false],
    [account('mesh-worker'), 'create', group('modelroutes/charge'), '', true],
    [account('mesh-state'), 'create', group('modelroutes/charge'), '', true],
    [account('mesh-gateway'), 'create', group('modelroutes/charge'), '', false],
    [account('mesh-manager'), 'create', group('modelroutes/charge'), '', false],
    [account('mesh-worker'), 'list', 'pods', '', false],
    [account('mesh-worker'), 'get', 'secrets', '', false],
    [account('mesh-gateway'), 'get', 'secrets', '', true],
    [account('mesh-gateway'), 'list', 'secrets', '', false],
    [account('mesh-gateway'), 'create', 'tokenreviews.authentication.k8s.io', '', true],
    [account('mesh-state'), 'create', 'tokenreviews.authentication.k8s.io', '', true],
    [account('mesh-state'), 'create', 'subjectaccessreviews.authorization.k8s.io', '', true],
    [account('mesh-state'), 'get', 'secrets', '', true],
    [account('mesh-state'), 'list', 'secrets', '', false],
    [account('mesh-state'), 'watch', 'secrets', '', false],
    [account('mesh-manager'), 'create', 'subjectaccessreviews.authorization.k8s.io', '', true],
    [account('mesh-manager'), 'patch', group('agentdeployments/status'), '', true],
    [account('mesh-manager'), 'update', agents, '', false],
    [account('mesh-manager'), 'list', 'secrets', '', false],
    [account('mesh-manager'), 'delete', agents, '', true],
    [account('mesh-manager'), 'deletecollection', agents, '', false],
    [account('mesh-manager'), 'create', 'deployments.apps', '', true],
  ]
  const answers = await ask(questions)
  for (const [index, question] of questions.entries()) {
    assert.equal(answers[index], question[4], question.slice(0, 4).join(' '))
  }
})

test('K6: the API server gives each persona the declared verbs on each resource of ours, and no other', async (t) => {
  const ask = await setUp(t)
  const access = accessOfPlugins(plugins)
  const resources = [...new Set(access.filter(({ group }) => group === undefined).map(({ resource }) => resource))]
  const questions = personaRoles.flatMap((who) => {
    const rules = policyRules(who, access).filter(({ apiGroups }) => apiGroups.includes(GROUP))
    return resources.flatMap((path): Question[] => {
      const [plural = '', subresource] = path.split('/')
      const named = `${plural}.${GROUP}${subresource === undefined ? '' : `/${subresource}`}`
      return accessVerbs.map((verb) => [
        who,
        verb,
        named,
        namespace,
        rules.some(({ resources: granted, verbs }) => granted.includes(path) && verbs.includes(verb)),
      ])
    })
  })
  assert.ok(questions.length > 200 && questions.some(([, , , , answer]) => answer))
  const answers = await ask(questions)
  const wrong = questions.filter(([, , , , answer], index) => answers[index] !== answer)
  assert.deepEqual(wrong, [])
})
