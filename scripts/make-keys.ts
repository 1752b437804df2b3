import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeyring } from '#core/signing/create-keyring.ts'
import { roleKeyFiles, rolesWithKeys } from '#core/signing/role-keys.ts'

// node scripts/make-keys.ts [NAMESPACE] | kubectl apply -f -: new keys of an installation, in a Secret `mesh-keys-<role>` for each role
// that has some, with the keys of that role only. Nothing is kept here.
const dir = mkdtempSync(join(tmpdir(), 'mesh-keys-'))
const base64 = (text: string): string => Buffer.from(text).toString('base64')
try {
  createKeyring({ dir, generate: true })
  const items = rolesWithKeys.map((role) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `mesh-keys-${role}`, namespace: process.argv[2] ?? 'mesh-system' },
    type: 'Opaque',
    data: Object.fromEntries([...roleKeyFiles(dir, role)].map(([file, text]) => [file, base64(text)])),
  }))
  console.log(JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
} finally {
  rmSync(dir, { recursive: true })
}
