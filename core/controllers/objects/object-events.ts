import { Type } from 'typebox'
import { defineEvent } from '#core/event-store/event.ts'

const scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()])

const data = Type.Object({
  group: Type.String(),
  kind: Type.String(),
  uid: Type.String(),
  resourceVersion: Type.String(),
  /** The newest field manager: who wrote last, as far as the object says. */
  actorGuess: Type.Optional(Type.String()),
  /** Seen by a list instead of a watch: the time is that of the list. */
  late: Type.Optional(Type.Boolean()),
  specHash: Type.String(),
  generation: Type.Optional(Type.Integer()),
  /** Of an update: old and new values of the kind's audited fields. */
  changes: Type.Optional(
    Type.Record(
      Type.String(),
      Type.Object({ from: Type.Optional(scalar), to: Type.Optional(scalar) }, { additionalProperties: false }),
    ),
  ),
  /** The object could not be read as a whole; the event still says that it changed. */
  error: Type.Optional(Type.Literal('malformed_object')),
})

/** Takes the place of a resource kind in an audit descriptor: the row's kind is `data.kind`. */
export const KIND_OF_DATA = '*'

const fact = (name: 'created' | 'updated' | 'deleted', action: 'create' | 'update' | 'delete') =>
  defineEvent({
    plugin: 'cluster',
    fact: name,
    summary: `An object of the cluster was ${name}.`,
    data,
    audit: { action, resourceKind: KIND_OF_DATA },
  })

/** An object appeared. */
export const objectCreated = fact('created', 'create')
/** Something else than status or managedFields of an object changed. */
export const objectUpdated = fact('updated', 'update')
/** An object is gone. */
export const objectDeleted = fact('deleted', 'delete')

/** Everything was listed again: changes between the two versions may have been merged into one (A10). */
export const observationGap = defineEvent({
  plugin: 'cluster',
  fact: 'gap',
  summary: 'A kind was listed again; changes in between may have been merged.',
  data: Type.Object({
    group: Type.String(),
    kind: Type.String(),
    // `failed` stands in events of versions that listed again after a failed write.
    reason: Type.Union([Type.Literal('start'), Type.Literal('expired'), Type.Literal('failed')]),
    /** Where namespaces are followed one by one. */
    namespace: Type.Optional(Type.String()),
    fromResourceVersion: Type.Optional(Type.String()),
  }),
})

/** All event types of the informers. */
export const clusterEvents = [objectCreated, objectUpdated, objectDeleted, observationGap]
