import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { launcherPackages, missingFromUndici, packagesOf } from './architecture/bundles.ts'
import { consoleRules } from './architecture/console-rules.ts'
import { constantNulls } from './architecture/constant-nulls.ts'
import { pluginCycles } from './architecture/cycles.ts'
import { takenGoNames } from './architecture/go-names.ts'
import type { NamingDocument } from './architecture/go-names.ts'
import { apiServer, crowdedLayers, fileCycles, privateImports, upwardImports } from './architecture/package-layers.ts'
import { unannounced } from './architecture/prevented-rollbacks.ts'
import { rules } from './architecture/rules.ts'
import { isTest, readSources, toSource } from './architecture/sources.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const sources = readSources(root)

for (const rule of [...rules, ...consoleRules, constantNulls]) {
  test(rule.name, () => {
    assert.equal(
      rule.check(toSource(rule.bad.path, rule.bad.text)).length,
      1,
      'the rule does not catch its own bad example',
    )
    assert.deepEqual(sources.flatMap(rule.check), [])
  })
}

test('plugins import each other without a cycle', () => {
  const made = [
    toSource('plugins/a/index.ts', "import { b } from '../b/index.ts'"),
    toSource('plugins/b/index.ts', "import { c } from '#plugins/c/c.ts'\nimport type { a } from '../a/index.ts'"),
    toSource('plugins/c/c.ts', "import { point } from '../b/points.ts'\nimport { a } from '../a/index.ts'"),
  ]
  assert.deepEqual(pluginCycles(made), ['a -> b -> c -> a'])
  assert.deepEqual(pluginCycles(sources), [])
})

test('R2-CL-2: the changelog announces each migration that prevents a rollback', () => {
  const made = ['runs/migrations/0017-a', 'runs/migrations/0018-b', 'event-store/migrations/0009-c'].map((path) =>
    toSource(`plugins/${path}.ts`, 'export const breaking = true\n'),
  )
  const lines = '- B. Migration `runs` 0018 prevents a rollback.\n- A (migration `runs` 0017).\n'
  assert.deepEqual(unannounced(made, lines), ['`runs` 0017', '`store` 0009'])
  assert.deepEqual(unannounced(sources, readFileSync(join(root, 'CHANGELOG.md'), 'utf8')), [])
})

test('every import of ours names a file that exists', () => {
  const missing = sources.flatMap(({ path, imports }) =>
    imports
      .filter(
        ({ target }) =>
          /^(?:schemas|core|plugins|launcher|cli|local|scripts|test|bench)\//.test(target) &&
          !existsSync(join(root, target)),
      )
      .map(({ target }) => `${path} imports ${target}`),
  )
  assert.deepEqual(missing, [])
})

test('bundles: the launcher has its listed packages only', () => {
  const made = [
    toSource('launcher/main.ts', "import { a } from '#core/a.ts'\nimport type { T } from 'typebox'\nimport 'node:fs'"),
    toSource('core/a.ts', "export { b } from './b.ts'\nconst later = () => import('@x/y/z')"),
    toSource('core/b.ts', "import { c } from 'kysely/d'\nimport { a } from './a.ts'"),
    toSource('core/unused.ts', "import { e } from 'pg'"),
  ]
  assert.deepEqual(packagesOf(made, 'launcher/main.ts'), ['@x/y', 'kysely'])
  assert.deepEqual(packagesOf(sources, 'launcher/main.ts'), launcherPackages)
})

test('bundles: the replacement of undici has what the platform and the launcher import from it', () => {
  const replacement = "export { default as Agent } from 'undici/a.js'\nexport async function fetch(input) {}"
  const made = [
    toSource('core/a.ts', "import { Agent, Pool as P, fetch } from 'undici'\nimport type { Client } from 'undici'"),
    toSource('launcher/b.ts', "const agent = import('undici').then(({ Agent, buildConnector: build }) => build)"),
    toSource('launcher/c.ts', "import('undici').then((all) => f(all))\nfunction f({ request }: typeof Undici) {}"),
    toSource('launcher/d.ts', "function f() {\n  const { Agent, pipeline }: typeof Undici = await import('undici')\n}"),
    toSource('core/a.test.ts', "import { MockAgent } from 'undici'"),
  ]
  assert.deepEqual(missingFromUndici(made, replacement), [
    'core/a.ts: Pool',
    'launcher/b.ts: buildConnector',
    'launcher/c.ts: request',
    'launcher/d.ts: pipeline',
  ])
  const used = readFileSync(join(root, 'scripts', 'images', 'undici.mjs'), 'utf8')
  assert.deepEqual(missingFromUndici(sources, used), [])
})

test('migrations of a folder have numbers of their own', () => {
  const repeated = (paths: readonly string[]) => {
    const numbered = paths.flatMap((path) => /^(.*\/migrations\/\d{4})-[^/]+(?<!\.test)\.ts$/.exec(path)?.[1] ?? [])
    return numbered.filter((number, index) => numbered.indexOf(number) !== index)
  }
  const made = ['plugins/a/migrations/0001-a.ts', 'plugins/a/migrations/0001-b.ts', 'plugins/b/migrations/0001-a.ts']
  assert.deepEqual(repeated(made), ['plugins/a/migrations/0001'])
  assert.deepEqual(repeated(sources.map(({ path }) => path)), [])
})

test('names of the API are free in the Go client that oapi-codegen generates', () => {
  const made = {
    paths: { '/api/runs': { post: { operationId: 'create-run' } } },
    components: {
      schemas: {
        Span: { properties: { kind: { enum: ['server', 'client'] } } },
        Named: { enum: ['client'], 'x-enum-varnames': ['KindClient'] },
        CreateRunResponse: { enum: ['parse-create-run-response'] },
      },
    },
  }
  assert.deepEqual(takenGoNames(made), ['CreateRunResponse', 'client', 'parse-create-run-response'])
  const openApi = readFileSync(join(root, 'docs/reference/openapi.json'), 'utf8')
  assert.deepEqual(takenGoNames(JSON.parse(openApi) as NamingDocument), [])
})

test('the layers of the embedded API server import in one direction, types included, and nothing of the project', () => {
  const made = [
    toSource('local/apiserver/kinds/a.ts', "import type { Answer } from '../verbs/write.ts'"),
    toSource('local/apiserver/kinds/b.ts', "import { x } from '../storage/store.ts'\nimport { y } from './a.ts'"),
    toSource(
      'local/apiserver/kinds/c.ts',
      "import { x } from '../server.ts'\nimport { y } from '../../../core/kube/names.ts'",
    ),
    toSource(
      'local/apiserver/kinds/d.test.ts',
      "import { x } from '../wire/handler.ts'\nimport { kube } from '../../../test/harness/kube.ts'",
    ),
    toSource('local/apiserver/server.ts', "import { x } from './wire/handler.ts'"),
  ]
  assert.deepEqual(upwardImports(made, apiServer), [
    'local/apiserver/kinds/a.ts imports local/apiserver/verbs/write.ts',
    'local/apiserver/kinds/c.ts imports local/apiserver/server.ts',
    'local/apiserver/kinds/c.ts imports core/kube/names.ts',
    'local/apiserver/kinds/d.test.ts imports test/harness/kube.ts',
  ])
  assert.deepEqual(upwardImports(sources, apiServer), [])
})

test('the files of the embedded API server import each other without a cycle, and are few and short', () => {
  const made = [
    toSource('local/apiserver/json/a.ts', "import type { b } from './b.ts'"),
    toSource('local/apiserver/json/b.ts', "import { c } from './c.ts'"),
    toSource('local/apiserver/json/c.ts', "import { a } from './a.ts'"),
  ]
  assert.deepEqual(fileCycles(made, apiServer), [
    'local/apiserver/json/a.ts -> local/apiserver/json/b.ts -> local/apiserver/json/c.ts -> local/apiserver/json/a.ts',
  ])
  assert.deepEqual(fileCycles(sources, apiServer), [])
  const many = Array.from({ length: 17 }, (_, i) =>
    toSource(`local/apiserver/json/${i}.ts`, i < 16 ? '' : '\n'.repeat(301)),
  )
  assert.deepEqual(crowdedLayers(many, apiServer), [
    'local/apiserver/json has 17 files',
    'local/apiserver/json/16.ts has 301 lines',
  ])
  assert.deepEqual(crowdedLayers(sources, apiServer), [])
})

test('the embedded API server is imported through the exports of its package only', () => {
  const made = [
    toSource(
      'local/stack.ts',
      "import { x } from '@mesh.dev/embedded-apiserver'\nimport { y } from './apiserver/server.ts'",
    ),
    toSource('test/a.test.ts', "import type { Kind } from '#local/apiserver/kinds/kind.ts'"),
  ]
  assert.deepEqual(privateImports(made, apiServer), [
    'local/stack.ts imports local/apiserver/server.ts',
    'test/a.test.ts imports local/apiserver/kinds/kind.ts',
  ])
  assert.deepEqual(privateImports(sources, apiServer), [])
})

test('files are short: those over 200 lines are listed, one over 500 fails', (t) => {
  const long = sources
    .filter(({ path, lines }) => lines > 200 && !path.includes('/generated/'))
    .toSorted((a, b) => b.lines - a.lines)
  for (const { path, lines } of long) t.diagnostic(`${lines} lines: ${path}`)
  assert.deepEqual(
    long.filter(({ lines, path }) => lines > 500 && !isTest(path)).map(({ path }) => path),
    [],
  )
})
