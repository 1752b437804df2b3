type Quantities = Readonly<Record<string, string | number>>

interface Resources {
  readonly requests?: Quantities
  readonly limits?: Quantities
}

interface EmptyDir {
  readonly medium?: '' | 'Memory'
  readonly sizeLimit?: string | number
}

const DISK = 'ephemeral-storage'

/**
 * Resources with a limit of disk, unless they have one: the kubelet evicts a pod whose files, logs and volumes exceed the limits of its
 * containers, before the node has no space left.
 */
export function withDiskLimit(resources: Resources, limit: string | undefined): Resources {
  const { requests, limits } = resources
  if (limit === undefined || limits?.[DISK] !== undefined) return resources
  // Without a request the cluster would reserve the limit.
  return { requests: { [DISK]: '0', ...requests }, limits: { ...limits, [DISK]: limit } }
}

/** An `emptyDir` on the node's disk with a size limit, unless it has one. One in memory counts as memory of the container. */
export function withSizeLimit(volume: EmptyDir, limit: string | undefined): EmptyDir {
  if (limit === undefined || volume.sizeLimit !== undefined || volume.medium === 'Memory') return volume
  return { ...volume, sizeLimit: limit }
}
