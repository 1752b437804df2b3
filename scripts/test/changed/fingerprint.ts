import { createHash } from 'node:crypto'
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { findServer } from '../../../test/harness/find-server.ts'
import type { ServerName } from '../../../test/harness/find-server.ts'
import { createClosures, filesBelow } from './closure.ts'

const servers: readonly ServerName[] = [
  'initdb',
  'postgres',
  'nats-server',
  'etcd',
  'kube-apiserver',
  'kubectl',
  'redis-server',
  'versitygw',
]
// Variables that the runner and the tests read besides those of mesh.
const variables = /^(?:MESH_|CI$|DATABASE_URL$|NATS_URL$|REDIS_URL$|LOG_LEVEL$|NODE_OPTIONS$|TZ$|LANG$)/
// Variables of one run: its temporary files and shared servers.
const ofTheRun = /^MESH_TEST_(?:PROGRAM|POSTGRES_URL|KUBE)$/

/**
 * Hashes everything that a test file reads: the closure of its imports and of files that it names, the lock file, Node.js, the servers and the
 * environment. A test that lists folders reads every file of the project.
 */
export function createFingerprints(root: string, env: NodeJS.ProcessEnv): (file: string) => string {
  const closureOf = createClosures(root)
  const contents = new Map<string, string>()
  const surroundings = hashOf(surroundingsOf(root, env))
  let whole: string | undefined
  const contentOf = (path: string): string => {
    const hash = contents.get(path) ?? hashOf(readFileSync(join(root, path)))
    contents.set(path, hash)
    return hash
  }
  const combine = (paths: Iterable<string>): string =>
    hashOf(
      [...paths]
        .toSorted()
        .map((path) => `${path} ${contentOf(path)}`)
        .join('\n'),
    )
  return (file) => {
    const { files, everything } = closureOf(file)
    if (everything) whole ??= combine(filesBelow(root, ''))
    return hashOf(`${surroundings} ${combine(files)} ${everything ? whole : ''}`)
  }
}

function surroundingsOf(root: string, env: NodeJS.ProcessEnv): string {
  const lock = join(root, 'package-lock.json')
  const settings = Object.entries(env).filter(([name]) => variables.test(name) && !ofTheRun.test(name))
  return JSON.stringify([
    process.version,
    process.platform,
    process.arch,
    existsSync(lock) ? hashOf(readFileSync(lock)) : '',
    servers.map((name) => versionOf(findServer(name))),
    settings.toSorted(([a], [b]) => (a < b ? -1 : 1)),
  ])
}

const HEAD_BYTES = 64 * 1024

/** Path, size and hash of the beginning of a program, which has the id of its build: equal for a later copy, which has another time. */
export function versionOf(path: string | undefined): readonly unknown[] {
  if (path === undefined) return []
  const head = Buffer.alloc(HEAD_BYTES)
  const file = openSync(path, 'r')
  try {
    return [path, fstatSync(file).size, hashOf(head.subarray(0, readSync(file, head)))]
  } finally {
    closeSync(file)
  }
}

function hashOf(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}
