import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Static } from 'typebox'
import { openDatabase } from '#core/database/database.ts'
import { createMigrated, pluginAdapters } from '#core/database/testing/databases.ts'
import { needs } from '#test/harness/find-server.ts'
import { heapFlags } from '#test/harness/heap-flags.ts'
import { terminalStates } from '#schemas/runs/run.ts'
import type { runsSettings } from '../contract/settings.ts'
import { readContent } from '../store/internal/content.ts'
import type { RunsTables, SelectedRun } from '../contract/tables.ts'
import { entryJson, frame, resultJson, startForgedLauncher } from '../testing/forged-launcher.ts'
import { createWorld, workerServices, queueRun, settled, startWorker, worldMigrations } from '../testing/world.ts'

type Settings = Partial<Static<typeof runsSettings>>

const isTerminal = (run: SelectedRun): boolean => terminalStates.has(run.state)
const MIB = 1024 * 1024
const total = 200 * MIB
const block = 'x'.repeat(64 * 1024)

/** Memory of a process in bytes: current (`VmRSS`) or peak (`VmHWM`), see proc(5). */
function memoryOf(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const line = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(line?.[1]) * 1024
}

/** Sends frames as fast as the worker reads them, then the result; returns the sent bytes. */
async function flood(response: ServerResponse, next: (index: number) => string): Promise<number> {
  let sent = 0
  for (let index = 0; sent < total && !response.destroyed; index++) {
    const bytes = frame(next(index))
    sent += bytes.length
    if (!response.write(bytes)) await writable(response)
  }
  response.end(frame(entryJson('run.succeeded', 1_000_000, resultJson('succeeded', '"output":"fine"'))))
  return sent
}

function writable(response: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const events = ['drain', 'close'] as const
  for (const event of events) response.once(event, resolve)
  return promise.finally(() => {
    for (const event of events) response.off(event, resolve)
  })
}

/** Starts a worker in a separate process; killed with the test. */
async function spawnWorker(t: TestContext, url: string, launcher: string, settings: Settings): Promise<number> {
  const program = fileURLToPath(import.meta.resolve('../testing/worker-process.ts'))
  const child = spawn(process.execPath, [...heapFlags, program, url, launcher, '', JSON.stringify(settings)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  await once(child.stdout, 'data')
  return child.pid ?? 0
}

const cases: Record<
  string,
  { readonly settings: Settings; readonly next: (index: number) => string; readonly error: RegExp | null }
> = {
  'deltas above the limit': {
    settings: {},
    next: () => entryJson('message.delta', undefined, `{"messageId":"m","text":"${block}"}`),
    error: /limit of 16777216 bytes of deltas \(setting runs\.runDeltaBytes\)/,
  },
  'deltas below the limit': {
    settings: { runDeltaBytes: 1024 * MIB },
    next: () => entryJson('message.delta', undefined, `{"messageId":"m","text":"${block}"}`),
    error: null,
  },
  'entries above the limit': {
    settings: {},
    next: (index) => entryJson('tool.finished', index + 1, `{"result":"${block}"}`),
    error: /limit of 67108864 stored bytes \(setting runs\.runJournalBytes\)/,
  },
}

for (const [what, { settings, next, error }] of Object.entries(cases))
  test(
    `SEC14, F6: 200 MB of an agent cost its worker at most 100 MB of memory (${what})`,
    { skip: needs('postgres', 'initdb').skip, timeout: 480_000 },
    async (t) => {
      const url = await createMigrated(t, worldMigrations)
      const database = await openDatabase({ url })
      t.after(() => database.close())
      const world = createWorld(database)
      let warm = true
      const launcher = await startForgedLauncher(t, (response) =>
        warm
          ? response.end(frame(entryJson('run.succeeded', 1, resultJson('succeeded', '"output":"fine"'))))
          : flood(response, next),
      )
      const pid = await spawnWorker(t, url, launcher.url, settings)
      for (let n = 0; n < 3; n++) await settled(world, (await queueRun(world, 'x')).id, isTerminal)
      warm = false
      const before = memoryOf(pid, 'VmRSS')
      const ended = await settled(world, (await queueRun(world, 'x')).id, isTerminal, 240_000)
      const grown = (memoryOf(pid, 'VmHWM') - before) / MIB
      t.diagnostic(`${what}: ${(before / MIB).toFixed(0)} MiB before, at most ${grown.toFixed(0)} MiB more`)
      assert.equal(ended.state, error === null ? 'succeeded' : 'failed')
      const content = await readContent(world.store.reader<RunsTables>(), ended.id)
      if (error !== null) assert.match(content?.error ?? '', error)
      assert.ok(grown <= 100, `${grown.toFixed(0)} MiB`)
    },
  )

for (const { name, skip, open } of pluginAdapters) {
  const failure = async (t: TestContext, settings: Settings, frames: readonly string[]): Promise<string> => {
    const database = await open(t, worldMigrations)
    const world = createWorld(database, undefined, settings)
    const launcher = await startForgedLauncher(t, (response) => response.end(frames.map(frame).join('')))
    const worker = startWorker(
      workerServices(world, () => launcher.url),
      'one',
    )
    t.after(() => worker.stop())
    const ended = await settled(world, (await queueRun(world, 'x')).id, isTerminal)
    assert.deepEqual([ended.state, ended.fail_reason], ['failed', 'agent_error'])
    return (await readContent(world.store.reader<RunsTables>(), ended.id))?.error ?? ''
  }
  const result = (n: number) => entryJson('run.succeeded', n, resultJson('succeeded', '"output":1'))

  test(`${name}: SEC14, F6: a run above a limit fails, and the error names the setting`, { skip }, async (t) => {
    const steps = [1, 2, 3, 4].map((n) => entryJson('step.started', n, '{}'))
    assert.match(
      await failure(t, { runEntries: 3 }, [...steps, result(5)]),
      /3 journal entries \(setting runs\.runEntries\)/,
    )
    const large = entryJson('step.started', 1, `{"a":"${'x'.repeat(70_000)}"}`)
    assert.match(
      await failure(t, { runEntryBytes: 65_536 }, [large, result(2)]),
      /65536 bytes in one entry \(setting runs\.runEntryBytes\)/,
    )
  })
}
