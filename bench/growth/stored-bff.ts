import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { startNats } from '#test/harness/nats.ts'
import { execute, withDatabase } from '#test/harness/postgres.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import type { Scope } from '#test/harness/scope.ts'
import { poolOf, startProgram } from '../cluster/installation.ts'
import { root } from '../tools/platform.ts'
import { fillRuns } from './rows.ts'

/** A BFF on a database with a given number of runs and events. */
export interface StoredBff {
  readonly databaseUrl: string
  /** Returns the body; throws for any status except 200. */
  get(path: string): Promise<string>
  /** Reads this number of frames of an event stream, or until the signal, and closes the stream. */
  frames(path: string, count: number, signal?: AbortSignal): Promise<number>
}

/** Creates and fills a database on a server, and starts a BFF on it with the embedded API server. */
export async function startStoredBff(t: Scope, adminUrl: string, rows: number): Promise<StoredBff> {
  await execute(adminUrl, `create database rows_${rows}`)
  const databaseUrl = withDatabase(adminUrl, `rows_${rows}`)
  const env = { DATABASE_URL: databaseUrl, NATS_URL: (await startNats(t)).url }
  const folder = tempFolder('bench-growth')
  t.after(folder.remove)
  mkdirSync(join(folder.path, 'data'))
  // The role requires the address of a cluster and never calls it.
  const migrate = { ...process.env, ...env, MESH_CLUSTER_SERVER: 'http://127.0.0.1:1' }
  await promisify(execFile)(process.execPath, ['main.ts', 'migrate'], { cwd: root, env: migrate })
  await fill(databaseUrl, rows)
  const started = await startProgram(t, 'bff.ts', [join(folder.path, 'data')], env)
  return { databaseUrl, ...clientOf(t, JSON.parse(started.line) as { url: string; token: string }) }
}

async function fill(databaseUrl: string, rows: number): Promise<void> {
  const client = new Client({ connectionString: databaseUrl, options: '-c TimeZone=UTC' })
  await client.connect()
  await fillRuns(client, rows).finally(() => client.end())
}

function clientOf(t: Scope, { url, token }: { url: string; token: string }): Pick<StoredBff, 'get' | 'frames'> {
  const pool = poolOf(t, url)
  const request = async (path: string, signal?: AbortSignal) => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await pool.calls.request({
      method: 'GET',
      path,
      headers,
      ...(signal === undefined ? {} : { signal }),
    })
    if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${await answer.body.text()}`)
    return answer.body
  }
  return {
    get: async (path) => (await request(path)).text(),
    frames: async (path, count, signal) => {
      const body = await request(path, signal)
      let seen = 0
      try {
        for await (const chunk of body) {
          seen += String(chunk).split('\ndata:').length - 1
          if (seen >= count) break
        }
      } catch (error) {
        if (signal?.aborted !== true) throw error
      }
      return seen
    },
  }
}
