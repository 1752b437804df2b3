import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { isExecutable } from './find-on-path.ts'
import type { Scope } from './scope.ts'

/** The programs that tests start. */
export type ServerName =
  | 'postgres'
  | 'initdb'
  | 'nats-server'
  | 'etcd'
  | 'kube-apiserver'
  | 'kubectl'
  | 'redis-server'
  | 'versitygw'

/** The folder of the user's cache into which `npm run test:servers` builds. */
export function serverCache(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'mesh', 'test-servers')
}

/** Absolute path of a server's program, or undefined: `KUBEBUILDER_ASSETS`, the user's cache, PATH, Debian's PostgreSQL folders. */
export function findServer(name: ServerName): string | undefined {
  return searchFolders(name)
    .map((folder) => join(folder, name))
    .find(isExecutable)
}

/**
 * Test options that skip with the reason when a server is missing: `test(name, needs('nats-server'), fn)`.
 * In CI (`CI=true`) nothing is skipped: the start fails instead.
 */
export function needs(...names: readonly ServerName[]): { skip: string | false } {
  const missing = names.filter((name) => findServer(name) === undefined)
  if (missing.length === 0 || inCi()) return { skip: false }
  return { skip: missing.map(whereSought).join('; ') }
}

/** Path of a server's program; when it is missing the test is marked as skipped (not in CI) and an error names where it was sought. */
export function requireServer(t: Scope, name: ServerName): string {
  const found = findServer(name)
  if (found !== undefined) return found
  const reason = whereSought(name)
  if (!inCi()) t.skip?.(reason)
  throw new Error(reason)
}

function searchFolders(name: ServerName): string[] {
  const path = (process.env.PATH ?? '').split(delimiter)
  const folders = [process.env.KUBEBUILDER_ASSETS, serverCache(), ...path].filter(
    (folder) => folder !== undefined && folder !== '',
  )
  // PATH often has a lone initdb link; initdb wants its neighbours, so the real folder comes first.
  return (name === 'postgres' || name === 'initdb' ? [...debianPostgres(), ...folders] : folders) as string[]
}

function debianPostgres(): string[] {
  const root = '/usr/lib/postgresql'
  if (!existsSync(root)) return []
  return readdirSync(root)
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(root, version, 'bin'))
}

function whereSought(name: ServerName): string {
  return `${name} not found in KUBEBUILDER_ASSETS, ${serverCache()} or PATH (npm run test:servers builds what is built from source)`
}

function inCi(): boolean {
  return process.env.CI === 'true'
}
