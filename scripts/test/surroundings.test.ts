import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, statfsSync } from 'node:fs'
import test from 'node:test'

const module = new URL('surroundings.ts', import.meta.url).href
const program = `import { statSync } from 'node:fs'
const { useMemoryForFiles } = await import('${module}')
useMemoryForFiles()
const { TMPDIR } = process.env
console.log(JSON.stringify([TMPDIR, statSync(TMPDIR).mode & 0o777]))`

function run(env: NodeJS.ProcessEnv): readonly [folder: string, mode: number] {
  const args = ['--input-type=module', '--eval', program]
  const { stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  assert.equal(stderr, '')
  return JSON.parse(stdout) as [string, number]
}

const skip = !existsSync('/dev/shm') || statfsSync('/dev/shm').bavail * statfsSync('/dev/shm').bsize < 8 * 2 ** 30

test('temporary files are in memory while the process runs, and those of a killed one are removed', { skip }, (t) => {
  // Above the highest process id of Linux.
  const abandoned = '/dev/shm/mesh-tests-99999999-abcdef'
  const running = `/dev/shm/mesh-tests-${process.pid}-abcdef`
  for (const folder of [abandoned, running]) mkdirSync(folder)
  t.after(() => rmSync(running, { recursive: true }))
  const [folder, mode] = run({ PATH: process.env.PATH })
  assert.match(folder, /^\/dev\/shm\/mesh-tests-\d+-\w{6}$/)
  assert.equal(mode, 0o711)
  assert.ok(!existsSync(folder), 'removed at the exit')
  assert.deepEqual([existsSync(abandoned), existsSync(running)], [false, true])
})

test('TMPDIR keeps what its user set', () => {
  assert.equal(run({ PATH: process.env.PATH, TMPDIR: '/tmp' })[0], '/tmp')
})
