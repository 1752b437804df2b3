import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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

test('the scripts are those of their shells, and bash completes with its own', () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const printed = spawnSync(process.execPath, ['--eval', program, '--', 'completion', shell], { encoding: 'utf8' })
    assert.equal(printed.status, 0, printed.stderr)
    assert.match(printed.stdout, new RegExp(`^#(?:compdef meshctl|.*${shell}).*\n`))
    assert.match(printed.stdout, /meshctl complete --/)
  }
  // What bash-completion has: the words of the line, and the one under the cursor.
  const line = `_get_comp_words_by_ref() { words=(meshctl mcp conn); cur=conn; }
meshctl() { "$NODE" --eval "$PROGRAM" -- "$@"; }
compopt() { :; }
eval "$(meshctl completion bash)"
__meshctl_complete
printf '%s\\n' "\${COMPREPLY[@]}"`
  const env = { ...process.env, NODE: process.execPath, PROGRAM: program }
  const ran = spawnSync('bash', ['--norc', '-c', line], { encoding: 'utf8', env })
  assert.deepEqual([ran.stderr, ran.stdout], ['', 'connect\nconnectors\n'])
})
