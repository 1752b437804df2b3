import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { interleave } from './rounds.ts'
import { warmUntilSteady } from './warm.ts'

/** A load whose cost per operation is that of the next listed round; the first is the cold one. */
function costing(costs: readonly number[]) {
  const counts: number[] = []
  let spent = 0
  const load = async (count: number): Promise<void> => {
    spent += count * (costs[counts.length] ?? costs.at(-1) ?? 0)
    counts.push(count)
  }
  return { counts, warming: { cpu: () => spent, load, round: 40 } }
}

test('R2-P1: a load warms until two rounds in a row agree within 5 %, and the first 100 operations are cold', async () => {
  const { counts, warming } = costing([900, 500, 300, 200, 191])
  assert.deepEqual(await warmUntilSteady(warming), { cold: 900, warm: 191, rounds: 4, steady: true })
  assert.deepEqual(counts, [100, 40, 40, 40, 40])
})

test('R2-P1: rounds that agree with an earlier one only, or never, are not steady', async () => {
  const waves = costing([900, ...Array.from({ length: 40 }, (_, round) => (round % 2 === 0 ? 200 : 300))])
  const { rounds, steady } = await warmUntilSteady(waves.warming)
  assert.deepEqual([rounds, steady], [12, false])
  assert.equal((await warmUntilSteady(costing([900, 210, 199]).warming)).rounds, 3)
  assert.equal((await warmUntilSteady(costing([900, 209, 200]).warming)).rounds, 2)
})

test('R2-P1: the figures have the cold cost, and notes name what was not steady', async () => {
  const warmth = { cold: 900, warm: 200, rounds: 12, steady: false }
  const { figures, notes } = await interleave(
    [{ name: 'ours', warm: async () => warmth, run: async () => ({ 'call us': 200 }) }],
    { rounds: 1, most: 1 },
  )
  assert.deepEqual(
    figures.map(({ candidate, figure, median }) => [candidate, figure, median]),
    [
      ['ours', 'cold us', 900],
      ['ours', 'call us', 200],
    ],
  )
  assert.match(notes?.join(' ') ?? '', /5 %: ours 12\. Not steady after 12 rounds: ours\./)
})

test('R2-P1: every bench with a database says whether it was fresh', () => {
  const folder = join(import.meta.dirname, '..')
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8')
  // What opens a store may be in a helper of the same folder.
  const helpers = globSync('*/*.ts', { cwd: folder }).filter((file) => opens.test(read(file)))
  const names = helpers.map((file) => `./${file.split('/').at(-1)}`)
  const silent = globSync('*/*.bench.ts', { cwd: folder }).filter((file) => {
    const text = read(file)
    const stored = opens.test(text) || names.some((name) => text.includes(`'${name}'`))
    return stored && !/^ {2}database: '(fresh|filled)',$/m.test(text)
  })
  assert.deepEqual(silent, [])
})

const opens = /\b(startPostgres|createDatabase|openDatabase|startOnPostgres|startAll)\(/
