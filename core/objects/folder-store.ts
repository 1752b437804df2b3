import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseObjectKey } from './object-key.ts'
import type { ObjectKey } from './object-key.ts'
import { ObjectStoreError, tooLarge } from './object-store.ts'
import type { ObjectStore } from './object-store.ts'

/** Creates the store of the embedded default: one file (0600) per object in a folder (0700) of this process. */
export function createFolderStore(folder: string): ObjectStore {
  const pathOf = (key: ObjectKey): string => join(folder, key)
  return {
    put: (key, bytes) => known(() => writeWhole(pathOf(key), bytes)),
    get: (key, maxBytes) => known(() => readWhole(pathOf(key), maxBytes)),
    list: (prefix, { limit, after = '' as ObjectKey }) =>
      known(async () => {
        const keys = await keysBelow(folder, prefix.slice(0, -1))
        return keys
          .filter((key) => key > after)
          .toSorted()
          .slice(0, limit)
      }),
    remove: (keys) =>
      known(async () => {
        for (const key of keys) await rm(pathOf(key), { force: true })
        for (const parent of new Set(keys.map((key) => dirname(key)))) await removeEmpty(folder, parent)
      }),
    close: async () => undefined,
  }
}

// An empty folder may be removed after it was made for an object.
const WRITES = 3

async function writeWhole(path: string, bytes: Buffer): Promise<void> {
  for (let write = 1; ; write++) {
    try {
      return await writeOnce(path, bytes)
    } catch (error) {
      if (write === WRITES || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
}

// A temporary name begins with a dot, which no key does.
async function writeOnce(path: string, bytes: Buffer): Promise<void> {
  const folder = dirname(path)
  const temporary = join(folder, `.${randomUUID()}`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    await writeFile(temporary, bytes, { mode: 0o600, flag: 'wx' })
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

// Otherwise, each prefix would leave a folder behind.
async function removeEmpty(folder: string, path: string): Promise<void> {
  for (let one = path; one !== '.'; one = dirname(one)) {
    const isRemoved = await rmdir(join(folder, one)).then(
      () => true,
      (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
    )
    if (!isRemoved) return
  }
}

async function readWhole(path: string, maxBytes: number): Promise<Buffer | undefined> {
  const file = await open(path).catch(undefinedIfAbsent)
  if (file === undefined) return undefined
  try {
    const found = await file.stat()
    if (!found.isFile()) return undefined
    if (found.size > maxBytes) throw tooLarge(maxBytes)
    return await file.readFile()
  } finally {
    await file.close()
  }
}

async function keysBelow(folder: string, path: string): Promise<readonly ObjectKey[]> {
  const entries = (await readdir(join(folder, path), { withFileTypes: true }).catch(undefinedIfAbsent)) ?? []
  const keys: ObjectKey[] = []
  for (const entry of entries) {
    const key = parseObjectKey(`${path}/${entry.name}`)
    if (key === undefined) continue
    if (entry.isDirectory()) keys.push(...(await keysBelow(folder, key)))
    else if (entry.isFile()) keys.push(key)
  }
  return keys
}

function undefinedIfAbsent(error: unknown): undefined {
  const { code } = error as NodeJS.ErrnoException
  if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error
}

// A message of the file system contains the path.
async function known<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ObjectStoreError) throw error
    const { code = 'error' } = error as NodeJS.ErrnoException
    throw new ObjectStoreError('unavailable', `the folder of objects cannot be used: ${code}`)
  }
}
