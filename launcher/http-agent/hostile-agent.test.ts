import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { launch, post, until } from '../testdata/launch.ts'
import type { LaunchedProcess } from '../testdata/launch.ts'

const hostile = [process.execPath, fileURLToPath(import.meta.resolve('../testdata/hostile-agent.ts'))]
const limits = { concurrency: 10, timeout: '60s' }
const MiB = 1024 * 1024

/** Runs one action of the agent to its end. */
async function outcomeOf({ url }: LaunchedProcess, id: string, input: unknown) {
  await post(`${url}/invoke`, { input }, { 'x-mesh-run-id': id })
  let last: Record<string, unknown> = {}
  await until(
    async () => {
      last = (await (await fetch(`${url}/runs/${id}`)).json()) as Record<string, unknown>
      return last.state !== 'running'
    },
    `the end of ${id}`,
    60_000,
  )
  return { state: last.state, message: String(last.message ?? '') }
}

function residentBytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) * 1024
}

test('SEC19, F5: JSON that nests 20,000 levels fails its own run and no other', async (t) => {
  const launched = await launch(t, { command: hostile, config: { limits } })
  await post(`${launched.url}/invoke`, { input: { do: 'hang' } }, { 'x-mesh-run-id': 'bystander' })
  for (const action of ['deep output', 'deep error', 'deep event', 'deep tool', 'deep interrupt', 'many values']) {
    const { state, message } = await outcomeOf(launched, action.replace(' ', '-'), { do: action })
    assert.equal(state, 'failed', action)
    assert.match(
      message,
      action === 'deep error' ? /responded with 500/ : /nests deeper than 64|more than 1000000/,
      action,
    )
  }
  const bystander = await fetch(`${launched.url}/runs/bystander`)
  assert.equal(((await bystander.json()) as { state: string }).state, 'running')
})

const floods = {
  'small events': /^the run exceeded the limit of its journal$/,
  'small texts': /^the run exceeded the limit of its journal$/,
  interrupts: /requested more than 100 interrupts/,
}

for (const [action, reason] of Object.entries(floods))
  test(
    `PODS6, F6: 88 MB of ${action} end their run, and the launcher keeps its memory`,
    { skip: process.platform === 'linux' ? false : 'reads /proc' },
    async (t) => {
      const launched = await launch(t, { command: hostile, config: { limits } })
      const before = residentBytes(launched.pid)
      const { state, message } = await outcomeOf(launched, 'flood', { do: action, bytes: 88_000_000 })
      assert.equal(state, 'failed')
      assert.match(message, reason)
      const grown = residentBytes(launched.pid) - before
      // 64 MiB of journal, its text beside it, and what the collector has not freed yet.
      assert.ok(grown < 300 * MiB, `grew by ${Math.round(grown / MiB)} MiB`)
      t.diagnostic(`${action}: grew by ${Math.round(grown / MiB)} MiB`)
    },
  )
