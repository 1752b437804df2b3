import { closeSync, constants, lstatSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { KubeClient, KubeObject } from '#core/kube/client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { workloadResources } from './objects/workload-objects.ts'
import type { Pod, Volume } from './objects/workload-objects.ts'

/** Local folders of a pod's volumes. */
export interface MountedVolumes {
  /** The local folder of a volume. */
  folderOf(volume: string): string
  /** Stops the renewal of tokens. */
  close(): void
}

interface Data extends KubeObject {
  readonly data?: Readonly<Record<string, string>>
}

/** Writes ConfigMaps, Secrets and tokens of a pod to folders with mode 0700; tokens are renewed at 80 % of their lifetime. */
export async function mountVolumes(cluster: KubeClient, pod: Pod, root: string): Promise<MountedVolumes> {
  const timers = new Set<NodeJS.Timeout>()
  const folderOf = (volume: string): string => join(root, volume)
  for (const volume of pod.spec?.volumes ?? []) {
    const folder = folderOf(parseLabel('volume', volume.name))
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
    const { data = {} } = await cluster.get<Data>(workloadResources.configMaps, {
      namespace,
      name: parseName('name', configMap.name),
    })
    for (const [key, text] of Object.entries(data)) writeVolumeFile(place.folder, key, text)
  }
  if (secret !== undefined) {
    const { data = {} } = await cluster.get<Data>(workloadResources.secrets, {
      namespace,
      name: parseName('name', secret.secretName),
    })
    for (const [key, text] of Object.entries(data)) writeVolumeFile(place.folder, key, Buffer.from(text, 'base64'))
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

// Bound to the pod: deleting the pod revokes the token.
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
  const issued = await cluster.create<TokenRequest>(workloadResources.serviceAccounts, request, {
    subresource: 'token',
  })
  writeVolumeFile(place.folder, source.path, issued.status?.token ?? '')
  renewLater(seconds * 800, () => keepToken(cluster, pod, source, place), place.timers)
}

function renewLater(ms: number, renew: () => Promise<void>, timers: Set<NodeJS.Timeout>): void {
  const timer = setTimeout(() => {
    timers.delete(timer)
    // The old token is valid for another fifth of its lifetime: the renewal can be retried.
    renew().catch(() => renewLater(5_000, renew, timers))
  }, ms)
  timer.unref()
  timers.add(timer)
}

/** A key that is not a file name, or a folder that an agent replaced: nothing is written. */
export class OutsideVolume extends Error {
  constructor(key: string) {
    super(`the key ${JSON.stringify(key.slice(0, 100))} of a volume is not a file name in its folder`)
    this.name = 'OutsideVolume'
  }
}

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants

/**
 * Writes one file of a volume atomically: a reader sees the old or the new content.
 * Throws `OutsideVolume` for a path outside the folder, even if the folder was replaced by a link (SEC11).
 */
export function writeVolumeFile(folder: string, name: string, content: string | Buffer): void {
  const path = resolve(folder, name)
  if (dirname(path) !== resolve(folder) || basename(path) !== name || !lstatSync(folder).isDirectory())
    throw new OutsideVolume(name)
  const draft = `${path}.new`
  rmSync(draft, { force: true })
  // File names have at most 255 bytes; keys are shorter.
  const descriptor = openSync(draft, O_WRONLY | O_CREAT | O_EXCL | (O_NOFOLLOW ?? 0), 0o600)
  try {
    writeFileSync(descriptor, content)
  } finally {
    closeSync(descriptor)
  }
  renameSync(draft, path)
}
