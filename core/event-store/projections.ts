import { within } from '#core/async/within.ts'
import { defaultHooks } from '#core/jobs/hook-settings.ts'
import type { Transaction } from 'kysely'
import type { PlacedEvent } from './event-row.ts'
import type { Projection } from './store.ts'

/** A projection did not apply its events in time. */
export class LateProjection extends Error {
  constructor(name: string, hook: 'apply' | 'applyAll', seconds: number) {
    super(`projection ${name}: ${hook} did not end within ${seconds} s (the setting pluginHooks.applySeconds)`)
    this.name = 'LateProjection'
  }
}

/** Applies events to a projection, each call within its bound. The caller rolls its transaction back when this rejects. */
export interface ApplyBound {
  one(projection: Projection, event: PlacedEvent, db: Transaction<unknown>): Promise<void>
  all(projection: Projection, events: readonly PlacedEvent[], db: Transaction<unknown>): Promise<void>
}

/** Creates the bound of a setting. */
export function applyWithin(seconds: number = defaultHooks.applySeconds): ApplyBound {
  const bounded = (name: string, hook: 'apply' | 'applyAll', run: () => Promise<void>): Promise<void> =>
    within(seconds * 1_000, run(), () => new LateProjection(name, hook, seconds))
  const one: ApplyBound['one'] = (projection, event, db) =>
    bounded(projection.name, 'apply', async () => projection.apply(event, db))
  return {
    one,
    all: async (projection, events, db) => {
      if (projection.applyAll !== undefined)
        return bounded(projection.name, 'applyAll', async () => projection.applyAll?.(events, db))
      for (const event of events) await one(projection, event, db)
    },
  }
}

/** Read models of an installation, by the event types that feed them. */
export interface Projections {
  readonly all: readonly Projection[]
  /** Applies the events of one append, in order. */
  apply(events: readonly PlacedEvent[], db: Transaction<unknown>): Promise<void>
  /** Projections that events of a type feed. */
  fedBy(type: string): readonly Projection[]
}

/** Registers projections. Throws if two share a name or a table. */
export function createProjections(all: readonly Projection[], bound: ApplyBound = applyWithin()): Projections {
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
      for (const [projection, own] of fed) await bound.all(projection, own, db)
    },
    fedBy: (type) => byType.get(type) ?? [],
  }
}

function refuseTwice(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new Error(`two projections claim ${twice}`)
}
