import { fileURLToPath } from 'node:url'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { BootError } from '../load/startup-error.ts'
import type { PluginPlace } from './locate-plugin.ts'
import { coverFile, coverPackage } from './package-files.ts'
import type { CoveredFiles } from './package-files.ts'
import { isCovered } from './verified-loads.ts'

/** Reads and hashes the files of a plugin: its package, or its only file. Throws `BootError` if they cannot be covered. */
export async function coverPlugin(from: string, { entry, folder }: PluginPlace): Promise<CoveredFiles> {
  const covered = await (folder === undefined ? coverFile(entry) : coverPackage(folder)).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error)
    throw new BootError(`plugin ${from}: its files cannot be hashed: ${why}`, error)
  })
  if (!covered.hashes.has(entry))
    throw new BootError(`plugin ${from}: its entry ${entry} is not one of the files of its package`)
  return covered
}

/** Returns the files of a plugin whose integrity matches the settings; undefined where none is given or required. */
export async function checkedFiles(
  from: string,
  place: PluginPlace,
  { integrity, required }: { readonly integrity: string | undefined; readonly required: boolean },
): Promise<CoveredFiles | undefined> {
  if (integrity === undefined && !required) return undefined
  const covered = await coverPlugin(from, place)
  if (integrity === undefined)
    throw new BootError(`plugin ${from}: the profile hardened requires its integrity (currently ${covered.integrity})`)
  if (integrity !== covered.integrity)
    throw new BootError(`plugin ${from}: its integrity is ${covered.integrity}, the settings say ${integrity}`)
  return covered
}

/** Migrations and declared pages are read from their files, without an import of the plugin. */
export function refuseOtherFiles(from: string, covered: CoveredFiles, plugin: AnyPlugin): void {
  const refuse = (what: string): never => {
    throw new BootError(`plugin ${from}: its integrity does not cover ${what}; install a package`)
  }
  const { migrations, console: pages = [] } = plugin
  const folder = migrations === undefined ? undefined : pathOfUrl(migrations).replace(/\/$/, '')
  if (folder !== undefined && !isCovered(covered, folder)) refuse(`its migrations in ${folder}`)
  const entries = pages.flatMap((page) => (page?.entry instanceof URL ? [pathOfUrl(page.entry)] : []))
  const other = entries.find((file) => !covered.hashes.has(file))
  if (other !== undefined) refuse(`its console entry ${other}`)
}

function pathOfUrl(url: URL): string {
  return url.protocol === 'file:' ? fileURLToPath(url) : url.href
}
