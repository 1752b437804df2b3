import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { groundFolders } from './layers.ts'
import { importRule, wordRule } from './rule.ts'
import type { Rule } from './rule.ts'
import { isTest } from './sources.ts'

const publicFiles = /^plugins\/[^/]+\/(?:index\.ts$|contract\/(?:(?:api|points|events|errors|wire)\.ts$|format\/))/

const pluginsFolder = fileURLToPath(new URL('../../plugins/', import.meta.url))
/** Prefixes of the tables of plugins: a plugin with migrations has tables. */
const tableOwners = readdirSync(pluginsFolder)
  .filter((name) => existsSync(join(pluginsFolder, name, 'migrations')))
  .map((name) => name.replaceAll('-', '_'))

/** What both ends of a path of the state role share (house rule 5). */
const wireFiles = /^plugins\/[^/]+\/contract\/wire(?:\.ts$|\/)/

const lazyLocal = ['main.ts', 'cli/dev/start-dev.ts']

/** Permitted imports, and words that are forbidden in code. */
const kubeConfigModule = 'core/kube/kubeconfig/kube-config.ts'

export const rules: readonly Rule[] = [
  importRule({
    name: 'schemas imports schemas and core/json only',
    of: (path) => inRoom(path, 'schemas'),
    forbids: ({ target }) => isOurs(target) && !inRoom(target, 'schemas', 'core/json'),
    bad: { path: 'schemas/a.ts', text: "import { x } from '#core/errors/domain-error.ts'" },
  }),
  importRule({
    name: 'core/json imports nothing of ours but itself',
    of: (path) => inRoom(path, 'core/json'),
    forbids: ({ target }) => isOurs(target) && !inRoom(target, 'core/json'),
    bad: { path: 'core/json/a.ts', text: "import { x } from '#schemas/values/duration.ts'" },
  }),
  importRule({
    name: 'core imports schemas and core only',
    of: (path) => inRoom(path, 'core'),
    forbids: ({ target }) => isOurs(target) && !inRoom(target, 'schemas', 'core'),
    bad: { path: 'core/http/a.ts', text: "import { x } from '#plugins/runs/index.ts'" },
  }),
  importRule({
    name: 'plugins import schemas, core and plugins; their rooms for a shell also what it has for them',
    of: (path) => inRoom(path, 'plugins'),
    forbids: ({ target }, path) =>
      isOurs(target) && !inRoom(target, 'schemas', 'core', 'plugins') && !isOwnShell(target, path),
    bad: { path: 'plugins/runs/a.ts', text: "import { x } from '#launcher/contract/listener.ts'" },
  }),
  importRule({
    name: 'the contract of the launcher imports schemas, ground folders of core and itself',
    of: (path) => inRoom(path, 'launcher/contract'),
    forbids: ({ target }) => isOurs(target) && !inRoom(target, 'schemas', 'launcher/contract', ...groundFolders),
    bad: { path: 'launcher/contract/a.ts', text: "import { x } from '#launcher/runs/journal.ts'" },
  }),
  importRule({
    name: 'launcher and cli import schemas, wires, ground folders of core and themselves; never each other',
    of: (path) => inRoom(path, 'launcher', 'cli'),
    forbids: ({ target }, path) =>
      isOurs(target) &&
      !inRoom(target, 'schemas', path.split('/')[0] ?? '') &&
      !inRoom(target, ...groundFolders) &&
      !isLazyLocal(target, path) &&
      !(inRoom(path, 'launcher') && wireFiles.test(target)) &&
      !isListedRoom(target, path),
    bad: { path: 'launcher/a.ts', text: "import { x } from '#cli/main.ts'" },
  }),
  importRule({
    name: 'ui imports types of schemas, itself, and the entries of plugins by its list',
    of: (path) => inRoom(path, 'ui'),
    forbids: ({ target, typeOnly }, path) =>
      isOurs(target) &&
      !inRoom(target, 'ui') &&
      !(inRoom(target, 'schemas') && typeOnly) &&
      !isListedRoom(target, path),
    bad: { path: 'ui/app/a.tsx', text: "import { x } from '../../schemas/api/runs.ts'" },
  }),
  importRule({
    name: 'local is imported lazily, by main.ts and meshctl dev: the image of the roles has no such files',
    of: (path) => !inRoom(path, 'local', 'scripts'),
    forbids: ({ target, dynamic }, path) => inRoom(target, 'local') && !(lazyLocal.includes(path) && dynamic),
    bad: { path: 'main.ts', text: "import { x } from '#local/stack.ts'" },
  }),
  importRule({
    name: 'only local and tests import the embedded API server',
    of: (path) => !inRoom(path, 'local'),
    forbids: ({ target }) => target.startsWith('@mesh.dev/embedded-apiserver'),
    bad: { path: 'core/kube/a.ts', text: "import { startApiServer } from '@mesh.dev/embedded-apiserver'" },
  }),
  importRule({
    name: 'nothing but tests imports tests',
    of: (path) => !inRoom(path, 'scripts'),
    forbids: ({ target }) => isTest(target),
    bad: { path: 'core/event-store/a.ts', text: "import { x } from '#test/harness/postgres.ts'" },
  }),
  importRule({
    name: 'CON1: no plugin imports Fastify; core mounts its endpoints',
    of: (path) => inRoom(path, 'plugins', 'core/plugin'),
    forbids: ({ target }) => target === 'fastify' || target.startsWith('@fastify/'),
    bad: { path: 'plugins/runs/callers/caller-runs.ts', text: "import type { FastifyRequest } from 'fastify'" },
  }),
  importRule({
    name: 'in a plugin only store, tables, projections and migrations import kysely',
    of: (path) =>
      inRoom(path, 'plugins') && !/\/(?:store|projections|migrations)(?:\.ts$|\/)|\/contract\/tables\.ts$/.test(path),
    forbids: ({ target }) => target === 'kysely',
    bad: { path: 'plugins/runs/callers/caller-runs.ts', text: "import type { Kysely } from 'kysely'" },
  }),
  importRule({
    name: 'only events.ts calls defineEvent',
    of: (path) =>
      !inRoom(path, 'core/event-store') &&
      path !== 'core/controllers/objects/object-events.ts' &&
      path !== 'core/http/audit/events.ts' &&
      !/^plugins\/[^/]+\/contract\/events\.ts$/.test(path),
    forbids: ({ names, typeOnly }) => !typeOnly && names.includes('defineEvent'),
    bad: {
      path: 'plugins/runs/callers/caller-runs.ts',
      text: "import { defineEvent } from '#core/event-store/event.ts'",
    },
  }),
  importRule({
    name: 'only consumers.ts calls on',
    // Third parties import it from there.
    of: (path) =>
      !inRoom(path, 'core/messaging') &&
      path !== 'core/host/third-party/checked-declarations.ts' &&
      path !== 'core/controllers/consumers.ts' &&
      !/^plugins\/[^/]+\/consumers(?:\.ts$|\/)/.test(path),
    forbids: ({ target, names }) => inRoom(target, 'core/messaging') && names.includes('on'),
    bad: { path: 'plugins/audit/index.ts', text: "import { on } from '#core/messaging/consumer/consumer.ts'" },
  }),
  importRule({
    name: 'CON10: of another plugin only index and api, points, events, errors, wire and format of its contract are imported',
    // The composition root runs operator commands of plugins.
    of: (path) => path !== 'main.ts',
    forbids: ({ target }, path) => {
      const owner = pluginOf(target)
      return owner !== undefined && owner !== pluginOf(path) && !publicFiles.test(target) && !isListedRoom(target, path)
    },
    bad: {
      path: 'plugins/audit/routes.ts',
      text: "import type { Db } from '#plugins/runs/store/internal/db.ts'\nimport { runs } from '#plugins/runs/index.ts'",
    },
  }),
  wordRule({
    name: 'CON10: the SQL of a plugin names no table of another one',
    of: (path) => inRoom(path, 'plugins'),
    word: (path) => tablesOfOthers(path),
    bad: { path: 'plugins/audit/store/audit-page.ts', text: 'select * from runs_content' },
  }),
  importRule({
    name: 'routes do not import the system side of a store',
    of: (path) => inRoom(path, 'plugins') && /(?:^|[-/])(?:routes|endpoints)(?:\.ts$|\/)/.test(path),
    forbids: ({ target }) => /(?:^|[-/])system(?:-store|-reads)?\.ts$|\/store\/internal\//.test(target),
    bad: { path: 'plugins/runs/routes/index.ts', text: "import { findRun } from './store/internal/find-run.ts'" },
  }),
  importRule({
    name: 'points.ts imports nothing but definePoint and types',
    of: (path) => /^plugins\/[^/]+\/contract\/points\.ts$/.test(path),
    forbids: ({ target, typeOnly }) => !typeOnly && target !== 'core/jobs/extension-point.ts',
    bad: { path: 'plugins/agents/contract/points.ts', text: "import { x } from './services.ts'" },
  }),
  importRule({
    name: 'fastify-plugin is for core/http only: a feature leaks no decorator',
    of: (path) => !inRoom(path, 'core/http'),
    forbids: ({ target }) => target === 'fastify-plugin',
    bad: { path: 'plugins/runs/routes/index.ts', text: "import fp from 'fastify-plugin'" },
  }),
  importRule({
    name: '@kubernetes/client-node is imported lazily: 0.8 s and 130 MB at import',
    // The module that names what is used of it; it is imported lazily itself.
    of: (path) => path !== kubeConfigModule,
    forbids: ({ target, typeOnly, dynamic }) =>
      (target.startsWith('@kubernetes/client-node') || target === kubeConfigModule) && !typeOnly && !dynamic,
    bad: {
      path: 'core/kube/kubeconfig/load-kubeconfig.ts',
      text: "import { KubeConfig } from '@kubernetes/client-node'",
    },
  }),
  importRule({
    name: 'PGlite is imported lazily: a role with a database never loads it',
    of: (path) => !inRoom(path, 'scripts'),
    forbids: ({ target, typeOnly, dynamic }) => target.startsWith('@electric-sql/pglite') && !typeOnly && !dynamic,
    bad: { path: 'core/database/session/pglite.ts', text: "import { PGlite } from '@electric-sql/pglite'" },
  }),
  wordRule({
    name: 'launcher port numbers are in schemas only',
    of: (path) => !inRoom(path, 'schemas'),
    word: /\b(?:299[4-9]|4317|4318)\b/,
    bad: { path: 'launcher/memory/server.ts', text: 'listen(2998)' },
  }),
  wordRule({
    name: 'whether a value is a JSON object is asked by isObject',
    of: (path) => path !== 'core/json/is-object.ts' && !inRoom(path, 'local/apiserver'),
    word: /(?:=== 'object' && \S+ !== null && !|!== 'object' \|\| \S+ === null \|\| )Array\.isArray\(/,
    bad: { path: 'core/a.ts', text: "typeof x === 'object' && x !== null && !Array.isArray(x)" },
  }),
  wordRule({
    name: 'back-off is computed by core/async/backoff.ts',
    of: (path) => path !== 'core/async/backoff.ts' && !inRoom(path, 'local/apiserver'),
    word: /\b\d+ \*\* (?:Math\.min|attempts?|failed|failures|retries|tried|tries)\b/,
    bad: { path: 'core/a.ts', text: 'const delayMs = 100 * 2 ** failures' },
  }),
  wordRule({
    name: 'a wait that a signal ends is core/async/sleep.ts',
    of: (path) => !inRoom(path, 'local/apiserver'),
    word: /undefined, \{[^}]*\bsignal\b[^}]*\}\)\.catch\(\(\) => undefined\)/,
    bad: { path: 'core/a.ts', text: 'await sleep(5, undefined, { signal }).catch(() => undefined)' },
  }),
  wordRule({
    name: 'the environment is read by settings, entries and scripts only',
    // A recipe contains the source of an agent's program, which reads its own environment.
    of: (path) =>
      path !== 'plugins/templates/recipes.ts' &&
      !/^(?:main\.ts$|scripts\/|core\/config\/|cli\/|(?:launcher|local)\/(?:.*\/)?(?:main|settings|(?:container-)?environment)\.ts$)/.test(
        path,
      ),
    word: /\bprocess\.env\b/,
    bad: { path: 'core/http/server.ts', text: 'const port = process.env.PORT' },
  }),
  wordRule({
    name: 'types are not talked over',
    of: () => true,
    word: /\bas (?:any|unknown as)\b|@ts-(?:ignore|nocheck)/,
    bad: { path: 'core/a.ts', text: 'const x = y as unknown as Z' },
  }),
  wordRule({
    name: 'exit and process signals belong to entries',
    of: (path) =>
      !/^(?:main\.ts$|core\/host\/process\/run-process\.ts$|scripts\/|cli\/|launcher\/)/.test(path) &&
      !inRoom(path, 'local'),
    word: /\bprocess\.exit\(/,
    bad: { path: 'core/host/process/host.ts', text: 'process.exit(1)' },
  }),
]

// What a shell has for the rooms of plugins.
const openFolders: Readonly<Record<string, readonly string[]>> = {
  launcher: ['launcher/contract'],
  cli: ['cli/contract'],
  console: ['ui/contract', 'ui/api', 'ui/parts', 'ui/kinds', 'ui/text'],
}

function isOwnShell(target: string, path: string): boolean {
  const [, room = ''] = /^plugins\/[^/]+\/(\w+)\//.exec(path) ?? []
  return inRoom(target, ...(openFolders[room] ?? []))
}

// A generated list of a shell loads the rooms of plugins.
function isListedRoom(target: string, path: string): boolean {
  const [, shell = ''] = /^(\w+)\/[a-z]+-list\.ts$/.exec(path) ?? []
  const [, room = ''] = /^plugins\/[^/]+\/(\w+)\//.exec(target) ?? []
  return shell !== '' && (shell === 'ui' ? room === 'console' : room === shell)
}

function isOurs(target: string): boolean {
  return /^(?:main\.ts$|(?:schemas|core|plugins|launcher|cli|ui|local|scripts|test|bench)\/)/.test(target)
}

function inRoom(path: string, ...folders: readonly string[]): boolean {
  return folders.some((folder) => path.startsWith(`${folder}/`))
}

function pluginOf(path: string): string | undefined {
  return /^plugins\/([^/]+)\//.exec(path)?.[1]
}

// Where SQL and kysely name a table.
function tablesOfOthers(path: string): RegExp {
  const others = tableOwners.filter((owner) => owner !== pluginOf(path)?.replaceAll('-', '_'))
  return new RegExp(
    `(?:\\b(?:from|join|into|update)\\s+|(?:From|Into|Table|Join)\\(')(?:${others.join('|')})_\\w+`,
    'i',
  )
}

function isLazyLocal(target: string, path: string): boolean {
  return inRoom(target, 'local') && lazyLocal.includes(path)
}
