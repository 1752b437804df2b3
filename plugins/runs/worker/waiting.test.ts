import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { launch, until } from '#launcher/testdata/launch.ts'
import { nodeAgent } from '#launcher/testdata/node-agent.ts'
import { terminalStates } from '#schemas/runs/run.ts'
import { readContent } from '../store/internal/content.ts'
import { noCosts } from '../store/read-costs.ts'
import { noActivity } from '../store/read-activity.ts'
import { readJournal } from '../store/reads.ts'
import { toRun } from '../read/to-run.ts'
import type { LiveFrame } from '../contract/live-frame.ts'
import { streamRun } from '../stream/stream-run.ts'
import type { RunsTables, SelectedRun } from '../contract/tables.ts'
import type { WaitVerdict } from '../launchers/judge-readiness.ts'
import { createWorld, queueRun, settled, startWorker, workerServices, worldMigrations } from '../testing/world.ts'
import type { World } from '../testing/world.ts'

const isEnded = (run: SelectedRun): boolean => terminalStates.has(run.state)

/** Kinds of the journal, and the reasons of its entries. */
async function journalOf(world: World, run: SelectedRun): Promise<string[]> {
  const entries = await readJournal(world.store.reader<RunsTables>(), run, 0, 100)
  return entries.map(({ kind, data }) => (kind === 'run.waiting' ? `${kind} ${String(data['reason'])}` : kind))
}

for (const { name, skip, open } of pluginAdapters) {
  const start = async (t: TestContext) => {
    const database = await open(t, worldMigrations)
    const world = createWorld(database)
    let url: string | undefined
    /** A worker to which the state role answers `readiness` or an error; it counts the questions. */
    const work = (holder: string, readiness: () => WaitVerdict) => {
      const asked = { times: 0 }
      const answer = async () => {
        asked.times++
        return readiness()
      }
      const services = { ...workerServices(world, () => url), readiness: answer, shownAfterMs: 20 }
      const worker = startWorker(services, holder)
      t.after(() => worker.stop())
      return { stop: () => worker.stop(), asked }
    }
    const serve = async () => {
      url = (await launch(t, { command: nodeAgent })).url
    }
    return { world, work, serve }
  }

  test(`R2-UX-11: ${name}: a run whose agent never runs fails at once and says why`, { skip }, async (t) => {
    const { world, work } = await start(t)
    work('one', () => ({ outcome: 'never', reason: 'PodNotAllowed' }))
    const run = await queueRun(world, {})
    const ended = await settled(world, run.id, isEnded, 30_000)
    assert.deepEqual([ended.state, ended.fail_reason, ended.wait_reason], ['failed', 'agent_unreachable', null])
    const content = await readContent(world.store.reader<RunsTables>(), run.id)
    assert.equal(content?.error, 'Agent default/robot cannot run: its spec is not accepted (PodNotAllowed).')
    assert.deepEqual(await journalOf(world, run), ['run.queued', 'run.failed'])
  })

  test(
    `R2-UX-11: ${name}: each reason of a wait is one entry, replayed, listed, and gone after the start`,
    { skip },
    async (t) => {
      const { world, work, serve } = await start(t)
      let readiness: WaitVerdict = { outcome: 'waits', reason: 'ImagePullBackOff' }
      const first = work('one', () => readiness)
      const run = await queueRun(world, { do: 'echo' })
      const waiting = await settled(world, run.id, (row) => row.wait_reason === 'ImagePullBackOff', 30_000)
      const { waitReason } = toRun(waiting, { ...noCosts, ...noActivity })
      const message = 'Waits for agent default/robot: the image of its pod cannot be pulled (ImagePullBackOff).'
      assert.deepEqual(waitReason, { code: 'agent_not_ready', reason: 'ImagePullBackOff', message })
      const before = first.asked.times
      await until(async () => first.asked.times > before + 2, 'more questions of the first worker')
      await first.stop()
      const second = work('two', () => readiness)
      await until(async () => second.asked.times > 2, 'questions of the second worker')
      readiness = { outcome: 'waits', reason: 'ScaledToZero' }
      await settled(world, run.id, (row) => row.wait_reason === 'ScaledToZero', 30_000)
      await serve()
      const ended = await settled(world, run.id, isEnded, 30_000)
      assert.deepEqual(
        [ended.state, ended.wait_reason, toRun(ended, { ...noCosts, ...noActivity }).waitReason],
        ['succeeded', null, undefined],
      )
      const entries = await journalOf(world, run)
      assert.deepEqual(entries.slice(0, 4), [
        'run.queued',
        'run.waiting ImagePullBackOff',
        'run.waiting ScaledToZero',
        'run.started',
      ])
      const frames: LiveFrame[] = []
      await streamRun(world, ended, 1, {
        send: (frame) => void frames.push(frame),
        signal: AbortSignal.timeout(30_000),
      })
      assert.deepEqual([frames[0]?.seq, frames[0]?.kind, frames[0]?.data['message']], [2, 'run.waiting', message])
    },
  )

  test(
    `R2-UX-11: ${name}: without an answer of the state role a run waits on, and a cancel ends it`,
    { skip },
    async (t) => {
      const { world, work } = await start(t)
      work('one', () => {
        throw new Error('the state role is away')
      })
      const run = await queueRun(world, {})
      await settled(world, run.id, (row) => row.wait_reason === 'NoReadyPod', 30_000)
      await world.writer.change(run.id, { actor: { name: 'alice', kind: 'user' } }, () => ({
        facts: [{ fact: 'cancel-requested' }],
      }))
      const ended = await settled(world, run.id, isEnded, 30_000)
      assert.deepEqual([ended.state, ended.wait_reason], ['cancelled', null])
    },
  )
}
