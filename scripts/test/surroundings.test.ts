import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import test from 'node:test'

const module = new URL('surroundings.ts', import.meta.url).href
const program = `import { statSync } from 'node:fs'
const { useMemoryForFiles } = await import('${module}')
useMemoryForFiles()
const { TMPDIR } = process.env
console.log(JSON.stringify([TMPDIR, statSync(TMPDIR).mode & 0o777]))`

function run(env: NodeJS.ProcessEnv, says = /^$/): readonly [folder: string, mode: number] {
  const args = ['--input-type=module', '--eval', program]
  const { stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  assert.match(stderr, says)
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

// Mounts need root, and a container may refuse them.
const mounted = '/dev/shm/mesh-tests-99999998-abcdef/disk'
const mount = (): boolean => {
  mkdirSync(mounted, { recursive: true })
  return spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', mounted]).status === 0
}

test('a mount that a killed run has left stops no later run', { skip }, (t) => {
  t.after(() => {
    spawnSync('umount', [mounted])
    rmSync(dirname(mounted), { recursive: true, force: true })
  })
  if (!mount()) return t.skip('mounts are refused here')
  assert.match(
    run({ PATH: process.env.PATH }, /99999998-abcdef, left by a run that was killed, is not removed/)[0],
    /shm/,
  )
})

test('TMPDIR keeps what its user set', () => {
  assert.equal(run({ PATH: process.env.PATH, TMPDIR: '/tmp' })[0], '/tmp')
})
