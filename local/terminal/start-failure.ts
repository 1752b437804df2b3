import { statfsSync } from 'node:fs'
import { isFull } from '#core/config/describe-file-error.ts'
import { NewerDatabase } from '#core/database/migrate.ts'
import { StoreDamaged } from '#core/database/pglite-data-dir.ts'

// The first start copies a store of 40 MB, and keeps a second copy when it ends.
const neededBytes = 100 * 2 ** 20
const almostFull = 8 * 2 ** 20

/** The reason of a failed start in one line: fault, file, remedy. */
export function describeStartFailure(error: unknown, dataDir: string): string {
  if (isDiskFull(error, dataDir)) {
    const free = freeBytes(dataDir) ?? 0
    const missing = Math.max(1, Math.ceil((neededBytes - free) / 2 ** 20))
    return `the data folder ${dataDir} is full (no space left on device, about ${missing} MB missing); free some, or use another --data`
  }
  const text = error instanceof Error ? error.message : 'unexpected error'
  if (hasCause(error, StoreDamaged))
    return `${text}; start with --fresh to begin with an empty folder, or restore a copy of it`
  if (hasCause(error, NewerDatabase)) return `${text}, or use another --data`
  return text
}

// PGlite reports a full disk as an abort without a code.
function isDiskFull(error: unknown, dataDir: string): boolean {
  if (chainOf(error).some(isFull)) return true
  return hasCause(error, StoreDamaged) && (freeBytes(dataDir) ?? almostFull) < almostFull
}

function hasCause(error: unknown, kind: new (...args: never[]) => Error): boolean {
  return chainOf(error).some((one) => one instanceof kind)
}

function chainOf(error: unknown): readonly unknown[] {
  const chain: unknown[] = []
  for (let at = error; at instanceof Error && chain.length < 10; at = at.cause) chain.push(at)
  return chain
}

function freeBytes(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return undefined
  }
}
