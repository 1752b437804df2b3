import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import type { Static } from 'typebox'
import { Fail } from '#core/errors/domain-error.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { terminalStates } from '#schemas/runs/run.ts'
import type { runsSettings } from '../contract/settings.ts'
import { claimRuns } from '../store/claims.ts'
import type { ClaimRequest, ClaimedRuns } from '../store/claims.ts'
import type { Claim } from '../store/internal/lease.ts'
import type { RunsTables, SelectedRun } from '../contract/tables.ts'
import { readRunUsage } from '../store/internal/usage.ts'
import { entryJson, frame, resultJson, startForgedLauncher } from '../testing/forged-launcher.ts'
import { createWorld, workerServices, queueRunOf, settled, startWorker, worldMigrations } from '../testing/world.ts'

const isTerminal = (run: SelectedRun): boolean => terminalStates.has(run.state)
type World = ReturnType<typeof createWorld>

for (const { name, skip, open } of pluginAdapters) {
  const opened = async (t: TestContext, settings: Partial<Static<typeof runsSettings>> = {}) => {
    const database = await open(t, worldMigrations)
    return { database, world: createWorld(database, undefined, settings) }
  }
  const queue = (world: World, namespaceUid: string, by = 'alice', input: unknown = 'x') =>
    queueRunOf(world, { input, namespaceUid, trigger: { kind: 'api', by } })
  const claimAll = (world: World, some: Partial<ClaimRequest>): Promise<ClaimedRuns> =>
    world.store.transact((tx) =>
      claimRuns(tx.tables<RunsTables>(), { holder: 'w', limit: 64, share: 64, held: new Map(), ...some }),
    )
  const claim = async (world: World, some: Partial<ClaimRequest>): Promise<readonly Claim[]> =>
    (await claimAll(world, some)).claims
  const uids = (claims: readonly Claim[]): string[] => claims.map(({ namespaceUid }) => namespaceUid).toSorted()
  const refusedAs = (code: string, text: RegExp) => (error: unknown) =>
    error instanceof Fail && error.code === code && text.test(error.message)

  test(
    `${name}: SEC5, F4: 70 queued runs that sleep in one namespace do not delay those of another`,
    { skip, timeout: 480_000 },
    async (t) => {
      const { world } = await opened(t)
      const sleeping = new Set<string>()
      const hurried = new Set<string>()
      const launcher = await startForgedLauncher(t, (response, request) => {
        if (!hurried.has(request.url?.split('/')[2] ?? '')) return void sleeping.add(request.url ?? '')
        return response.end(frame(entryJson('run.succeeded', 1, resultJson('succeeded', '"output":1'))))
      })
      for (let n = 0; n < 70; n++) await queue(world, 'a')
      const worker = startWorker(
        workerServices(world, () => launcher.url),
        'one',
        { concurrency: 64, namespaceShare: 75 },
      )
      t.after(() => worker.stop())
      // The namespace uses its whole share, and the worker continues to claim.
      const deadline = performance.now() + 90_000
      while (sleeping.size < 48) {
        assert.ok(performance.now() < deadline, `${sleeping.size} of 48 runs are in progress`)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      for (const by of ['b', 'c']) {
        const run = await queue(world, by)
        hurried.add(run.id)
        assert.equal((await settled(world, run.id, isTerminal)).state, 'succeeded')
      }
      const { rows } = await sql<{ held: number }>`
      select count(*)::integer as held from runs_lease where holder is not null`.execute(world.store.reader())
      assert.deepEqual([rows[0]?.held, sleeping.size], [48, 48])
    },
  )

  test(
    `${name}: SEC5, F4: capacity is assigned in turns: first the namespace with the fewest runs, then the oldest run`,
    { skip },
    async (t) => {
      const { world } = await opened(t)
      for (let n = 0; n < 20; n++) await queue(world, 'a')
      for (const uid of ['b', 'c']) await queue(world, uid)
      assert.deepEqual(uids(await claim(world, { limit: 4 })), ['a', 'a', 'b', 'c'])
      const first = await queue(world, 'd')
      await queue(world, 'e')
      // Capacity for one: `d` has not waited longer than the runs of `a`, but its namespace has no run.
      assert.deepEqual(
        (await claim(world, { limit: 1, held: new Map([['a', 2]]) })).map(({ runId }) => runId),
        [first.id],
      )
      // The share is a limit even with free capacity.
      assert.deepEqual(uids(await claim(world, { share: 3, held: new Map([['a', 2]]) })), ['a', 'e'])
      assert.deepEqual(uids(await claim(world, { share: 3, held: new Map([['a', 3]]) })), [])
      // One claim gives each namespace at most its part of the capacity; the next claim uses the rest.
      const [part, rest] = [await claimAll(world, {}), await claimAll(world, {})]
      assert.deepEqual([part.claims.length, part.more, rest.claims.length, rest.more], [13, true, 4, false])
      assert.deepEqual(await claimAll(world, {}), { claims: [], more: false })
    },
  )

  test(
    `${name}: SEC5, F4: workers that claim concurrently get different runs, and together all of them`,
    { skip },
    async (t) => {
      const { world } = await opened(t)
      for (let n = 0; n < 30; n++) await queue(world, `ns${n % 3}`)
      const taken: string[] = []
      for (let more = true; more;) {
        const claims = await Promise.all(['u', 'v', 'w'].map((holder) => claim(world, { holder, limit: 5 })))
        taken.push(...claims.flat().map(({ runId }) => runId))
        more = claims.some((one) => one.length > 0)
      }
      assert.deepEqual([taken.length, new Set(taken).size], [30, 30])
    },
  )

  test(
    `${name}: SEC5, F4: queued runs per namespace and per caller are bounded; the 429 names the limit`,
    { skip },
    async (t) => {
      const { database, world } = await opened(t, { queuedPerNamespace: 5, queuedPerCaller: 3 })
      for (let n = 0; n < 3; n++) await queue(world, 'a', 'alice')
      const ofCaller = refusedAs('too_many_requests', /caller has 3 queued runs.*runs\.queuedPerCaller/)
      await assert.rejects(queue(world, 'a', 'alice'), ofCaller)
      await assert.rejects(queue(world, 'b', 'alice'), ofCaller)
      for (let n = 0; n < 2; n++) await queue(world, 'a', 'bob')
      const ofNamespace = refusedAs('too_many_requests', /namespace has 5 queued runs.*runs\.queuedPerNamespace/)
      await assert.rejects(queue(world, 'a', 'bob'), ofNamespace)
      await queue(world, 'b', 'bob')
      // A refused run is not written.
      const { rows } = await sql<{ runs: number; leases: number; contents: number }>`
      select (select count(*)::integer from runs_runs) as runs, (select count(*)::integer from runs_lease) as leases,
        (select count(*)::integer from runs_content) as contents`.execute(database.root)
      assert.deepEqual(rows, [{ runs: 6, leases: 6, contents: 6 }])
      // A started run is no longer queued.
      await sql`update runs_runs set state = 'running' where trigger_by = 'alice'`.execute(database.root)
      await queue(world, 'a', 'alice')
    },
  )

  test(
    `${name}: SEC5, F10: stored bytes of a namespace are counted and bounded; the 429 names the quota`,
    { skip },
    async (t) => {
      const { world } = await opened(t, { storedBytesPerNamespace: 64 * 1024, runJournalBytes: 64 * 1024 * 1024 })
      const storedBytes = async (namespaceUid: string): Promise<number> => {
        const upTo = { queuedPerNamespace: 1, queuedPerCaller: 1 }
        return (await readRunUsage(world.store.reader<RunsTables>(), { namespaceUid, caller: '' }, upTo)).storedBytes
      }
      const input = 'x'.repeat(20_000)
      await queue(world, 'a', 'alice', input)
      const one = await storedBytes('a')
      assert.ok(one > 20_000 && one < 21_000, String(one))
      // Entries, the output and its copy in the journal count too.
      const output = JSON.stringify('y'.repeat(10_000))
      const launcher = await startForgedLauncher(t, (response) =>
        response.end(
          frame(entryJson('message.finished', 1, `{"text":${output}}`)) +
            frame(entryJson('run.succeeded', 2, resultJson('succeeded', `"output":${output}`))),
        ),
      )
      const worker = startWorker(
        workerServices(world, () => launcher.url),
        'one',
      )
      t.after(() => worker.stop())
      const run = await queue(world, 'a', 'alice', input)
      await settled(world, run.id, isTerminal)
      await settled(world, run.id, ({ finished_at }) => finished_at !== null)
      await worker.stop()
      const after = await storedBytes('a')
      assert.ok(after >= 2 * one + 30_000, `${after} of ${one}`)
      const refused = refusedAs(
        'quota_exceeded',
        /store \d+ bytes, the limit is 65536 \(setting runs\.storedBytesPerNamespace\)/,
      )
      await assert.rejects(queue(world, 'a'), refused)
      await queue(world, 'b')
      // The sum of the shards is the sum of the runs.
      const { rows } = await sql<{ equal: boolean }>`select (select sum(bytes) from runs_lease) =
      (select sum(bytes) from runs_storage) as equal`.execute(world.store.reader())
      assert.deepEqual(rows, [{ equal: true }])
    },
  )
}
