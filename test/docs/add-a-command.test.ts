import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { CliCommand } from '#cli/contract/command.ts'
import { runCli } from '#cli/testing/run-cli.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { toCommandList } from '../../scripts/generators/cli-commands.ts'
import { sharedEmbedded } from '../flows/platform/shared-platform.ts'
import { filesOfPage } from './page-files.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const files = filesOfPage(join(root, 'docs/how-to/add-a-command.md'))
const declaration = 'plugins/templates/cli/commands.ts'

test('the declaration of docs/how-to/add-a-command.md has at most 15 lines', () => {
  assert.deepEqual([...files.keys()], [declaration, 'plugins/templates/cli/list-recipes.ts'])
  assert.ok((files.get(declaration)?.trimEnd().split('\n').length ?? 99) <= 15)
})

test('the command of docs/how-to/add-a-command.md lists recipes of a running platform', async (t) => {
  const platform = await sharedEmbedded()
  const folder = tempFolder('add-a-command')
  t.after(() => folder.remove())
  for (const name of ['cli', 'core', 'schemas']) symlinkSync(join(root, name), join(folder.path, name))
  copyFileSync(join(root, 'package.json'), join(folder.path, 'package.json'))
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true })
    writeFileSync(join(folder.path, path), text)
  }
  const exports = (await import(pathToFileURL(join(folder.path, declaration)).href)) as Record<string, CliCommand>
  assert.match(toCommandList([{ path: declaration, exports }], []), /words: 'recipes list'/)
  const [command] = Object.values(exports)
  assert.ok(command !== undefined)
  const listed = { ...command, load: async () => command }
  const env = { MESH_SERVER: platform.url, MESH_TOKEN: platform.tokens.viewer }
  const run = (...args: readonly string[]) => runCli(['recipes', 'list', ...args], { env, commands: [listed] })
  assert.match((await run()).out, /^hello\t\S/m)
  assert.match((await run('--tag', 'start', '-o', 'name')).out, /^recipe\/hello$/m)
  assert.deepEqual(await run('--tag', '\0'), { code: 0, out: '', err: '' })
  assert.match((await run('--tga')).err, /^meshctl: unknown option "--tga"; did you mean --tag\?/)
})
