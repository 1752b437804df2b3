import assert from 'node:assert/strict'
import test from 'node:test'
import { needs } from '#test/harness/find-server.ts'
import { sharedEmbedded } from '../flows/platform/shared-platform.ts'
import { createPageShell } from './page-shell.ts'

test(
  'R2-UX-4: the commands of docs/how-to/rotate-keys.md rotate the keys of the local platform, and no run fails',
  needs('kubectl'),
  async (t) => {
    const shell = createPageShell(t, 'rotate-keys.md', await sharedEmbedded())
    const invoke = `api "$URL/api/invoke" -d '{"agent": {"namespace": "default", "name": "steady"}, "input": "x"}'`
    const config = { name: 'steady', systemPrompt: 'Be brief.', model: { route: 'mock' } }
    await shell.run(`api "$URL/api/agents" -d '${JSON.stringify({ namespace: 'default', config })}'`)
    assert.match(await shell.run(invoke), /"state":"succeeded"/)
    const rotated = (await shell.section('Rotate on the local platform')).at(-1)
    assert.match(rotated ?? '', /: \d keys made, \d+ removed/)
    assert.match(await shell.run(invoke), /"state":"succeeded"/)
  },
)
