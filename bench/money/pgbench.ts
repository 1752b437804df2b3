import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { requireServer } from '#test/harness/find-server.ts'
import { execute } from '#test/harness/postgres.ts'
import type { Scope } from '#test/harness/scope.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'

const run = promisify(execFile)
const seconds = 3

/** Prepares a table of one row. The result runs pgbench with a number of clients that update it, each in its own transaction. */
export async function preparePgbench(t: Scope, url: string) {
  const program = join(dirname(requireServer(t, 'initdb')), 'pgbench')
  const folder = tempFolder('pgbench')
  t.after(folder.remove)
  const script = join(folder.path, 'update.sql')
  writeFileSync(script, 'update bench_row set spent = spent + 1 where id = 1;\n')
  await execute(url, 'create table bench_row (id integer primary key, spent bigint not null) with (fillfactor = 50)')
  await execute(url, 'insert into bench_row values (1, 0)')
  return async (clients: number): Promise<Readonly<Record<string, number>>> => {
    const args = ['-n', '-M', 'prepared', '-f', script, '-c', String(clients), '-j', '1', '-T', String(seconds), url]
    const { stdout } = await run(program, args)
    return { 'p50 ms': read(/latency average = ([\d.]+) ms/, stdout), 'per second': read(/tps = ([\d.]+)/, stdout) }
  }
}

function read(pattern: RegExp, text: string): number {
  const [, found] = pattern.exec(text) ?? []
  if (found === undefined) throw new Error(`pgbench printed no figure: ${text}`)
  return Number(found)
}
