import { directReads, isFolder } from './changed/direct-reads.ts'

/** What test files share: the bundled program, the packed console, PostgreSQL, and an API server with etcd. */
export interface Needs {
  readonly program: boolean
  readonly console: boolean
  readonly postgres: boolean
  readonly kube: boolean
}

// A larger run needs everything; to determine the exact needs would take longer than to start all of it.
const mostExamined = 40

/** Needs of files (paths from the root), by what they import and name of test/harness. A single file shares nothing: it starts its own servers. */
export function needsOf(root: string, files: readonly string[]): Needs {
  if (files.length < 2) return { program: false, console: false, postgres: false, kube: false }
  if (files.length > mostExamined) return { program: true, console: true, postgres: true, kube: true }
  const read = new Set(files)
  // Folders that a file names are read or listed, not run.
  for (const path of read) for (const one of directReads(root, path).paths) if (!isFolder(root, one)) read.add(one)
  const uses = (name: string): boolean => read.has(`test/harness/${name}.ts`)
  return {
    program: uses('program'),
    console: uses('packed-console'),
    postgres: uses('postgres'),
    kube: uses('kube'),
  }
}
