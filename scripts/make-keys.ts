import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeyring } from '#core/signing/create-keyring.ts'

// node scripts/make-keys.ts [NAMESPACE] | kubectl apply -f -: the Secret `mesh-keys` with new signing keys of an installation.
// Nothing is kept here.
const dir = mkdtempSync(join(tmpdir(), 'mesh-keys-'))
try {
  createKeyring({ dir, generate: true })
  const data = readdirSync(dir).map((file): [string, string] => [
    file,
    readFileSync(join(dir, file)).toString('base64'),
  ])
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'mesh-keys', namespace: process.argv[2] ?? 'mesh-system' },
    type: 'Opaque',
    data: Object.fromEntries(data),
  }
  console.log(JSON.stringify(secret))
} finally {
  rmSync(dir, { recursive: true })
}
