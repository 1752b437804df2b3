import { isDeepStrictEqual } from 'node:util'
import type { KubeClient, KubeObject, ObjectRef, Resource } from '#core/kube/client.ts'
import { parseName } from '#core/kube/names.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { parseKeyFile } from '#core/signing/key-files.ts'
import { roleKeyFiles } from '#core/signing/role-keys.ts'
import type { KeyTypes, RoleKeys } from '#core/signing/keyring.ts'
import { MANAGED_BY } from '#schemas/names/labels.ts'
import type { DeclaredKeys, KeyRole } from '../load/plugin-keys.ts'

/** All private keys of an installation: contents by file name. */
export type KeyTexts = ReadonlyMap<string, string>

const secrets: Resource = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true }

/** The Secrets `mesh-keys-<role>` of an installation, as read. */
export interface KeySecrets {
  readonly keys: KeyTexts
  /** Writes these keys to the Secrets. Returns one line per Secret; rejects with 409 after a concurrent change. */
  write(keys: KeyTexts): Promise<readonly string[]>
}

/** Reads the Secrets. A private key in any of them is valid: the next change completes an interrupted one. */
export async function readKeySecrets(
  cluster: KubeClient,
  namespace: DnsLabel,
  { byRole, types }: DeclaredKeys,
): Promise<KeySecrets> {
  const live = new Map<KeyRole, KubeObject>()
  const keys = new Map<string, string>()
  for (const role of byRole.keys()) {
    const secret = await find(cluster, refOf(namespace, role))
    if (secret === undefined) continue
    live.set(role, secret)
    for (const [file, text] of textsOf(secret))
      if (file.endsWith('.key') && parseKeyFile(file) !== undefined) keys.set(file, text)
  }
  return {
    keys,
    write: async (wanted) => {
      const lines: string[] = []
      for (const [role, held] of byRole) {
        const secret = toSecret(roleKeyFiles(wanted, held), namespace, role)
        lines.push(await writeOne(cluster, withUnknown(secret, live.get(role), types), live.get(role)))
      }
      return lines
    },
  }
}

/** The Secrets as a List, for `kubectl apply`. */
export function toKeyManifests(keys: KeyTexts, namespace: DnsLabel, { byRole }: DeclaredKeys): object {
  const items = [...byRole].map(([role, held]: readonly [KeyRole, RoleKeys]) =>
    toSecret(roleKeyFiles(keys, held), namespace, role),
  )
  return { apiVersion: 'v1', kind: 'List', items }
}

function toSecret(files: KeyTexts, namespace: DnsLabel, role: KeyRole): KubeObject {
  const data = [...files].map(([file, text]) => [file, Buffer.from(text).toString('base64')])
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `mesh-keys-${role}`, namespace, labels },
    type: 'Opaque',
    data: Object.fromEntries(data) as Record<string, string>,
  }
}

// Keys of a plugin that this process does not load stay as they are: its settings may lack what those of the roles list.
function withUnknown(wanted: KubeObject, live: KubeObject | undefined, types: KeyTypes): KubeObject {
  const unknown = Object.entries((live?.['data'] ?? {}) as Readonly<Record<string, string>>).filter(([file]) => {
    const name = parseKeyFile(file)?.name
    return name !== undefined && !types.has(name)
  })
  return { ...wanted, data: { ...(wanted['data'] as object), ...Object.fromEntries(unknown) } }
}

async function writeOne(cluster: KubeClient, wanted: KubeObject, live: KubeObject | undefined): Promise<string> {
  const { name } = wanted.metadata
  if (live === undefined) {
    await cluster.create(secrets, wanted, { fieldManager })
    return `${name} created`
  }
  const isLabelled = live.metadata.labels?.[MANAGED_BY.label] === MANAGED_BY.value
  if (isLabelled && isDeepStrictEqual(live['data'], wanted['data'])) return `${name} unchanged`
  const metadata = { ...live.metadata, labels: { ...live.metadata.labels, ...labels } }
  // Written with the version that was read: two concurrent commands must not lose each other's key.
  await cluster.replace(secrets, { ...live, metadata, data: wanted['data'] }, { fieldManager })
  return `${name} updated`
}

const fieldManager = 'mesh-keys'
// Agents may not refer to Secrets with this label.
const labels = { [MANAGED_BY.label]: MANAGED_BY.value }

async function find(cluster: KubeClient, ref: ObjectRef): Promise<KubeObject | undefined> {
  try {
    return await cluster.get(secrets, ref)
  } catch (error) {
    if (isStatus(error, 404)) return undefined
    throw error
  }
}

function refOf(namespace: DnsLabel, role: KeyRole): ObjectRef {
  return { namespace, name: parseName('secret', `mesh-keys-${role}`) }
}

function textsOf(secret: KubeObject): [string, string][] {
  const data = (secret['data'] ?? {}) as Readonly<Record<string, string>>
  return Object.entries(data).map(([file, value]) => [file, Buffer.from(value, 'base64').toString('utf8')])
}
