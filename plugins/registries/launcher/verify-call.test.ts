import assert from 'node:assert/strict'
import test from 'node:test'
import { createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { signJws } from '#core/signing/jws.ts'
import { createTestIssuer } from '#core/signing/testing/test-issuer.ts'
import type { TestLauncher } from '#core/signing/testing/test-issuer.ts'
import { createRandom } from '#test/chaos/random.ts'
import { countOf } from '#test/harness/counts.ts'
import {
  claimsOf,
  envelopeOf,
  fixedDirectory,
  keyedAgent,
  registryOf,
  testIssuer,
} from '#launcher/testdata/envelopes.ts'
import type { EnvelopeClaims } from '#launcher/testdata/envelopes.ts'
import { Refusal } from '#launcher/contract/http/refusal.ts'
import { createReplayCache } from './replay-cache.ts'
import type { ReplayCache } from './replay-cache.ts'
import { checkBody, verifyCall } from './verify-call.ts'
import type { VerifyOptions } from './verify-call.ts'

const self = { namespace: 'default', name: 'writer' }
const planner = await keyedAgent('planner')
const reader = await keyedAgent('reader')
const guest = await keyedAgent('guest', { inbound: false })
const payload = { text: 'hello', list: [1, 2, 3] }
const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent }

function options(some: Partial<VerifyOptions> = {}): VerifyOptions {
  return {
    self: 'default/writer',
    directory: fixedDirectory(registryOf(planner, reader, guest)),
    replays: createReplayCache(Date.now),
    issuer: testIssuer.issuer,
    log: silent,
    ...some,
  }
}

const headers = (token: string) => ({ rawHeaders: ['X-AMP-Envelope', token, 'X-A2A-Envelope', token] })

/** The code of a refusal, or `accepted`. */
async function outcome(
  request: { readonly rawHeaders: string[] },
  some: Partial<VerifyOptions> = {},
  sent?: { readonly envelope: string; readonly payload: unknown },
): Promise<string> {
  try {
    const accepted = await verifyCall(options(some), request)
    checkBody(accepted, sent ?? { envelope: accepted.token, payload })
    return 'accepted'
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
}

test('E1: a valid envelope is accepted under either header, once', async () => {
  const token = await envelopeOf(planner, self, payload)
  assert.equal(await outcome(headers(token)), 'accepted')
  assert.equal(await outcome({ rawHeaders: ['x-a2a-envelope', token] }), 'accepted', 'the header of earlier clients')
  assert.equal(await outcome({ rawHeaders: ['x-amp-envelope', token] }), 'accepted')
  const replays = createReplayCache(Date.now)
  assert.equal(await outcome(headers(token), { replays }), 'accepted')
  assert.equal(await outcome(headers(token), { replays }), 'caller_not_allowed', 'replayed')
})

test('E1: no header, two values, two envelopes, another body', async () => {
  const token = await envelopeOf(planner, self, payload)
  const other = await envelopeOf(planner, self, payload)
  assert.equal(await outcome({ rawHeaders: [] }), 'caller_not_allowed')
  assert.equal(await outcome({ rawHeaders: ['X-AMP-Envelope', token, 'x-amp-envelope', token] }), 'malformed_request')
  assert.equal(await outcome({ rawHeaders: ['X-AMP-Envelope', token, 'X-A2A-Envelope', other] }), 'malformed_request')
  assert.equal(
    await outcome({ rawHeaders: ['X-A2A-Envelope', 'none'] }),
    'caller_not_allowed',
    'legacy without signature',
  )
  const wrong = { envelope: token, payload: { ...payload, text: 'hallo' } }
  assert.equal(await outcome(headers(token), {}, wrong), 'caller_not_allowed')
  assert.equal(await outcome(headers(token), {}, { envelope: other, payload }), 'malformed_request')
})

const hour = 3_600_000
for (const [name, agent, some, shiftMs, code] of [
  ['expired', planner, {}, -91_000, 'caller_not_allowed'],
  ['of the future', planner, {}, 40_000, 'caller_not_allowed'],
  ['from an hour ago', planner, {}, -hour, 'caller_not_allowed'],
  ['for another agent', planner, { to: 'default/reader' }, 0, 'caller_not_allowed'],
  [
    'in the name of another member',
    planner,
    { from: 'default/reader', path: ['default/reader'] },
    0,
    'caller_not_allowed',
  ],
  ['of a member that may not call', guest, {}, 0, 'caller_not_allowed'],
  ['with another role', planner, { role: 'lead' }, 0, 'caller_not_allowed'],
  ['of another registry', planner, { registry: 'default/other' }, 0, 'caller_not_allowed'],
  [
    'with a lower depth than its path',
    planner,
    { depth: 1, path: ['default/a', 'default/planner'] },
    0,
    'caller_not_allowed',
  ],
  ['with a path that ends elsewhere', planner, { depth: 1, path: ['default/reader'] }, 0, 'caller_not_allowed'],
  [
    'with an agent twice in its path',
    planner,
    { depth: 2, path: ['default/planner', 'default/planner'] },
    0,
    'caller_not_allowed',
  ],
  [
    'with this agent in its path',
    planner,
    { depth: 2, path: ['default/writer', 'default/planner'] },
    0,
    'cycle_detected',
  ],
  [
    'above its own depth',
    planner,
    { depth: 2, maxDepth: 1, path: ['default/a', 'default/planner'] },
    0,
    'depth_exceeded',
  ],
  ['with a depth of 9', planner, { maxDepth: 9 as number }, 0, 'caller_not_allowed'],
  ['with a malformed id', planner, { id: 'x' }, 0, 'caller_not_allowed'],
  [
    'with a name that is no label',
    planner,
    { path: ['default/a.b', 'default/planner'], depth: 2 },
    0,
    'caller_not_allowed',
  ],
] as const satisfies readonly (readonly [string, typeof planner, Partial<EnvelopeClaims>, number, string])[])
  test(`E1, E2: an envelope ${name} is refused`, async () => {
    const token = await envelopeOf(agent, self, payload, { some, now: new Date(Date.now() + shiftMs) })
    assert.equal(await outcome(headers(token)), code)
  })

test('E1: clocks may differ by half a minute', async () => {
  for (const shiftMs of [-85_000, 25_000]) {
    const token = await envelopeOf(planner, self, payload, { now: new Date(Date.now() + shiftMs) })
    assert.equal(await outcome(headers(token)), 'accepted', String(shiftMs))
  }
})

test('E1: hostile headers of a JWS: none, HMAC with the public key, embedded keys, other types', async () => {
  const iat = Math.floor(Date.now() / 1000)
  const { certificate, key, privateKey } = planner.launcher
  const claims = { typ: 'mesh-amp', iat, exp: iat + 60, v: 1, ...claimsOf(planner, self, payload), certificate }
  const encode = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString('base64url')
  const kid = key.id
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' })
  const other = generateKeyPairSync('ed25519')
  const jwk = other.publicKey.export({ format: 'jwk' })
  const signed = (header: object, by = privateKey): string => {
    const text = `${encode(header)}.${encode(claims)}`
    return `${text}.${sign(null, Buffer.from(text), by).toString('base64url')}`
  }
  const hmac = (header: object): string => {
    const text = `${encode(header)}.${encode(claims)}`
    return `${text}.${createHmac('sha256', spki).update(text).digest('base64url')}`
  }
  const base = { alg: 'EdDSA', kid, typ: 'mesh-amp' }
  assert.equal(await outcome(headers(signed(base))), 'accepted', 'what the others differ from')
  const hostile = [
    `${encode({ alg: 'none', kid, typ: 'mesh-amp' })}.${encode(claims)}.`,
    signed({ ...base, alg: 'none' }),
    hmac({ ...base, alg: 'HS256' }),
    hmac({ ...base, alg: 'EdDSA' }),
    signed({ ...base, jwk }, other.privateKey),
    signed({ ...base, typ: 'JWT' }),
    signed({ ...base, crit: ['b64'], b64: false }),
    signed({ ...base, jku: 'https://evil.example' }),
    signed({ ...base, x5c: [] }),
    signed({ alg: 'EdDSA', typ: 'mesh-amp' }),
    await signJws(key, { typ: 'mesh-run-grant', iat, exp: iat + 60 }),
    await signJws(key, { ...claims, extra: true } as never),
    await signJws(key, { ...claims, exp: iat + 3600 }),
    await signJws(key, { ...claims, certificate: undefined } as never),
    await signJws(key, { ...claims, certificate: '' } as never),
    await signJws(reader.launcher.key, claims as never),
    await signJws(key, { ...claims, certificate: reader.launcher.certificate } as never),
    signed(base).replaceAll('.', '..'),
    `${signed(base)}=`,
    `${signed(base)}.`,
    ` ${signed(base)}`,
    'a'.repeat(100_000),
    '',
  ]
  for (const token of hostile) assert.notEqual(await outcome(headers(token)), 'accepted', token.slice(0, 200))
})

test('R2-N3: an envelope holds by the certificate of its launcher: its agent, its issuer and its time', async () => {
  const sent = (launcher: TestLauncher, from = planner): Promise<string> =>
    envelopeOf({ ...from, launcher }, self, payload).then((token) => outcome(headers(token)))
  const minutesAgo = (minutes: number): Date => new Date(Date.now() - minutes * 60_000)
  const { launcherOf } = testIssuer
  assert.equal(await sent(await launcherOf(planner.peer.uid, minutesAgo(14))), 'accepted')
  assert.equal(await sent(await launcherOf(planner.peer.uid, minutesAgo(15))), 'caller_not_allowed', 'expired')
  assert.equal(await sent(await launcherOf(planner.peer.uid, minutesAgo(-0.9))), 'accepted', 'a clock behind')
  assert.equal(await sent(await launcherOf(planner.peer.uid, minutesAgo(-2))), 'caller_not_allowed', 'far behind')
  assert.equal(await sent(await launcherOf('uid-of-a-former-planner')), 'caller_not_allowed', 'a re-created agent')
  assert.equal(await sent(reader.launcher), 'caller_not_allowed', 'a launcher of another member')
  assert.equal(await sent(await createTestIssuer().launcherOf(planner.peer.uid)), 'caller_not_allowed', 'self-made')
  const stolen = { ...(await launcherOf('uid-x')), certificate: planner.launcher.certificate }
  assert.equal(await sent(stolen), 'caller_not_allowed', 'a certificate without its key')
})

// The alphabet of base64url and what a parser may stumble over.
const alphabet = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ ,;"\\{}\0é']

test('E1: accepted = 0 of random mutations of valid envelopes', async () => {
  const random = createRandom(20260723)
  const { pick } = random
  const below = (most: number): number => random.int(0, most - 1)
  const tokens = await Promise.all(
    [planner, reader].flatMap((agent) => Array.from({ length: 4 }, () => envelopeOf(agent, self, payload))),
  )
  const mutate = (token: string): string => {
    const at = below(token.length)
    const parts = token.split('.')
    switch (below(6)) {
      case 0:
        return token.slice(0, at) + pick(alphabet) + token.slice(at + 1)
      case 1:
        return token.slice(0, at) + token.slice(at + 1 + below(8))
      case 2:
        return token.slice(0, at) + pick(alphabet) + token.slice(at)
      case 3: {
        const foreign = pick(tokens).split('.')
        const part = below(3)
        return parts.map((own, index) => (index === part ? foreign[index] : own)).join('.')
      }
      case 4:
        return claimMutated(parts, below)
      default:
        return parts.toReversed().join('.').slice(below(3))
    }
  }
  // The million of E1 takes minutes: MESH_MUTATIONS=1000000 runs it by hand.
  const count = Number(process.env.MESH_MUTATIONS ?? countOf(4_000, 100_000))
  const shared = options()
  const unbounded: ReplayCache = { note: () => 'new' }
  let accepted = 0
  let mutated = 0
  while (mutated < count) {
    const token = mutate(pick(tokens))
    if (tokens.includes(token)) continue
    mutated++
    if ((await outcome(headers(token), { ...shared, replays: unbounded })) === 'accepted') accepted++
  }
  assert.equal(accepted, 0)
})

/** Changes the claims and keeps the signature. */
function claimMutated(
  [header = '', body = '', signature = '']: readonly string[],
  integer: (below: number) => number,
): string {
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>
  const names = Object.keys(claims)
  const name = names[integer(names.length)] ?? 'id'
  const value = claims[name]
  claims[name] = typeof value === 'number' ? value + 1 : typeof value === 'string' ? `${value}0` : [integer(1000)]
  return `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`
}

test('F6: the replay cache is bounded by caller, and lets nothing in before it has expired', () => {
  let now = 0
  const cache = createReplayCache(() => now, { perCaller: 3, total: 5 })
  for (const id of ['1', '2', '3']) assert.equal(cache.note('a', id, 100), 'new')
  assert.equal(cache.note('a', '4', 100), 'full')
  assert.equal(cache.note('b', '1', 100), 'new', 'another caller has places')
  assert.equal(cache.note('a', '2', 100), 'seen')
  now = 101
  assert.equal(cache.note('a', '4', 201), 'new', 'expired ids make place')
})
