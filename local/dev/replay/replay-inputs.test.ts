import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { appendRun } from '#plugins/recording/contract/format/append.ts'
import { mergeFixture } from '#plugins/recording/contract/format/merge.ts'
import { endPart, modelPart, runId } from '#plugins/recording/contract/format/testing/parts.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { readRecordedRuns } from './replay-inputs.ts'

test('a recording of a cluster with local runs behind it has the inputs of all of them, in order', async (t) => {
  const folder = tempFolder('replay-inputs')
  t.after(folder.remove)
  const path = join(folder.path, 'run.json')
  const read = async (fixture: object): Promise<readonly unknown[]> => {
    writeFileSync(path, JSON.stringify(fixture))
    return (await readRecordedRuns(path)).inputs
  }
  const run = (text: string) => mergeFixture(runId, [modelPart(1, text), endPart(1, 0)])
  const downloaded = run('of the cluster')
  assert.deepEqual(await read(downloaded), ['of the cluster'])
  const once = appendRun(downloaded, run('seen by the model'), { given: 1 })
  assert.deepEqual(await read(once), ['of the cluster', { given: 1 }])
  assert.deepEqual(await read(appendRun(once, run('x'), 'again')), ['of the cluster', { given: 1 }, 'again'])
  assert.deepEqual(await read(appendRun(undefined, run('x'), 'local')), ['local'])
})
