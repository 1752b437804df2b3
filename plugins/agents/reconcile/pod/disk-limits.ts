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
 * Adds a disk limit to resources without one. The kubelet then evicts a pod whose files, logs and volumes exceed it before the node runs out of
 * space.
 */
export function withDiskLimit(resources: Resources, limit: string | undefined): Resources {
  const { requests, limits } = resources
  if (limit === undefined || limits?.[DISK] !== undefined) return resources
  // Without a request the cluster would reserve the limit.
  return { requests: { [DISK]: '0', ...requests }, limits: { ...limits, [DISK]: limit } }
}

/** Adds a size limit to an `emptyDir` on the node's disk without one. An `emptyDir` in memory counts as memory of the container. */
export function withSizeLimit(volume: EmptyDir, limit: string | undefined): EmptyDir {
  if (limit === undefined || volume.sizeLimit !== undefined || volume.medium === 'Memory') return volume
  return { ...volume, sizeLimit: limit }
}
