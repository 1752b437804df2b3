import assert from 'node:assert/strict'
import test from 'node:test'
import { needs } from '#test/harness/find-server.ts'
import { sharedEmbedded } from '../flows/platform/shared-platform.ts'
import { createPageShell } from './page-shell.ts'

test(
  'R2-UX-4: the commands of docs/how-to/give-agents-secrets.md give an agent a key of a Secret',
  needs('kubectl'),
  async (t) => {
    const shell = createPageShell(t, 'give-agents-secrets.md', await sharedEmbedded())
    await shell.section('Prepare')
    const [bound] = await shell.section('Bind the keys')
    assert.match(bound ?? '', /secretbinding.mesh.dev\/crm condition met/)
    const [run] = await shell.section('Use them')
    assert.partialDeepStrictEqual(JSON.parse(run ?? ''), { state: 'succeeded', output: 'bound' })
  },
)
