import type { Transaction } from 'kysely'
import type { PlacedEvent } from './event-row.ts'
import type { Projection } from './store.ts'

/** Read models of an installation, by the event types that feed them. */
export interface Projections {
  readonly all: readonly Projection[]
  apply(event: PlacedEvent, db: Transaction<unknown>): Promise<void>
  /** Projections that events of a type feed. */
  fedBy(type: string): readonly Projection[]
}

/** Registers projections. Throws if two share a name or a table. */
export function createProjections(all: readonly Projection[]): Projections {
  refuseTwice(all.map((projection) => projection.name))
  refuseTwice(all.flatMap((projection) => projection.tables))
  const byType = new Map<string, Projection[]>()
  for (const projection of all) {
    for (const { type } of projection.types) byType.set(type, [...(byType.get(type) ?? []), projection])
  }
  return {
    all,
    apply: async (event, db) => {
      for (const projection of byType.get(event.type) ?? []) await projection.apply(event, db)
    },
    fedBy: (type) => byType.get(type) ?? [],
  }
}

function refuseTwice(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new Error(`two projections claim ${twice}`)
}
