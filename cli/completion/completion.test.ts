import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { runCli } from '#cli/testing/run-cli.ts'
import { cliCommands } from '../main.ts'

const program = `import(${JSON.stringify(new URL('../main.ts', import.meta.url).href)}).then(({ main }) => main(process.argv.slice(1)))`

async function complete(...words: string[]): Promise<readonly string[]> {
  const { code, out, err } = await runCli(['complete', '--', ...words])
  assert.deepEqual([code, err], [0, ''])
  assert.match(out, /:[46]\n$/)
  return out.split('\n').flatMap((line) => (line.includes('\t') ? [line.split('\t')[0] ?? ''] : []))
}

test('words of commands, options and values are completed at their place', async () => {
  assert.deepEqual(await complete('run'), ['runs'])
  assert.deepEqual(await complete('runs', ''), ['get', 'list', 'stats'])
  assert.deepEqual(await complete('runs', 'list', '--all'), ['--all-namespaces'])
  assert.deepEqual(await complete('runs', 'list', '--name'), ['--namespace'])
  assert.deepEqual(await complete('runs', 'list', '--namespace', 'x', '--name'), [], 'given once')
  assert.deepEqual(await complete('runs', 'list', '-o', 'j'), ['json'])
  assert.deepEqual(await complete('runs', 'list', '--output=y'), ['--output=yaml'])
  assert.deepEqual(await complete('completion', ''), ['bash', 'zsh', 'fish'])
  assert.deepEqual(await complete('completion', 'bash', ''), [], 'no second one')
  for (const words of [
    ['absent', ''],
    ['runs', 'absent', ''],
    ['\0', '\ud800'],
    ['runs', 'list', '--absent', ''],
  ])
    assert.deepEqual(await complete(...words), [], words.join(' '))
  const first = new Set(cliCommands.map(({ words }) => words.split(' ')[0]))
  assert.deepEqual(new Set(await complete('')), first)
})

test('files are completed where a file is expected, without hidden and hostile names', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'completion-'))
  t.after(() => rmSync(folder, { recursive: true }))
  for (const name of ['a.yaml', 'b.yaml', '.hidden', 'a\nrm']) writeFileSync(join(folder, name), '')
  mkdirSync(join(folder, 'sub'))
  const paths = (...names: string[]) => names.map((name) => join(folder, name))
  assert.deepEqual((await complete('expand', `${folder}/`)).toSorted(), [
    ...paths('a.yaml', 'b.yaml'),
    `${folder}/sub/`,
  ])
  assert.deepEqual(await complete('expand', 'x', `${folder}/b`), paths('b.yaml'), 'a further file')
  assert.deepEqual(await complete('expand', `${folder}/.h`), paths('.hidden'))
  assert.deepEqual(await complete('runs', 'list', '--kubeconfig', `${folder}/a`), paths('a.yaml'))
  assert.deepEqual(await complete('expand', `${folder}/absent/`), [])
  const { out } = await runCli(['complete', '--', 'expand', `${folder}/s`])
  assert.match(out, /sub\/\t\n:6\n$/, 'no space after a folder')
})

test('the scripts are those of their shells', () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const printed = spawnSync(process.execPath, ['--eval', program, '--', 'completion', shell], { encoding: 'utf8' })
    assert.equal(printed.status, 0, printed.stderr)
    assert.match(printed.stdout, new RegExp(`^#(?:compdef meshctl|.*${shell}).*\n`))
    assert.match(printed.stdout, /meshctl complete --/)
  }
})

/** What bash completes of a line, without bash-completion. Bash itself splits lines at blanks and at = and :. */
function bashCompletes(line: string, cwd: string): readonly string[] {
  const words: string[] = line.match(/[=:<>]|[^\s=:<>]+/g) ?? []
  if (line.endsWith(' ')) words.push('')
  const quoted = words.map((word) => `'${word}'`)
  const commands = [
    'meshctl() { "$NODE" --eval "$PROGRAM" -- "$@"; }',
    'eval "$(meshctl completion bash)"',
    `COMP_LINE='${line}' COMP_POINT=${line.length} COMP_WORDS=(${quoted.join(' ')}) COMP_CWORD=${words.length - 1}`,
    '__meshctl_complete',
    'printf "%s\\n" "${COMPREPLY[@]}"',
  ]
  const env = { ...process.env, NODE: process.execPath, PROGRAM: program }
  const { stderr, stdout } = spawnSync('bash', ['--norc', '-c', commands.join('\n')], { encoding: 'utf8', env, cwd })
  assert.equal(stderr, '', line)
  return stdout.trimEnd().split('\n')
}

test('bash completes without bash-completion, and runs nothing that a line or the name of a file has', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'completion-'))
  t.after(() => rmSync(folder, { recursive: true }))
  for (const name of ['a$(touch made)', 'two words']) writeFileSync(join(folder, name), '')
  writeFileSync(join(folder, 'kept'), 'content')
  for (const [line, found] of [
    ['meshctl mcp conn', ['connect', 'connectors']],
    ['  meshctl dev --provider ', ['mock', 'real']],
    ['meshctl dev --provider=m', ['mock']],
    ['meshctl dev --provider=', ['mock', 'real']],
    ['meshctl expand a', ['a\\$\\(touch\\ made\\)']],
    ['meshctl expand $(touch made) t', ['two\\ words']],
    ['meshctl expand > kept t', ['two\\ words']],
    ['meshctl expand 2>kept t', ['two\\ words']],
  ] as const)
    assert.deepEqual(bashCompletes(line, folder), found, line)
  assert.deepEqual(readdirSync(folder).toSorted(), ['a$(touch made)', 'kept', 'two words'])
  assert.equal(readFileSync(join(folder, 'kept'), 'utf8'), 'content')
})
