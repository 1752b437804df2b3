import { readFile, realpath } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { dirname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { asObject } from '#core/json/is-object.ts'
import { BootError } from '../load/startup-error.ts'
import { describePluginError } from '../load/plugin-error.ts'

/** Location of a third-party plugin. Paths are real, as Node's loader resolves them. */
export interface PluginPlace {
  /** The module that exports the plugin. */
  readonly entry: string
  /** Folder of the package; undefined for a plugin that the settings name by its file. */
  readonly folder?: string
}

/** Finds a plugin by its path or package name, from the folder of the settings file. Throws `BootError` if it is not installed. */
export async function locatePlugin(from: string, folder: string): Promise<PluginPlace> {
  if (/^\.{0,2}\//.test(from)) return { entry: await realOf(resolve(folder, from)) }
  const manifest = findManifest(from, folder)
  if (manifest === undefined) throw new BootError(`plugin ${from} is not installed (looked from ${folder})`)
  const { exports: exported, main } = await readManifest(from, manifest)
  const entry = entryOf(exported) ?? (typeof main === 'string' ? main : 'index.js')
  return {
    entry: await realOf(fileURLToPath(new URL(entry, pathToFileURL(manifest)))),
    folder: await realOf(dirname(manifest)),
  }
}

// A missing file is reported where it is read.
function realOf(path: string): Promise<string> {
  return realpath(path).catch(() => path)
}

async function readManifest(from: string, manifest: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return asObject(JSON.parse(await readFile(manifest, 'utf8')))
  } catch (error) {
    throw new BootError(`plugin ${from}: ${manifest} cannot be read: ${describePluginError(error, manifest)}`, error)
  }
}

function findManifest(name: string, folder: string): string | undefined {
  try {
    return findPackageJSON(name, pathToFileURL(`${folder}/settings.js`))
  } catch {
    return undefined
  }
}

function entryOf(exported: unknown): string | undefined {
  if (typeof exported === 'string') return exported
  if (typeof exported !== 'object' || exported === null) return undefined
  const conditions = new Map<string, unknown>(Object.entries(exported))
  return entryOf(conditions.get('.') ?? conditions.get('import') ?? conditions.get('node') ?? conditions.get('default'))
}
