import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { readFileSync, writeFileSync } from 'node:fs'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { launch, post, readEvents, until } from '../testdata/launch.ts'
import { nodeAgent } from '../testdata/node-agent.ts'

const run = (id: string) => ({ 'x-mesh-run-id': id })

/** The agent as another container runs it: the launcher sees neither its start nor its end. */
function agentContainer(t: TestContext, port: number) {
  const folder = tempFolder('agent')
  const journal = join(folder.path, 'journal')
  writeFileSync(journal, '')
  t.after(() => folder.remove())
  return {
    invocations: () =>
      readFileSync(journal, 'utf8')
        .split('\n')
        .filter((note) => note.startsWith('invoke')).length,
    start() {
      const [program, ...args] = nodeAgent
      const child = spawn(program, args, {
        env: { PATH: process.env.PATH, AGENT_PORT: String(port), AGENT_JOURNAL: journal },
        stdio: 'ignore',
      })
      t.after(() => child.kill('SIGKILL'))
      return async () => {
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
    },
  }
}

test('PODA8: while the container of the agent restarts, runs wait or are refused, and none fails', async (t) => {
  const launched = await launch(t, { env: { MESH_AGENT_CONTAINER: 'true' }, early: true })
  const { port } = (await launched.line(({ listener }) => listener === 'invoke')) as { port: number }
  const url = `http://127.0.0.1:${port}`
  const agent = agentContainer(t, launched.agentPort)
  const healthy = async (): Promise<boolean> => (await fetch(`${url}/healthz`)).status === 200
  assert.equal((await post(`${url}/invoke`, { input: 1 }, run('early'))).body.error, 'agent_not_ready')
  const kill = agent.start()
  await until(healthy, 'the agent is ready')
  await until(async () => (await post(`${url}/invoke`, { input: 1 }, run('first'))).status < 300, 'a run starts')
  assert.equal((await readEvents(`${url}/runs/first/events`)).at(-1)?.kind, 'run.succeeded')

  await kill()
  assert.equal((await post(`${url}/invoke`, { input: 2 }, run('second'))).status, 202, 'its end was not seen yet')
  await until(
    async () => (await post(`${url}/invoke`, { input: 3 }, run('third'))).body.error === 'agent_not_ready',
    'the refused connection is noticed',
  )
  const refused = await fetch(`${url}/runs/third/ticket`)
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1'])
  agent.start()
  assert.equal((await readEvents(`${url}/runs/second/events`)).at(-1)?.kind, 'run.succeeded')
  await until(async () => (await post(`${url}/invoke`, { input: 3 }, run('third'))).status < 300, 'the third starts')
  assert.equal((await readEvents(`${url}/runs/third/events`)).at(-1)?.kind, 'run.succeeded')
  assert.equal(agent.invocations(), 3, 'each once')
})

test('PODA18: a launcher whose agent crashed issues no ticket, refuses late invokes, then closes', async (t) => {
  const launched = await launch(t, { command: nodeAgent })
  const { url } = launched
  const { ticket } = (await (await fetch(`${url}/runs/late/ticket`)).json()) as { ticket: string }
  await post(`${url}/invoke`, { input: { do: 'crash' } }, run('r1'))
  assert.equal((await readEvents(`${url}/runs/r1/events`)).at(-1)?.kind, 'run.failed')
  // The connection of the run breaks before the exit of the agent is seen.
  let asked = await fetch(`${url}/runs/other/ticket`)
  await until(async () => (asked = await fetch(`${url}/runs/other/ticket`)).status !== 200, 'the launcher drains')
  const late = await fetch(`${url}/invoke`, {
    method: 'POST',
    headers: { ...run('late'), 'content-type': 'application/json', 'x-mesh-ticket': ticket },
    body: '{"input": 1}',
  })
  for (const answer of [asked, late]) {
    assert.equal(answer.status, 503)
    assert.equal(answer.headers.get('connection'), 'close')
    assert.equal(((await answer.json()) as { error: string }).error, 'draining')
  }
  await post(`${url}/runs/r1/ack`)
  assert.equal(await launched.exited, 7)
})
