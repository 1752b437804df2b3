import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import type { PGlite } from '@electric-sql/pglite'
import { serverCache } from '#test/harness/find-server.ts'
import { openDatabase } from '../database.ts'
import type { Database } from '../database.ts'
import { loadPglite } from '../pglite-data-dir.ts'

const idle: PGlite[] = []

/**
 * Opens an empty embedded store in memory. An instance closed by an earlier test is emptied and reused: 20 ms against 2.5 s of CPU for a
 * new cluster. Concurrent tests get separate instances.
 */
export async function openMemoryStore(): Promise<Database> {
  const used = idle.pop()
  const pglite = used !== undefined && (await empty(used)) ? used : await start()
  return openDatabase({ opened: { pglite, close: async () => void idle.push(pglite) } })
}

// Other damage by a test is not repaired: the next test starts a new instance.
async function empty(pglite: PGlite): Promise<boolean> {
  try {
    await pglite.exec('rollback')
    await pglite.exec('discard all')
    await pglite.exec(`do $$ declare name text; begin
      for name in select nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema' loop
        execute format('drop schema %I cascade', name);
      end loop;
    end $$`)
    await pglite.exec('create schema public')
    return true
  } catch {
    await pglite.close().catch(() => undefined)
    return false
  }
}

async function start(): Promise<PGlite> {
  // A test file runs few statements: optimized code costs more to compile than it saves (1 s of CPU).
  // The flag --liftoff-only has an effect on the command line alone.
  setFlagsFromString('--wasm-tiering-budget=1000000000')
  const { PGlite, extensions } = await loadPglite()
  const archive = join(serverCache(), `pglite-${versionOfPglite()}.tar`)
  if (existsSync(archive)) {
    return PGlite.create('memory://', { extensions, loadDataDir: new Blob([await readFile(archive)]) })
  }
  const made = await PGlite.create('memory://', { extensions })
  await keep(archive, await made.dumpDataDir('none'))
  return made
}

// The archive format belongs to one version.
function versionOfPglite(): string {
  const manifest = findPackageJSON('@electric-sql/pglite', import.meta.url) ?? ''
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version
}

// Only speed depends on it: an unwritable cache costs each process two seconds.
async function keep(archive: string, dump: Blob): Promise<void> {
  const draft = `${archive}.${process.pid}`
  try {
    await mkdir(dirname(archive), { recursive: true, mode: 0o700 })
    await writeFile(draft, new Uint8Array(await dump.arrayBuffer()))
    await rename(draft, archive)
  } catch {
    // The next process retries.
  }
}
