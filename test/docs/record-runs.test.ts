import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Value } from 'typebox/value'
import { Fixture } from '#schemas/runs/fixture.ts'
import { needs } from '#test/harness/find-server.ts'
import { sharedEmbedded } from '../flows/platform/shared-platform.ts'
import { createPageShell } from './page-shell.ts'

test(
  'R2-UX-4: the commands of docs/how-to/record-runs.md record a run and get its recording',
  needs('kubectl'),
  async (t) => {
    const platform = await sharedEmbedded()
    const shell = createPageShell(t, 'record-runs.md', platform)
    await shell.section('Prepare')
    const [run = ''] = await shell.section('Record a run')
    assert.match(run, /"state":"succeeded"/)
    const get = async (): Promise<Fixture> => JSON.parse((await shell.section('Get the recording'))[0] ?? '') as Fixture
    // The end of the attempt follows the end of the run.
    let fixture = await get()
    for (const end = performance.now() + 120_000; !fixture.complete; fixture = await get()) {
      assert.ok(performance.now() < end, JSON.stringify(fixture))
      await pause(100)
    }
    assert.ok(Value.Check(Fixture, fixture), JSON.stringify(fixture))
    const [call, ...more] = fixture.model
    assert.deepEqual([more, fixture.tool, fixture.redact, fixture.problems], [[], [], ['email'], []])
    assert.match(JSON.stringify(call?.request.body), /Write to \[redacted\]\./)
    assert.equal(call?.answer.kind, 'answer')
    assert.doesNotMatch(JSON.stringify(fixture), /ann@example/)
    for (const [persona, status] of [
      ['admin', 200],
      ['viewer', 404],
    ] as const) {
      const answer = await platform.send({
        path: `/api/runs/${fixture.runId}/fixture`,
        bearer: platform.tokens[persona],
      })
      assert.equal(answer.status, status, persona)
    }
  },
)
