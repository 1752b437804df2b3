import type { Kysely } from 'kysely'
import { nearest } from '#schemas/values/nearest.ts'
import type { CoreTables } from '#core/database/core-tables.ts'
import type { Database } from '#core/database/database.ts'
import { rebuild } from './rebuild-projection.ts'
import type { Projection } from './store.ts'

/** Projections were filled by an older version, or never registered. The role `migrate` rebuilds them. */
export class ProjectionsOutdated extends Error {
  constructor(names: readonly string[]) {
    super(`projections of another version: ${names.join(', ')}; run the role migrate`)
    this.name = 'ProjectionsOutdated'
  }
}

/** A projection was filled by a newer version of the product. */
export class NewerProjection extends Error {
  constructor({ name, version }: Projection, found: number) {
    super(
      `projection ${name} has version ${found} of a newer release, this one needs ${version}; upgrade, or run mesh rebuild ${name} to return to this release`,
    )
    this.name = 'NewerProjection'
  }
}

/** No plugin declares a projection of that name. */
export class UnknownProjection extends Error {
  constructor(name: string, known: readonly string[]) {
    const near = nearest(name, known)
    super(
      `PROJECTION: unknown projection ${JSON.stringify(name.slice(0, 60))}${near === undefined ? '' : `; did you mean ${near}?`} (there are ${known.join(', ')})`,
    )
    this.name = 'UnknownProjection'
  }
}

/** Returns the projection of a name. Throws `UnknownProjection`. */
export function findProjection(projections: readonly Projection[], name: string): Projection {
  const found = projections.find((projection) => projection.name === name)
  if (found !== undefined) return found
  throw new UnknownProjection(
    name,
    projections.map((projection) => projection.name),
  )
}

/** Throws if a projection was filled by a version other than that of this process. */
export async function checkProjections(db: Kysely<CoreTables>, projections: readonly Projection[]): Promise<void> {
  const found = await readVersions(db)
  refuseNewer(projections, found)
  const outdated = projections.filter(({ name, version }) => found.get(name) !== version)
  if (outdated.length > 0) throw new ProjectionsOutdated(outdated.map(({ name }) => name))
}

/**
 * Registers new projections with their version, and rebuilds those that an older version filled. The tables of a new projection are as its
 * migration left them. Returns the rebuilt ones. Throws before any change if a newer version filled one.
 */
export async function updateProjections(
  database: Database,
  projections: readonly Projection[],
  applySeconds?: number,
): Promise<readonly { readonly name: string; readonly events: number }[]> {
  const found = await readVersions(database.db)
  refuseNewer(projections, found)
  const rebuilt: { name: string; events: number }[] = []
  for (const projection of projections) {
    const { name, version } = projection
    if (!found.has(name)) await register(database.db, projection)
    else if (found.get(name) !== version) rebuilt.push({ name, ...(await rebuild(database, projection, applySeconds)) })
  }
  return rebuilt
}

async function readVersions(db: Kysely<CoreTables>): Promise<ReadonlyMap<string, number>> {
  const rows = await db.selectFrom('projection_versions').select(['name', 'version']).execute()
  return new Map(rows.map(({ name, version }) => [name, version]))
}

function refuseNewer(projections: readonly Projection[], found: ReadonlyMap<string, number>): void {
  for (const projection of projections) {
    const version = found.get(projection.name) ?? projection.version
    if (version > projection.version) throw new NewerProjection(projection, version)
  }
}

async function register(db: Kysely<CoreTables>, { name, version }: Projection): Promise<void> {
  await db
    .insertInto('projection_versions')
    .values({ name, version })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
