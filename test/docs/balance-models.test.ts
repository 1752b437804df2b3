import assert from 'node:assert/strict'
import test from 'node:test'
import { needs } from '#test/harness/find-server.ts'
import { sharedEmbedded } from '../flows/platform/shared-platform.ts'
import { createPageShell } from './page-shell.ts'

test(
  'the commands of docs/how-to/balance-models.md divide calls, fall back and show an open circuit',
  needs('kubectl'),
  async (t) => {
    const shell = createPageShell(t, 'balance-models.md', await sharedEmbedded())
    await shell.section('Prepare')
    const divided = (await shell.section('Divide calls')).join('\n')
    assert.match(divided, /^x-mesh-route: default\/shared/im)
    assert.match(divided, /^x-mesh-target: default\/(?:first|second)\/large/im)
    assert.match(divided, /^x-mesh-attempts: 1/im)
    const fallen = (await shell.section('Fall back')).join('\n')
    assert.equal([...fallen.matchAll(/^x-mesh-target: default\/first\/large/gim)].length, 4, fallen)
    assert.match(fallen, /^x-mesh-attempts: 2/im)
    assert.match(fallen, /^default\/away\tlarge\topen\tconnection_refused\t/m)
  },
)
