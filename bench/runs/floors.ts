import { join } from 'node:path'
import { Client } from 'pg'
import type { Scope } from '#test/harness/scope.ts'
import { root, startProcess } from '../tools/platform.ts'
import { ownCpuOf } from '../tools/process-figures.ts'
import type { MeasuredPlatform } from './forms.ts'
import { observeStore } from './store-observer.ts'

const program = join(root, 'bench', 'runs', 'floor-process.ts')

/** The HTTP requests of a run between platform, launcher and gateway, with nothing stored. */
export async function startHops(t: Scope): Promise<MeasuredPlatform> {
  const platform = await start(t, ['platform'])
  const launcher = await start(t, ['launcher', platform.line])
  await fetch(`${platform.line}/launcher`, { method: 'POST', body: launcher.line })
  return {
    url: platform.line,
    gatewayUrl: platform.line,
    tokens: {},
    cpu: () => ({ platform: ownCpuOf(platform.pid), agents: ownCpuOf(launcher.pid) }),
    statements: async () => ({}),
    walBytes: async () => undefined,
  }
}

/** The rows that a run of `platform` left, inserted in one transaction into tables of the same form on the same server. */
export async function startInserts(t: Scope, platform: MeasuredPlatform): Promise<MeasuredPlatform> {
  const { store } = platform
  if (store === undefined) throw new Error('the rows are read from PostgreSQL')
  await copyLastRun(store.url)
  const floor = await start(t, ['platform', store.url])
  return {
    url: floor.line,
    gatewayUrl: floor.line,
    tokens: {},
    cpu: () => ({ platform: ownCpuOf(floor.pid) }),
    ...(await observeStore(t, store.adminUrl, 'mesh')),
  }
}

async function start(t: Scope, args: readonly string[]) {
  const started = await startProcess(process.execPath, [program, ...args])
  t.after(() => started.stop())
  return started
}

// Without unique indexes: a copy has the ids of its original.
async function copyLastRun(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`
      create temporary table last_run as select id from runs_runs where state = 'succeeded' order by id desc limit 1;
      create table floor_runs as select * from runs_runs where id = (select id from last_run);
      create table floor_content as select * from runs_content where run_id = (select id from last_run);
      create table floor_lease as select * from runs_lease where run_id = (select id from last_run);
      create table floor_journal as select * from runs_journal where run_id = (select id from last_run);
      create table floor_events as select * from events where stream = 'runs/' || (select id from last_run);
      ${tables.map((name) => `create table ${name}_copy (like ${name}); create index on ${name}_copy (${keys[name]})`).join(';')};
      create function floor_run() returns void language sql as $$
        ${tables.map((name) => `insert into ${name}_copy select * from ${name}`).join(';')}
      $$`)
  } finally {
    await client.end()
  }
}

const keys = {
  floor_runs: 'id',
  floor_content: 'run_id',
  floor_lease: 'run_id',
  floor_journal: 'run_id, seq',
  floor_events: 'position',
} as const
const tables = Object.keys(keys) as (keyof typeof keys)[]
