import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { EvalResultsView } from '#schemas/api/evaluations.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { startAll } from '#test/flows/platform/embedded.ts'
import { createSend } from '#test/flows/platform/send.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'

interface Page<Item> {
  readonly items: readonly Item[]
}

test('the demo of evaluations is made after the start, by the API, and once', { timeout: 480_000 }, async (t) => {
  const folder = tempFolder('demo')
  t.after(folder.remove)
  const { ready } = await startAll(t, join(folder.path, 'data'), { flags: ['--demo', 'all'] })
  const send = createSend(t, ready.url)
  const read = async <Body>(path: string): Promise<Body> =>
    (await send({ path: `/api/${path}`, bearer: ready.tokens.operator })).json<Body>()
  const results = 'evalsuites/demo/courtesy/results'
  const history = async () => (await read<Partial<EvalResultsView>>(results)).history ?? []
  for (const end = Date.now() + 300_000; (await history())[0]?.phase !== 'Failed'; await pause(500))
    assert.ok(Date.now() < end, JSON.stringify(await history()))

  const evaluated = await history()
  assert.deepEqual([evaluated.at(-1)?.phase, evaluated.at(-1)?.score], ['Passed', 1])
  const { cases } = await read<EvalResultsView>(results)
  assert.ok(cases.some(({ passed }) => passed === false) && cases.some(({ regression }) => regression))
  const agent = await read<AgentDeploymentObject>('agents/demo/concierge')
  assert.deepEqual([agent.status?.evalGate?.phase, agent.status?.servingRevisions], ['Failed', [1]], 'it serves on')

  const prompt = await read<{ version: number; labels: object }>('promptversions/demo/guest-desk?label=latest')
  assert.deepEqual([prompt.version, prompt.labels], [3, { production: 2, staging: 3 }])
  const moves = await read<Page<{ label: string; by: string }>>('promptversions/demo/guest-desk/history')
  assert.equal(moves.items.length, 4, JSON.stringify(moves))

  const at = '?namespace=demo'
  const pins = await read<Page<{ version: number; cases: number }>>(`datasets/guest-questions/pins${at}`)
  assert.deepEqual(
    pins.items.map(({ version, cases: of }) => [version, of]),
    [
      [2, 4],
      [1, 3],
    ],
  )
  const labels = await read<Page<{ annotator: string }>>(`datasets/guest-questions/cases/towels/labels${at}`)
  assert.deepEqual(labels.items.map(({ annotator }) => annotator).toSorted(), ['developer', 'operator'])
})
