import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Another living process holds the data folder. */
export class DataFolderInUse extends Error {
  readonly pid: number
  constructor(folder: string, pid: number) {
    super(`${folder} is in use by process ${pid}`)
    this.pid = pid
  }
}

/** Start time of a process in clock ticks (Linux), so that a reused pid is not taken for the holder. */
async function startedAt(pid: number): Promise<string> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

async function holderOf(file: string): Promise<number | undefined> {
  const [pid = '', started = ''] = (await readFile(file, 'utf8').catch(() => '')).split('\n')
  const holder = Number(pid)
  if (!Number.isInteger(holder) || holder <= 0 || !isAlive(holder)) return undefined
  return started === '' || (await startedAt(holder)) === started ? holder : undefined
}

/** Takes `folder/lock` or throws `DataFolderInUse`; a lock whose process is gone is taken over. */
export async function lockFolder(folder: string): Promise<() => void> {
  const file = join(folder, 'lock')
  const mine = `${file}.${process.pid}`
  const content = `${process.pid}\n${await startedAt(process.pid)}\n`
  writeFileSync(mine, content, { mode: 0o600 })
  try {
    for (let attempt = 0; ; attempt += 1) {
      try {
        linkSync(mine, file) // atomic: fails when somebody else was first
        return () => {
          // Only one's own lock is removed: the folder may be gone, or the lock another's by now.
          if (existsSync(file) && readFileSync(file, 'utf8') === content) rmSync(file, { force: true })
        }
      } catch (error) {
        const holder = await holderOf(file)
        if (holder !== undefined) throw new DataFolderInUse(folder, holder)
        if (attempt === 3) throw error
        rmSync(file, { force: true })
      }
    }
  } finally {
    rmSync(mine, { force: true })
  }
}
