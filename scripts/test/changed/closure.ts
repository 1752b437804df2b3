import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { directReads, isFolder } from './direct-reads.ts'
import type { DirectReads } from './direct-reads.ts'

/** Everything that a test file reads, by path from the root. */
export interface Closure {
  readonly files: ReadonlySet<string>
  /** Whether it may read any file of the project. */
  readonly everything: boolean
}

const neverEntered = new Set(['node_modules', 'dist', '.git', '.mesh', '.tap', 'coverage', 'results'])

/** Finds closures of imports and named files; the reads of a file are determined once for all test files. */
export function createClosures(root: string): (file: string) => Closure {
  const known = new Map<string, DirectReads>()
  const readsOf = (path: string): DirectReads => {
    const reads = known.get(path) ?? expand(root, path)
    known.set(path, reads)
    return reads
  }
  return (file) => {
    const files = new Set([file])
    let everything = false
    for (const path of files) {
      const reads = readsOf(path)
      everything ||= reads.everything
      for (const one of reads.paths) files.add(one)
    }
    return { files, everything }
  }
}

/** Files below a folder of the project, by path from the root. */
export function filesBelow(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) return neverEntered.has(entry.name) ? [] : filesBelow(root, path)
    return entry.isFile() ? [path] : []
  })
}

// Files of a named folder may be read or started; test files in it are not.
function expand(root: string, path: string): DirectReads {
  const { paths, everything } = directReads(root, path)
  const files = paths.flatMap((one) =>
    isFolder(root, one) ? filesBelow(root, one).filter((file) => !file.endsWith('.test.ts')) : [one],
  )
  return { paths: files, everything }
}
