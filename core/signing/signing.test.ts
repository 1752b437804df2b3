import assert from 'node:assert/strict'
import { createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import * as fc from 'fast-check'
import { createKeyring } from './create-keyring.ts'
import { changeKeyFolder, readKeyFolder } from './key-folder.ts'
import type { RoleKeys } from './keyring.ts'
import { keyTypes, memoryKeyring } from './testing/key-types.ts'
import { roleKeyFiles } from './role-keys.ts'
import { planRotation } from './rotation.ts'
import { JwsRefused, signJws, verifyJws } from './jws.ts'
import type { Claims } from './jws.ts'

interface Grant extends Claims {
  readonly typ: 'mesh-run-grant'
  readonly runId: string
}

const keys = memoryKeyring()
const key = keys.current('grant')
const now = new Date('2026-11-21T00:00:00Z')
const iat = now.getTime() / 1000
const claims: Grant = { typ: 'mesh-run-grant', runId: 'r1', iat, exp: iat + 60 }
const find = (id: string) => {
  const jwk = keys.jwks(['grant']).keys.find((one) => one.kid === id)
  return jwk === undefined ? undefined : createPublicKey({ key: { ...jwk }, format: 'jwk' })
}
const verify = (token: string) => verifyJws<Grant>(token, find, { typ: 'mesh-run-grant', now: () => now })
const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
// Signs any header and payload with the right key.
const signed = (head: string, payload: string) => {
  const input = `${encode(head)}.${encode(payload)}`
  return `${input}.${sign(null, Buffer.from(input), key.key).toString('base64url')}`
}
const ownHeader = JSON.stringify({ alg: 'EdDSA', kid: key.id, typ: claims.typ })
const refused = (token: string, reason: JwsRefused['reason']) =>
  assert.rejects(
    () => verify(token),
    (error) => error instanceof JwsRefused && error.reason === reason,
  )

test('a signed token is verified by the published key set, and by the private key of the keyring', async () => {
  const token = await signJws(key, claims)
  assert.deepEqual(await verify(token), claims)
  assert.deepEqual(await verifyJws<Grant>(token, () => key.key, { typ: 'mesh-run-grant', now: () => now }), claims)
})

test('R2-P3: tokens are signed and checked in the thread, without a job of WebCrypto', async (t) => {
  const jobs = (['sign', 'verify', 'importKey'] as const).map((name) => t.mock.method(crypto.subtle, name).mock)
  assert.deepEqual(await verify(await signJws(key, claims)), claims)
  assert.deepEqual(
    jobs.map((mock) => mock.callCount()),
    [0, 0, 0],
  )
})

test('R2-P3: a key of another kind signs nothing', async () => {
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  await assert.rejects(signJws({ id: 'other', key: other }, claims), TypeError)
})

test('E1: none, HMAC with the public key, another type, expiry, the future and an unknown key are refused', async () => {
  const [header = '', payload = '', signature = ''] = (await signJws(key, claims)).split('.')
  await refused(`${encode({ alg: 'none', kid: key.id, typ: claims.typ })}.${payload}.`, 'header')
  await refused(`${encode({ alg: 'EdDSA', kid: key.id, typ: claims.typ })}.${payload}.`, 'signature')
  const hmacHeader = encode({ alg: 'HS256', kid: key.id, typ: claims.typ })
  const secret = createPublicKey(key.key).export({ type: 'spki', format: 'der' })
  await refused(
    `${hmacHeader}.${payload}.${createHmac('sha256', secret).update(`${hmacHeader}.${payload}`).digest('base64url')}`,
    'header',
  )
  await refused(await signJws(key, { ...claims, typ: 'mesh-run-attempt' }), 'typ')
  await refused(await signJws(key, { ...claims, exp: iat }), 'expired')
  await refused(await signJws(key, { ...claims, iat: iat + 3600, exp: iat + 7200 }), 'not_yet')
  await refused(await signJws({ id: 'other', key: key.key }, claims), 'unknown_key')
  await refused(`${header}.${payload}.${signature}.x`, 'malformed')
  await refused(`${header}.${payload}.${signature}=`, 'malformed')
  await refused('x'.repeat(5000), 'too_large')
  await assert.rejects(signJws(key, { ...claims, runId: 'x'.repeat(4000) } as Grant), JwsRefused)
})

test('E1: duplicated claims and headers, other headers and two purposes are refused even with a valid signature', async () => {
  const more = (members: string) => signed(`${ownHeader.slice(0, -1)},${members}}`, JSON.stringify(claims))
  await refused(signed(ownHeader, `{"runId":"r0",${JSON.stringify(claims).slice(1)}`), 'claims')
  await refused(signed(ownHeader, ` ${JSON.stringify(claims)}`), 'claims')
  await refused(signed(ownHeader, JSON.stringify(claims).replace('r1', String.raw`\u0072\u0031`)), 'claims')
  // Header and claims name the purpose; either alone refuses.
  const other = 'mesh-run-attempt'
  await refused(signed(JSON.stringify({ alg: 'EdDSA', kid: key.id, typ: other }), JSON.stringify(claims)), 'typ')
  await refused(signed(ownHeader, JSON.stringify({ ...claims, typ: other })), 'typ')
  await refused(signed(`{"kid":"x",${ownHeader.slice(1)}`, JSON.stringify(claims)), 'header')
  const [own] = keys.jwks(['grant']).keys
  for (const members of [
    '"crit":["x"]',
    '"crit":["b64"],"b64":false',
    '"b64":true',
    `"jwk":${JSON.stringify(own)}`,
    '"jku":"http://a"',
  ])
    await refused(more(members), 'header')
  // jose takes this name for the same algorithm: one token must have one form.
  await refused(signed(ownHeader.replace('EdDSA', 'Ed25519'), JSON.stringify(claims)), 'header')
})

test('E1: claims of odd types, lone surrogates and keys of another kind are refused, without another error', async () => {
  for (const name of ['iat', 'exp'] as const)
    for (const value of [undefined, '1', null, 1.5, 1e300, -1e300, [], { a: 1 }, true])
      await assert.rejects(verify(signed(ownHeader, JSON.stringify({ ...claims, [name]: value }))), JwsRefused)
  for (const payload of ['', '[]', '"a"', '1', 'null', '\0', '{"__proto__":1}', '\ud800'])
    await refused(signed(ownHeader, payload), 'claims')
  const odd = { ...claims, runId: '\ud800' }
  assert.deepEqual(await verify(await signJws(key, odd)), odd, 'a lone surrogate in a claim has one form')
  const [, payload = '', signature = ''] = (await signJws(key, claims)).split('.')
  for (const text of [
    '\ud800',
    '\0',
    'é',
    '[]',
    '"a"',
    '1',
    'null',
    '{"__proto__":1}',
    `${'['.repeat(2000)}${']'.repeat(2000)}`,
  ])
    await refused(`${encode(text)}.${payload}.${signature}`, text.length > 2000 ? 'too_large' : 'header')
  await refused(`\ud800.${payload}.${signature}`, 'malformed')
  const secret = keys.current('kek').key
  const options = { typ: 'mesh-run-grant', now: () => now } as const
  for (const wrong of [secret, generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey])
    await assert.rejects(
      verifyJws<Grant>(await signJws(key, claims), () => wrong, options),
      /unknown_key/,
    )
})

test('E1: no single mutation of a token is accepted', async () => {
  const token = await signJws(key, claims)
  // The last character has four bits that a lenient decoder ignores.
  for (const last of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. \n')
    if (!token.endsWith(last)) await assert.rejects(verify(token.slice(0, -1) + last), JwsRefused)
  await fc.assert(
    fc.asyncProperty(fc.nat(token.length - 1), fc.constantFrom(...'AZaz09-_.'.split('')), async (at, character) => {
      const mutated = token.slice(0, at) + character + token.slice(at + 1)
      if (mutated !== token) await assert.rejects(verify(mutated), JwsRefused)
    }),
    { numRuns: Number(process.env['MESH_PROPERTY_RUNS'] ?? 5_000) },
  )
})

test('a token that expires while its key is fetched is refused', async () => {
  const token = await signJws(key, claims)
  let clock = now
  const slowly = async (id: string) => {
    await Promise.resolve()
    clock = new Date((iat + 61) * 1000)
    return find(id)
  }
  await assert.rejects(verifyJws<Grant>(token, slowly, { typ: 'mesh-run-grant', now: () => clock }), /expired/)
})

test('PODA15: a key is published before it signs, and verifies for eight days after; files are 0600', (t) => {
  const dir = folder(t)
  const start = Date.parse('2026-11-01T00:00:00Z')
  const day = 24 * 3_600_000
  createKeyring({ dir, generate: keyTypes, now: () => new Date(start) })
  assert.deepEqual(new Set(readdirSync(dir).map((file) => statSync(join(dir, file)).mode & 0o777)), new Set([0o600]))
  const rotate = (at: number, more: object = {}) => {
    const plan = planRotation(readdirSync(dir), keyTypes, { now: new Date(start + at), ...more })
    changeKeyFolder(dir, plan)
    return plan
  }
  const read = () => createKeyring({ dir })
  const published = (): string[] =>
    read()
      .jwks(['grant'])
      .keys.map(({ kid }) => kid)
  const first = read().current('grant').id
  assert.equal(createKeyring({ dir, generate: keyTypes }).current('grant').id, first, 'a second start makes nothing')
  const [, next] = published()
  assert.equal(rotate(1000).add.size, 0, 'a second rotation within the hour changes nothing')
  rotate(day)
  assert.equal(read().current('grant').id, next, 'what was published signs now')
  assert.equal(published().length, 3)
  rotate(2 * day)
  assert.ok(read().find('grant', first), 'a grant of a week still verifies')
  rotate(2 * day)
  assert.ok(read().find('grant', first))
  rotate(9 * day + 1000)
  assert.equal(read().find('grant', first), undefined)
  assert.ok(read().find('grant', next ?? ''))
  const signing = read().current('grant').id
  rotate(9 * day + 2000, { force: true, revoke: true })
  assert.equal(published().length, 2)
  assert.ok(!published().includes(signing), 'revoked')
})

test('PODA15: one key of an earlier version signs until the next rotation but one', (t) => {
  const dir = folder(t)
  createKeyring({ dir, generate: keyTypes, now: () => new Date(0) })
  for (const file of readdirSync(dir)
    .toSorted()
    .filter((_file, index) => index % 2 === 1))
    rmSync(join(dir, file))
  const first = createKeyring({ dir }).current('grant').id
  const rotate = (hours: number) =>
    changeKeyFolder(dir, planRotation(readdirSync(dir), keyTypes, { now: new Date(hours * 3_600_000) }))
  rotate(2)
  assert.equal(createKeyring({ dir }).current('grant').id, first)
  rotate(4)
  assert.notEqual(createKeyring({ dir }).current('grant').id, first)
})

test('PODA15: changes of the folder are applied without a restart', (t) => {
  const dir = folder(t)
  let clock = 0
  const errors: unknown[] = []
  createKeyring({ dir, generate: keyTypes, now: () => new Date(0) })
  const running = createKeyring({ dir, clock: () => clock, onError: (error) => errors.push(error) })
  const first = running.current('grant').id
  const rotated = (hours: number) => {
    changeKeyFolder(dir, planRotation(readdirSync(dir), keyTypes, { now: new Date(hours * 3_600_000) }))
    return createKeyring({ dir }).jwks(['grant']).keys.at(-1)?.kid ?? ''
  }
  const added = rotated(2)
  assert.equal(running.find('grant', added), undefined, 'at most once a second')
  clock += 1_001
  assert.ok(running.find('grant', added), 'an unknown id has the folder read again')
  assert.notEqual(running.current('grant').id, first)
  rotated(4)
  clock += 10_001
  assert.equal(running.current('grant').id, added)
  const half = join(dir, `grant-zzzzzzzzz00000000.key`)
  writeFileSync(half, '-----BEGIN PRIVATE KEY-----', { mode: 0o600 })
  clock += 10_001
  assert.equal(running.current('grant').id, added, 'a half-written file changes nothing')
  assert.equal(errors.length, 1)
  rmSync(half)
})

test('PODA15: roles before and after a rotation verify each other’s signatures', (t) => {
  const all = folder(t)
  createKeyring({ dir: all, generate: keyTypes, now: () => new Date(0) })
  const generations = [0, 1, 2, 3].map((rotations) => {
    const at = new Date(rotations * 7_200_000)
    if (rotations > 0) changeKeyFolder(all, planRotation(readdirSync(all), keyTypes, { now: at }))
    return keyringsOfRoles(t, all)
  })
  for (const [index, newer] of generations.entries())
    for (const older of generations.slice(Math.max(index - 1, 0), index + 1))
      for (const [signing, verifying] of [
        [older, newer],
        [newer, older],
      ] as const)
        for (const [signer, name, verifier] of uses) {
          const { id } = signing[signer].current(name)
          assert.ok(verifying[verifier].find(name, id), `${name} of ${signer}, ${index} rotations, at ${verifier}`)
        }
})

// Launchers verify by the key set of the state role. Cursors and stored answers are read by other replicas of the BFF.
const uses = [
  ['bff', 'grant', 'state'],
  ['gateway', 'grant', 'state'],
  ['state', 'grant', 'state'],
  ['worker', 'attempt', 'state'],
  ['bff', 'cursor', 'bff'],
  ['bff', 'kek', 'bff'],
] as const

const roleKeys = {
  bff: { signs: ['grant'], seals: ['cursor', 'kek'] },
  gateway: { signs: ['grant'] },
  state: { signs: ['grant'], verifies: ['attempt'] },
  worker: { signs: ['attempt'] },
} as const satisfies Record<string, RoleKeys>

function keyringsOfRoles(t: TestContext, all: string) {
  const keyringOf = (role: keyof typeof roleKeys) => {
    const own = folder(t)
    writeRoleKeys(all, role, own)
    return createKeyring({ dir: own })
  }
  return {
    bff: keyringOf('bff'),
    gateway: keyringOf('gateway'),
    state: keyringOf('state'),
    worker: keyringOf('worker'),
  }
}

function writeRoleKeys(all: string, role: keyof typeof roleKeys, into: string): void {
  for (const [file, text] of roleKeyFiles(readKeyFolder(all), roleKeys[role]))
    writeFileSync(join(into, file), text, { mode: 0o600 })
}

test('a key that others may read, or none, is refused by name', (t) => {
  const dir = folder(t)
  assert.throws(() => createKeyring({ dir }).current('kek'), /no key "kek"/)
  createKeyring({ dir, generate: keyTypes })
  chmodSync(join(dir, readdirSync(dir)[0] ?? ''), 0o644)
  assert.throws(() => createKeyring({ dir }), /must not be accessible to others/)
})

test('a role gets the private keys of what it signs and only public ones of what it verifies', async (t) => {
  const [all, state, worker] = [folder(t), folder(t), folder(t)]
  const made = createKeyring({ dir: all, generate: keyTypes })
  writeRoleKeys(all, 'state', state)
  writeRoleKeys(all, 'worker', worker)
  const names = (dir: string) => [...new Set(readdirSync(dir).map((file) => file.replace(/-.*\./, '.')))]
  assert.deepEqual([names(state), names(worker)], [['attempt.pub', 'grant.key'], ['attempt.key']])
  const [reader, signer] = [createKeyring({ dir: state }), createKeyring({ dir: worker })]
  const attempt = { ...claims, typ: 'mesh-run-attempt' }
  const token = await signJws(signer.current('attempt'), attempt)
  const known = (id: string) => reader.find('attempt', id)?.key
  assert.deepEqual(await verifyJws<Claims>(token, known, { typ: 'mesh-run-attempt', now: () => now }), attempt)
  assert.throws(() => reader.current('attempt'), /no key "attempt"/)
  assert.throws(() => signer.current('grant'), /no key "grant"/)
  assert.deepEqual(reader.jwks(['grant', 'attempt']), made.jwks(['grant', 'attempt']))
})

function folder(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'mesh-keys-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}
