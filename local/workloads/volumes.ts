import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KubeClient, KubeObject } from '#core/kube/client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { resources } from './objects.ts'
import type { Pod, Volume } from './objects.ts'

/** Folders that stand for a pod's volumes. */
export interface MountedVolumes {
  /** The local folder of a volume. */
  folderOf(volume: string): string
  /** Ends the renewal of tokens. */
  close(): void
}

interface Data extends KubeObject {
  readonly data?: Readonly<Record<string, string>>
}

/** Writes ConfigMaps, Secrets and tokens of a pod into folders that only this user may read; tokens are renewed at 80 % of their life. */
export async function mountVolumes(cluster: KubeClient, pod: Pod, root: string): Promise<MountedVolumes> {
  const timers = new Set<NodeJS.Timeout>()
  const folderOf = (volume: string): string => join(root, volume)
  for (const volume of pod.spec?.volumes ?? []) {
    const folder = folderOf(volume.name)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    await fill(cluster, pod, volume, { folder, timers })
  }
  return {
    folderOf,
    close: () => {
      for (const timer of timers) clearTimeout(timer)
      timers.clear()
    },
  }
}

interface Place {
  readonly folder: string
  readonly timers: Set<NodeJS.Timeout>
}

async function fill(cluster: KubeClient, pod: Pod, volume: Volume, place: Place): Promise<void> {
  const namespace = parseLabel('namespace', pod.metadata.namespace ?? '')
  const { configMap, secret, projected } = volume
  if (configMap !== undefined) {
    const { data = {} } = await cluster.get<Data>(resources.configMaps, {
      namespace,
      name: parseName('name', configMap.name),
    })
    for (const [key, text] of Object.entries(data)) writePrivate(place.folder, key, text)
  }
  if (secret !== undefined) {
    const { data = {} } = await cluster.get<Data>(resources.secrets, {
      namespace,
      name: parseName('name', secret.secretName),
    })
    for (const [key, text] of Object.entries(data)) writePrivate(place.folder, key, Buffer.from(text, 'base64'))
  }
  for (const { serviceAccountToken } of projected?.sources ?? [])
    if (serviceAccountToken !== undefined) await keepToken(cluster, pod, serviceAccountToken, place)
}

interface TokenSource {
  readonly audience?: string
  readonly path: string
  readonly expirationSeconds?: number
}

type TokenRequest = KubeObject<unknown, { readonly token: string; readonly expirationTimestamp: string }>

// Bound to the pod: the token dies with it, whatever its time says.
async function keepToken(cluster: KubeClient, pod: Pod, source: TokenSource, place: Place): Promise<void> {
  const { name, namespace = '', uid = '' } = pod.metadata
  const seconds = source.expirationSeconds ?? 3600
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { name: pod.spec?.serviceAccountName ?? 'default', namespace },
    spec: {
      audiences: source.audience === undefined ? [] : [source.audience],
      expirationSeconds: seconds,
      boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
    },
  }
  const issued = await cluster.create<TokenRequest>(resources.serviceAccounts, request, { subresource: 'token' })
  writePrivate(place.folder, source.path, issued.status?.token ?? '')
  renewLater(seconds * 800, () => keepToken(cluster, pod, source, place), place.timers)
}

function renewLater(ms: number, renew: () => Promise<void>, timers: Set<NodeJS.Timeout>): void {
  const timer = setTimeout(() => {
    timers.delete(timer)
    // The old token is good for another fifth of its life: there is time to try again.
    renew().catch(() => renewLater(5_000, renew, timers))
  }, ms)
  timer.unref()
  timers.add(timer)
}

// Written beside and renamed: a reader sees the old token or the new one, never half of one.
function writePrivate(folder: string, name: string, content: string | Buffer): void {
  const path = join(folder, name)
  writeFileSync(`${path}.new`, content, { mode: 0o600 })
  chmodSync(`${path}.new`, 0o600)
  renameSync(`${path}.new`, path)
}
