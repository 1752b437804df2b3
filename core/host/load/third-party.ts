import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { dirname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Type } from 'typebox'
import type { CoreSettings } from '#core/config/core-settings.ts'
import type { YamlFile } from '#core/config/yaml-file.ts'
import type { Profile } from '#core/config/profile.ts'
import { on } from '#core/messaging/consumer/consumer.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { asObject } from '#core/json/is-object.ts'
import { openEventStream } from '#core/http/stream/event-stream.ts'
import { gate } from '#core/http/endpoint/availability-gate.ts'
import { mountEndpoints } from '#core/http/mount-endpoints.ts'
import { resourceRoutes } from '#core/http/resource/resource-routes.ts'
import { BootError } from './startup-error.ts'
import { checkPlugin } from './check-plugin.ts'
import { describePluginError, withPositions } from './plugin-error.ts'
import { BadArguments, defineCommand } from '#core/plugin/command.ts'
import { definePlugin, optional } from '#core/plugin/plugin.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { crud } from '#core/plugin/crud.ts'
import { defineKind } from '#schemas/kind.ts'
import { contribute, definePoint } from '#core/jobs/extension-point.ts'
import { defineOwnEvent } from './third-party-events.ts'

/** Argument of a third-party plugin: helpers, and the platform's plugins as dependencies. Types are available by `import type`. */
export interface Mesh {
  readonly definePlugin: typeof definePlugin
  readonly optional: typeof optional
  readonly defineCommand: typeof defineCommand
  readonly BadArguments: typeof BadArguments
  readonly definePoint: typeof definePoint
  readonly contribute: typeof contribute
  readonly defineEvent: typeof defineOwnEvent
  readonly on: typeof on
  readonly endpoint: typeof endpoint
  readonly mountEndpoints: typeof mountEndpoints
  readonly gate: typeof gate
  readonly resourceRoutes: typeof resourceRoutes
  readonly defineKind: typeof defineKind
  readonly crud: typeof crud
  readonly openEventStream: typeof openEventStream
  readonly Fail: typeof Fail
  readonly Type: typeof Type
  readonly plugins: Readonly<Record<string, AnyPlugin>>
}

/** Sources of third-party plugins, and how they are verified. */
export interface ThirdPartyInput {
  /** Folder of the settings file, from which relative paths and packages are resolved. */
  readonly folder: string
  readonly plugins: readonly AnyPlugin[]
  readonly profile: Profile
}

type Entry = CoreSettings['plugins'][number]

/** Loads the plugins that the settings list, beside those of the platform. */
export function loadListedPlugins(
  { file }: Pick<YamlFile, 'file'>,
  { plugins: entries, profile }: CoreSettings,
  plugins: readonly AnyPlugin[],
): Promise<readonly AnyPlugin[]> {
  const folder = file === undefined ? process.cwd() : dirname(file)
  return loadThirdParties(entries, { folder, plugins, profile })
}

/**
 * Loads the listed plugins in order; each may depend on those before it. They are trusted code; the profile `hardened` requires an
 * integrity hash.
 */
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
    throw new BootError(`plugin ${from} cannot be loaded: ${describePluginError(error, file)}`, error)
  })) as { readonly default?: unknown }
  const make = module.default
  if (typeof make !== 'function')
    throw new BootError(`plugin ${from}: must default-export (mesh) => mesh.definePlugin(...)`)
  const plugin: unknown = call(from, file, () => make(createMesh(input.plugins)))
  return withPositions(checkPlugin(from, plugin, input.plugins), file)
}

function call<T>(from: string, file: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw new BootError(`plugin ${from}: its function failed: ${describePluginError(error, file)}`, error)
  }
}

// Untyped code may omit fields of an endpoint, and mounting it would fail far from its declaration.
const checkedEndpoint: typeof endpoint = (given) => {
  const { method, url, authz, handle } = given as {
    readonly [Field in 'method' | 'url' | 'authz' | 'handle']?: unknown
  }
  const name = `${String(method)} ${String(url)}`.slice(0, 120)
  if (typeof method !== 'string' || typeof url !== 'string' || !url.startsWith('/'))
    throw new TypeError(`endpoint ${name}: method and url are required, and url begins with /`)
  if (typeof authz !== 'object' || authz === null || !('kind' in authz))
    throw new TypeError(`endpoint ${name}: authz is required, such as { kind: 'bearer' }`)
  if (typeof handle !== 'function') throw new TypeError(`endpoint ${name}: handle must be a function`)
  return endpoint(given)
}

// As for endpoints: a kind that names are missing of would fail where it is used.
const checkedKind: typeof defineKind = (given) => {
  const { kind, plural, group, spec, description } = given as { readonly [Field in keyof typeof given]?: unknown }
  const named = { kind, plural, group, description }
  for (const [field, value] of Object.entries(named))
    if (typeof value !== 'string' || value === '') throw new TypeError(`defineKind: ${field} is required`)
  if (!/^[A-Z][A-Za-z0-9]{0,62}$/.test(String(kind))) throw new TypeError('defineKind: kind must be in PascalCase')
  if (!/^[a-z][a-z0-9]{0,62}$/.test(String(plural)))
    throw new TypeError('defineKind: plural must be lower case letters and digits')
  if (asObject(spec).type !== 'object') throw new TypeError('defineKind: spec must be a mesh.Type.Object({...})')
  return defineKind(given)
}

function createMesh(plugins: readonly AnyPlugin[]): Mesh {
  return {
    definePlugin,
    optional,
    defineCommand,
    BadArguments,
    definePoint,
    contribute,
    defineEvent: defineOwnEvent,
    on,
    endpoint: checkedEndpoint,
    mountEndpoints,
    gate,
    resourceRoutes,
    defineKind: checkedKind,
    crud,
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
