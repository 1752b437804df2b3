import assert from 'node:assert/strict'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { countsSince } from '#test/harness/statement-count.ts'
import type { StatementCounts } from '#test/harness/statement-count.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { startAll } from './platform/embedded.ts'
import { createSend } from './platform/send.ts'
import { untilObserved } from './platform/until-observed.ts'

const runs = 5
const where = '/api/promptversions/default/greet'

interface Versions {
  readonly items: readonly { readonly revision: number; readonly prompt: { readonly version: number } | null }[]
}

test('a prompt is read in a reconcile, and never for a run', { timeout: 240_000 }, async (t) => {
  const folder = tempFolder('prompts')
  t.after(folder.remove)
  const socket = join(folder.path, 'counts')
  const preload = import.meta.resolve('./platform/serve-statement-counts.ts')
  const { ready } = await startAll(t, join(folder.path, 'data'), {
    flags: ['--no-demo'],
    env: { STATEMENT_COUNTS: socket },
    nodeFlags: ['--import', preload],
  })
  const send = untilObserved(createSend(t, ready.url))
  const ask = async <T>(method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown): Promise<T> => {
    const bearer = ready.tokens.operator
    const response = await send({ method, path, bearer, ...(body === undefined ? {} : { body }) })
    assert.ok(response.status < 300, response.text)
    return JSON.parse(response.text) as T
  }
  const invoke = async (): Promise<void> => {
    const run = await ask<{ state: string }>('POST', '/api/invoke', {
      agent: { namespace: 'default', name: 'greeter' },
      input: 'Hi',
    })
    assert.equal(run.state, 'succeeded')
  }
  const deployed = async (version: number): Promise<void> => {
    for (let tries = 0; ; tries++) {
      const { items } = await ask<Versions>('GET', '/api/agents/default/greeter/versions')
      if (items[0]?.prompt?.version === version) return
      assert.ok(tries < 300, `no revision with version ${version}`)
      await pause(100)
    }
  }
  const readsOfPrompts = async (act: () => Promise<void>): Promise<number> => {
    const before = await countsOf(socket)
    await act()
    const counts = Object.entries(countsSince(before, await countsOf(socket)))
    return counts.filter(([statement]) => statement.includes('prompts_')).reduce((sum, [, count]) => sum + count, 0)
  }

  // A file with the text of its prompt stores both.
  const config = {
    name: 'greeter',
    model: { route: 'mock' },
    prompt: { name: 'greet', text: 'Greet {{name}}.', variables: { name: 'Ada' } },
  }
  await ask('POST', '/api/agents', { namespace: 'default', config })
  await invoke()
  await deployed(1)
  await ask('PUT', where, { text: 'Welcome {{name}}.' })
  await deployed(2)
  const moved = await readsOfPrompts(async () => {
    await ask('PUT', where, { labels: { production: 1 } })
    await deployed(1)
  })
  assert.ok(moved > 0, 'the counter sees statements about prompts')
  await invoke()
  // A reconcile of the roll-out can still read during a round, while runs that read would do so in each.
  const rounds: number[] = []
  while (rounds.length < 5 && rounds.at(-1) !== 0)
    rounds.push(
      await readsOfPrompts(async () => {
        for (let run = 0; run < runs; run++) await invoke()
      }),
    )
  assert.equal(rounds.at(-1), 0, `${rounds.join(', ')} statements about prompts in rounds of ${runs} runs`)
})

function countsOf(socketPath: string): Promise<StatementCounts> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath }, (response) => {
      text(response).then((body) => resolve(JSON.parse(body) as StatementCounts), reject)
    })
    asked.on('error', reject).end()
  })
}
