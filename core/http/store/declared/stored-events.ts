import { Type } from 'typebox'
import type { TObject } from 'typebox'
import { defineEventOf } from '#core/event-store/event.ts'
import type { EventType } from '#core/event-store/event.ts'
import { joinedWords, subresourceOf } from './stored-names.ts'
import type { StoredNames } from './stored-names.ts'
import type { StoredSpec } from './stored-spec.ts'

/** Data of the events of a stored resource: references and numbers, since its fields are content. */
export interface StoredFact {
  readonly id: string
  readonly version: number
}

/** A stored object was changed; `fields` are the names of those with another value. */
export interface StoredChange extends StoredFact {
  readonly fields: readonly string[]
}

/** A label was moved to a revision; without `to` it was removed. */
export interface LabelMove {
  readonly id: string
  readonly label: string
  readonly from?: number
  readonly to?: number
}

/** An append-only object was added below a stored one. */
export interface ChildFact {
  readonly id: string
  readonly parentId: string
}

/** Event types of a stored resource. */
export interface StoredEvents {
  readonly created: EventType<StoredFact>
  readonly updated: EventType<StoredChange>
  readonly deleted: EventType<StoredFact>
  readonly labelMoved: EventType<LabelMove> | undefined
  /** By the step of the path. */
  readonly added: ReadonlyMap<string, EventType<ChildFact>>
}

const id = Type.String({ format: 'uuid', description: 'UUIDv7 of the object.' })
const number = (description: string) => Type.Integer({ minimum: 1, description })
const version = number('Version of the object.')

/** Declares the events of a stored resource, each with its audit descriptor. They are seen by who may `get` it. */
export function storedEventsOf(spec: StoredSpec, names: StoredNames): StoredEvents {
  const { kind } = spec
  const fact = { id, version }
  const fields = Type.Array(Type.String(), { description: 'Names of the fields with another value.' })
  const declare = declarerOf(spec, names)
  const label = Type.String({ description: 'Label that was moved.' })
  const from = Type.Optional(number('Revision to which the label pointed; absent for a new label.'))
  const to = Type.Optional(number('Revision to which it points; absent if the label was removed.'))
  const moved = { verb: 'label-moved', says: 'label was moved', action: 'update' }
  return {
    created: declare(kind, { verb: 'created', says: 'was created', action: 'create' }, Type.Object(fact)),
    updated: declare(
      kind,
      { verb: 'updated', says: 'was changed', action: 'update' },
      Type.Object({ ...fact, fields }),
    ),
    deleted: declare(kind, { verb: 'deleted', says: 'was deleted', action: 'delete' }, Type.Object(fact)),
    labelMoved: spec.revisions && declare(kind, moved, Type.Object({ id, label, from, to })),
    added: addedEventsOf(spec, declare),
  }
}

function addedEventsOf({ children = {} }: StoredSpec, declare: Declarer): StoredEvents['added'] {
  const parentId = Type.String({ format: 'uuid', description: 'UUIDv7 of the object that it belongs to.' })
  const added = { verb: 'added', says: 'was added', action: 'create' }
  return new Map(
    Object.entries(children).map(([step, { kind }]) => [
      step,
      declare<ChildFact>(kind, { ...added, step }, Type.Object({ id, parentId })),
    ]),
  )
}

interface Fact {
  readonly verb: string
  readonly says: string
  readonly action: string
  /** Step of a child, whose subresource shows the event. */
  readonly step?: string
}

type Declarer = <Data>(kind: string, fact: Fact, data: TObject) => EventType<Data>

function declarerOf({ domain = 'dev.mesh', plugin, plural, group }: StoredSpec, names: StoredNames): Declarer {
  return <Data>(kind: string, { verb, says, action, step }: Fact, data: TObject) =>
    defineEventOf(domain, {
      plugin,
      fact: `${joinedWords(kind, '-')}-${verb}`,
      summary: `${withCapital(joinedWords(kind, ' '))} ${says}.`,
      data,
      audit: { action, resourceKind: kind },
      seenBy: {
        verb: 'get',
        resource: step === undefined ? plural : subresourceOf({ ...names, resource: plural }, step),
        ...(group === undefined ? {} : { group }),
      },
    }) as EventType<Data>
}

function withCapital(words: string): string {
  return `A${/^[aeiou]/.test(words) ? 'n' : ''} ${words}`
}
