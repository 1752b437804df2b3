import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { isExecutable } from './find-on-path.ts'
import type { Scope } from './scope.ts'

/** Programs started by tests. */
export type ServerName =
  | 'postgres'
  | 'initdb'
  | 'nats-server'
  | 'etcd'
  | 'kube-apiserver'
  | 'kubectl'
  | 'redis-server'
  | 'versitygw'

/** Folder of the user's cache where `npm run test:servers` installs. */
export function serverCache(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'mesh', 'test-servers')
}

/**
 * Absolute path of a server's program, or undefined. Searches `KUBEBUILDER_ASSETS`, the user's cache, PATH, and Debian's PostgreSQL
 * folders.
 */
export function findServer(name: ServerName): string | undefined {
  return searchFolders(name)
    .map((folder) => join(folder, name))
    .find(isExecutable)
}

/**
 * Test options that skip with the reason if a server is missing: `test(name, needs('nats-server'), fn)`. With `CI=true` the test fails at
 * startup instead.
 */
export function needs(...names: readonly ServerName[]): { skip: string | false } {
  const missing = names.filter((name) => findServer(name) === undefined)
  if (missing.length === 0 || inCi()) return { skip: false }
  return { skip: missing.map(whereSought).join('; ') }
}

/** Path of a server's program. If it is missing, the test is skipped (not in CI), and an error names the places searched. */
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
  // PATH often contains only a link to initdb, which needs its neighbours, so the real folder is searched first.
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
