import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { openDatabase } from '#core/database/database.ts'
import { createMigrated, pluginAdapters } from '#core/database/testing/databases.ts'
import { launch, until } from '#launcher/testdata/launch.ts'
import { nodeAgent } from '#launcher/testdata/node-agent.ts'
import { terminalStates } from '#schemas/runs/run.ts'
import type { EndedSpan } from '#core/telemetry/tracer.ts'
import { createTracer } from '#core/telemetry/tracer.ts'
import { needs } from '#test/harness/find-server.ts'
import { freePort } from '#test/harness/free-port.ts'
import type { LiveFrame } from '../contract/live-frame.ts'
import { resumeRun } from '../interrupts/resume-run.ts'
import { noCosts } from '../store/read-costs.ts'
import { noActivity } from '../store/read-activity.ts'
import { toDetail } from '../read/to-run.ts'
import { readJournal } from '../store/reads.ts'
import type { RunsTables, SelectedRun } from '../contract/tables.ts'
import { streamRun } from '../stream/stream-run.ts'
import { cancelRun } from '../callers/caller-runs.ts'
import { readContent } from '../store/internal/content.ts'
import { findRun } from '../store/internal/find-run.ts'
import { createWorld, workerServices, queueRun, settled, startWorker, worldMigrations } from '../testing/world.ts'
import type { World } from '../testing/world.ts'

const isTerminal = (run: SelectedRun): boolean => terminalStates.has(run.state)
const alice = { name: 'alice', kind: 'user' } as const

async function collect(world: World, run: SelectedRun, after = 0): Promise<LiveFrame[]> {
  const frames: LiveFrame[] = []
  await streamRun(world, run, after, { send: (frame) => void frames.push(frame), signal: AbortSignal.timeout(60_000) })
  return frames
}

function assertGapless(frames: readonly LiveFrame[], from = 1): void {
  const numbered = frames.flatMap(({ seq }) => (seq === undefined ? [] : [seq]))
  assert.deepEqual(
    numbered,
    numbered.map((_, index) => from + index),
  )
}

/** Answers the question of the test agent; returns the row of the run. */
async function answer(world: World, runId: string): Promise<SelectedRun | undefined> {
  await resumeRun(world, { username: 'alice' }, { id: runId }, { payload: 'blue' })
  return findRun(world.store.reader<RunsTables>(), runId)
}

for (const { name, skip, open } of pluginAdapters) {
  const start = async (t: TestContext) => {
    const database = await open(t, worldMigrations)
    const launched = await launch(t, {
      command: nodeAgent,
      config: { limits: { concurrency: 8 } },
      env: { MESH_AGENT_REVISION: '7' },
    })
    const world = createWorld(database)
    const worker = startWorker(
      workerServices(world, () => launched.url),
      'one',
    )
    t.after(() => worker.stop())
    return { world, launched }
  }

  test(`${name}: a run travels from the queue through the launcher into a gapless journal`, { skip }, async (t) => {
    const { world } = await start(t)
    const run = await queueRun(world, { do: 'kinds' })
    const frames = await collect(world, run)
    assert.equal((await settled(world, run.id, isTerminal)).state, 'succeeded')
    assertGapless(frames)
    const kinds = frames.map(({ kind }) => kind)
    assert.deepEqual(
      [kinds[0], kinds[1], kinds.at(-2), kinds.at(-1)],
      ['run.queued', 'run.started', 'run.succeeded', 'stream.end'],
    )
    const ended = await settled(world, run.id, isTerminal)
    assert.deepEqual([ended.input_tokens, ended.output_tokens], [3, 4])
    assert.equal(ended.agent_revision, 7)
    // From the middle: exactly the missing entries.
    assertGapless(await collect(world, run, 3), 4)
  })

  test(
    `${name}: executing a run is a span of its trace, with the launcher's span as its child`,
    { skip },
    async (t) => {
      const database = await open(t, worldMigrations)
      const launched = await launch(t, { command: nodeAgent })
      const world = createWorld(database)
      const spans: EndedSpan[] = []
      const tracer = createTracer((span) => spans.push(span))
      const worker = startWorker({ ...workerServices(world, () => launched.url), tracer }, 'one')
      t.after(() => worker.stop())
      const run = await queueRun(world, { do: 'echo' })
      await settled(world, run.id, isTerminal)
      await worker.stop()
      const [execution, ...more] = spans.filter((span) => span.name === 'execute run')
      assert.deepEqual(more, [])
      assert.deepEqual(
        [execution?.traceId, execution?.parentSpanId, execution?.status, execution?.attributes['mesh.run.id']],
        [run.trace_id, run.id.replaceAll('-', '').slice(16), 'ok', run.id],
      )
      assert.ok(
        spans.some((span) => span !== execution && span.parentSpanId === execution?.spanId),
        'what it writes is below it',
      )
      const isRun = (line: object): boolean => JSON.stringify(line).includes('"name":"run"')
      const { span } = (await launched.line(isRun)) as { span: Record<string, unknown> }
      assert.deepEqual([span.traceId, span.parentSpanId], [run.trace_id, execution?.spanId])
    },
  )

  test(`${name}: an answered run continues at its checkpoint; a denied approval ends it`, { skip }, async (t) => {
    const { world } = await start(t)
    const run = await queueRun(world, { do: 'ask' })
    const paused = await settled(world, run.id, ({ state }) => state === 'paused')
    assert.equal(paused.open_interrupts.length, 1)
    await answer(world, run.id)
    const ended = await settled(world, run.id, isTerminal)
    assert.equal(ended.state, 'succeeded')
    assert.equal(ended.segment, 2)
    assert.equal(ended.started_at?.getTime(), paused.started_at?.getTime())
    assertGapless(await collect(world, run))
  })

  test(`${name}: a resumed run is in state running before any worker claims it`, { skip }, async (t) => {
    const database = await open(t, worldMigrations)
    const launched = await launch(t, { command: nodeAgent })
    const world = createWorld(database)
    const services = () => workerServices(world, () => launched.url)
    const first = startWorker(services(), 'first')
    const [on, off] = [await queueRun(world, { do: 'ask' }), await queueRun(world, { do: 'ask' })]
    for (const { id } of [on, off]) await settled(world, id, ({ state }) => state === 'paused')
    await first.stop()
    for (const { id } of [on, off]) {
      const resumed = await answer(world, id)
      assert.deepEqual([resumed?.state, resumed?.pause_reason, resumed?.started], ['running', null, false])
    }
    await cancelRun(world.writer, off.id, alice)
    const next = startWorker(services(), 'next')
    t.after(() => next.stop())
    assert.equal((await settled(world, on.id, isTerminal)).state, 'succeeded')
    assert.equal((await settled(world, off.id, isTerminal)).state, 'cancelled')
    const invocations = launched.notes().filter((note) => note.startsWith(`invoke ${off.id}`))
    assert.equal(invocations.length, 1, 'a run that is cancelled before its second segment is not invoked again')
  })

  test(`${name}: a run shows the latest revision that answered`, { skip }, async (t) => {
    const database = await open(t, worldMigrations)
    const world = createWorld(database)
    const first = await launch(t, { command: nodeAgent, env: { MESH_AGENT_REVISION: '3' } })
    const second = await launch(t, { command: nodeAgent, env: { MESH_AGENT_REVISION: '4' } })
    let url = first.url
    const worker = startWorker(
      workerServices(world, () => url),
      'one',
    )
    t.after(() => worker.stop())
    const run = await queueRun(world, { do: 'ask' })
    assert.equal(run.agent_revision, null)
    const paused = await settled(world, run.id, ({ state }) => state === 'paused')
    assert.equal(paused.agent_revision, 3)
    url = second.url
    await answer(world, run.id)
    const ended = await settled(world, run.id, isTerminal)
    assert.deepEqual([ended.state, ended.agent_revision], ['succeeded', 4])
    assertGapless(await collect(world, run))
  })

  test(`${name}: a worker that takes over records the revision that its predecessor did not`, { skip }, async (t) => {
    const database = await open(t, worldMigrations)
    const world = createWorld(database)
    const launched = await launch(t, { command: nodeAgent, env: { AGENT_CANCELS: 'true', MESH_AGENT_REVISION: '9' } })
    const services = () => workerServices(world, () => launched.url)
    const run = await queueRun(world, { do: 'deaf' })
    const first = startWorker(services(), 'first')
    await until(() => launched.notes().some((note) => note.startsWith(`invoke ${run.id}`)), 'the agent was invoked')
    await first.stop()
    const between = await settled(world, run.id, ({ state }) => state === 'running')
    assert.equal(between.agent_revision, null)
    const next = startWorker(services(), 'second')
    t.after(() => next.stop())
    await cancelRun(world.writer, run.id, alice)
    const ended = await settled(world, run.id, isTerminal)
    assert.deepEqual([ended.state, ended.agent_revision], ['cancelled', 9])
  })

  test(`${name}: a cancel stops the agent, or prevents the start`, { skip }, async (t) => {
    const { world } = await start(t)
    const run = await queueRun(world, { do: 'hang' })
    await settled(world, run.id, ({ state }) => state === 'running')
    await cancelRun(world.writer, run.id, alice)
    assert.equal((await settled(world, run.id, isTerminal)).state, 'cancelled')
  })

  test(
    `${name}: a run of a busy agent waits, its time limit continues, and a cancel is immediate`,
    { skip },
    async (t) => {
      const database = await open(t, worldMigrations)
      const launched = await launch(t, { command: nodeAgent, config: { limits: { concurrency: 1 } } })
      const world = createWorld(database)
      const worker = startWorker(
        workerServices(world, () => launched.url),
        'one',
      )
      t.after(() => worker.stop())
      const first = await queueRun(world, { do: 'hang' })
      await until(() => launched.notes().some((note) => note.startsWith(`invoke ${first.id}`)), 'the agent is busy')
      const [second, third] = [await queueRun(world, { do: 'echo' }), await queueRun(world, { do: 'echo' })]
      const requeued = async (): Promise<boolean> =>
        (await readJournal(world.store.reader<RunsTables>(), second, 0, 100)).filter(
          ({ kind }) => kind === 'run.queued',
        ).length > 2
      while (!(await requeued())) await new Promise((resolve) => setTimeout(resolve, 20))
      const waiting = await settled(world, second.id, ({ state }) => state === 'queued')
      assert.deepEqual(
        [waiting.started, waiting.segment, waiting.started_at, waiting.fail_reason],
        [false, 0, null, null],
      )
      await cancelRun(world.writer, third.id, alice)
      assert.equal((await settled(world, third.id, isTerminal)).state, 'cancelled')
      await cancelRun(world.writer, first.id, alice)
      assert.equal((await settled(world, second.id, isTerminal)).state, 'succeeded')
      const invoked = launched.notes().filter((note) => note.startsWith('invoke'))
      assert.deepEqual(new Set(invoked.map((note) => note.split(' ')[1])), new Set([first.id, second.id]))
      assert.equal(invoked.length, 2)
    },
  )

  test(
    `${name}: a run times out after limits.timeout, at its agent or while it waits for a busy one`,
    { skip },
    async (t) => {
      const database = await open(t, worldMigrations)
      const env = { AGENT_CANCELS: 'true' }
      const slow = await launch(t, { command: nodeAgent, config: { limits: { concurrency: 1, timeout: '1h' } }, env })
      // Longer than a busy machine takes from a run to its invocation: a run whose time ends before it is invoked says that it waited.
      const short = await launch(t, { command: nodeAgent, config: { limits: { timeout: '5s' } }, env })
      const world = createWorld(database)
      let url = slow.url
      const worker = startWorker(
        workerServices(world, () => url),
        'one',
      )
      t.after(() => worker.stop())
      const errorOf = async ({ id }: SelectedRun) => {
        const run = await settled(world, id, isTerminal)
        return toDetail(run, { ...noCosts, ...noActivity }, await readContent(world.store.reader<RunsTables>(), id))
          .error
      }
      const busy = await queueRun(world, { do: 'hang' })
      await until(() => slow.notes().some((note) => note.startsWith(`invoke ${busy.id}`)), 'the agent is busy')
      const waiting = await queueRun(world, { do: 'echo' })
      // Its hour ends now.
      await sql`update runs_runs set created_at = created_at - interval '1 hour' where id = ${waiting.id}`.execute(
        database.db,
      )
      const late = await errorOf(waiting)
      assert.deepEqual(
        [late?.code, /waited longer than limits\.timeout \(1h\)/.test(late?.message ?? '')],
        ['timed_out', true],
      )
      assert.equal(slow.notes().filter((note) => note.startsWith('invoke')).length, 1, 'it was never invoked')
      url = short.url
      const hanging = await errorOf(await queueRun(world, { do: 'hang' }))
      assert.deepEqual([hanging?.code, hanging?.message], ['timed_out', 'longer than limits.timeout (5s)'])
    },
  )

  test(
    `${name}: an agent without an address fails the run; a failing agent reports its own reason`,
    { skip },
    async (t) => {
      const database = await open(t, worldMigrations)
      const world = createWorld(database)
      const worker = startWorker(
        workerServices(world, () => undefined, 200),
        'one',
      )
      t.after(() => worker.stop())
      const ended = await settled(world, (await queueRun(world, {})).id, isTerminal)
      assert.deepEqual([ended.state, ended.fail_reason], ['failed', 'agent_unreachable'])
      const content = await readContent(world.store.reader<RunsTables>(), ended.id)
      assert.equal(content?.error, 'No pod of default/robot was ready within 200ms.')
    },
  )
}

for (const instant of ['started', 'sent', 'answered'] as const)
  for (const restarted of [false, true])
    test(
      `O6: a worker is killed when the invoke is ${instant}${restarted ? ', then the launcher' : ''}: invoked at most once`,
      needs('postgres', 'initdb'),
      async (t) => {
        const { url, database } = await openRuns(t)
        const world = createWorld(database)
        // Below the range from which the system gives connections a port, so that it is still free for the second launcher.
        const env = { MESH_LAUNCHER_PORT: String(await freePort()) }
        const launched = await launch(t, { command: nodeAgent, env })
        const run = await queueRun(world, { do: 'stream' })
        const script = fileURLToPath(import.meta.resolve('../testing/worker-process.ts'))
        const args = [script, url, launched.url, instant]
        const worker = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
        t.after(() => worker.kill('SIGKILL'))
        assert.deepEqual(await once(worker, 'exit'), [null, 'SIGKILL'])
        assert.equal((await findRun(world.store.reader<RunsTables>(), run.id))?.started, true)
        const before = launched.notes()
        if (restarted) {
          launched.kill('SIGKILL')
          await launched.exited
        }
        // Like a container that restarts in its pod: another boot at the same address.
        const answering = restarted ? await launch(t, { command: nodeAgent, env }) : launched
        await sql`update runs_lease set expires_at = clock_timestamp() - interval '1 second'`.execute(database.db)
        const next = startWorker(
          workerServices(world, () => answering.url),
          'next',
        )
        t.after(() => next.stop())
        const ended = await settled(world, run.id, isTerminal)
        const invoked = (notes: readonly string[]): number => notes.filter((note) => note.startsWith('invoke')).length
        if (restarted) {
          assert.deepEqual([ended.state, ended.fail_reason], ['failed', 'lost_worker'])
          assert.deepEqual([invoked(answering.notes()), invoked(before) <= 1], [0, true])
        } else {
          assert.deepEqual([ended.state, invoked(launched.notes())], ['succeeded', 1])
        }
        assertGapless(await collect(world, run))
      },
    )

test(
  'O6: a worker is killed while its run waits for a busy agent: the next worker keeps waiting, and the agent is invoked once',
  needs('postgres', 'initdb'),
  async (t) => {
    const { url, database } = await openRuns(t)
    const world = createWorld(database)
    const limits = { concurrency: 1 }
    const launched = await launch(t, { command: nodeAgent, config: { limits }, env: { AGENT_CANCELS: 'true' } })
    const first = startWorker(
      workerServices(world, () => launched.url),
      'first',
    )
    const busy = await queueRun(world, { do: 'hang' })
    await until(() => launched.notes().some((note) => note.startsWith(`invoke ${busy.id}`)), 'the agent is busy')
    await first.stop()
    const waiting = await queueRun(world, { do: 'echo' })
    const script = fileURLToPath(import.meta.resolve('../testing/worker-process.ts'))
    const worker = spawn(process.execPath, [script, url, launched.url, 'started'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    t.after(() => worker.kill('SIGKILL'))
    assert.deepEqual(await once(worker, 'exit'), [null, 'SIGKILL'])
    assert.equal((await findRun(world.store.reader<RunsTables>(), waiting.id))?.started, true)
    await sql`update runs_lease set expires_at = clock_timestamp() - interval '1 second'`.execute(database.db)
    // Shorter than the agent is busy: the limit applies to silence, not to answers.
    const next = startWorker(
      workerServices(world, () => launched.url, 50),
      'next',
    )
    t.after(() => next.stop())
    const after = await settled(world, waiting.id, (run) => !run.started)
    assert.deepEqual([after.state, after.segment, after.fail_reason], ['queued', 0, null])
    await cancelRun(world.writer, busy.id, alice)
    assert.equal((await settled(world, waiting.id, isTerminal)).state, 'succeeded')
    const invoked = launched.notes().filter((note) => note.startsWith('invoke'))
    assert.deepEqual(
      invoked.map((note) => note.split(' ')[1]),
      [busy.id, waiting.id],
    )
    assertGapless(await collect(world, waiting))
  },
)

const kills = Number(process.env.MESH_KILLS ?? 8)

test(
  `O6: ${kills} kills of the worker: the agent is invoked once for each run, and every run ends`,
  needs('postgres', 'initdb'),
  async (t) => {
    const { url, database } = await openRuns(t)
    const launched = await launch(t, { command: nodeAgent, config: { limits: { concurrency: 64 } } })
    const world = createWorld(database)
    const runs: SelectedRun[] = []
    const script = fileURLToPath(import.meta.resolve('../testing/worker-process.ts'))
    const startVictim = async () => {
      const worker = spawn(process.execPath, [script, url, launched.url], { stdio: ['ignore', 'pipe', 'inherit'] })
      t.after(() => worker.kill('SIGKILL'))
      await once(worker.stdout, 'data')
      return worker
    }
    // Four concurrently, since starting a process is most of the cost of a kill.
    for (let killed = 0; killed < kills; killed += 4) {
      const victims = await Promise.all(Array.from({ length: Math.min(4, kills - killed) }, startVictim))
      for (const input of victims.flatMap(() => [{ do: 'stream' }, { do: 'kinds' }, { do: 'echo' }]))
        runs.push(await queueRun(world, input))
      const kill = async (worker: (typeof victims)[number], index: number) => {
        // A random instant between before the claim and after the end; the count is the seed.
        await new Promise((resolve) => setTimeout(resolve, ((killed + index) * 37) % 90))
        worker.kill('SIGKILL')
        await once(worker, 'exit')
      }
      await Promise.all(victims.map(kill))
      // The lease of the killed worker expires now instead of after thirty seconds.
      await sql`update runs_lease set expires_at = clock_timestamp() - interval '1 second' where state = 'ready'`.execute(
        database.db,
      )
    }
    const last = startWorker(
      workerServices(world, () => launched.url),
      'last',
    )
    t.after(() => last.stop())
    const outcomes = new Map<string, number>()
    for (const run of runs) {
      const ended = await settled(world, run.id, isTerminal)
      const outcome = ended.state === 'failed' ? (ended.fail_reason ?? '') : ended.state
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      const journal = await readJournal(world.store.reader<RunsTables>(), run, 0, 1000)
      assert.deepEqual(
        journal.map(({ seq }) => seq),
        journal.map((_, index) => index + 1),
      )
    }
    const invocations = launched
      .notes()
      .filter((note) => note.startsWith('invoke'))
      .map((note) => note.split(' ')[1])
    assert.equal(new Set(invocations).size, invocations.length, 'an agent was invoked twice for one run')
    // The launcher survives every kill, so a run that no worker could dispatch is started by its ticket.
    assert.deepEqual([...outcomes.keys()], ['succeeded'])
    t.diagnostic(`${runs.length} runs: ${JSON.stringify(Object.fromEntries(outcomes))}`)
  },
)

// A separate database, whose address other processes use too.
async function openRuns(t: TestContext) {
  const url = await createMigrated(t, worldMigrations)
  const database = await openDatabase({ url })
  t.after(() => database.close())
  return { url, database }
}
