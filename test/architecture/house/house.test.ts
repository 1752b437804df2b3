import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { readSources, toSource } from '../sources.ts'
import type { Source } from '../sources.ts'
import { importedCore, internalCore } from './core-modules.ts'
import { misplacedCore } from './core-users.ts'
import { folderCycles } from './folder-cycles.ts'
import { fullFolders, MAX_FILES } from './full-folders.ts'
import { roomViolations } from './plugin-rooms.ts'
import { unwiredPaths } from './wire.ts'

const sources = readSources(fileURLToPath(new URL('../../..', import.meta.url)))
const openModules = read('core-modules.yaml') as readonly string[]

for (const [rule, check] of Object.entries<(all: readonly Source[]) => readonly string[]>({
  'no folder cycles': folderCycles,
  'a folder of core has several users': misplacedCore,
  'rooms of plugins import what their place has': roomViolations,
  'folders are small': fullFolders,
  'a path of the state role is one wire value': unwiredPaths,
  'plugins import open modules of core': (all) => internalCore(all, openModules),
})) {
  test(`the house: ${rule}`, () => assert.deepEqual(check(sources), []))
}

test('folders that import each other are a pair, also by types; a longer ring is one, too', () => {
  const made = [
    toSource('plugins/a/x/f.ts', "import type { G } from '../y/g.ts'"),
    toSource('plugins/a/y/g.ts', 'export type G = 1'),
    toSource('plugins/a/y/h.ts', "import { f } from '../x/f.ts'"),
    toSource('launcher/a/f.ts', "import { g } from '../b/g.ts'"),
    toSource('launcher/b/g.ts', "import { h } from '../c/h.ts'"),
    toSource('launcher/c/h.ts', "import { f } from '../a/f.ts'"),
    toSource('plugins/a/y/g.test.ts', "import { z } from '../z/z.ts'"),
  ]
  assert.deepEqual(folderCycles(made), ['launcher/a <-> launcher/b <-> launcher/c', 'plugins/a/x <-> plugins/a/y'])
})

test('a folder of core with two plugins is misplaced; core, the shell of the launcher and three plugins keep it', () => {
  const users = (folder: string, ...paths: readonly string[]): Source[] => [
    toSource(`${folder}/f.ts`, 'export const f = 1'),
    ...paths.map((path) => toSource(path, `import { f } from '#${folder}/f.ts'`)),
  ]
  const made = [
    // The room for the launcher belongs to the plugin, so that these are two users.
    ...users('core/a', 'plugins/memory/x.ts', 'plugins/memory/launcher/x.ts', 'plugins/runs/x.ts', 'core/a/a.test.ts'),
    ...users('core/b', 'core/c/x.ts'),
    ...users('core/d', 'launcher/agent/x.ts'),
    ...users('core/e', 'plugins/memory/y.ts', 'plugins/runs/y.ts', 'plugins/mcp/launcher/y.ts'),
    ...users('core/c', 'main.ts'),
  ]
  assert.deepEqual(misplacedCore(made), ['core/a'])
})

test('a room of a plugin imports its shell, its wire and its errors, and only lists load it', () => {
  const made = [
    toSource(
      'plugins/a/launcher/f.ts',
      "import { q } from '#core/database/q.ts'\nimport { w } from '../contract/wire.ts'",
    ),
    toSource(
      'plugins/a/launcher/g.ts',
      "import { d } from '#launcher/contract/d.ts'\nimport { e } from '#launcher/runs/e.ts'",
    ),
    toSource('plugins/a/cli/f.ts', "import { x } from '../contract/x.ts'\nimport type { y } from '../contract/y.ts'"),
    toSource('plugins/a/cli/g.ts', "import { c } from '#cli/contract/c.ts'\nimport { r } from '#cli/run/r.ts'"),
    toSource('plugins/a/cli/h.ts', "import { s } from '../store/s.ts'\nimport { f } from '../contract/format/f.ts'"),
    toSource('plugins/b/cli/f.ts', "import { f } from '#plugins/a/cli/f.ts'"),
    toSource('plugins/a/console/f.ts', "import { x } from '../store/x.ts'\nimport { b } from '#ui/api/b.ts'"),
    toSource('plugins/a/console/g.tsx', "import { s } from '#ui/app/shell.tsx'\nimport { r } from '#schemas/api/s.ts'"),
    toSource(
      'plugins/a/contract/wire.ts',
      "import { x } from '#core/database/q.ts'\nimport { s } from '#schemas/wire/s.ts'",
    ),
    toSource('plugins/a/contract/points.ts', "import { x } from '#core/jobs/x.ts'"),
    toSource('plugins/a/index.ts', "import { f } from './launcher/f.ts'"),
    toSource('launcher/feature-list.ts', "import { f } from '#plugins/a/launcher/f.ts'"),
    toSource('cli/command-list.ts', "import { f } from '#plugins/a/cli/f.ts'"),
    toSource('ui/page-list.ts', "import { f } from '#plugins/a/console/f.ts'"),
  ]
  assert.deepEqual(roomViolations(made), [
    'plugins/a/launcher/f.ts imports core/database/q.ts',
    'plugins/a/launcher/g.ts imports launcher/runs/e.ts',
    'plugins/a/cli/f.ts imports plugins/a/contract/x.ts',
    'plugins/a/cli/g.ts imports cli/run/r.ts',
    'plugins/a/cli/h.ts imports plugins/a/store/s.ts',
    'plugins/b/cli/f.ts imports plugins/a/cli/f.ts',
    'plugins/b/cli/f.ts imports plugins/a/cli/f.ts',
    'plugins/a/console/f.ts imports plugins/a/store/x.ts',
    'plugins/a/console/g.tsx imports ui/app/shell.tsx',
    'plugins/a/console/g.tsx imports schemas/api/s.ts',
    'plugins/a/contract/wire.ts imports core/database/q.ts',
    'plugins/a/index.ts imports plugins/a/launcher/f.ts',
  ])
})

test('a file too many is reported with its folder, a test too many is not', () => {
  const made = (folder: string, count: number, suffix = '.ts') =>
    Array.from({ length: count }, (_, index) => toSource(`${folder}/f${index}${suffix}`, ''))
  const all = [
    ...made('core/kube', MAX_FILES + 1),
    ...made('core/log', MAX_FILES),
    ...made('core/log', 5, '.test.ts'),
    ...made('plugins/a', 13),
    ...made('plugins/a/store', 17),
    ...made('schemas/crds', 30),
  ]
  assert.deepEqual(fullFolders(all), ['core/kube: 17', 'plugins/a/store: 17', 'plugins/a: 13'])
})

test('a path that a state route writes itself is no wire value', () => {
  const made = [
    toSource('plugins/a/state-routes.ts', "const r = { url: '/a', method: 'GET' }"),
    toSource('plugins/b/state/routes.ts', "const r = { ...wire.b }\nconst q = { url: '/b/:id' }"),
    toSource('plugins/b/routes.ts', "const r = { url: '/b' }"),
  ]
  assert.deepEqual(unwiredPaths(made), ['plugins/a/state-routes.ts: /a', 'plugins/b/state/routes.ts: /b/:id'])
})

test('a module of core that is not open is internal, also to types', () => {
  const made = [
    toSource('plugins/b/f.ts', "import type { x } from '#core/a/x.ts'"),
    toSource('plugins/a/f.ts', "import { x } from '#core/a/x.ts'\nimport { y } from '#core/a/y.ts'"),
    toSource('core/b/f.ts', "import { x } from '#core/a/x.ts'"),
  ]
  assert.deepEqual(internalCore(made, ['core/a/y.ts']), ['core/a/x.ts: a, b'])
})

test('an open module of core is one that plugins import', () => {
  const imported = importedCore(sources)
  assert.deepEqual(
    openModules.filter((module) => !imported.has(module)),
    [],
  )
})

function read(name: string): unknown {
  return parse(readFileSync(new URL(name, import.meta.url), 'utf8'))
}
