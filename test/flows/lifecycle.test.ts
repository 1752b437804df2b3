import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { long } from '#test/harness/counts.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { spawnAll, startAll } from './platform/embedded.ts'
import { createSend } from './platform/send.ts'
import { untilObserved } from './platform/until-observed.ts'
import type { RawAnswer } from './platform/send.ts'

const everyday = { skip: long && 'runs in npm test' }

// A start takes seconds, and both signals have the same effect: `npm run test:long` tests the other one.
for (const signal of [long ? 'SIGINT' : 'SIGTERM'] as const)
  test(`${signal} leaves no process, and a second start finds its data`, async (t) => {
    const data = folderOf(t)
    const first = await start(t, data)
    const created = await first.ask('POST', '/api/agents', {
      namespace: 'default',
      config: { name: 'kept', model: { route: 'mock' } },
    })
    assert.equal(created.status, 201, created.text)
    const { runId } = (await first.invoke('kept')).json<{ runId: string }>()
    assert.ok(processesOf(data).length >= 2, 'the platform and a launcher for each agent')
    // Neither an open stream nor a paused run may delay the exit.
    const paused = await first.invoke('careful', 'demo', 'Please approve.')
    assert.equal(paused.json<{ state: string }>().state, 'paused', paused.text)
    const open = await fetch(`${first.ready.url}/api/runs/${paused.json<{ runId: string }>().runId}/events`, {
      headers: { authorization: `Bearer ${first.ready.tokens.developer}` },
    })
    assert.equal(open.status, 200)
    first.signal(signal)
    assert.match(await open.text(), /retry: \d+/, 'the stream ends with a hint when to come back')
    assert.equal(await first.exited, 0, first.output())
    assert.deepEqual(processesOf(data), [])

    const second = await start(t, data)
    assert.deepEqual(second.ready.tokens, first.ready.tokens, 'a kubeconfig of before still works')
    assert.equal((await second.ask('GET', '/api/agents/default/kept')).status, 200)
    const run = await second.ask('GET', `/api/runs/${runId}`)
    assert.deepEqual([run.status, run.json<{ output: unknown }>().output], [200, 'MOCK_OK'])
    const resumed = await resume(second, paused.json<{ runId: string }>().runId)
    assert.equal(resumed, 'succeeded', 'a run that was paused before goes on after')
    assert.equal((await second.invoke('kept')).json<{ state: string }>().state, 'succeeded')
    let last = second
    await t.test(
      'O8: a second start is refused and names the first, a kill leaves no launcher, and the next start serves',
      everyday,
      async () => {
        await refusesSecond(t, data, second)
        second.signal('SIGKILL')
        await second.exited
        while (processesOf(data).length > 0) await pause(20)
        last = await start(t, data)
        assert.equal((await last.invoke('hello', 'demo')).json<{ state: string }>().state, 'succeeded')
      },
    )
    last.signal(signal)
    assert.equal(await last.exited, 0, last.output())
    assert.deepEqual(processesOf(data), [])
  })

async function refusesSecond(t: TestContext, data: string, first: Awaited<ReturnType<typeof start>>): Promise<void> {
  const second = await spawnAll(t, data)
  assert.equal(await second.server.exited, 1)
  const printed = readFileSync(second.log, 'utf8')
  assert.match(printed, new RegExp(`\\b${first.pid}\\b`))
  assert.doesNotMatch(printed, / at .*:\d+:\d+/, 'no stack')
  assert.equal((await first.ask('GET', '/api/health')).status, 200, 'the first is not disturbed')
}

function folderOf(t: TestContext): string {
  const folder = tempFolder('lifecycle')
  t.after(folder.remove)
  return join(folder.path, 'data')
}

/** A started platform and a client of the developer. */
async function start(t: TestContext, data: string) {
  const all = await startAll(t, data)
  const send = untilObserved(createSend(t, all.ready.url))
  const bearer = all.ready.tokens.developer
  const ask = (method: string, path: string, body?: unknown): Promise<RawAnswer> =>
    send({ method, path, bearer, ...(body === undefined ? {} : { body }) })
  const invoke = (name: string, namespace = 'default', input = 'Hi.'): Promise<RawAnswer> =>
    ask('POST', '/api/invoke', { agent: { namespace, name }, input })
  return { ...all, ask, invoke }
}

async function resume({ ask }: Awaited<ReturnType<typeof start>>, id: string): Promise<string> {
  const answer = await ask('POST', `/api/runs/${id}/resume`, { decision: 'approve' })
  assert.equal(answer.status, 202, answer.text)
  for (;;) {
    const { state } = (await ask('GET', `/api/runs/${id}`)).json<{ state: string }>()
    if (!['paused', 'queued', 'running'].includes(state)) return state
    await pause(50)
  }
}

/** Local processes whose command line or environment contains a data folder (Linux), except this one. */
function processesOf(data: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).filter((pid) => pid !== process.pid && mentions(pid, data))
}

function mentions(pid: number, data: string): boolean {
  try {
    return ['environ', 'cmdline'].some((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(data))
  } catch {
    return false // it has exited meanwhile
  }
}
