import type { CoreSettings } from '#core/config/core-settings.ts'
import type { Role } from '#core/config/profile.ts'
import { SettingsError } from '#core/config/settings-error.ts'
import { createFolderStore } from '#core/objects/folder-store.ts'
import type { ObjectStore } from '#core/objects/object-store.ts'
import { S3SettingsProblem, parseS3Settings } from '#core/objects/s3-address.ts'
import type { S3Address } from '#core/objects/s3-address.ts'
import { openS3Store } from '#core/objects/s3-store.ts'
import type { Logger } from '#core/log/logger.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'

/** Input of the choice of a store, besides the settings. */
export interface ObjectStoreProcess {
  readonly roles: readonly Role[]
  readonly origin: (setting: string) => string
  /** Folder of the embedded default. */
  readonly folder: string | undefined
}

/**
 * Checks the settings of the object store and returns what opens it; undefined without one. State role, BFF and worker connect. Replicas
 * must share a store, so the folder is for the process of all roles.
 */
export function prepareObjectStore(
  { objectStore }: Pick<CoreSettings, 'objectStore'>,
  { roles, origin, folder }: ObjectStoreProcess,
): (metrics: Metrics, log: Logger) => ObjectStore | undefined {
  if (!roles.some((role) => usingRoles.has(role))) return () => undefined
  const { addr, accessKey, secretKey, ...rest } = objectStore
  if (addr === undefined) return () => (folder === undefined ? undefined : createFolderStore(folder))
  const address = addressOf({ addr, accessKey, secretKey, ...rest }, origin)
  return (metrics, log) => openS3Store(address, { metrics, log })
}

const usingRoles: ReadonlySet<Role> = new Set(['state', 'bff', 'worker'])

function addressOf(given: Parameters<typeof parseS3Settings>[0], origin: (setting: string) => string): S3Address {
  try {
    return parseS3Settings(given)
  } catch (error) {
    if (!(error instanceof S3SettingsProblem)) throw error
    throw new SettingsError(`${origin(`objectStore.${error.setting}`)}: ${error.message}`)
  }
}
