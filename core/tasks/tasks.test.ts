import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { createSignal } from '#core/async/signal.ts'
import type { Signal } from '#core/async/signal.ts'
import { createDatabase } from '#test/harness/database.ts'
import { needs } from '#test/harness/find-server.ts'
import { openDatabase } from '#core/database/database.ts'
import type { Database } from '#core/database/database.ts'
import { migrate } from '#core/database/migrate.ts'
import { adapters } from '#core/database/testing/databases.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import { claimTasks } from './claim-tasks.ts'
import { listDeadTasks, retryDeadTasks } from './dead-tasks.ts'
import type { NewTask } from './enqueue-task.ts'
import { runTasks } from './run-tasks.ts'
import type { RunTasksOptions } from './run-tasks.ts'
import { createTaskMetricsJob, createTaskRetention, readQueues } from './task-jobs.ts'
import { taskMigrations } from './task-migrations.ts'
import { createTaskQueue } from './task-queue.ts'
import { TaskLeaseLost, TaskFailure, defineTask, handleTask } from './task.ts'
import type { Task, TaskContext, TaskHandler, TaskType } from './task.ts'

const numbered = Type.Object({ n: Type.Integer() })
const soon = { minMs: 1, maxMs: 1 }
const log = createLogger({ destination: { write: () => undefined } })

interface Row {
  readonly id: string
  readonly state: string
  readonly attempts: number
  readonly error: string | null
}

async function rigOf(t: TestContext, database: Database) {
  await migrate(database, [storeMigrations, taskMigrations])
  const store = createStore(database, { projections: [] })
  const queue = createTaskQueue(database)
  const rig = {
    database,
    store,
    enqueue: <P>(type: TaskType<P>, task: NewTask<P>) => store.transact((tx) => queue.enqueue(tx, type, task)),
    start: (handlers: readonly TaskHandler[], more: Partial<RunTasksOptions> = {}) => {
      const stop = new AbortController()
      const { done } = runTasks({ database, handlers, log, pollMs: 20, signal: stop.signal, ...more })
      const running = {
        stop: async () => {
          stop.abort()
          await done
        },
      }
      t.after(running.stop)
      return running
    },
    rows: async (): Promise<readonly Row[]> =>
      (
        await sql<Row>`select id::text as id, state, attempts, error from tasks order by tasks.id`.execute(
          database.root,
        )
      ).rows,
    until: async (met: (rows: readonly Row[]) => boolean) => {
      const end = performance.now() + 60_000
      for (;;) {
        const rows = await rig.rows()
        if (met(rows)) return rows
        assert.ok(performance.now() < end, `not reached: ${JSON.stringify(rows.slice(0, 5))}`)
        await pause(10)
      }
    },
  }
  return rig
}

type Rig = Awaited<ReturnType<typeof rigOf>>

/** Runs tasks with a signal that `nextWait` notifies: it returns how the worker waits then, and how often it has read the queue. */
function countReads(rig: Rig, t: TestContext, handlers: readonly TaskHandler[], pollMs?: number) {
  let reads = 0
  const root = rig.database.root.withPlugin({
    transformQuery: ({ node }) => {
      reads++
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const wake = createSignal()
  let waiting = Promise.withResolvers<number>()
  const observed: Signal = {
    notify: () => undefined,
    wait: async (timeoutMs, abort) => {
      waiting.resolve(timeoutMs)
      await wake.wait(3_600_000, abort)
    },
  }
  const database = { ...rig.database, root, enqueued: { notify: () => undefined, subscribe: () => observed } }
  const stop = new AbortController()
  const options = { database, handlers, log, signal: stop.signal }
  const { done } = runTasks(pollMs === undefined ? options : { ...options, pollMs })
  t.after(async () => {
    stop.abort()
    await done
  })
  let isFirst = true
  return {
    nextWait: async () => {
      if (!isFirst) {
        waiting = Promise.withResolvers()
        wake.notify()
      }
      isFirst = false
      return { timeoutMs: await waiting.promise, reads }
    },
  }
}

const all = (state: string) => (rows: readonly Row[]) => rows.length > 0 && rows.every((row) => row.state === state)

for (const adapter of adapters) {
  const check = (name: string, run: (rig: Rig, t: TestContext) => Promise<void>): void =>
    void test(`${adapter.name}: tasks: ${name}`, { skip: adapter.skip, timeout: 480_000 }, async (t) =>
      run(await rigOf(t, await adapter.open(t)), t),
    )

  check('a task exists if the transaction that enqueues it commits, and its handler receives it whole', async (rig) => {
    const type = defineTask({ name: 'a.b', payload: Type.Object({ text: Type.String() }) })
    const queue = createTaskQueue(rig.database)
    await assert.rejects(
      rig.store.transact(async (tx) => {
        await queue.enqueue(tx, type, { payload: { text: 'rolled back' } })
        throw new Error('no')
      }),
      /no/,
    )
    const text = 'NUL \0, a lone surrogate \ud800 and ü'
    const { id } = await rig.enqueue(type, { namespace: 'one', namespaceUid: 'u', key: 'k', payload: { text } })
    const seen: Task[] = []
    rig.start([handleTask(type, async (task) => void seen.push(task))])
    await rig.until(all('done'))
    const [task] = seen
    assert.equal(seen.length, 1)
    assert.deepEqual(
      [task?.id, task?.namespace, task?.namespaceUid, task?.key, task?.payload, task?.attempt, task?.epoch],
      [id, 'one', 'u', 'k', { text }, 1, 1n],
    )
  })

  check('a key is enqueued once per namespace while the earlier task is kept, also by two at once', async (rig) => {
    const type = defineTask({ name: 'a.keyed', payload: numbered })
    const one = { namespace: 'one', key: 'k', payload: { n: 1 } }
    const results = await Promise.all([rig.enqueue(type, one), rig.enqueue(type, one)])
    assert.deepEqual(results.map(({ duplicate }) => duplicate).toSorted(), [false, true])
    assert.equal(results[0].id, results[1].id)
    assert.equal((await rig.enqueue(type, { ...one, namespace: 'two' })).duplicate, false)
    rig.start([handleTask(type, async () => undefined)])
    await rig.until(all('done'))
    assert.deepEqual(await rig.enqueue(type, one), { id: results[0].id, duplicate: true })
  })

  check('a scheduled task waits for its time', async (rig) => {
    const type = defineTask({ name: 'a.later', payload: numbered })
    const begun: number[] = []
    const at = Date.now() + 400
    await rig.enqueue(type, { payload: { n: 1 }, at: new Date(at) })
    // The due time ends the wait, not a poll.
    rig.start([handleTask(type, async () => void begun.push(Date.now()))], { pollMs: 60_000 })
    await rig.until(all('done'))
    // The clock of the database decides; it is this machine's.
    assert.ok((begun[0] ?? 0) >= at - 20, `begun ${at - (begun[0] ?? 0)} ms early`)
  })

  check('a queue without due tasks is read once per wake-up, at the latest after five seconds', async (rig, t) => {
    const type = defineTask({ name: 'a.idle', payload: numbered })
    const idle = countReads(rig, t, [handleTask(type, async () => undefined)])
    for (let wakeUps = 0; wakeUps < 5; wakeUps++) await idle.nextWait()
    assert.deepEqual(await idle.nextWait(), { reads: 6, timeoutMs: 5_000 })
    // A task that no handler here takes, and one that is due later than the safety net looks.
    await rig.enqueue(defineTask({ name: 'a.other', payload: numbered }), { payload: { n: 1 } })
    await rig.enqueue(type, { payload: { n: 1 }, at: new Date(Date.now() + 3_600_000) })
    assert.deepEqual(await idle.nextWait(), { reads: 7, timeoutMs: 5_000 })
  })

  check('a queue whose next task is due before the safety net looks is read when it is', async (rig, t) => {
    const type = defineTask({ name: 'a.next', payload: numbered })
    for (const [namespace, minutes] of [
      ['one', 30],
      ['two', 10],
      ['three', 20],
    ] as const)
      await rig.enqueue(type, { namespace, payload: { n: 1 }, at: new Date(Date.now() + minutes * 60_000) })
    const idle = countReads(rig, t, [handleTask(type, async () => undefined)], 3_600_000)
    const { timeoutMs } = await idle.nextWait()
    assert.ok(timeoutMs > 0 && timeoutMs <= 600_000, `waits ${timeoutMs} ms`)
  })

  check(
    'a failed task is retried, is dead after its attempts or at once, and can be retried by an operator',
    async (rig) => {
      const type = defineTask({ name: 'a.fails', payload: numbered, maxAttempts: 3, backoff: soon })
      let broken = true
      const epochs: bigint[] = []
      for (const n of [1, 2, 3]) await rig.enqueue(type, { namespace: 'one', payload: { n } })
      rig.start([
        handleTask(type, async ({ payload: { n }, epoch, attempt }) => {
          if (n === 1) epochs.push(epoch)
          if (n === 1 && broken) throw new TypeError('secret text of the other side')
          if (n === 2 && broken) throw new TaskFailure('refused_by_receiver', { final: true })
          if (n === 3 && attempt === 1) throw new TaskFailure('busy', { retryAfterMs: 5 })
        }),
      ])
      const rows = await rig.until((found) => found.every(({ state }) => state !== 'ready'))
      assert.deepEqual(
        rows.map(({ state, attempts, error }) => [state, attempts, error]),
        [
          ['dead', 3, 'TypeError'],
          ['dead', 1, 'refused_by_receiver'],
          ['done', 2, null],
        ],
      )
      assert.deepEqual(epochs, [1n, 2n, 3n])
      const dead = await listDeadTasks(rig.database, { namespace: 'one' })
      assert.deepEqual(
        dead.map((one) => [one.type, one.namespace, one.error]),
        [
          ['a.fails', 'one', 'TypeError'],
          ['a.fails', 'one', 'refused_by_receiver'],
        ],
      )
      assert.deepEqual(await listDeadTasks(rig.database, { type: 'other' }), [])
      broken = false
      assert.equal(await retryDeadTasks(rig.database, { ids: [dead[0]?.id ?? ''] }), 1)
      assert.equal(await retryDeadTasks(rig.database, { type: 'a.fails' }), 1)
      await rig.until(all('done'))
      assert.deepEqual(epochs, [1n, 2n, 3n, 4n], 'the fencing token keeps growing')
    },
  )

  check('an attempt ends at its deadline, also if its handler ignores the signal', async (rig) => {
    const type = defineTask({ name: 'a.slow', payload: numbered, maxAttempts: 1, deadlineMs: 30 })
    const reasons: unknown[] = []
    for (const n of [1, 2]) await rig.enqueue(type, { payload: { n } })
    rig.start(
      [
        handleTask(type, async ({ payload: { n } }, { signal }) => {
          if (n === 1) return new Promise<void>(() => undefined)
          await once(signal, 'abort')
          reasons.push((signal.reason as Error).message)
          signal.throwIfAborted()
        }),
      ],
      { abandonMs: 50 },
    )
    const rows = await rig.until(all('dead'))
    assert.deepEqual(
      rows.map(({ error }) => error),
      ['deadline_exceeded', 'deadline_exceeded'],
    )
    assert.deepEqual(reasons, ['deadline_exceeded'])
  })

  check('F4: a namespace with many tasks does not keep another waiting', async (rig) => {
    const type = defineTask({ name: 'a.fair', payload: numbered, concurrency: 4, perNamespace: 3 })
    for (let n = 0; n < 40; n++) await rig.enqueue(type, { namespace: 'busy', payload: { n } })
    const order: string[] = []
    let running = 0
    let most = 0
    const handler = handleTask(type, async ({ namespace = '' }) => {
      order.push(namespace)
      if (namespace === 'busy') most = Math.max(most, ++running)
      await pause(5)
      if (namespace === 'busy') running--
    })
    rig.start([handler])
    while (order.length < 8) await pause(1)
    for (let n = 0; n < 3; n++) await rig.enqueue(type, { namespace: 'quiet', payload: { n } })
    const before = order.length
    await rig.until(all('done'))
    assert.equal(most, 3)
    const waited =
      order.slice(before).lastIndexOf('quiet') - order.slice(before).filter((name) => name === 'quiet').length + 1
    assert.ok(waited <= 16, `${waited} tasks of the other namespace ran first`)
  })

  check(
    'a stopping worker lets tasks end, releases the others uncounted, and another runs them at once',
    async (rig) => {
      const type = defineTask({ name: 'a.drain', payload: numbered })
      for (const n of [1, 2]) await rig.enqueue(type, { payload: { n } })
      const begun = new Set<number>()
      const worker = rig.start(
        [
          handleTask(type, async ({ payload: { n } }, { signal }) => {
            begun.add(n)
            if (n === 1) return pause(60)
            await once(signal, 'abort')
            signal.throwIfAborted()
          }),
        ],
        { drainMs: 2_000 },
      )
      while (begun.size < 2) await pause(1)
      await worker.stop()
      assert.deepEqual(
        (await rig.rows()).map(({ state, attempts }) => [state, attempts]),
        [
          ['done', 1],
          ['ready', 0],
        ],
      )
      rig.start([handleTask(type, async () => undefined)])
      await rig.until(all('done'))
    },
  )

  check('an attempt whose lease was taken over can neither write nor end the task', async (rig) => {
    const type = defineTask({ name: 'a.stale', payload: numbered, concurrency: 1 })
    await rig.enqueue(type, { payload: { n: 1 } })
    const outcomes: string[] = []
    const stale = Promise.withResolvers<void>()
    const worker = rig.start([
      handleTask(type, async (_task, context) => {
        // As after a pause longer than the lease: another worker has taken the task.
        await sql`update tasks set expires_at = clock_timestamp() - interval '1 s'`.execute(rig.database.root)
        const { claims: taken } = await claimTasks(rig.database.root, {
          holder: 'other',
          leaseMs: 60_000,
          capacities: [{ type: type.name, free: 1, perNamespace: 1 }],
          held: [],
        })
        outcomes.push(`epoch ${taken[0]?.epoch}`)
        for (const write of [context.assertHeld, context.complete])
          await rig.store.transact((tx) => write(tx)).catch((error: unknown) => outcomes.push((error as Error).name))
        stale.resolve()
      }),
    ])
    await stale.promise
    await worker.stop()
    assert.deepEqual(outcomes, ['epoch 2', 'TaskLeaseLost', 'TaskLeaseLost'])
    const { rows } = await sql`select state, holder from tasks`.execute(rig.database.root)
    assert.deepEqual(rows, [{ state: 'ready', holder: 'other' }])
  })

  check('complete ends a task in the transaction of its effect: both are committed, or neither', async (rig) => {
    await sql`create table effects (n integer)`.execute(rig.database.root)
    const type = defineTask({ name: 'a.effect', payload: numbered, backoff: soon })
    await rig.enqueue(type, { payload: { n: 7 } })
    const handle = async (task: Task<{ n: number }>, context: TaskContext): Promise<void> => {
      await rig.store.transact(async (tx) => {
        await context.assertHeld(tx)
        await sql`insert into effects values (${task.payload.n})`.execute(tx.tables())
        await context.complete(tx)
        if (task.attempt === 1) throw new Error('after complete')
      })
      // Too late to change what is committed.
      throw new Error('after the commit')
    }
    rig.start([handleTask(type, handle)])
    const rows = await rig.until(all('done'))
    await pause(50)
    assert.equal(rows[0]?.attempts, 2)
    assert.deepEqual((await sql`select n from effects`.execute(rig.database.root)).rows, [{ n: 7 }])
    assert.deepEqual(await rig.rows(), rows)
  })

  check('what cannot be enqueued is refused by name, and stores nothing', async (rig) => {
    const type = defineTask({
      name: 'a.small',
      payload: Type.Object({ text: Type.String() }),
      maxPayloadBytes: 50,
      maxQueued: 2,
    })
    const refused = (task: object, message: RegExp) =>
      assert.rejects(rig.enqueue(type, { payload: { text: '' }, ...task } as NewTask<{ text: string }>), message)
    await refused({ payload: { text: 5 } }, /^TypeError: task a\.small: payload\/text: /)
    await refused({ payload: undefined }, /task a\.small: payload/)
    await refused({ payload: { text: 'ü'.repeat(30) } }, /payload has 71 bytes, at most 50/)
    for (const namespace of ['A', 'a.b', '..', 'a\0', 'x'.repeat(64)])
      await refused({ namespace }, /namespace must be a DNS label/)
    for (const key of ['', '\0', '\ud800', 'x'.repeat(513), 5])
      await refused({ key }, /key must be 1 to 512 characters/)
    for (const at of [new Date(Number.NaN), new Date(8.64e15), 'soon', -1]) await refused({ at }, /at must be a date/)
    for (const n of [1, 2]) await rig.enqueue(type, { namespace: 'one', key: `${n}`, payload: { text: '' } })
    await assert.rejects(rig.enqueue(type, { namespace: 'one', key: '3', payload: { text: '' } }), {
      code: 'too_many_requests',
    })
    assert.equal((await rig.enqueue(type, { namespace: 'one', key: '2', payload: { text: '' } })).duplicate, true)
    await rig.enqueue(type, { namespace: 'two', payload: { text: '' } })
    assert.equal((await rig.rows()).length, 3)
  })

  check('a payload of another release that no longer fits is dead, not handled', async (rig) => {
    const payload = Type.Object({ text: Type.String() })
    await rig.enqueue(defineTask({ name: 'a.changed', payload }), { payload: { text: 'x' } })
    let handled = 0
    rig.start([handleTask(defineTask({ name: 'a.changed', payload: numbered }), async () => void handled++)])
    assert.equal((await rig.until(all('dead')))[0]?.error, 'invalid_payload')
    assert.equal(handled, 0)
  })

  check('queues are measured, and finished tasks are deleted when their time has passed', async (rig) => {
    const limits = { payload: numbered, maxAttempts: 1, keepDeadMs: 1_000_000 }
    const kept = defineTask({ name: 'a.kept', ...limits, keepDoneMs: 1 })
    const none = defineTask({ name: 'a.none', ...limits, keepDoneMs: 0 })
    for (const n of [1, 2]) await rig.enqueue(kept, { namespace: `ns-${n}`, payload: { n } })
    await rig.enqueue(none, { payload: { n: 1 } })
    await pause(20)
    const [waiting] = await readQueues(rig.database, [kept.name])
    assert.deepEqual([waiting?.type, waiting?.waiting, waiting?.dead], ['a.kept', 2, 0])
    assert.ok((waiting?.oldestSeconds ?? 0) > 0.01)
    const metrics = createMetrics()
    const worker = rig.start(
      [
        handleTask(kept, async ({ payload: { n } }) => {
          if (n === 2) throw new TaskFailure('wrong', { final: true })
        }),
        handleTask(none, async () => undefined),
      ],
      { metrics },
    )
    await rig.until((rows) => rows.length === 2 && rows.every(({ state }) => state !== 'ready'))
    await worker.stop()
    const term = { epoch: 1n, signal: new AbortController().signal }
    await createTaskMetricsJob(rig.database, metrics, () => [kept.name]).run(term)
    const text = await metrics.render()
    for (const line of [
      'mesh_tasks_waiting{task="a.kept"} 0',
      'mesh_tasks_dead{task="a.kept"} 1',
      'mesh_tasks_running{task="a.kept"} 0',
      'mesh_task_attempt_seconds_count{task="a.kept",outcome="done"} 1',
      'mesh_task_attempt_seconds_count{task="a.kept",outcome="dead"} 1',
      'mesh_task_delay_seconds_count{task="a.none"} 1',
    ])
      assert.ok(
        text.includes(line),
        `${line}\n${text
          .split('\n')
          .filter((one) => one.includes('mesh_task'))
          .join('\n')}`,
      )
    await sql`insert into leader (name, holder, epoch, expires_at) values ('tasks.retention', 'me', 1, 'infinity')`.execute(
      rig.database.root,
    )
    await createTaskRetention(rig).run(term)
    assert.deepEqual(
      (await rig.rows()).map(({ state }) => state),
      ['dead'],
    )
    await assert.rejects(createTaskRetention(rig).run({ ...term, epoch: 0n }), { name: 'StaleEpoch' })
  })
}

test('tasks: a declaration with a wrong name or limit is refused with the field', () => {
  const define = (more: object) => () => defineTask({ name: 'a.b', payload: numbered, ...more })
  for (const name of ['', 'A', 'a b', 'a\0', 5]) assert.throws(define({ name }), /a task needs a name/)
  assert.throws(define({ payload: undefined }), /task a\.b: payload must be a schema/)
  assert.throws(define({ retries: 5 }), /task a\.b: retries is not a limit of a task/)
  for (const maxAttempts of [0, -1, 1.5, Number.NaN, Infinity, '3'])
    assert.throws(define({ maxAttempts }), /maxAttempts must be a whole number/)
  assert.throws(define({ backoff: { minMs: 10, maxMs: 5 } }), /backoff\.maxMs must be a whole number from 10/)
  assert.throws(define({ deadlineMs: 2 ** 31 }), /deadlineMs must be/)
  assert.equal(new TaskLeaseLost('1', 2n).message, 'attempt 2 of task 1 no longer holds it')
})

test(
  'tasks: kill -9 of workers: none is lost, effects happen at least once, each attempt with a higher fencing token',
  { ...needs('postgres', 'initdb'), timeout: 480_000 },
  async (t) => {
    const url = await createDatabase(t)
    const database = await openDatabase({ url })
    t.after(() => database.close())
    const rig = await rigOf(t, database)
    await sql`create table effects (at bigserial, task bigint, epoch bigint, n integer, pid integer)`.execute(
      database.root,
    )
    const type = defineTask({ name: 'kill.effect', payload: numbered })
    for (let n = 0; n < 60; n++) await rig.enqueue(type, { namespace: `ns-${n % 3}`, payload: { n } })
    for (let kills = 0; kills < 3; kills++) {
      const child = startWorker(t, url)
      let effects = 0
      for await (const _line of createInterface({ input: child.stdout ?? process.stdin })) {
        if (++effects === 10) child.kill('SIGKILL')
      }
      assert.equal(child.signalCode ?? (await once(child, 'exit'))[1], 'SIGKILL')
    }
    assert.ok(
      (await rig.rows()).some(({ state }) => state === 'ready'),
      'killed before the end',
    )
    startWorker(t, url)
    await rig.until(all('done'))
    const { rows } = await sql<{ task: bigint; epochs: string[] }>`
      select task, array_agg(epoch::text order by at) as epochs from effects group by task`.execute(database.root)
    assert.equal(rows.length, 60)
    const repeated = rows.filter(({ epochs }) => epochs.length > 1)
    assert.ok(repeated.length > 0, 'a kill between effect and end repeats it')
    for (const { epochs } of repeated)
      epochs.forEach((epoch, n) => assert.ok(n === 0 || BigInt(epoch) > BigInt(epochs[n - 1] ?? '0'), String(epochs)))
  },
)

function startWorker(t: TestContext, url: string): ChildProcess {
  const child = spawn(process.execPath, [new URL('./testing/worker.ts', import.meta.url).pathname, url, '1000'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  return child
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
