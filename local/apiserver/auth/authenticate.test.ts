import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import type { KubeObject } from '../json/kube-object.ts'
import { createReader } from '#testing/object-reader.ts'
import { ISSUER, createAuthenticator } from './authenticate.ts'
import type { TokenIssue } from './authenticate.ts'
import { loadIssuerKey, signToken } from './jwt.ts'
import { createTokenSource } from './token-source.ts'
import { createClaimsReader } from './verified-tokens.ts'

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
  assert.ok(typeof (await login(token)) === 'object')
  objects.remove('serviceaccounts', 'a', 'bot')
  assert.equal(await login(token), 'invalid')
})

test('auth: forged, unsigned, HMAC-signed and foreign tokens are refused', async (t) => {
  const { authenticator, login } = setup(t)
  const issued = (await authenticator.issue(request)).token
  const [header = '', body = '', signature = ''] = issued.split('.')
  const other = (await authenticator.issue(request)).token.split('.')[2]
  // The signature of the valid token is remembered.
  assert.ok(typeof (await login(issued)) === 'object')
  assert.equal(await login(`${header}.${body}.${other}`), 'invalid')
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

test('auth: a signature is verified once per token, and again when the token was dropped or has expired', async (t) => {
  const { keyFile } = setup(t)
  const key = loadIssuerKey(keyFile)
  let verified = 0
  const counting = {
    ...key,
    get publicKey() {
      verified++
      return key.publicKey
    },
  }
  const read = createClaimsReader(counting, 2)
  const sign = (sub: string) => signToken({ sub, exp: 100 }, key)
  const [a, b, c] = [await sign('a'), await sign('b'), await sign('c')]
  const subject = async (token: string, seconds = 1) => (await read(token, token, seconds))?.['sub']
  assert.deepEqual([await subject(a), await subject(b), await subject(a), verified], ['a', 'b', 'a', 2])
  assert.deepEqual([await subject(c), await subject(a), verified], ['c', 'a', 3]) // b was used least recently
  assert.deepEqual([await subject(b), verified], ['b', 4])
  assert.deepEqual([await subject(b, 100), await subject(b), verified], ['b', 'b', 5])
  const endless = await signToken({ sub: 'd' }, key)
  assert.deepEqual([await subject(endless), await subject(endless), verified], ['d', 'd', 7])
})

test('auth: a token source renews its token at 80 % of its life and for a re-created account', async (t) => {
  const { authenticator, clock, login } = setup(t)
  const account = { ...request.serviceAccount }
  let exists = true
  const describe = () => {
    if (!exists) throw new Error('the account does not exist')
    return { ...request, serviceAccount: { ...account } }
  }
  const issue = async (wanted: TokenIssue) => (await authenticator.issue(wanted)).token
  const source = createTokenSource(describe, issue, () => new Date(clock.at))
  const [first, same] = await Promise.all([source(), source()])
  assert.equal(first, same)
  clock.at += 479_000
  assert.equal(await source(), first)
  clock.at += 1_000
  const renewed = await source()
  assert.notEqual(renewed, first)
  assert.ok(typeof (await login(renewed)) === 'object')
  account.uid = 'u9'
  assert.notEqual(await source(), renewed)
  exists = false
  await assert.rejects(source(), /does not exist/)
})
