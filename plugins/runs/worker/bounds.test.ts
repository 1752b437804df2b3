import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { sql } from 'kysely'
import type { Database } from '#core/database/database.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { launch, until } from '#launcher/testdata/launch.ts'
import { says, startModelServer } from '#launcher/testdata/model-server.ts'
import { terminalStates } from '#schemas/runs/run.ts'
import { findUnstorable } from '#schemas/values/storable-text.ts'
import type { LiveFrame } from '../contract/live-frame.ts'
import { cancelRun } from '../callers/caller-runs.ts'
import { readTree } from '../read/read-tree.ts'
import { readJournal, readJournalPage } from '../store/reads.ts'
import { readContent } from '../store/internal/content.ts'
import { findRun } from '../store/internal/find-run.ts'
import type { RunsTables, SelectedRun } from '../contract/tables.ts'
import { entryJson, frame, resultJson, startForgedLauncher } from '../testing/forged-launcher.ts'
import type { Script } from '../testing/forged-launcher.ts'
import { streamRun } from '../stream/stream-run.ts'
import { createWorld, workerServices, queueRun, settled, startWorker, worldMigrations } from '../testing/world.ts'

const isTerminal = (run: SelectedRun): boolean => terminalStates.has(run.state)
const alice = { name: 'alice', kind: 'user' } as const
// A forged launcher does not answer everything, and its silence is waited for.
const unreachableMs = 5_000
type World = ReturnType<typeof createWorld>
type Services = ReturnType<typeof workerServices>

/** Sends the frames and ends the stream. */
const sends =
  (...json: readonly string[]): Script =>
  (response) =>
    response.end(json.map(frame).join(''))

const bad = 'a\\u0000b\\ud800c'
const replaced = 'a\ufffdb\ufffdc'
const succeeded = (n: number): string => entryJson('run.succeeded', n, resultJson('succeeded', '"output":"fine"'))

for (const { name, skip, open } of pluginAdapters) {
  const opened = async (t: TestContext): Promise<{ database: Database; world: World }> => {
    const database = await open(t, worldMigrations)
    return { database, world: createWorld(database) }
  }
  const start = async (t: TestContext, world: World, script: Script, some: Partial<Services> = {}) => {
    const launcher = await startForgedLauncher(t, script)
    const worker = startWorker({ ...workerServices(world, () => launcher.url, unreachableMs), ...some }, 'one')
    t.after(() => worker.stop())
    return launcher
  }
  const stored = async (world: World, run: SelectedRun) => {
    const reader = world.store.reader<RunsTables>()
    return { content: await readContent(reader, run.id), journal: await readJournal(reader, run, 0, 1000) }
  }

  test(`${name}: SEC6, F5: unstorable text is replaced wherever a launcher sends it`, { skip }, async (t) => {
    const { world } = await opened(t)
    const data = `{"messageId":"m${bad}","text":"${bad}","k${bad}":["${bad}",{"x":"${bad}"}]}`
    await start(
      t,
      world,
      sends(
        entryJson('message.started', 1, data, { path: `["${bad}"]`, spanId: `"${bad}"` }),
        entryJson('message.delta', undefined, data),
        entryJson('message.finished', 2, data),
        entryJson('tool.started', 3, data),
        entryJson(
          'usage.reported',
          4,
          `{"usage":{"inputTokens":5000000000,"outputTokens":1e308,"cachedTokens":-7,"reasoningTokens":"9"}}`,
        ),
        entryJson('usage.reported', 5, `{"usage":{"inputTokens":5000000000.9,"outputTokens":1e15}}`),
        entryJson('run.succeeded', 6, resultJson('succeeded', `"output":{"said${bad}":"${bad}"}`)),
      ),
    )
    const ended = await settled(world, (await queueRun(world, 'x')).id, isTerminal)
    assert.equal(ended.state, 'succeeded')
    assert.deepEqual(
      [ended.input_tokens, ended.output_tokens, ended.cached_tokens, ended.reasoning_tokens],
      [10_000_000_000, Number.MAX_SAFE_INTEGER, 0, 0],
    )
    const { content, journal } = await stored(world, ended)
    assert.deepEqual(content?.output, { [`said${replaced}`]: replaced })
    const started = journal.find(({ kind }) => kind === 'message.started')
    assert.deepEqual([started?.path, started?.span_id, started?.data['text']], [[replaced], replaced, replaced])
    assert.equal(findUnstorable(journal.map((entry) => entry.data)), undefined)
  })

  test(
    `${name}: SEC6, F5: unstorable text is replaced in a question, a checkpoint and an error`,
    { skip },
    async (t) => {
      const { world } = await opened(t)
      const question = `{"id":"q${bad}","reason":"input_required","question":"${bad}","arguments":{"a":"${bad}"}}`
      const paused = `"pauseReason":"input_required","interrupts":[${question}],"checkpoint":{"at":"${bad}"}`
      const results = [
        entryJson('run.paused', 1, resultJson('paused', paused)),
        entryJson('run.failed', 1, resultJson('failed', `"failReason":"model_error","message":"${bad}"`)),
      ]
      await start(t, world, (response) => response.end(frame(results.shift() ?? '')))
      const first = await settled(world, (await queueRun(world, 'x')).id, ({ state }) => state === 'paused')
      assert.deepEqual(first.open_interrupts, [{ id: `q${replaced}`, reason: 'input_required' }])
      const asked = await stored(world, first)
      assert.deepEqual(
        [asked.content?.interrupts[0]?.question, asked.content?.checkpoint],
        [replaced, { at: replaced }],
      )
      const second = await settled(world, (await queueRun(world, 'x')).id, isTerminal)
      assert.deepEqual([second.fail_reason, (await stored(world, second)).content?.error], ['model_error', replaced])
    },
  )

  test(
    `${name}: SEC6, F5: an invalid entry of a launcher ends the run at once, and the message quotes no content`,
    { skip, timeout: 480_000 },
    async (t) => {
      const { world } = await opened(t)
      const deep = '['.repeat(200) + ']'.repeat(200)
      const twice = '{"id":"q","reason":"input_required"}'
      const forged: Record<string, string> = {
        'not JSON': '{canary',
        'no object': '"canary"',
        'kind of the platform': entryJson('run.rejected', 1, '{}'),
        'kind of a stream': entryJson('stream.end', 1, '{}'),
        'unknown kind': entryJson('canary', 1, '{}'),
        'number too large': entryJson('step.started', 2 ** 31, '{}'),
        'number that is a text': entryJson('step.started', 1, '{}', { n: '"canary"' }),
        'numbered delta': entryJson('message.delta', 1, '{}'),
        'year 0': entryJson('step.started', 1, '{}', { ts: '"0000-01-01T00:00:00Z"' }),
        'no time': entryJson('step.started', 1, '{}', { ts: '"canary"' }),
        'path that is a text': entryJson('step.started', 1, '{}', { path: '"canary"' }),
        'long span': entryJson('step.started', 1, '{}', { spanId: `"${'canary'.repeat(20)}"` }),
        'data that is a list': entryJson('step.started', 1, '["canary"]'),
        'too deep': entryJson('step.started', 1, `{"a":${deep}}`),
        'state of another kind': entryJson('run.succeeded', 1, resultJson('failed', '"message":"canary"')),
        'reason of a person': entryJson(
          'run.failed',
          1,
          resultJson('failed', '"failReason":"approval_denied","message":"canary"'),
        ),
        'no message': entryJson('run.failed', 1, resultJson('failed', '"failReason":"agent_error"')),
        'pause without a question': entryJson(
          'run.paused',
          1,
          resultJson('paused', '"pauseReason":"input_required","interrupts":[]'),
        ),
        'questions of one id': entryJson(
          'run.paused',
          1,
          resultJson('paused', `"pauseReason":"input_required","interrupts":[${twice},${twice}]`),
        ),
      }
      let next = ''
      const launcher = await start(t, world, (response) => response.write(frame(next)))
      for (const [what, json] of Object.entries(forged)) {
        next = json
        const ended = await settled(world, (await queueRun(world, 'x')).id, isTerminal)
        assert.deepEqual([ended.state, ended.fail_reason], ['failed', 'agent_error'], what)
        const { content, journal } = await stored(world, ended)
        assert.match(content?.error ?? '', /^The (launcher sent an invalid entry: |agent paused with )/, what)
        assert.doesNotMatch(JSON.stringify([content?.error, journal]), /canary/, what)
        assert.equal(journal.at(-1)?.kind, 'run.failed', what)
        assert.deepEqual(launcher.asked.slice(-2), [`/runs/${ended.id}/cancel`, `/runs/${ended.id}/ack`], what)
      }
    },
  )

  test(
    `${name}: SEC6, F5: data that the store refuses ends the run; other errors are retried a few times`,
    { skip },
    async (t) => {
      const { database, world } = await opened(t)
      // Simulates data that validation does not catch: the database refuses one kind of entry with class 22.
      const refuse = async (code: string): Promise<void> => {
        await sql
          .raw(`create or replace function refuse() returns trigger language plpgsql as $$ begin
        raise exception 'canary' using errcode = '${code}'; end $$`)
          .execute(database.root)
      }
      await refuse('22P05')
      await sql
        .raw(`create trigger refuse before insert on runs_journal for each row
      when (new.kind = 'step.started') execute function refuse()`)
        .execute(database.root)
      const launcher = await start(t, world, sends(entryJson('step.started', 1, '{}'), succeeded(2)), {
        maxAttempts: 3,
        retryMs: 10,
      })
      const refused = await settled(world, (await queueRun(world, 'x')).id, isTerminal)
      assert.deepEqual([refused.state, refused.fail_reason], ['failed', 'agent_error'])
      assert.equal((await stored(world, refused)).content?.error, 'The agent sent data that cannot be stored.')
      assert.equal(launcher.asked.filter((path) => path.endsWith('/events')).length, 1)

      await refuse('23514')
      const tried = await settled(world, (await queueRun(world, 'x')).id, isTerminal)
      assert.deepEqual([tried.state, tried.fail_reason], ['failed', 'lost_worker'])
      assert.equal((await stored(world, tried)).content?.error, 'The run could not be continued after 3 attempts.')
      assert.equal(launcher.asked.filter((path) => path === `/runs/${tried.id}/events`).length, 3)
    },
  )

  test(
    `${name}: SEC6, F5: a cancel takes effect although the journal refuses the data of the agent`,
    { skip },
    async (t) => {
      const { database, world } = await opened(t)
      await sql
        .raw(`create function refuse() returns trigger language plpgsql as $$ begin
      raise exception 'canary' using errcode = '23514'; end $$`)
        .execute(database.root)
      await sql
        .raw(`create trigger refuse before insert on runs_journal for each row
      when (new.kind = 'step.started') execute function refuse()`)
        .execute(database.root)
      let refusals = 0
      const log = { debug() {}, info() {}, warn() {}, error: () => void refusals++, child: () => log }
      await start(t, world, sends(entryJson('step.started', 1, '{}')), { maxAttempts: 100, retryMs: 60_000, log })
      const run = await queueRun(world, 'x')
      await settled(world, run.id, () => refusals > 0)
      // A cancel before the release of the lease would wait for the next try.
      const isReleased = async () =>
        (await sql`select from runs_lease where run_id = ${run.id} and holder is null`.execute(database.root)).rows
          .length > 0
      await until(isReleased, 'the lease is released')
      await cancelRun(world.writer, run.id, alice)
      assert.equal((await settled(world, run.id, isTerminal, 30_000)).state, 'cancelled')
    },
  )

  test(
    `${name}: SEC6, F5: a declarative agent whose model sends U+0000 succeeds, and its history can be read`,
    { skip },
    async (t) => {
      const { world } = await opened(t)
      const model = await startModelServer(t, [says('a\0', 'b\ud800', 'c')])
      const launched = await launch(t, {
        config: { model: { route: 'mock' } },
        env: { MODEL_GATEWAY_URL: `${model.url}/v1` },
      })
      const worker = startWorker(
        workerServices(world, () => launched.url),
        'one',
      )
      t.after(() => worker.stop())
      for (const turn of [1, 2]) {
        const ended = await settled(world, (await queueRun(world, 'x', 'c1')).id, isTerminal)
        assert.equal(ended.state, 'succeeded')
        assert.equal((await stored(world, ended)).content?.output, replaced, `turn ${turn}`)
      }
      const sent = model.requests[1]?.body.messages.map(({ content }) => content)
      assert.deepEqual(sent?.slice(-3), ['x', replaced, 'x'])
    },
  )

  test(`${name}: SEC6, F5: a cancelled run ends although its launcher never reports it`, { skip }, async (t) => {
    const { world } = await opened(t)
    const following = Promise.withResolvers<void>()
    await start(t, world, () => following.resolve(), { cancelPatienceMs: 300 })
    const run = await queueRun(world, 'x')
    await following.promise
    await cancelRun(world.writer, run.id, alice)
    assert.equal((await settled(world, run.id, isTerminal)).state, 'cancelled')
    // A silent launcher ends the run as well, later and as unreachable.
    assert.match((await stored(world, run)).content?.error ?? '', /did not stop in time after the cancel/)
  })

  test(`${name}: F4, F5: a run of a silent launcher ends after the agent timeout`, { skip }, async (t) => {
    const { database, world } = await opened(t)
    const following = Promise.withResolvers<void>()
    const launcher = await startForgedLauncher(t, () => following.resolve())
    const work = (holder: string) =>
      startWorker({ ...workerServices(world, () => launcher.url), agentTimeoutMs: 60_000 }, holder)
    const first = work('one')
    const run = await queueRun(world, 'x')
    await following.promise
    await first.stop()
    assert.equal((await findRun(world.store.reader<RunsTables>(), run.id))?.state, 'running')
    // A worker that takes over counts from the start of the segment, not from its claim.
    await sql`update runs_journal set ts = ts - interval '1 minute' where kind = 'run.started'`.execute(database.root)
    const second = work('two')
    t.after(() => second.stop())
    const ended = await settled(world, run.id, isTerminal)
    assert.deepEqual([ended.state, ended.fail_reason], ['failed', 'agent_error'])
    const message = 'The agent worked on the run for longer than 60 s (setting runs.agentTimeout).'
    assert.equal((await stored(world, ended)).content?.error, message)
    assert.deepEqual(launcher.asked.slice(-2), [`/runs/${run.id}/cancel`, `/runs/${run.id}/ack`])
  })

  test(`${name}: the tree of a long journal has parts, each with the position of the next`, { skip }, async (t) => {
    const { database, world } = await opened(t)
    const run = await queueRun(world, 'x')
    const db = world.store.reader<RunsTables>()
    await sql`insert into runs_journal (run_id, seq, ts, kind, path, span_id, data)
      select ${run.id}, n, now(), 'usage.reported', '[]', '', '{}' from generate_series(2, 20001) n`.execute(
      database.root,
    )
    await sql`update runs_lease set journal_seq = 20001 where run_id = ${run.id}`.execute(database.root)
    const parts = []
    for (let after: number | null = 0; after !== null; after = parts.at(-1)?.nextAfter ?? null)
      parts.push(await readTree(db, run, after))
    assert.deepEqual(
      parts.map(({ truncated, nextAfter, root }) => [truncated, nextAfter, root.children.length]),
      [
        [true, 10_000, 9_999],
        [true, 20_000, 10_000],
        [false, null, 1],
      ],
    )
    assert.deepEqual(
      parts.map(({ spanCount }) => spanCount),
      [20_001, 20_001, 20_001],
      'of the whole tree',
    )
    await sql`update runs_journal set data = jsonb_build_object('text', repeat('x', 1048576))
      where run_id = ${run.id} and seq between 2 and 40`.execute(database.root)
    const [large, end] = [await readTree(db, run, 0), await readTree(db, run, 20_001)]
    assert.ok(large.truncated && Number(large.nextAfter) < 30, 'ended by its bytes')
    assert.deepEqual([end.truncated, end.nextAfter, end.root.children], [false, null, []])
  })

  test(`${name}: F5, F10: a stream keeps a small part of a large journal in memory`, { skip }, async (t) => {
    const { database, world } = await opened(t)
    const run = await queueRun(world, 'x')
    await sql`insert into runs_journal (run_id, seq, ts, kind, path, span_id, data)
      select ${run.id}, n, now(), 'step.started', '[]', '', jsonb_build_object('n', n, 'text', repeat('x', 262144))
      from generate_series(2, 33) n`.execute(database.root)
    const page = await readJournalPage(world.store.reader<RunsTables>(), run, 0, { rows: 500, bytes: 2 ** 20 })
    assert.deepEqual([page.entries.length < 10, page.isLast], [true, false], 'ended by its bytes')
    const heap = await collected()
    const stop = new AbortController()
    const [sent, goOn] = [[] as number[], Promise.withResolvers<void>()]
    // Eight clients of 8 MiB that do not read; the first one continues.
    const streams = Array.from({ length: 8 }, (_, client) => {
      const stopped = Promise.withResolvers<void>()
      const send = async ({ seq }: LiveFrame): Promise<void> => {
        if (client === 0) sent.push(seq ?? 0)
        if (seq === 2) stopped.resolve()
        if (seq === 2) await goOn.promise
        if (seq === 33) stop.abort()
        if (client > 0 && seq === 2) throw new Error('gone')
      }
      return { stopped: stopped.promise, done: streamRun(world, run, 0, { send, signal: stop.signal }) }
    })
    await Promise.all(streams.map(({ stopped }) => stopped))
    const held = (await collected()) - heap
    goOn.resolve()
    await Promise.allSettled(streams.map(({ done }) => done))
    // The journals together exceed 64 MiB. The memory of PGlite counts too, and grows in large steps.
    assert.ok(held < 48 * 2 ** 20, `${Math.round(held / 2 ** 20)} MiB`)
    assert.deepEqual(
      sent.slice(0, 33),
      Array.from({ length: 33 }, (_, index) => index + 1),
    )
  })
}

async function collected(): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  await new Promise(setImmediate)
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
