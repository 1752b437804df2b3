import { existsSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { lockHolder } from '#core/database/lock-file.ts'
import { pathsOf, readTokens, writePrivate } from './data-folder.ts'
import type { DataFolder } from './data-folder.ts'
import type { Persona } from './personas.ts'

/** Addresses of a running platform. */
export interface PlatformAddresses {
  readonly url: string
  readonly gatewayUrl: string
  readonly adminUrl: string
}

/** Values that a terminal needs to use a running platform as a persona. */
export interface PlatformAccess extends PlatformAddresses {
  readonly token: string
  readonly kubeconfig: string
}

/** Writes the addresses of the started platform to its data folder. */
export function writeRunning(folder: DataFolder, addresses: PlatformAddresses): void {
  writePrivate(folder.running, `${JSON.stringify(addresses, undefined, 2)}\n`)
}

/** Removes the addresses, before the platform stops. */
export function removeRunning(folder: DataFolder): void {
  rmSync(folder.running, { force: true })
}

/** Whether the platform on a data folder has started. Throws if none runs or starts there. */
export function isRunning(data: string): boolean {
  const folder = pathsOf(resolve(data))
  if (lockHolder(join(folder.root, 'lock')) === undefined)
    throw new Error(`--data ${data}: no platform runs on this folder; start it with mesh all, or name its folder`)
  return existsSync(folder.running)
}

/** Reads how to use the platform that runs on a data folder. Throws if none does. */
export function readAccess(data: string, persona: Persona): PlatformAccess {
  const folder = pathsOf(resolve(data))
  if (!isRunning(data)) throw new Error(`--data ${data}: the platform is starting or stopping; try again`)
  const addresses = JSON.parse(readFileSync(folder.running, 'utf8')) as PlatformAddresses
  const token = readTokens(folder.tokens)[persona]
  if (typeof token !== 'string') throw new Error(`${folder.tokens} has no token of ${persona}`)
  return { ...addresses, token, kubeconfig: join(folder.kubeconfigs, persona) }
}

/** Kubeconfig of the platform that runs on the data folder of a folder; undefined if none does. */
export function kubeconfigNear(from: string): string | undefined {
  const folder = pathsOf(resolve(from, nearestDataFolder(from)))
  const isStarted = lockHolder(join(folder.root, 'lock')) !== undefined && existsSync(folder.running)
  return isStarted ? folder.kubeconfig : undefined
}

/** The data folder `.mesh` of a folder, or of the nearest one above that has it. */
export function nearestDataFolder(from: string): string {
  for (let at = from; ; at = dirname(at)) {
    const found = join(at, '.mesh')
    if (existsSync(pathsOf(found).tokens)) return found
    if (dirname(at) === at) return '.mesh'
  }
}
