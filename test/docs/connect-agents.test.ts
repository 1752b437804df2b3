import assert from 'node:assert/strict'
import test from 'node:test'
import { sharedEmbedded } from '#test/flows/platform/shared-platform.ts'
import { needs } from '#test/harness/find-server.ts'
import { createPageShell } from './page-shell.ts'

test('R2-UX-4: the commands of docs/how-to/connect-agents.md connect two agents', needs('kubectl'), async (t) => {
  const shell = createPageShell(t, 'connect-agents.md', await sharedEmbedded())
  await shell.section('A registry and two agents')
  const [output = ''] = await shell.section('A call')
  const run = JSON.parse(output) as { state: string; output: { output: string } }
  assert.deepEqual([run.state, run.output.output], ['succeeded', 'GOOD MORNING'], output)
})
