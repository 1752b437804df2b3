import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import type { KubeObject } from '../json/kube-object.ts'
import { createReader } from '#testing/object-reader.ts'
import { ISSUER, createAuthenticator } from './authenticate.ts'

const object = (kind: string, name: string, uid: string): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'a', uid },
})
const request = { serviceAccount: { namespace: 'a', name: 'bot', uid: 'u1' }, audiences: [], expirationSeconds: 600 }

function setup(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'mesh-auth-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const objects = createReader([object('ServiceAccount', 'bot', 'u1'), object('Pod', 'p', 'u2')])
  const clock = { at: Date.parse('2026-01-01T00:00:00Z') }
  const keyFile = join(folder, 'issuer.pem')
  const options = {
    tokens: [{ token: 's3cret', username: 'alice', uid: '7', groups: ['devs'] }],
    keyFile,
    now: () => new Date(clock.at),
    objects,
  }
  const authenticator = createAuthenticator(options)
  return {
    authenticator,
    options,
    objects,
    clock,
    keyFile,
    login: (token: string) => authenticator.authenticate([`Bearer ${token}`]),
  }
}

test('auth: a static token authenticates its user; anything else is anonymous or invalid', async (t) => {
  const { authenticator, login } = setup(t)
  assert.deepEqual(await login('s3cret'), { username: 'alice', uid: '7', groups: ['devs', 'system:authenticated'] })
  assert.equal(await authenticator.authenticate([]), 'anonymous')
  assert.equal(await authenticator.authenticate(['Bearer ']), 'anonymous')
  assert.equal(await login('s3cre'), 'invalid')
  assert.equal(await login('__proto__'), 'invalid')
  assert.equal(await authenticator.authenticate(['Bearer s3cret', 'Bearer s3cret']), 'invalid')
})

test('auth: an issued token authenticates its service account until it expires, also after a restart', async (t) => {
  const { authenticator, options, clock, login, keyFile } = setup(t)
  const { token, expirationTimestamp } = await authenticator.issue(request)
  assert.equal(expirationTimestamp, '2026-01-01T00:10:00Z')
  const user = await login(token)
  assert.ok(typeof user === 'object')
  assert.equal(user.username, 'system:serviceaccount:a:bot')
  assert.deepEqual(user.groups, ['system:serviceaccounts', 'system:serviceaccounts:a', 'system:authenticated'])
  assert.deepEqual(await createAuthenticator(options).authenticate([`Bearer ${token}`]), user)
  assert.equal(statSync(keyFile).mode & 0o777, 0o600)
  clock.at += 600_000
  assert.equal(await login(token), 'invalid')
})

test('auth: a re-created service account or pod inherits no token', async (t) => {
  const { authenticator, objects, login } = setup(t)
  const stranger = await authenticator.issue({
    ...request,
    serviceAccount: { namespace: 'a', name: 'bot', uid: 'older' },
  })
  assert.equal(await login(stranger.token), 'invalid')
  const bound = await authenticator.issue({
    ...request,
    boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p', uid: 'u2' },
  })
  const user = await login(bound.token)
  assert.ok(typeof user === 'object')
  assert.deepEqual(user.extra?.['authentication.kubernetes.io/pod-name'], ['p'])
  objects.remove('pods', 'a', 'p')
  assert.equal(await login(bound.token), 'invalid')
  const { token } = await authenticator.issue(request)
  objects.remove('serviceaccounts', 'a', 'bot')
  assert.equal(await login(token), 'invalid')
})

test('auth: forged, unsigned, HMAC-signed and foreign tokens are refused', async (t) => {
  const { authenticator, login } = setup(t)
  const [header = '', body = '', signature = ''] = (await authenticator.issue(request)).token.split('.')
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString())
  assert.equal(await login(`${header}.${encoded({ ...claims, exp: 9e9 })}.${signature}`), 'invalid')
  assert.equal(await login(`${encoded({ alg: 'none' })}.${body}.`), 'invalid')
  assert.equal(await login(`${encoded({ alg: 'HS256' })}.${body}.${signature}`), 'invalid')
  assert.equal(await login(`${header}.${body}`), 'invalid')
  const elsewhere = (await setup(t).authenticator.issue(request)).token
  assert.equal(await login(elsewhere), 'invalid')
})

test('auth: a token is valid for its audiences only', async (t) => {
  const { authenticator, login } = setup(t)
  const { token } = await authenticator.issue({ ...request, audiences: ['gateway'] })
  assert.equal(await login(token), 'invalid')
  const status = await authenticator.review(token, ['gateway', 'state'])
  assert.deepEqual([status.authenticated, status.audiences, status.user?.uid], [true, ['gateway'], 'u1'])
  assert.match((await authenticator.review(token, [])).error ?? '', /token audiences \["gateway"\] is invalid/)
  assert.deepEqual((await authenticator.review('s3cret', [])).audiences, [ISSUER])
  assert.equal((await authenticator.review('garbage', [])).authenticated, undefined)
})
