import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createPageShell } from '#test/docs/page-shell.ts'
import { blocksOf } from '#test/flows/readme.ts'
import type { Platform } from '#test/flows/platform/running-platform.ts'
import type { Scope } from '#test/harness/scope.ts'
import { needs } from './checks.ts'
import type { Check } from './workspace.ts'

const page = 'use-a-client.md'
const file = fileURLToPath(new URL(`../../docs/how-to/${page}`, import.meta.url))
const programs = { Python: 'python3', TypeScript: 'npm', Go: 'go' } as const

// The terminal has an empty home. What was downloaded before is not downloaded again.
const caches = {
  // The registry of this machine, and the certificates of its proxy.
  npm_config_userconfig: process.env['npm_config_userconfig'] ?? join(homedir(), '.npmrc'),
  // Node.js ignores an empty one.
  NODE_EXTRA_CA_CERTS: process.env['NODE_EXTRA_CA_CERTS'] ?? '',
  // Without the certificates npm tried again for a quarter of an hour.
  npm_config_fetch_retries: '1',
  npm_config_fetch_timeout: '60000',
  PIP_CACHE_DIR: join(homedir(), '.cache/pip'),
  npm_config_cache: process.env['npm_config_cache'] ?? join(homedir(), '.npm'),
  GOPATH: process.env['GOPATH'] ?? join(homedir(), 'go'),
  GOCACHE: process.env['GOCACHE'] ?? join(homedir(), '.cache/go-build'),
}

/** Follows docs/how-to/use-a-client.md in each language, from the first command to the last line that it prints. */
export function pageChecks(scope: Scope, platform: Promise<Platform>): readonly Check[] {
  return Object.entries(programs).map(([language, program]) => ({
    name: `${page}-${language}`,
    missing: needs(program) ?? (program === 'npm' ? unreachableRegistry() : undefined),
    steps: { 'R2-UX-24: the section': async () => follow(scope, await platform, language) },
  }))
}

// A registry that a reader cannot reach says nothing about the page.
function unreachableRegistry(): string | undefined {
  const env = { PATH: process.env['PATH'], HOME: tmpdir(), ...caches }
  const { status } = spawnSync('npm', ['ping'], { env, stdio: 'ignore', timeout: 60_000 })
  return status === 0 ? undefined : 'npm cannot reach its registry from an empty home'
}

async function follow(scope: Scope, platform: Platform, language: string): Promise<void> {
  const shell = createPageShell(scope, page, platform)
  for (const [name, value] of Object.entries(caches)) await shell.run(`export ${name}='${value}'`)
  // Remains of a first run that failed.
  await shell.run(`api -X DELETE "$URL/api/agents/default/clerk-${language.toLowerCase()}" || true`)
  const printed = (await shell.section(language)).join('\n')
  const [promised = ''] = blocksOf(file, 'In every language', 'text')
  assert.deepEqual(facts(printed), facts(promised), printed)
  const events: readonly string[] = printed.match(/^event .*$/gm) ?? []
  for (const event of promised.match(/^event .*$/gm) ?? []) assert.ok(events.includes(event), printed)
  assert.equal(events.at(-1), 'event stream.end')
}

// The number of events differs: a run that starts immediately does not wait.
function facts(text: string): readonly string[] {
  return text.match(/^(?:created|changed|stale|invoked|cost|runs) .*$/gm) ?? []
}
