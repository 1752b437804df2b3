import assert from 'node:assert/strict'
import test from 'node:test'
import { needs } from '#test/harness/find-server.ts'
import { sharedEmbedded } from '../flows/platform/shared-platform.ts'
import { createPageShell } from './page-shell.ts'

test(
  'the commands of docs/how-to/version-a-prompt.md write, label, follow, return and delete',
  needs('kubectl'),
  async (t) => {
    const shell = createPageShell(t, 'version-a-prompt.md', await sharedEmbedded())
    const section = async (heading: string): Promise<string> => (await shell.section(heading)).join('\n')
    const written = await section('Write versions')
    assert.match(written, /^default\tgreet\t3\t-\ttext\t/m)
    assert.match(written, /^text\tYou greet \{\{name\}\} in one sentence\.\tYou greet .* friendly sentence\.$/m)
    const labelled = await section('Label a version')
    assert.match(
      labelled,
      /^default\tgreet\t1\tproduction:1 staging:2\ttext\t.*\tYou greet \{\{name\}\} in one sentence\.$/m,
    )
    const followed = await section('Follow it from an agent')
    assert.match(followed, /"prompt":\s*\{\s*"name":\s*"greet",\s*"version":\s*3,\s*"label":\s*"production"/)
    assert.match(followed, /^production\t1\t3\t/m)
    await section('Go back')
    const deleted = await section('Delete')
    assert.match(deleted, /prompt_in_use.*greeter/s)
    assert.ok(!(await shell.run('npx meshctl prompts list')).includes('greet'))
  },
)
