import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { createKeyring } from './create-keyring.ts'
import { JwsRefused, signJws } from './jws.ts'
import { changeKeyFolder } from './key-folder.ts'
import { issuerOf, LAUNCHER_KEY, signCertificate, verifyCertificate } from './launcher-certificate.ts'
import type { CertificateIssuer } from './launcher-certificate.ts'
import { planRotation } from './rotation.ts'
import { keyTypes } from './testing/key-types.ts'
import { createTestIssuer } from './testing/test-issuer.ts'

const subject = { agentUid: 'uid-1', podUid: 'pod-1', x: 'A'.repeat(43) }
const hour = 3_600_000

/** Keys of an installation in a folder; each read is that of a role that has just started. */
function installation(t: TestContext) {
  const { path: dir, remove } = tempFolder('certificates')
  t.after(remove)
  const start = Date.now()
  createKeyring({ dir, generate: keyTypes, now: () => new Date(start - 24 * hour) })
  return {
    read: () => createKeyring({ dir }),
    rotate: (hours: number, more: object = {}) =>
      changeKeyFolder(dir, planRotation(readdirSync(dir), keyTypes, { now: new Date(start + hours * hour), ...more })),
  }
}

async function refusalOf(token: string, issuer: CertificateIssuer): Promise<string> {
  try {
    await verifyCertificate(token, issuer)
    return 'accepted'
  } catch (error) {
    assert.ok(error instanceof JwsRefused, String(error))
    return error.reason
  }
}

test('R2-N3: certificates of two generations of the key of the issuer are valid, and those of a revoked one are not', async (t) => {
  const { read, rotate } = installation(t)
  const now = (): Date => new Date()
  const certify = () => signCertificate(read().current(LAUNCHER_KEY), subject, now())
  const former = await certify()
  rotate(0)
  const current = await certify()
  assert.notEqual(read().current(LAUNCHER_KEY).id, JSON.parse(atob(former.split('.')[0] ?? '')).kid)
  const issuer = issuerOf(read(), now)
  assert.deepEqual(
    await Promise.all([former, current].map(async (token) => (await verifyCertificate(token, issuer)).agentUid)),
    ['uid-1', 'uid-1'],
  )
  rotate(2, { force: true, revoke: true })
  const after = issuerOf(read(), now)
  const refusals = await Promise.all([former, current, await certify()].map((token) => refusalOf(token, after)))
  assert.deepEqual(refusals, ['unknown_key', 'unknown_key', 'accepted'])
})

test('R2-N3: only a certificate of the key for certificates is one', async () => {
  const { issuer, keys, certify } = createTestIssuer()
  const others = createKeyring({ generate: keyTypes })
  const iat = Math.floor(Date.now() / 1000)
  const times = { iat, exp: iat + 900 }
  const own = keys.current(LAUNCHER_KEY)
  const made: readonly (readonly [string, string])[] = [
    ['unknown_key', await signJws(others.current('grant'), { typ: 'mesh-launcher', ...times, ...subject } as never)],
    ['signature', await signJws({ ...others.current('grant'), id: own.id }, { typ: 'mesh-launcher', ...times })],
    ['typ', await signJws(own, { typ: 'mesh-run-grant', ...times, ...subject } as never)],
    ['claims', await signCertificate(own, { ...subject, agentUid: '' }, new Date())],
    ['claims', await signCertificate(own, { ...subject, podUid: '' }, new Date())],
    ['claims', await signCertificate(own, { ...subject, x: 'AAAA' }, new Date())],
    ['too_large', 'a'.repeat(100_000)],
    ['malformed', '\u0000'],
    ['malformed', ''],
  ]
  for (const [reason, token] of made) assert.equal(await refusalOf(token, issuer), reason, token.slice(0, 20))
  const valid = await certify(subject.x, 'uid-1')
  assert.equal(await refusalOf(valid, issuer), 'accepted')
  // Each character belongs to what is signed, or to the signature.
  for (let index = 0; index < valid.length; index += 7) {
    const other = valid[index] === 'A' ? 'B' : 'A'
    const forged = valid.slice(0, index) + other + valid.slice(index + 1)
    assert.notEqual(await refusalOf(forged, issuer), 'accepted', `character ${index}`)
  }
})

test('R2-N3: clocks may differ by a minute, and by half of the time of a certificate', async () => {
  const at = Date.parse('2026-11-24T12:00:00Z')
  const { certify, keys } = createTestIssuer()
  const token = await certify(subject.x, 'uid-1', new Date(at))
  const seenAt = (seconds: number) =>
    refusalOf(
      token,
      issuerOf(keys, () => new Date(at + seconds * 1000)),
    )
  assert.deepEqual(await Promise.all([-61, -60, 0, 450, 899, 900].map(seenAt)), [
    'not_yet',
    'accepted',
    'accepted',
    'accepted',
    'accepted',
    'expired',
  ])
})
