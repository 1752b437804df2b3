import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sharedEmbedded } from '../flows/platform/shared-platform.ts'
import { needs } from '#test/harness/find-server.ts'
import { createPageShell } from './page-shell.ts'

test(
  'R2-UX-4: the commands of docs/how-to/see-traces.md read a trace and set a policy',
  needs('kubectl'),
  async (t) => {
    const shell = createPageShell(t, 'see-traces.md', await sharedEmbedded())
    const [read = ''] = await shell.section('Read a trace')
    assert.match(read, /"agents":/)
    // Spans follow the end of the run.
    const end = performance.now() + 60_000
    let detail = ''
    while (!detail.includes('invoke_agent')) {
      assert.ok(performance.now() < end, detail)
      await pause(200)
      detail = await shell.run('api "$URL/api/traces/$RUN/detail"')
    }
    const [listed = ''] = await shell.section('List traces')
    assert.match(listed, /"name":"run".*"status":"ok"/)
    assert.match(listed, /[0-9a-f]{32}\tdemo\/hello\trun\tok\t/)
    const [policy = ''] = await shell.section('Choose what traces may contain')
    assert.match(policy, /"capture":"full"/)
  },
)
