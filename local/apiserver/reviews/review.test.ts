import assert from 'node:assert/strict'
import test from 'node:test'
import type { User } from '../auth/user.ts'
import type { JsonObject } from '../json/json-value.ts'
import type { KubeObject } from '../json/kube-object.ts'
import type { Attributes } from '../rbac/authorize.ts'
import { createReviews } from './review.ts'

const alice: User = { username: 'alice', uid: '7', groups: ['devs'], extra: { scopes: ['a'] } }
const asked: { user: User; attributes: Attributes }[] = []
const reviews = createReviews({
  authorizer: {
    authorize(user, attributes) {
      asked.push({ user, attributes })
      return { allowed: attributes.verb === 'get', reason: attributes.verb === 'get' ? 'because' : '' }
    },
    rulesFor: () => ({ resourceRules: [{ verbs: ['get'] }], nonResourceRules: [] }),
  },
  authenticator: {
    review: async (token) =>
      token === 'good' ? { authenticated: true, user: { username: 'bot' } } : { error: 'invalid bearer token' },
  },
  now: () => new Date('2026-01-01T00:00:00.123Z'),
})
const ask = (resource: string, spec: JsonObject, namespace = '', metadata: object = {}) =>
  reviews.review(
    resource,
    { apiVersion: 'v1', kind: 'x', metadata: metadata as KubeObject['metadata'], spec },
    alice,
    namespace,
  )
const get = { verb: 'get', resource: 'pods', namespace: 'a' }

test('reviews: each kind is decided for the right user', async () => {
  assert.deepEqual(await ask('selfsubjectaccessreviews', { resourceAttributes: get }), {
    kind: 'SelfSubjectAccessReview',
    apiVersion: 'authorization.k8s.io/v1',
    metadata: {},
    spec: { resourceAttributes: get },
    status: { allowed: true, reason: 'because' },
  })
  assert.equal(asked.at(-1)?.user, alice)
  const bob = await ask('subjectaccessreviews', {
    user: 'bob',
    groups: ['x'],
    nonResourceAttributes: { path: '/metrics', verb: 'post' },
  })
  assert.deepEqual('status' in bob && bob.status, { allowed: false })
  assert.deepEqual(asked.at(-1)?.user, { username: 'bob', groups: ['x'] })
  assert.equal(asked.at(-1)?.attributes.path, '/metrics')
  const local = await ask('localsubjectaccessreviews', { user: 'bob', resourceAttributes: get }, 'a')
  assert.deepEqual(local.metadata, { namespace: 'a' })
})

test('reviews: SelfSubjectReview, TokenReview and the rules review', async () => {
  const self = await ask('selfsubjectreviews', {})
  assert.deepEqual('status' in self && self.status, {
    userInfo: { username: 'alice', uid: '7', groups: ['devs'], extra: { scopes: ['a'] } },
  })
  assert.deepEqual(self.metadata, { creationTimestamp: '2026-01-01T00:00:00Z' })
  const token = await ask('tokenreviews', { token: 'bad' })
  assert.deepEqual('status' in token && token.status, { error: 'invalid bearer token', user: {} })
  const rules = await ask('selfsubjectrulesreviews', { namespace: 'a' })
  assert.deepEqual('status' in rules && rules.status, {
    resourceRules: [{ verbs: ['get'] }],
    nonResourceRules: [],
    incomplete: false,
  })
})

test('reviews: an invalid review is refused with the name of its field', async () => {
  const refusals: [string, JsonObject, string, number, RegExp][] = [
    ['selfsubjectaccessreviews', {}, '', 422, /spec.resourceAttributes: .*exactly one of/],
    ['subjectaccessreviews', { resourceAttributes: get }, '', 422, /spec.user/],
    ['localsubjectaccessreviews', { user: 'bob', resourceAttributes: get }, 'b', 422, /must match metadata.namespace/],
    ['tokenreviews', {}, '', 400, /token is required/],
    ['selfsubjectrulesreviews', {}, '', 400, /no namespace/],
    ['pods', {}, '', 404, /could not find/],
  ]
  for (const [resource, spec, namespace, code, message] of refusals) {
    const answer = await ask(resource, spec, namespace)
    assert.ok('code' in answer, resource)
    assert.equal(answer.code, code, resource)
    assert.match(String(answer['message' in answer ? 'message' : 'kind']), message)
  }
})
