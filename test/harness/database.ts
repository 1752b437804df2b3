import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { execute, startPostgres, withDatabase } from './postgres.ts'
import type { Scope } from './scope.ts'

/** A database to clone: created once per server and key, by the first test file that needs it. */
export interface Template {
  /** Changes with the content, such as a hash of the migrations. Letters, digits and underscores. */
  readonly key: string
  /** Fills the template; every connection must be closed when it resolves. */
  prepare(url: string): Promise<void>
}

/** An empty database, or a clone of a template (13-21 ms), on the shared server; dropped with the test. */
export async function createDatabase(t: Scope, options: { template?: Template } = {}): Promise<string> {
  const admin = await sharedServer(t)
  const template = options.template === undefined ? undefined : await ensureTemplate(admin, options.template)
  const name = `t_${randomBytes(6).toString('hex')}`
  await execute(admin, `CREATE DATABASE ${name}${template === undefined ? '' : ` TEMPLATE ${template}`}`)
  t.after(() => execute(admin, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
  return withDatabase(admin, name)
}

let ownServer: Promise<string> | undefined

/** Admin URL of the server started by the runner (`MESH_TEST_POSTGRES_URL`), else of one started for this process. */
export function sharedServer(t: Scope): Promise<string> {
  const given = process.env.MESH_TEST_POSTGRES_URL
  if (given !== undefined && given !== '') return Promise.resolve(given)
  // It outlives the first test that uses it and ends with the process, so that test must not close it.
  const scope: Scope = {
    after: () => undefined,
    ...(t.skip === undefined ? {} : { skip: (reason) => t.skip?.(reason) }),
  }
  ownServer ??= startPostgres(scope).then((server) => server.adminUrl)
  return ownServer
}

const ensured = new Map<string, Promise<string>>()

function ensureTemplate(admin: string, template: Template): Promise<string> {
  const name = `template_${template.key}`
  const id = `${admin} ${name}`
  const known = ensured.get(id) ?? makeTemplate(admin, name, template)
  ensured.set(id, known)
  return known
}

// Files run in parallel processes; an advisory lock lets one build the template while the others wait.
async function makeTemplate(admin: string, name: string, template: Template): Promise<string> {
  const client = new Client({ connectionString: admin })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query('SELECT pg_advisory_lock(hashtext($1))', [name])
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name])
    if (rowCount === 0) await buildTemplate(admin, name, template)
    return name
  } finally {
    await client.end()
  }
}

// Built under another name, so that a partial template of a killed run is not used.
async function buildTemplate(admin: string, name: string, template: Template): Promise<void> {
  const building = `${name}_building`
  await execute(admin, `DROP DATABASE IF EXISTS ${building} WITH (FORCE)`)
  await execute(admin, `CREATE DATABASE ${building}`)
  await template.prepare(withDatabase(admin, building))
  await execute(admin, `ALTER DATABASE ${building} RENAME TO ${name}`)
}
