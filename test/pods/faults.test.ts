import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { chaosCase } from '#test/chaos/cases/15-pods.ts'
import { createScope } from '#test/chaos/closing-scope.ts'
import { runCase } from '#test/chaos/run-case.ts'
import { passed, toTable } from '#test/chaos/table.ts'

const whole = createScope()
after(() => whole.close())

// Runs the short form unless MESH_POD_KILLS sets the number of kills per role.
const kills = process.env.MESH_POD_KILLS

test('X6, O6, A4: pods of every role are killed, drained and updated under load; nothing is lost or done twice', async () => {
  const count = kills === undefined ? undefined : Number(kills)
  const ran = await runCase('15-pods', chaosCase, { seed: 0, form: 'short', count, whole })
  process.stderr.write(`${toTable([ran])}\n`)
  assert.equal(ran.skipped, undefined)
  assert.ok(passed(ran), ran.failure ?? JSON.stringify(ran.result))
})
