import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import test from 'node:test'
import { needs } from '#test/harness/find-server.ts'
import { sharedEmbedded } from '../flows/platform/shared-platform.ts'
import { createPageShell } from './page-shell.ts'

const page = 'docs/tutorials/first-agent.md'

/** The blocks of the page in order: commands, and what they print if the page shows it. */
function stepsOf(): readonly { readonly commands: string; readonly prints: string | undefined }[] {
  const text = readFileSync(fileURLToPath(new URL(`../../${page}`, import.meta.url)), 'utf8')
  const own = text.replace(/<!-- prelude[\s\S]*?<!-- \/prelude -->/, '').slice(text.indexOf('## 1.'))
  const block = /^```sh\n([\s\S]*?)^```\n(?:\n```text\n([\s\S]*?)^```\n)?/gm
  return [...own.matchAll(block)].map(([, commands = '', prints]) => ({ commands, prints }))
}

test(
  'the tutorial first-agent.md: its commands, in order and alone, print what the page shows',
  // Some forty commands, each a few processes.
  { ...needs('kubectl'), timeout: 600_000 },
  async (t) => {
    const shell = createPageShell(t, page, await sharedEmbedded())
    const steps = stepsOf()
    assert.equal(steps.filter(({ prints }) => prints !== undefined).length, 7)
    for (const { commands, prints } of steps) {
      const printed = await shell.run(commands)
      if (prints !== undefined) assert.equal(printed, prints, commands)
    }
  },
)
