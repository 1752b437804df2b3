import assert from 'node:assert/strict'
import test from 'node:test'
import { Type } from 'typebox'
import { commandHelp } from '#core/command-line/command-help.ts'
import { unknownCommand } from '#core/command-line/unknown-command.ts'
import { defineCommand } from '#core/plugin/command.ts'
import { definePlugin } from '#core/plugin/plugin.ts'
import { runForTest } from '../testing/run-command.ts'

const show = defineCommand({
  words: 'acme show',
  summary: 'show what was given',
  examples: [['mesh acme show x', 'one thing']],
  options: {
    thing: { positional: true, required: true, help: 'what to show' },
    more: { positional: true, repeatable: true, help: 'further things' },
    count: { value: 'N', default: '1', help: 'how often', parse: toNumber },
    tag: { value: 'KEY=VALUE', repeatable: true, help: 'a label' },
    'as-json': { help: 'print JSON' },
    color: { oneOf: ['red', 'green'], help: 'its color' },
  },
  exitCodes: { 7: 'nothing to show' },
  load: async () => async (input) => {
    // The types follow from the options.
    const values: {
      readonly thing: string
      readonly more: readonly string[]
      readonly count: number
      readonly tag: readonly string[]
      readonly 'as-json': boolean
      readonly color: 'red' | 'green' | undefined
    } = input.values
    const { greeting } = await input.settings<{ greeting: string }>()
    input.out(JSON.stringify({ ...values, greeting }))
    return values.thing === 'nothing' ? 7 : 0
  },
})
const failing = (words: string, run: () => unknown) =>
  defineCommand({ words, summary: 'fails', load: async () => async () => run() as number })
const acme = definePlugin({
  contract: 1,
  name: 'acme',
  settings: Type.Object({ greeting: Type.String({ default: 'hello' }) }),
  create: () => ({}),
  commands: [
    show,
    failing('acme boom', () => {
      throw new Error('boom')
    }),
    failing('acme odd', () => undefined),
    failing('acme huge', () => 1e9),
  ],
})

const run = (words: string, ...args: string[]) => runForTest(words, args, { plugins: [acme] })

function toNumber(text: string): number {
  if (!/^\d$/.test(text)) throw new Error('must be a digit')
  return Number(text)
}

test('options are parsed by their declaration, in any order, and have its types', async () => {
  const parsed = async (...args: string[]) => JSON.parse((await run('acme show', ...args)).out) as unknown
  const empty = { more: [], tag: [], 'as-json': false, greeting: 'hello' }
  assert.deepEqual(await parsed('x'), { thing: 'x', count: 1, ...empty })
  assert.deepEqual(
    await parsed('--tag', 'a=1', 'x', '--count=3', 'y', '--as-json', '--tag', 'b=2', '--color', 'red', '--', '--z'),
    { thing: 'x', more: ['y', '--z'], count: 3, tag: ['a=1', 'b=2'], 'as-json': true, color: 'red', greeting: 'hello' },
  )
  assert.deepEqual(await parsed('x', '--count', '1', '--count', '2'), { thing: 'x', ...empty, count: 2 })
  assert.deepEqual(await parsed('-', '--tag=-x'), { ...empty, thing: '-', count: 1, tag: ['-x'] })
  assert.equal((await run('acme show', 'nothing')).code, 7)
})

test('a wrong argument is named with the nearest option and the usage, in at most 60 characters', async () => {
  const long = 'x'.repeat(100_000)
  for (const [args, message] of [
    [[], /^mesh: THING is required\n/],
    [['x', '--cuont', '2'], /unknown option "--cuont"; did you mean --count\?/],
    [['x', '-c'], /unknown option "-c"/],
    [['x', '--thing', 'y'], /unknown option "--thing"/],
    [['x', '--__proto__', 'y'], /unknown option "--__proto__"/],
    [['x', '--constructor=y'], /unknown option "--constructor"/],
    [['x', `--${long}`], /unknown option "--x{58}"\n/],
    [['x', '--count'], /--count: needs a value \(N\)/],
    [['x', '--count', '--as-json'], /--count: needs a value/],
    [['x', '--count', '1e3'], /--count "1e3": must be a digit/],
    [['x', '--count', long], /--count "x{60}": must be a digit\n/],
    [['x', '--count', '\0\ud800'], /--count "\\u0000\\ud800": must be a digit/],
    [['x', '--count='], /--count: must not be empty/],
    [['x', '--as-json=no'], /--as-json: takes no value/],
    [['x', '--color', 'gren'], /--color "gren": must be one of red, green; did you mean green\?/],
  ] as const) {
    const { code, out, err } = await run('acme show', ...args)
    assert.deepEqual([code, out], [2, ''], args.join(' ').slice(0, 80))
    assert.match(err, message)
    assert.match(err, /usage: mesh acme show THING \[MORE\]\.\.\. \[--count N\]/)
  }
})

test('an error of a command is its message, and what is no exit code is an error', async () => {
  assert.deepEqual(await run('acme boom'), { code: 1, out: '', err: 'mesh: boom\n' })
  for (const [words, text] of [
    ['acme odd', 'undefined'],
    ['acme huge', '1000000000'],
  ] as const) {
    const { code, err } = await run(words)
    assert.deepEqual([code, err], [1, `mesh: the command ${words} returned ${text}, not an exit code\n`])
  }
})

test('help is generated from the declaration', async () => {
  const text = `  mesh acme show x  one thing

usage: mesh acme show THING [MORE]... [--count N] [--tag KEY=VALUE]... [--as-json] [--color red|green]

Show what was given.

  THING              what to show (required)
  MORE               further things (repeatable)
  --count N          how often (default 1)
  --tag KEY=VALUE    a label (repeatable)
  --as-json          print JSON
  --color red|green  its color

Exit code: 0 done, 1 could not run, 2 wrong arguments, 7 nothing to show.
`
  assert.equal(commandHelp(show), text)
  // Help is asked for before anything is missing or wrong, but not behind `--`.
  for (const args of [['--help'], ['-h'], ['x', '--help'], ['x', '--count', '--help'], ['x', '--count', 'y', '-h']])
    assert.deepEqual(await run('acme show', ...args), { code: 0, out: text, err: '' })
  assert.match((await run('acme show', '--', '--help')).out, /"thing":"--help"/)
  assert.match((await run('acme show', 'help')).out, /"thing":"help"/)
})

test('an unknown command is answered with the nearest one, or with those that begin like it', () => {
  const known = ['all', 'worker', 'worker dead-letters list', 'worker dead-letters redrive', 'keys init', 'keys rotate']
  for (const [words, message] of [
    ['wroker', 'unknown command "wroker"; did you mean mesh worker?'],
    ['wroker list', 'unknown command "wroker"; did you mean mesh worker?'],
    ['worker dead-leters', 'unknown command "worker dead-leters"; did you mean mesh worker dead-letters?'],
    [
      'worker dead-letters',
      'unknown command "worker dead-letters"; there is mesh worker dead-letters list and mesh worker dead-letters redrive',
    ],
    [
      'worker dead-letters lits',
      'unknown command "worker dead-letters lits"; did you mean mesh worker dead-letters list?',
    ],
    ['keys', 'unknown command "keys"; there is mesh keys init and mesh keys rotate'],
    ['keys banana', 'unknown command "keys banana"; there is mesh keys init and mesh keys rotate'],
    ['banana', 'unknown command "banana"'],
  ] as const)
    assert.equal(unknownCommand(words.split(' '), known), message)
})
