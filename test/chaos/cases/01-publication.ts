import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { sql } from 'kysely'
import { streamName } from '#core/messaging/bus/nats-streams.ts'
import { lastPosition } from '#core/event-store/read-events.ts'
import { judge } from '../actors/log-evidence.ts'
import { makeStream, openWorld } from '../actors/log-world.ts'
import type { World } from '../actors/log-world.ts'
import { followLog, startWriters, writers } from '../actors/log-writers.ts'
import type { Writing } from '../actors/log-writers.ts'
import type { ChaosCase } from '../case.ts'
import { createRandom } from '../random.ts'
import type { Random } from '../random.ts'
import { timed, until } from '../until.ts'

/** Commits and publication while publishers, the bus and consumers are killed. */
export const chaosCase: ChaosCase = {
  ids: ['O1', 'O2', 'O7'],
  title: `${writers} writers with transactions of random length; relay owner, consumers, NATS and PostgreSQL killed, the stream re-created`,
  counts: { short: 3, usual: 30, full: 60 },
  minutes: 4,
  run: async (scope, { seed, short, count }) => {
    const random = createRandom(seed)
    const world = await openWorld(scope)
    const reader = followLog(world.database)
    const writing = startWriters(world.database, random)
    const recoveryMs: number[] = []
    for (let fault = 0; fault < count; fault++) {
      await random.instant(50, short ? 300 : 1_500)
      // The first ones in a fixed order, so that a short run covers each kind.
      await (faults[fault] ?? random.pick(faults))(world, random)
      recoveryMs.push(await timed('an event after the fault has its effects', () => roundTrip(world, writing)))
    }
    const { acknowledged, rolledBack } = await writing.stop()
    return judge(world, { reader, acknowledged, rolledBack, faults: count, recoveryMs })
  },
}

type Fault = (world: World, random: Random) => Promise<void>

const faults: readonly Fault[] = [
  killLeader,
  recreateStream,
  async ({ nats }, random) => {
    await nats.kill9()
    await random.instant(0, 500)
    await nats.restart()
  },
  pauseLeader,
  killAny,
  async ({ postgres }, random) => {
    await postgres.kill9()
    await random.instant(0, 300)
    await postgres.restart()
  },
]

async function leaderOf({ database }: World): Promise<string> {
  const { rows } = await sql<{ holder: string }>`select holder from leader where name = 'relay'`.execute(database.root)
  return rows[0]?.holder ?? 'one'
}

async function killLeader(world: World): Promise<void> {
  await restart(world, await leaderOf(world))
}

async function killAny(world: World, random: Random): Promise<void> {
  await restart(world, random.pick(['one', 'two', 'three']))
}

async function restart(world: World, holder: string): Promise<void> {
  await world.workers.get(holder)?.end('SIGKILL')
  world.start(holder)
}

// Longer than its term: it resumes as a former leader, with messages and a cursor in flight.
async function pauseLeader(world: World, random: Random): Promise<void> {
  const leader = world.workers.get(await leaderOf(world))
  leader?.freeze()
  await random.instant(1_200, 2_500)
  leader?.thaw()
}

async function recreateStream(world: World, random: Random): Promise<void> {
  const connection = await connect({ servers: world.nats.url })
  const manager = await jetstreamManager(connection)
  await manager.streams.delete(streamName)
  // Events committed from now on can only have been acknowledged by the new stream.
  world.streamFrom = await lastPosition(world.database.db)
  await random.instant(100, 500)
  await makeStream(world.nats.url)
  await connection.close()
}

async function roundTrip({ database }: World, writing: Writing): Promise<boolean> {
  const n = await writing.write()
  await until('its effects', async () => {
    const { rows } = await sql`select 1 from effects where n = ${n}`.execute(database.root)
    return rows.length === 2
  })
  return true
}
