import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { openDatabase } from '#core/database/database.ts'
import { migrate } from '#core/database/migrate.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { taskMigrations } from '#core/tasks/task-migrations.ts'
import { createDatabase } from '#test/harness/database.ts'
import { needs } from '#test/harness/find-server.ts'
import { runForTest } from '../testing/run-command.ts'

const run = ([verb, ...args]: readonly string[], env: Record<string, string> = {}) =>
  runForTest(`worker dead-tasks ${verb}`, args, { env })

test(
  'mesh worker dead-tasks: lists without payloads, retries by id, task and namespace',
  needs('postgres', 'initdb'),
  async (t) => {
    const url = await createDatabase(t)
    const database = await openDatabase({ url })
    t.after(() => database.close())
    await migrate(database, [storeMigrations, taskMigrations])
    const env = { DATABASE_URL: url }
    assert.deepEqual(await run(['list'], env), { code: 0, out: 'no dead tasks\n', err: '' })
    await sql`insert into tasks (type, namespace, payload, state, due_at, attempts, error, finished_at) values
    ('a.one', 'n1', '{"secret":1}', 'dead', now(), 5, 'TypeError', '2026-01-02T03:04:05Z'),
    ('a.one', 'n2', '{"secret":1}', 'dead', now(), 5, 'gone', now()), ('a.two', '', '{"secret":1}', 'dead', now(), 1, null, now()),
    ('a.two', '', '{"secret":1}', 'done', now(), 1, null, now())`.execute(database.root)
    const list = async (...args: string[]) => {
      const { out } = await run(['list', '--output', 'json', ...args], env)
      assert.ok(!out.includes('secret'))
      return (JSON.parse(out) as { items: { id: string; task: string }[] }).items.map(({ id, task }) => `${id} ${task}`)
    }
    assert.deepEqual(await list(), ['1 a.one', '2 a.one', '3 a.two'])
    assert.deepEqual(await list('--task', 'a.one', '--namespace', 'n2'), ['2 a.one'])
    assert.deepEqual(await list('--limit', '1'), ['1 a.one'])
    assert.equal(
      (await run(['list', '--namespace', 'n1'], env)).out,
      '1  a.one  n1  2026-01-02T03:04:05.000Z  5 attempts  TypeError\n',
    )
    assert.equal(
      (await run(['retry', '--task', 'a.one', '--namespace', 'n2', '--output', 'json'], env)).out,
      '{"retried":1}\n',
    )
    const missing = await run(['retry', '1', '4', '99'], env)
    assert.deepEqual([missing.code, missing.out], [1, 'retried: 1\n'])
    assert.match(missing.err, /some ids are not dead tasks/)
    const { rows } = await sql`select id::int as id, state, attempts from tasks order by tasks.id`.execute(
      database.root,
    )
    assert.deepEqual(rows, [
      { id: 1, state: 'ready', attempts: 0 },
      { id: 2, state: 'ready', attempts: 0 },
      { id: 3, state: 'dead', attempts: 1 },
      { id: 4, state: 'done', attempts: 1 },
    ])
  },
)

test('mesh worker dead-tasks: wrong arguments are named and exit with 2', async () => {
  for (const [args, text] of [
    [['retry'], 'an ID or --task is required'],
    [['retry', 'x'], '"x" is not the id of a task'],
    [['retry', `1${'0'.repeat(18)}`], 'is not the id of a task'],
    [['list', '--limit', '0'], '--limit "0": must be 1 to 10000'],
  ] as const) {
    const { code, err } = await run(args)
    assert.equal(code, 2, args.join(' '))
    assert.ok(err.includes(text), err)
  }
})
