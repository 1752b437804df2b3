import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { countOf } from '#test/harness/counts.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'

const options = { skip: process.platform === 'linux' ? (false as const) : 'reads /proc' }
const parent = fileURLToPath(import.meta.resolve('../testdata/parent.ts'))
const main = fileURLToPath(import.meta.resolve('../main.ts'))
const seconds = 10
const launchers = countOf(6, 20)

interface Process {
  readonly pid: number
  readonly parent: number
  readonly startedAt: string
  readonly name: string
}

function processes(): Process[] {
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return []
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8')
      const [state, ppid, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      if (state === 'Z' || state === 'X') return []
      const name = readFileSync(`/proc/${entry}/cmdline`, 'utf8').replaceAll('\0', ' ').slice(0, 120)
      return [{ pid: Number(entry), parent: Number(ppid), startedAt: rest[17] ?? '', name }]
    } catch {
      return [] // ended meanwhile
    }
  })
}

function below(root: number): Process[] {
  const all = processes()
  const found: Process[] = []
  for (let level = [root]; level.length > 0;) {
    const children = all.filter((one) => level.includes(one.parent))
    found.push(...children)
    level = children.map(({ pid }) => pid)
  }
  return found
}

function stillThere(before: readonly Process[], mark: string): Process[] {
  const known = new Set(before.map(({ pid, startedAt }) => `${pid} ${startedAt}`))
  return processes().filter((one) => known.has(`${one.pid} ${one.startedAt}`) || hasMark(one.pid, mark))
}

function hasMark(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(mark)
  } catch {
    return false
  }
}

/** Starts launchers below a parent, kills the parent, and counts what is left. */
async function killParent(t: TestContext, wanted: number, when: (started: Promise<unknown>) => Promise<unknown>) {
  const folder = tempFolder('parent')
  t.after(() => folder.remove())
  const config = join(folder.path, 'agent.json')
  writeFileSync(config, JSON.stringify({ name: 'robot', namespace: 'default', uid: 'uid-1' }))
  const mark = `MESH_TEST_MARK=${folder.path}`
  const child = spawn(process.execPath, [parent, main, config, String(wanted)], {
    env: { PATH: process.env.PATH, MESH_TEST_MARK: folder.path },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  await when(once(child.stdout, 'data'))
  const before = below(child.pid ?? 0)
  child.kill('SIGKILL')
  await exited
  const killedAt = performance.now()
  let left = stillThere(before, mark)
  while (left.length > 0 && performance.now() - killedAt < seconds * 1000) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    left = stillThere(before, mark)
  }
  const took = Math.round(performance.now() - killedAt)
  for (const { pid } of left) process.kill(pid, 'SIGKILL') // this test leaves nothing either
  t.diagnostic(`${before.length} processes below the parent, all gone after ${took} ms`)
  assert.deepEqual(
    left.map(({ pid, name }) => `${pid} ${name}`),
    [],
  )
  return before.length
}

function burn(t: TestContext): void {
  for (let index = 0; index < 4; index++) {
    const busy = spawn('/bin/sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' })
    t.after(() => busy.kill('SIGKILL'))
  }
}

test(`P4: kill -9 of the parent of ${launchers} launchers leaves no process`, options, async (t) => {
  const count = await killParent(t, launchers, (started) => started)
  assert.ok(count >= 3 * launchers, `launcher, guard and agent of each: ${count}`)
})

test('P4: kill -9 of the parent leaves no process under load of the CPU', options, async (t) => {
  burn(t)
  assert.ok((await killParent(t, launchers, (started) => started)) >= 3 * launchers)
})

test('P4: kill -9 of the parent leaves no process at any moment of the start', options, async (t) => {
  for (const ms of [250, 500, 900, 1300])
    await killParent(t, countOf(3, 8), () => new Promise((resolve) => setTimeout(resolve, ms)))
})
