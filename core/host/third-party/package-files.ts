import { createHash } from 'node:crypto'
import { lstat, readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** The files of a plugin that its integrity covers. */
export interface CoveredFiles {
  /** `sha256-...`, as the settings write it. */
  readonly integrity: string
  /** Real path of the package's folder, or of the only file. */
  readonly root: string
  /** SHA-256 in hexadecimal digits of each file, by its real path. */
  readonly hashes: ReadonlyMap<string, string>
}

// Far above any bundled plugin; a folder beyond it was named by mistake.
const maxFiles = 20_000
const maxBytes = 256 * 1024 * 1024

/** Covers one file. Its integrity is the hash of its bytes. */
export async function coverFile(file: string): Promise<CoveredFiles> {
  const hash = createHash('sha256').update(await readFile(file))
  return {
    integrity: toIntegrity(hash.copy().digest('base64')),
    root: file,
    hashes: new Map([[file, hash.digest('hex')]]),
  }
}

/**
 * Covers the files that npm packs of a package, as they are unpacked: every file of its folder but `node_modules`. The integrity is the
 * hash of the lines that `sha256sum` prints for the sorted paths, so that it depends on names and bytes only.
 */
export async function coverPackage(folder: string): Promise<CoveredFiles> {
  const hashes = new Map<string, string>()
  const lines: string[] = []
  for (const path of (await listFiles(folder)).toSorted(byBytes)) {
    const digest = createHash('sha256')
      .update(await readFile(join(folder, path)))
      .digest('hex')
    hashes.set(join(folder, path), digest)
    lines.push(`${digest}  ${path}\n`)
  }
  return {
    integrity: toIntegrity(createHash('sha256').update(lines.join('')).digest('base64')),
    root: folder,
    hashes,
  }
}

async function listFiles(folder: string): Promise<readonly string[]> {
  const found: string[] = []
  const open = ['']
  let bytes = 0
  for (let below = open.pop(); below !== undefined; below = open.pop())
    for (const name of await readdir(join(folder, below))) {
      const path = below === '' ? name : `${below}/${name}`
      if (path === 'node_modules') continue
      refuseName(path)
      const entry = await lstat(join(folder, path))
      if (entry.isDirectory()) open.push(path)
      // A link could lead out of the package, and npm packs none. Reading a pipe would not end.
      else if (!entry.isFile()) throw new Error(`${path} is neither a file nor a folder; npm does not pack links`)
      else found.push(path)
      bytes += entry.size
      if (found.length + open.length > maxFiles) throw new Error(`it has more than ${maxFiles} files`)
      if (bytes > maxBytes) throw new Error(`its files exceed ${maxBytes / 1024 / 1024} MiB`)
    }
  return found
}

// `sha256sum` escapes these, and Node reads names that are not UTF-8 as U+FFFD: two packages could have the same lines.
function refuseName(path: string): void {
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f\\\ufffd]/.test(path))
    throw new Error(`the name ${JSON.stringify(path)} has a control character, a backslash or is not UTF-8`)
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

function toIntegrity(base64: string): string {
  return `sha256-${base64}`
}
