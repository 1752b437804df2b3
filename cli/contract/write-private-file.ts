import { randomUUID } from 'node:crypto'
import { constants, rmSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { stopSignals } from './stop-signal.ts'
import type { StopSignal } from './stop-signal.ts'

/** Readable and writable by this user only. */
export const PRIVATE_MODE = 0o600

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants

/**
 * Writes a file for this user only (0600) atomically: to a new file beside it, which is then renamed. A link of that name is replaced, never followed
 * (X8). A signal that ends the process leaves no new file.
 */
export async function writePrivateFile(path: string, pieces: AsyncIterable<string> | Iterable<string>): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}`)
  // Windows has no O_NOFOLLOW.
  const file = await open(temporary, O_CREAT | O_EXCL | O_WRONLY | (O_NOFOLLOW ?? 0), PRIVATE_MODE)
  const release = removeAtSignal(temporary)
  try {
    try {
      for await (const piece of pieces) await file.write(piece)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  } finally {
    release()
  }
}

// A command that handles the signal itself goes on, and so does the writing.
function removeAtSignal(path: string): () => void {
  const end = (signal: StopSignal): void => {
    if (process.listenerCount(signal) > 1) return
    rmSync(path, { force: true })
    release()
    process.kill(process.pid, signal)
  }
  const release = (): void => stopSignals.forEach((signal) => process.off(signal, end))
  for (const signal of stopSignals) process.on(signal, end)
  return release
}
