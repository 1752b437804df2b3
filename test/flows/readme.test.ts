import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { commandsOf } from './readme.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

test('R2-UX-4: the README and write-an-agent: their commands alone do the job on a copy in an empty folder', async (t) => {
  const folder = tempFolder('readme')
  t.after(() => folder.remove())
  const archive = execFileSync('git', ['archive', '--format=tar', 'HEAD'], { cwd: root, maxBuffer: 1 << 28 })
  execFileSync('tar', ['-x', '-C', folder.path], { input: archive })
  const [start = ''] = commandsOf(join(folder.path, 'README.md'), 'Try it')
  assert.equal(start, 'npm start')
  // Any free port, since other processes use this machine; otherwise as written.
  const npm = spawn('npm', ['start', '--silent', '--', '--port', '0', '--output', 'json'], {
    cwd: folder.path,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => npm.kill('SIGKILL'))
  const [line] = (await once(createInterface({ input: npm.stdout }), 'line')) as [string]
  const ready = JSON.parse(line) as { url: string; pid: number; dataDir: string }
  t.after(() => isAlive(ready.pid) && process.kill(ready.pid, 'SIGKILL'))

  // Nothing in the environment: the prelude of the page finds the platform.
  const env = { PATH: process.env['PATH'], HOME: folder.path }
  const run = (commands: readonly string[]): string =>
    execFileSync('bash', ['-c', ['set -euo pipefail', ...commands].join('\n')], {
      cwd: folder.path,
      env,
      encoding: 'utf8',
    })
  const output = run(commandsOf(join(folder.path, 'README.md'), 'The main job'))
  assert.match(output, /MOCK_OK/, 'the agent answered')
  assert.match(output, /event: run\.succeeded/, 'the run was watched live')
  assert.match(output, /You greet people in French/, 'the diff shows the change')
  const audit = JSON.parse(output.slice(output.lastIndexOf('{"items"'))) as { items: Record<string, unknown>[] }
  // The roll-back tries again if the manager wrote the agent meanwhile; the API server reports the attempt that was in conflict. The manager
  // reports when a revision is rolled out.
  const steps = audit.items.filter(
    ({ resource_kind: kind, action, outcome, detail }) =>
      kind === 'AgentDeployment' &&
      action !== 'deploy' &&
      !(outcome === 'error' && (detail as { code?: string } | null)?.code === 'conflict'),
  )
  assert.deepEqual(
    steps.map(({ action, actor, outcome }) => [action, actor, outcome]),
    [
      ['rollback', 'developer', 'success'],
      ['update', 'developer', 'success'],
      ['create', 'developer', 'success'],
      ['create', 'developer', 'success'],
    ],
    'the roll-back, the change and both creations, newest first, with the exact caller',
  )

  const page = join(folder.path, 'docs/how-to/write-an-agent.md')
  const refunds = run(commandsOf(page, 'Run it'))
  assert.match(refunds, /"refunded":20/, 'a run that ends')
  assert.match(refunds, /event: run\.succeeded[^]*"refunded":500/, 'a run that was approved')

  process.kill(ready.pid, 'SIGTERM')
  const [code] = (await once(npm, 'exit')) as [number]
  assert.equal(code, 0)
  assert.deepEqual(launchersOf(ready.dataDir), [], 'no process is left')
})

/** Processes whose environment refers to a data folder. */
function launchersOf(dataDir: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).filter((pid) => pid !== process.pid && mentions(pid, dataDir))
}

function mentions(pid: number, text: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(text)
  } catch {
    return false
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
