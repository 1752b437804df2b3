import assert from 'node:assert/strict'
import test from 'node:test'
import { BadArguments } from './option.ts'
import type { CommandOptions } from './option.ts'
import { UnknownCommand } from './program.ts'
import type { LineCommand } from './program.ts'
import { runLine } from './run-line.ts'

const options = {
  file: { positional: true, help: 'x' },
  more: { positional: true, repeatable: true, help: 'x' },
  limit: { value: 'N', short: 'l', help: 'x', parse: toLimit },
  tag: { value: 'TAG', repeatable: true, help: 'x' },
  'no-demo': { help: 'x' },
  demo: { value: 'NAME', help: 'x' },
  quiet: { short: 'q', help: 'x' },
  output: { oneOf: ['text', 'json'], default: 'text', help: 'x' },
} as const satisfies CommandOptions
const absent = { more: [], tag: [], 'no-demo': false, quiet: false, output: 'text' }

function toLimit(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new Error('must be 0 to 9999')
  return Number(text)
}

async function line(args: readonly string[], more: readonly LineCommand[] = []) {
  let [out, err] = ['', '']
  let given: unknown
  const acme: LineCommand = {
    words: 'acme list',
    options,
    help: () => 'help of acme list\n',
    run: async (values) => {
      given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
      return 3
    },
  }
  const program = { name: 'acmectl', out: (text: string) => (out += text), err: (text: string) => (err += text) }
  const code = await runLine(program, [acme, ...more], args)
  return { code, out, err, given }
}

const list = (...args: string[]) => line(['acme', 'list', ...args])

test('R2-HO-1: values are those that were given, whatever their bytes are', async () => {
  for (const [args, expected] of [
    [[], {}],
    [['a', 'b', 'c'], { file: 'a', more: ['b', 'c'] }],
    [['--limit=7'], { limit: 7 }],
    [['-l', '7', '-q'], { limit: 7, quiet: true }],
    [['-ql7'], { limit: 7, quiet: true }],
    [['--limit', '1', '--limit', '2'], { limit: 2 }],
    [['--tag', 'a', 'b', '--tag=-c', '--tag==d'], { file: 'b', tag: ['a', '-c', '=d'] }],
    [['--tag=\0\ud800'], { tag: ['\0\ud800'] }],
    [['\0', '\ud800', 'a\nb'], { file: '\0', more: ['\ud800', 'a\nb'] }],
    [['--', '--limit', '-q'], { file: '--limit', more: ['-q'] }],
    [['a', '--', '--', '--help'], { file: 'a', more: ['--', '--help'] }],
    [['-'], { file: '-' }],
    [['list', 'acme'], { file: 'list', more: ['acme'] }],
    [['--no-demo', '--demo', 'x'], { 'no-demo': true, demo: 'x' }],
    [['--output', 'json'], { output: 'json' }],
    [['__proto__', 'constructor'], { file: '__proto__', more: ['constructor'] }],
  ] as const)
    assert.deepEqual(await list(...args), { code: 3, out: '', err: '', given: { ...absent, ...expected } }, args.join())
  const many = Array.from({ length: 20_000 }, (_, index) => String(index))
  assert.deepEqual((await list('x', ...many)).given, { ...absent, file: 'x', more: many })
})

test('R2-HO-1: a wrong argument is refused with exit code 2, its name and at most 60 characters', async () => {
  const long = 'x'.repeat(200_000)
  for (const [args, message] of [
    [['--limti', '3'], 'unknown option "--limti"; did you mean --limit?'],
    [['--limti=3'], 'unknown option "--limti"; did you mean --limit?'],
    [['--lim', '3'], 'unknown option "--lim"; did you mean --limit?'],
    [['-x'], 'unknown option "-x"'],
    [['--file', 'x'], 'unknown option "--file"'],
    [['--__proto__=x'], 'unknown option "--__proto__"'],
    [['--toString'], 'unknown option "--toString"'],
    [['--\0\ud800'], String.raw`unknown option "--\u0000\ud800"`],
    [["--it's'", '-q'], `unknown option "--it's'"`],
    [['--a\nb'], String.raw`unknown option "--a\nb"`],
    [[`--${long}`], `unknown option "--${'x'.repeat(58)}"`],
    [['--limit'], '--limit: needs a value (N)'],
    [['--limit', '-q'], '--limit: needs a value (N)'],
    [['--limit', '--tag', 'x'], '--limit: needs a value (N)'],
    [['--limit', '--limit', '1'], '--limit: needs a value (N)'],
    [['--limit='], '--limit: must not be empty'],
    [['--limit', '9'.repeat(400)], `--limit "${'9'.repeat(60)}": must be 0 to 9999`],
    [['--limit', '-5'], '--limit "-5": must be 0 to 9999'],
    [['--limit', '1e309'], '--limit "1e309": must be 0 to 9999'],
    [['--limit', '\0\ud800'], String.raw`--limit "\u0000\ud800": must be 0 to 9999`],
    [['--limit', long], `--limit "${'x'.repeat(60)}": must be 0 to 9999`],
    [['--quiet=yes'], '--quiet: takes no value'],
    [['--no-demo=1'], '--no-demo: takes no value'],
    [['--output', 'jsno'], '--output "jsno": must be one of text, json'],
  ] as const) {
    const answer = await list(...args)
    assert.deepEqual(answer, {
      code: 2,
      out: '',
      err: `acmectl: ${message}\n\nhelp of acme list\n`,
      given: undefined,
    })
  }
})

test('R2-HO-1: a command is found by all of its words, and a role may be the beginning of commands', async () => {
  const args: (readonly string[])[] = []
  const role = { words: 'worker', help: () => '', run: async (_: object, given: readonly string[]) => args.push(given) }
  const command = { words: 'worker drain', options: {}, help: () => 'help of drain\n', run: async () => 5 }
  const other = { words: 'state', options: {}, help: () => 'help of state\n', run: async () => 6 }
  const below = { words: 'state dump', options: {}, help: () => '', run: async () => 7 }
  for (const order of [
    [role, command, other, below],
    [below, other, command, role],
  ]) {
    const run = async (...given: string[]) => line(given, order)
    assert.equal((await run('worker', 'drain')).code, 5)
    assert.equal((await run('worker', 'drain', '--help')).out, 'help of drain\n')
    assert.match((await run('worker', 'drain', 'x\0')).err, /^acmectl: unknown argument "x\\u0000"\n/)
    // A command without options is given what it is called with.
    args.length = 0
    for (const given of [[], ['drian'], ['--help'], ['-x', 'y']]) await run('worker', ...given)
    assert.deepEqual(args, [[], ['drian'], ['--help'], ['-x', 'y']])
    assert.equal((await run('state')).code, 6)
    assert.equal((await run('state', 'dump')).code, 7)
    await assert.rejects(run('state', 'dmup'), UnknownCommand)
  }
  for (const words of [[], ['acme'], ['acme', 'lits'], ['list'], ['help'], ['__proto__'], ['\0'], ['--limit', 'acme']])
    await assert.rejects(line(words), UnknownCommand, words.join(' '))
})

test('R2-HO-1: an error of a command is its message; one of its arguments shows the usage', async () => {
  const failing = (error: unknown): LineCommand => ({
    words: 'fail',
    options: {},
    help: () => 'help\n',
    run: async () => {
      throw error
    },
  })
  for (const [error, code, err] of [
    [new Error('boom'), 1, 'acmectl: boom\n'],
    ['text', 1, 'acmectl: text\n'],
    [new BadArguments('--a: with --b only'), 2, 'acmectl: --a: with --b only\n\nhelp\n'],
  ] as const) {
    const ended = await line(['fail'], [failing(error)])
    assert.deepEqual([ended.code, ended.err], [code, err])
  }
})
