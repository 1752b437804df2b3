import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Type } from 'typebox'
import type { CoreSettings } from '#core/config/core-settings.ts'
import { on } from '#core/events/consumer.ts'
import { endpoint } from '#core/http/endpoint.ts'
import { Fail } from '#core/http/errors.ts'
import { openEventStream } from '#core/http/event-stream.ts'
import { gate } from '#core/http/gate.ts'
import { mountEndpoints } from '#core/http/mount.ts'
import { resourceRoutes } from '#core/http/resource-routes.ts'
import { BootError } from './boot-error.ts'
import type { Profile } from './core.ts'
import { definePlugin, optional } from './plugin.ts'
import type { AnyPlugin } from './plugin.ts'
import { contribute, definePoint } from './points.ts'
import { defineOwnEvent } from './third-party-events.ts'

/** What a plugin from elsewhere gets: helpers, and the platform's plugins to need. Types come by `import type`. */
export interface Mesh {
  readonly definePlugin: typeof definePlugin
  readonly optional: typeof optional
  readonly definePoint: typeof definePoint
  readonly contribute: typeof contribute
  readonly defineEvent: typeof defineOwnEvent
  readonly on: typeof on
  readonly endpoint: typeof endpoint
  readonly mountEndpoints: typeof mountEndpoints
  readonly gate: typeof gate
  readonly resourceRoutes: typeof resourceRoutes
  readonly openEventStream: typeof openEventStream
  readonly Fail: typeof Fail
  readonly Type: typeof Type
  readonly plugins: Readonly<Record<string, AnyPlugin>>
}

/** Where third parties are looked for and held against. */
export interface ThirdPartyInput {
  /** Folder of the settings file: relative paths and packages are resolved from it. */
  readonly folder: string
  readonly plugins: readonly AnyPlugin[]
  readonly profile: Profile
}

type Entry = CoreSettings['plugins'][number]

/** Loads the listed plugins in order; each may need those before it. It is trusted code: hardened wants an integrity hash. */
export async function loadThirdParties(
  entries: readonly Entry[],
  input: ThirdPartyInput,
): Promise<readonly AnyPlugin[]> {
  const loaded: AnyPlugin[] = []
  for (const entry of entries) loaded.push(await load(entry, { ...input, plugins: [...input.plugins, ...loaded] }))
  return loaded
}

async function load(entry: Entry, input: ThirdPartyInput): Promise<AnyPlugin> {
  const { from, integrity } = typeof entry === 'string' ? { from: entry, integrity: undefined } : entry
  const file = await locate(from, input.folder)
  await checkIntegrity(from, file, { integrity, required: input.profile === 'hardened' })
  const module = (await import(pathToFileURL(file).href).catch((error: unknown) => {
    throw new BootError(
      `plugin ${from} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`,
      error,
    )
  })) as { readonly default?: unknown }
  if (typeof module.default !== 'function')
    throw new BootError(`plugin ${from}: must default-export (mesh) => mesh.definePlugin(...)`)
  const plugin: unknown = module.default(createMesh(input.plugins))
  return checked(from, plugin, input.plugins)
}

function createMesh(plugins: readonly AnyPlugin[]): Mesh {
  return {
    definePlugin,
    optional,
    definePoint,
    contribute,
    defineEvent: defineOwnEvent,
    on,
    endpoint,
    mountEndpoints,
    gate,
    resourceRoutes,
    openEventStream,
    Fail,
    Type,
    plugins: Object.fromEntries(plugins.map((plugin) => [plugin.name, plugin])),
  }
}

async function locate(from: string, folder: string): Promise<string> {
  if (/^\.{0,2}\//.test(from)) return resolve(folder, from)
  const manifest = findManifest(from, folder)
  if (manifest === undefined) throw new BootError(`plugin ${from} is not installed (looked from ${folder})`)
  const { exports: exported, main } = JSON.parse(await readFile(manifest, 'utf8')) as {
    exports?: unknown
    main?: string
  }
  const entry = entryOf(exported) ?? main ?? 'index.js'
  return fileURLToPath(new URL(entry, pathToFileURL(manifest)))
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

async function checkIntegrity(
  from: string,
  file: string,
  { integrity, required }: { integrity: string | undefined; required: boolean },
): Promise<void> {
  if (integrity === undefined && !required) return
  const bytes = await readFile(file).catch(() => {
    throw new BootError(`plugin ${from}: ${file} cannot be read`)
  })
  const found = `sha256-${createHash('sha256').update(bytes).digest('base64')}`
  if (integrity === undefined)
    throw new BootError(`plugin ${from}: the profile hardened wants its integrity (now ${found})`)
  if (integrity !== found)
    throw new BootError(`plugin ${from}: its integrity is ${found}, the settings say ${integrity}`)
}

function checked(from: string, plugin: unknown, known: readonly AnyPlugin[]): AnyPlugin {
  if (!isPlugin(plugin)) throw new BootError(`plugin ${from}: did not return a plugin of contract 1`)
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(plugin.name))
    throw new BootError(`plugin ${from}: its name "${plugin.name}" must be lower case letters, digits and -`)
  if (known.some(({ name }) => name === plugin.name))
    throw new BootError(`plugin ${from}: the name ${plugin.name} is taken`)
  for (const { type } of plugin.events ?? []) {
    if (type.startsWith('dev.mesh.'))
      throw new BootError(`plugin ${from}: its event ${type} must stand under a reverse DNS name of its own`)
  }
  return plugin
}

function isPlugin(value: unknown): value is AnyPlugin {
  return (
    typeof value === 'object' &&
    value !== null &&
    'contract' in value &&
    value.contract === 1 &&
    'name' in value &&
    typeof value.name === 'string' &&
    'create' in value
  )
}
