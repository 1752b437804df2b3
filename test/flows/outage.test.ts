import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { forms, startPlatform } from './platform.ts'
import type { Platform } from './platform/running-platform.ts'
import type { RawAnswer } from './platform/send.ts'

const cluster = forms.find(({ form }) => form === 'cluster')

test(
  'PostgreSQL or NATS unreachable: readiness reports which, requests get 503, nothing is half-written',
  cluster?.options ?? {},
  async (t) => {
    const platform = await startPlatform(t, 'cluster')
    const { postgres, nats } = platform.servers ?? {}
    assert.ok(postgres && nats)
    assert.equal((await invoke(platform)).json<{ state: string }>().state, 'succeeded')
    const before = await countRuns(platform)

    await t.test('PostgreSQL is stopped', async () => {
      await postgres.stop()
      await untilListed(platform, /\[-\]store failed/)
      for (const [method, path, body] of [
        ['POST', '/api/runs', ofHello],
        ['POST', '/api/invoke', ofHello],
        ['GET', '/api/runs?namespace=demo', undefined],
        ['GET', '/api/agents/demo/hello/runs', undefined],
        ['GET', '/api/audit?namespace=demo', undefined],
      ] as const) {
        const answer = await ask(platform, method, path, body)
        assert.deepEqual(
          [answer.status, answer.json<{ code: string }>().code],
          [503, 'store_unavailable'],
          `${path}: ${answer.text}`,
        )
        assert.ok(Number(answer.headers['retry-after']) >= 1)
        assert.doesNotMatch(answer.text, /ECONNREFUSED|postgres|127\.0\.0\.1/i)
      }
      // Requests that need no store are served.
      assert.equal((await ask(platform, 'GET', '/api/agents?namespace=demo')).status, 200)
      assert.equal(
        (await platform.send({ path: '/api/runs?namespace=demo', bearer: platform.tokens['other-tenant'] })).status,
        403,
      )
      await postgres.restart()
      await untilListed(platform, /\[\+\]store ok/)
      assert.equal(await countRuns(platform), before)
      assert.equal((await invoke(platform)).json<{ state: string }>().state, 'succeeded')
    })

    await t.test('PostgreSQL is frozen', async () => {
      const known = await countRuns(platform)
      postgres.pause()
      await untilListed(platform, /\[-\]store failed/)
      const answer = await ask(platform, 'POST', '/api/runs', ofHello)
      assert.deepEqual([answer.status, answer.json<{ code: string }>().code], [503, 'store_unavailable'], answer.text)
      postgres.resume()
      await untilListed(platform, /\[\+\]store ok/)
      // A commit whose response was lost may have succeeded; then the run is complete.
      const after = await countRuns(platform)
      assert.ok(after === known || after === known + 1, `${known} runs, then ${after}`)
      assert.equal((await invoke(platform)).json<{ state: string }>().state, 'succeeded')
    })

    await t.test('NATS is stopped', async () => {
      const known = await countRuns(platform)
      await nats.stop()
      await untilListed(platform, /\[-\]bus failed/)
      const answer = await ask(platform, 'POST', '/api/runs', ofHello)
      assert.ok([201, 503].includes(answer.status), answer.text)
      if (answer.status === 503) assert.equal(answer.json<{ code: string }>().code, 'bus_unavailable')
      await nats.restart()
      await untilListed(platform, /\[\+\]bus ok/)
      assert.equal(await countRuns(platform), answer.status === 201 ? known + 1 : known)
      if (answer.status === 201) await untilFinished(platform, answer.json<{ id: string }>().id)
      assert.equal((await invoke(platform)).json<{ state: string }>().state, 'succeeded')
    })
  },
)

const ofHello = { agent: { namespace: 'demo', name: 'hello' }, input: 'Hi.' }

function ask({ send, tokens }: Platform, method: string, path: string, body?: unknown): Promise<RawAnswer> {
  return send({ method, path, bearer: tokens.operator, ...(body === undefined ? {} : { body }) })
}

function invoke(platform: Platform): Promise<RawAnswer> {
  return ask(platform, 'POST', '/api/invoke', ofHello)
}

async function countRuns(platform: Platform): Promise<number> {
  const page = await ask(platform, 'GET', '/api/runs?namespace=demo&limit=200')
  assert.equal(page.status, 200, page.text)
  return page.json<{ items: unknown[] }>().items.length
}

async function untilFinished(platform: Platform, id: string): Promise<void> {
  for (;;) {
    const { state } = (await ask(platform, 'GET', `/api/runs/${id}`)).json<{ state: string }>()
    if (state === 'succeeded') return
    assert.ok(['queued', 'running'].includes(state), state)
    await pause(50)
  }
}

/** Resolves when the BFF lists the line. An outage of a shared dependency never makes it unready (PODA2). */
async function untilListed({ processes }: Platform, line: RegExp): Promise<void> {
  const url = `${processes.bff?.adminUrl}/readyz`
  for (;;) {
    const listed = await (await fetch(`${url}?verbose`)).text()
    assert.equal((await fetch(url)).status, 200, listed)
    if (line.test(listed)) return
    await pause(50)
  }
}
