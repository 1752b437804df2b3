import type { Transaction } from 'kysely'
import type { PlacedEvent } from './event-row.ts'
import type { Projection } from './store.ts'

/** Read models of an installation, by the event types that feed them. */
export interface Projections {
  readonly all: readonly Projection[]
  /** Applies the events of one append, in order. */
  apply(events: readonly PlacedEvent[], db: Transaction<unknown>): Promise<void>
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
    apply: async (events, db) => {
      const fed = new Map<Projection, PlacedEvent[]>()
      for (const event of events)
        for (const projection of byType.get(event.type) ?? [])
          fed.set(projection, [...(fed.get(projection) ?? []), event])
      for (const [projection, own] of fed) await applyTo(projection, own, db)
    },
    fedBy: (type) => byType.get(type) ?? [],
  }
}

async function applyTo(
  projection: Projection,
  events: readonly PlacedEvent[],
  db: Transaction<unknown>,
): Promise<void> {
  if (projection.applyAll !== undefined) return projection.applyAll(events, db)
  for (const event of events) await projection.apply(event, db)
}

function refuseTwice(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new Error(`two projections claim ${twice}`)
}
