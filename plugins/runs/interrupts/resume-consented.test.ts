import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import type { GivenConsent } from '../contract/api.ts'
import type { RunsTables, SelectedRun } from '../contract/tables.ts'
import { cancelRun } from '../callers/caller-runs.ts'
import { resumeConsentedIn } from './resume-consented.ts'
import { readContent } from '../store/internal/content.ts'
import { createWorld, queueRunOf, settled, startWorker, workerServices, worldMigrations } from '../testing/world.ts'
import { entryJson, frame, resultJson, startForgedLauncher } from '../testing/forged-launcher.ts'

const alice = { name: 'alice', kind: 'user' } as const
const tickets = { subject: 'alice', interruptPrefix: 'aut_tickets_' }

/** Runs that have paused with these interrupts, and no worker. */
async function setUp(t: TestContext, open: (typeof pluginAdapters)[number]['open']) {
  const database = await open(t, worldMigrations)
  const world = createWorld(database)
  let interrupts: readonly object[] = []
  const launcher = await startForgedLauncher(t, (response) => {
    const pause = `"pauseReason":"auth_required","interrupts":${JSON.stringify(interrupts)},"checkpoint":null`
    response.end(frame(entryJson('run.paused', 1, resultJson('paused', pause))))
  })
  const pausedRun = async (ids: readonly string[], subject = 'alice'): Promise<SelectedRun> => {
    interrupts = ids.map((id) => ({ id, reason: id.startsWith('aut_') ? 'auth_required' : 'approval_required' }))
    const worker = startWorker(
      workerServices(world, () => launcher.url),
      'one',
    )
    const { id } = await queueRunOf(world, { subject })
    const run = await settled(world, id, ({ state }) => state === 'paused')
    await worker.stop()
    return run
  }
  const resume = (consent: GivenConsent) => world.store.transact((tx) => resumeConsentedIn(world, tx, consent))
  const stateOf = async ({ id }: SelectedRun) => (await settled(world, id, () => true)).state
  return { world, pausedRun, resume, stateOf }
}

for (const { name, skip, open } of pluginAdapters) {
  test(
    `${name}: M-4: a consent resumes each paused run of its subject that waits for it, once`,
    { skip },
    async (t) => {
      const { world, pausedRun, resume, stateOf } = await setUp(t, open)
      const first = await pausedRun(['aut_tickets_0'])
      const second = await pausedRun(['aut_tickets_1'])
      const mail = await pausedRun(['aut_mail_0'])
      const bobs = await pausedRun(['aut_tickets_0'], 'bob')
      const both = await pausedRun(['tap_1', 'aut_tickets_0'])
      const ended = await pausedRun(['aut_tickets_0'])
      await cancelRun(world.writer, ended.id, alice)
      assert.deepEqual(await resume({ ...tickets, runId: second.id }), [second.id])
      assert.equal(await stateOf(first), 'paused')
      const resumed = await Promise.all([resume(tickets), resume(tickets)])
      assert.deepEqual(resumed.flat(), [first.id], 'two grants at once resume it once')
      assert.deepEqual(await resume(tickets), [])
      for (const one of [first, second]) assert.equal(await stateOf(one), 'running')
      for (const one of [mail, bobs, both]) assert.equal(await stateOf(one), 'paused')
      const waiting = await settled(world, both.id, () => true)
      assert.deepEqual(
        waiting.open_interrupts.map(({ id }) => id),
        ['tap_1'],
      )
      const content = await readContent(world.store.reader<RunsTables>(), first.id)
      assert.deepEqual(
        content?.decisions.map(({ interruptId, decision, by }) => [interruptId, decision, by]),
        [['aut_tickets_0', 'approve', 'alice']],
      )
    },
  )
}
