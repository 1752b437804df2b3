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

/** Hooks of projections, each call within its bound. */
export interface BoundHooks {
  apply(projection: Projection, event: PlacedEvent, db: Transaction<unknown>): Promise<void>
  applyAll(projection: Projection, events: readonly PlacedEvent[], db: Transaction<unknown>): Promise<void>
}

/** Applies the events of one append, or a page of a rebuild. The caller rolls its transaction back when this rejects. */
export type ApplyBound = (work: (hooks: BoundHooks) => Promise<void>) => Promise<void>

/**
 * Creates the bound of a setting. All calls of one append have one timer, which each call restarts: one each would cost more than the
 * call itself.
 */
export function applyWithin(seconds: number = defaultHooks.applySeconds): ApplyBound {
  return async (work) => {
    const { hooks, timer, late } = createBoundHooks(seconds)
    try {
      await Promise.race([work(hooks), late])
    } finally {
      clearTimeout(timer)
    }
  }
}

function createBoundHooks(seconds: number) {
  const { promise: late, reject } = Promise.withResolvers<never>()
  let name = ''
  let hook: 'apply' | 'applyAll' = 'apply'
  let error: LateProjection | undefined
  // The timer keeps the process alive: with nothing else to wait for, Node would exit before the error is seen.
  const timer = setTimeout(() => reject((error = new LateProjection(name, hook, seconds))), seconds * 1_000)
  const starts = (projection: Projection, called: typeof hook): void => {
    // The transaction of a late append has ended: hooks after the late one are not called.
    if (error !== undefined) throw error
    ;[name, hook] = [projection.name, called]
    timer.refresh()
  }
  const apply: BoundHooks['apply'] = async (projection, event, db) => {
    starts(projection, 'apply')
    await projection.apply(event, db)
  }
  const applyAll: BoundHooks['applyAll'] = async (projection, events, db) => {
    if (projection.applyAll === undefined) for (const event of events) await apply(projection, event, db)
    else {
      starts(projection, 'applyAll')
      await projection.applyAll(events, db)
    }
  }
  return { hooks: { apply, applyAll }, timer, late }
}

/** Read models of an installation, by the event types that feed them. */
export interface Projections {
  readonly all: readonly Projection[]
  /** Applies the events of one append, in order. */
  apply(events: readonly PlacedEvent[], db: Transaction<unknown>): Promise<void>
  /** Projections that are fed by events of a type. */
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
      if (fed.size > 0)
        await bound(async ({ applyAll }) => {
          for (const [projection, own] of fed) await applyAll(projection, own, db)
        })
    },
    fedBy: (type) => byType.get(type) ?? [],
  }
}

function refuseTwice(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new Error(`two projections claim ${twice}`)
}
