import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram } from '../program/current-program.mjs'
import type { Needs } from './needs.ts'

const memory = '/dev/shm'
// A whole run holds at most about 3 GB there.
const leastBytes = 8 * 2 ** 30
const prefix = 'mesh-tests-'

/**
 * Names the bundled program of the sources in the environment (test/harness/program.ts), which platforms of tests then start from. A run that needs
 * it creates the bundle in about 10 s; others use the sources unless a bundle of exactly these sources exists.
 */
export async function useProgram(root: string, { program }: Pick<Needs, 'program'>): Promise<void> {
  const { env } = process
  if (env.MESH_TEST_PROGRAM !== undefined) return
  const found = program ? await (await import('../program/prepare-program.ts')).prepareProgram(root) : findProgram(root)
  if (found !== undefined) env.MESH_TEST_PROGRAM = found
}

/** Packs the console of the sources, which some thirty files of tests serve, before the first of them. One that fails to build fails in the tests. */
export async function packForTests(root: string, { console: isServed }: Pick<Needs, 'console'>): Promise<void> {
  if (!isServed) return
  const { currentPackedConsole } = await import('../console/current-packed.ts')
  await currentPackedConsole(root).catch(() => undefined)
}

/**
 * Moves temporary files of this process and its children to memory, if there is enough. Each platform creates a thousand files, which ext4 makes five
 * times as expensive after a thousand others were removed (its `recently_deleted`). A `TMPDIR` set by the user is kept.
 */
export function useMemoryForFiles(): void {
  if (process.env.TMPDIR !== undefined || !isUsable()) return
  removeAbandoned()
  const folder = mkdtempSync(join(memory, `${prefix}${process.pid}-`))
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o711)
  process.env.TMPDIR = folder
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }))
}

function isUsable(): boolean {
  try {
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === memory)
    const { bavail, bsize } = statfsSync(memory)
    // Tests write programs into their folders.
    return mount !== undefined && !/[ ,]noexec[ ,]/.test(mount) && bavail * bsize >= leastBytes
  } catch {
    return false
  }
}

// Removes files of this user's killed runs: unlike disk space, memory is scarce.
function removeAbandoned(): void {
  const isOwn = (name: string): boolean => statSync(join(memory, name)).uid === process.getuid?.()
  for (const name of readdirSync(memory).filter((one) => one.startsWith(prefix) && isOwn(one))) {
    if (!isRunning(Number.parseInt(name.slice(prefix.length), 10))) removeIfPossible(join(memory, name))
  }
}

// A run that was killed may have left a mount, which does not affect later runs.
function removeIfPossible(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch (error) {
    console.error(`${folder}, left by a run that was killed, is not removed: ${String(error)}`)
  }
}

// EPERM: a process of another user with that pid is running. Its folder is not ours to remove.
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
