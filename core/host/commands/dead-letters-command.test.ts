import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { openDatabase } from '#core/database/database.ts'
import { migrate } from '#core/database/migrate.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { createDatabase } from '#test/harness/database.ts'
import { needs } from '#test/harness/find-server.ts'
import { runForTest } from '../testing/run-command.ts'

const run = ([verb, ...args]: readonly string[], env: Record<string, string> = {}) =>
  runForTest(`worker dead-letters ${verb}`, args, { env })

test('A5: dead letters are listed and redriven by id, by consumer, or both', needs('postgres', 'initdb'), async (t) => {
  const url = await createDatabase(t)
  const database = await openDatabase({ url })
  t.after(() => database.close())
  await migrate(database, [storeMigrations])
  const env = { DATABASE_URL: url }
  assert.deepEqual(await run(['list'], env), { code: 0, out: 'no dead letters\n', err: '' })
  await sql`insert into dead_letter (consumer, event_id, position, attempts, error, dead_at) values
    ('a.one', 'e-1', 1, 5, 'TypeError', '2026-01-02T03:04:05Z'), ('a.two', 'e-1', 1, 5, 'TypeError', now()),
    ('a.two', 'e-2', 2, 5, 'Error 23505', now()), ('a.two', 'trying', 3, 2, 'Error', null)`.execute(database.root)
  const idsOf = async (...args: string[]) => {
    const { out } = await run(['list', '--output', 'json', ...args], env)
    const { items } = JSON.parse(out) as { items: { consumer: string; eventId: string; redriven: boolean }[] }
    return items
      .map(({ consumer, eventId, redriven }) => `${consumer} ${eventId}${redriven ? ' redriven' : ''}`)
      .toSorted()
  }
  assert.deepEqual(await idsOf(), ['a.one e-1', 'a.two e-1', 'a.two e-2'])
  assert.deepEqual(await idsOf('--consumer', 'a.one'), ['a.one e-1'])
  assert.equal((await idsOf('--limit', '1')).length, 1)
  assert.equal(
    (await run(['list', '--consumer', 'a.one'], env)).out,
    'e-1  a.one  2026-01-02T03:04:05.000Z  5 attempts  TypeError\n',
  )
  assert.deepEqual(await run(['redrive', 'e-1', '--consumer', 'a.two', '--output', 'json'], env), {
    code: 0,
    out: '{"redriven":1}\n',
    err: '',
  })
  assert.deepEqual(await idsOf(), ['a.one e-1', 'a.two e-1 redriven', 'a.two e-2'])
  assert.equal((await run(['redrive', '--consumer', 'a.two'], env)).out, 'redriven: 2\n')
  const missing = await run(['redrive', 'e-1', 'e-9', 'trying'], env)
  assert.deepEqual([missing.code, missing.out], [1, 'redriven: 2\n'])
  assert.match(missing.err, /some ids are not dead letters/)
})

test('mesh worker dead-letters: wrong arguments are named and exit with 2, an absent store with 1', async () => {
  for (const [args, text] of [
    [['list', 'x'], 'unknown argument "x"'],
    [['redrive'], 'an ID or --consumer is required'],
    [['redrive', '--consumer', ''], '--consumer: must not be empty'],
    [['redrive', 'e', '--limit', '3'], 'unknown option "--limit"'],
    [['list', '--limit', '0'], '--limit "0": must be 1 to 10000'],
    [['list', '--limit', '1e3'], '--limit "1e3": must be 1 to 10000'],
    [['list', '--output', 'yaml'], '--output "yaml": must be one of text, json'],
    [['list', '--bad'], 'unknown option "--bad"'],
  ] as const) {
    const { code, err } = await run(args)
    assert.equal(code, 2, args.join(' '))
    assert.ok(err.includes(text) && err.includes('usage: mesh worker dead-letters'), err)
  }
  assert.deepEqual(await run(['list']), { code: 1, out: '', err: 'mesh: DATABASE_URL: required by this command\n' })
  assert.equal((await run(['list'], { DATABASE_URL: 'postgres://127.0.0.1:1/x' })).code, 1)
})
