import { groundFolders } from '../layers.ts'
import { isTest } from '../sources.ts'
import type { Import, Source } from '../sources.ts'

// Rooms of a plugin that run outside the platform's processes, and what each may import besides its own folder. `$` is the plugin.
const outer: Readonly<Record<string, { readonly folders: readonly string[]; readonly types: readonly string[] }>> = {
  launcher: {
    folders: [...groundFolders, 'schemas', 'launcher/contract', '$/contract/wire', '$/contract/errors'],
    types: [],
  },
  // Commands that call no API work on files and object stores, with the ground folders, as the launcher does.
  cli: {
    folders: [
      ...groundFolders,
      'schemas',
      'cli/contract',
      'core/http/input/body',
      'core/validation',
      '$/contract/errors',
      '$/contract/format',
    ],
    types: ['$/contract'],
  },
  console: { folders: ['ui/contract', 'ui/api', 'ui/parts', 'ui/kinds', 'ui/text'], types: ['schemas', '$/contract'] },
  // Only `wire`, `errors` and `format` of it: what the rooms import reaches the bundle of the launcher, and a command line that starts fast.
  contract: {
    folders: [...groundFolders, 'schemas', '$/contract/wire', '$/contract/errors', '$/contract/format'],
    types: [],
  },
}
const wire = /^plugins\/[^/]+\/contract\/wire(?:\.ts$|\/)/
const light = /^plugins\/[^/]+\/contract\/(?:wire|errors|format)(?:\.ts$|\/)/
// Lists that `npm run generate` writes load the rooms; nothing else does.
const loaders = /^(?:launcher|cli|ui)\/[a-z]+-list\.ts$/
const own = /^(?:main\.ts$|(?:schemas|core|plugins|launcher|cli|ui|local|scripts|test|bench)\/)/

/** Imports that rooms of plugins for the launcher, the command line and the console must not have, and imports of these rooms. */
export function roomViolations(sources: readonly Source[]): string[] {
  return sources.filter(({ path }) => !isTest(path)).flatMap((source) => [...outward(source), ...inward(source)])
}

function outward({ path, imports }: Source): string[] {
  const [, plugin = '', room = ''] = /^(plugins\/[^/]+)\/(launcher|cli|console|contract)\//.exec(path) ?? []
  const allowed = room === 'contract' && !light.test(path) ? undefined : outer[room]
  if (allowed === undefined) return []
  const permits = (one: Import): boolean => {
    const names = [
      ...(room === 'contract' ? [] : [`$/${room}`]),
      ...allowed.folders,
      ...(one.typeOnly ? allowed.types : []),
    ]
    return inside(
      one.target,
      names.map((name) => name.replace('$', plugin)),
    )
  }
  // A wire may be of another plugin: the state role is called by such values only.
  const isWire = (one: Import): boolean => /^(?:launcher|contract)$/.test(room) && wire.test(one.target)
  return imports
    .filter((one) => own.test(one.target) && !permits(one) && !isWire(one))
    .map(({ target }) => `${path} imports ${target}`)
}

function inward({ path, imports }: Source): string[] {
  return imports
    .filter(({ target }) => {
      const room = /^plugins\/[^/]+\/(?:launcher|cli|console)\//.exec(target)?.[0]
      return room !== undefined && !path.startsWith(room) && !loaders.test(path)
    })
    .map(({ target }) => `${path} imports ${target}`)
}

function inside(target: string, names: readonly string[]): boolean {
  return names.some((name) => target === `${name}.ts` || target.startsWith(`${name}/`))
}
