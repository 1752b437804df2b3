import assert from 'node:assert/strict'
import test from 'node:test'
import type { User } from '../auth/user.ts'
import { aggregate } from '../controllers/aggregate-roles.ts'
import type { KubeObject } from '../json/kube-object.ts'
import { createReader } from '#testing/object-reader.ts'
import { createAuthorizer } from './authorize.ts'
import type { Attributes } from './authorize.ts'
import { defaultRbacObjects } from './default-roles.ts'
import { RBAC_GROUP } from './policy-rules.ts'

const alice: User = { username: 'alice', groups: ['devs', 'system:authenticated'] }
const agent: User = {
  username: 'system:serviceaccount:a:bot',
  groups: ['system:serviceaccounts', 'system:authenticated'],
}
const ask = (verb: string, resource: string, namespace = 'a', more: Partial<Attributes> = {}): Attributes => ({
  verb,
  group: '',
  resource,
  subresource: '',
  namespace,
  name: '',
  ...more,
})
const rbac = (kind: string, name: string, rest: object, namespace?: string): KubeObject => ({
  apiVersion: `${RBAC_GROUP}/v1`,
  kind,
  metadata: { name, ...(namespace ? { namespace } : {}) },
  ...rest,
})
const role = (name: string, ...rules: object[]) => rbac('Role', name, { rules }, 'a')
const bind = (kind: string, to: string, subject: object, namespace?: string) =>
  rbac(
    namespace ? 'RoleBinding' : 'ClusterRoleBinding',
    `bind-${to}`,
    { roleRef: { apiGroup: RBAC_GROUP, kind, name: to }, subjects: [subject] },
    namespace,
  )
const rule = (verbs: string[], resources: string[], more: object = {}) => ({
  verbs,
  apiGroups: [''],
  resources,
  ...more,
})
const user = (name: string) => ({ kind: 'User', name })

function setup(...objects: KubeObject[]) {
  const reader = createReader([...defaultRbacObjects(), ...objects])
  const authorizer = createAuthorizer(reader)
  return { reader, authorizer, can: (who: User, what: Attributes) => authorizer.authorize(who, what).allowed }
}

test('rbac: a RoleBinding grants in its namespace only, by user, group and service account', () => {
  const { can } = setup(
    role('reader', rule(['get'], ['pods', 'pods/log'])),
    bind('Role', 'reader', user('alice'), 'a'),
    bind('ClusterRole', 'view', { kind: 'Group', name: 'devs' }, 'b'),
    bind('ClusterRole', 'edit', { kind: 'ServiceAccount', name: 'bot' }, 'a'),
  )
  assert.equal(can(alice, ask('get', 'pods')), true)
  assert.equal(can(alice, ask('get', 'pods', 'a', { subresource: 'log' })), true)
  assert.equal(can(alice, ask('get', 'pods', 'a', { subresource: 'exec' })), false)
  assert.equal(can(alice, ask('get', 'pods', 'c')), false)
  assert.equal(can(alice, ask('list', 'pods', '')), false)
  assert.equal(can(alice, ask('list', 'configmaps', 'b')), true)
  assert.equal(can(agent, ask('create', 'secrets', 'a')), true)
  assert.equal(can(agent, ask('create', 'secrets', 'b')), false)
})

test('rbac: resourceNames, wildcards, subresource wildcards and non-resource URLs', () => {
  const { can } = setup(
    role('named', rule(['get', 'update'], ['configmaps'], { resourceNames: ['one'] }), rule(['*'], ['*/status'])),
    bind('Role', 'named', user('alice'), 'a'),
  )
  assert.equal(can(alice, ask('get', 'configmaps', 'a', { name: 'one' })), true)
  assert.equal(can(alice, ask('get', 'configmaps', 'a', { name: 'two' })), false)
  assert.equal(can(alice, ask('list', 'configmaps')), false)
  assert.equal(can(alice, ask('patch', 'pods', 'a', { subresource: 'status' })), true)
  assert.equal(can(alice, ask('patch', 'pods')), false)
  assert.equal(can(alice, ask('get', '', '', { path: '/apis/apps' })), true)
  assert.equal(can(alice, ask('get', '', '', { path: '/metrics' })), false)
  assert.equal(can({ username: 'root', groups: ['system:masters'] }, ask('delete', 'nodes', '')), true)
})

test('K1: a revoked grant has no effect on the next request', () => {
  const { can, reader } = setup(bind('ClusterRole', 'view', user('alice'), 'a'))
  assert.equal(can(alice, ask('get', 'pods')), true)
  reader.remove('rolebindings', 'a', 'bind-view')
  assert.equal(can(alice, ask('get', 'pods')), false)
})

test('rbac: a user has the rights of its own request: its name, its groups and its namespace', () => {
  const group = { kind: 'Group', name: 'devs' }
  const { authorize } = createAuthorizer(
    createReader([role('pods', rule(['get'], ['pods'])), bind('Role', 'pods', group, 'a')]),
  )
  const may = (who: User, namespace = 'a') => authorize(who, ask('get', 'pods', namespace)).allowed
  assert.deepEqual(
    [may(alice), may({ ...alice, groups: [] }), may(alice, 'b'), may(agent)],
    [true, false, false, false],
  )
  assert.deepEqual(
    [may({ username: 'bob', groups: ['devs'] }), may({ username: 'bob', groups: ['de', 'vs'] })],
    [true, false],
  )
})

test('rbac: the reasons are those of kube-apiserver', () => {
  const { authorizer } = setup(
    bind('ClusterRole', 'view', user('alice'), 'a'),
    bind('ClusterRole', 'gone', user('alice')),
  )
  assert.equal(
    authorizer.authorize(alice, ask('get', 'pods')).reason,
    'RBAC: allowed by RoleBinding "bind-view/a" of ClusterRole "view" to User "alice"',
  )
  assert.equal(
    authorizer.authorize(alice, ask('delete', 'pods')).reason,
    `RBAC: clusterrole.${RBAC_GROUP} "gone" not found`,
  )
})

test('rbac: ClusterRoles aggregate by label, transitively', () => {
  const extra: KubeObject = {
    ...rbac('ClusterRole', 'mesh-view', {
      rules: [{ verbs: ['get'], apiGroups: ['mesh.dev'], resources: ['tenants'] }],
    }),
    metadata: { name: 'mesh-view', labels: { [`${RBAC_GROUP}/aggregate-to-view`]: 'true' } },
  }
  const { can } = setup(extra, bind('ClusterRole', 'admin', user('alice')))
  assert.equal(can(alice, ask('get', 'tenants', '', { group: 'mesh.dev' })), true)
  const all = [...defaultRbacObjects(), extra]
  const view = all.find((each) => each.metadata.name === 'view')
  const filled = view && aggregate(view, all)
  assert.ok(Array.isArray(filled?.['rules']) && filled['rules'].length > 10)
  assert.equal(filled && aggregate(filled, all), undefined)
})

test('rbac: a user cannot grant rights that it does not hold', () => {
  const { authorizer } = setup(
    role(
      'manager',
      { verbs: ['*'], apiGroups: [RBAC_GROUP], resources: ['roles', 'rolebindings'] },
      rule(['get'], ['pods']),
    ),
    bind('Role', 'manager', user('alice'), 'a'),
    role('reader', rule(['get'], ['pods'])),
    rbac('ClusterRole', 'secrets', { rules: [rule(['get', 'list'], ['secrets'])] }),
    rbac('ClusterRole', 'pods', { rules: [rule(['get', 'delete'], ['pods'])] }),
  )
  const check = (object: KubeObject, old?: KubeObject) =>
    authorizer.checkEscalation({ ...alice, groups: ['devs'] }, object, old)
  // `*` on roles holds `escalate` and `bind` for Roles; a ClusterRole is not covered.
  assert.equal(check(role('any', rule(['delete'], ['nodes']))), undefined)
  assert.equal(check(bind('Role', 'reader', user('bob'), 'a')), undefined)
  const denied = check(bind('ClusterRole', 'secrets', user('bob'), 'a'))
  assert.equal(denied?.code, 403)
  assert.equal(
    denied?.message,
    `rolebindings.${RBAC_GROUP} "bind-secrets" is forbidden: user "alice" (groups=["devs"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}`,
  )
  const more = check(bind('ClusterRole', 'pods', user('bob'), 'a'))?.message ?? ''
  assert.ok(more.endsWith('{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}'), more)
  assert.equal(check(bind('ClusterRole', 'none', user('bob'), 'a'))?.code, 404)
  const binding = bind('ClusterRole', 'secrets', user('bob'), 'a')
  const finalized = { ...binding, metadata: { ...binding.metadata, finalizers: ['x/y'] } }
  assert.equal(check(binding, finalized), undefined)
  const wide = rbac('ClusterRole', 'sum', {
    rules: [],
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
  })
  assert.match(check(wide)?.message ?? '', /must have cluster-admin privileges to use the aggregationRule/)
})

test('rbac: the rules review lists what the user holds', () => {
  const { authorizer } = setup(
    role('reader', rule(['get'], ['pods'], { resourceNames: ['x'] })),
    bind('Role', 'reader', user('alice'), 'a'),
  )
  const { resourceRules, nonResourceRules } = authorizer.rulesFor(alice, 'a')
  assert.ok(
    resourceRules.some(
      (each) =>
        JSON.stringify(each) === '{"verbs":["get"],"apiGroups":[""],"resources":["pods"],"resourceNames":["x"]}',
    ),
  )
  assert.ok(nonResourceRules.length >= 2)
})
