import assert from 'node:assert/strict'
import test from 'node:test'
import { X509Certificate, createPrivateKey, createPublicKey } from 'node:crypto'
import { toThumbprinted } from '#core/signing/key-thumbprint.ts'
import { verifyCertificate } from '#core/signing/launcher-certificate.ts'
import { createTestIssuer } from '#core/signing/testing/test-issuer.ts'
import type { TlsIdentity } from '../contract/identity.ts'
import { createLog } from '../telemetry/log.ts'
import { until } from '../testdata/launch.ts'
import { createIdentity } from './identity.ts'

const log = createLog('error')

test('R2-N3: a launcher has a key pair of its own, of which only the public half leaves it', async (t) => {
  const { certify, issuer } = createTestIssuer()
  const asked: string[] = []
  const shown: TlsIdentity[] = []
  const request = (x: string): Promise<string> => {
    asked.push(x)
    return certify(x, 'uid-1')
  }
  const identities = [createIdentity({ request, log }), createIdentity({ request, log })]
  t.after(() => identities.forEach((one) => one.close()))
  for (const one of identities) one.follow((tls) => void shown.push(tls))
  assert.equal(identities[0]?.signer(), undefined, 'the first certificate is not awaited')
  await until(() => identities.every((one) => one.signer() !== undefined), 'both are certified')
  assert.equal(new Set(asked).size, 2, 'each process has another key')
  for (const one of identities) {
    const { key, certificate } = one.signer() ?? assert.fail('it has a certificate')
    assert.ok('export' in key.key)
    const own = toThumbprinted(createPublicKey(key.key)).x
    assert.ok(asked.includes(own))
    const launcher = await verifyCertificate(certificate, issuer)
    assert.equal(toThumbprinted(launcher.key).x, own)
  }
  // Served without a certificate first, then with it: the key is the same.
  assert.equal(shown.length, 4)
  for (const { key, cert } of shown) assert.ok(new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
  const names = shown.map(({ cert }) => new X509Certificate(cert).subjectAltName !== undefined)
  assert.deepEqual(names, [false, false, true, true])
})
