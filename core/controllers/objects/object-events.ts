import { Type } from 'typebox'
import { defineEvent } from '#core/event-store/event.ts'

const scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()])

const data = Type.Object({
  group: Type.String(),
  kind: Type.String(),
  uid: Type.String(),
  resourceVersion: Type.String(),
  /** The newest field manager: the last writer according to the object. */
  actorGuess: Type.Optional(Type.String()),
  /** Observed by a list instead of a watch; the time is that of the list. */
  late: Type.Optional(Type.Boolean()),
  specHash: Type.String(),
  generation: Type.Optional(Type.Integer()),
  /** Old and new values of the kind's audited fields, for an update. */
  changes: Type.Optional(
    Type.Record(
      Type.String(),
      Type.Object({ from: Type.Optional(scalar), to: Type.Optional(scalar) }, { additionalProperties: false }),
    ),
  ),
  /** The object could not be parsed; the event still reports the change. */
  error: Type.Optional(Type.Literal('malformed_object')),
})

/** Replaces the resource kind in an audit descriptor: the row's kind is `data.kind`. */
export const KIND_OF_DATA = '*'

const fact = (name: 'created' | 'updated' | 'deleted', action: 'create' | 'update' | 'delete') =>
  defineEvent({
    plugin: 'cluster',
    fact: name,
    summary: `An object of the cluster was ${name}.`,
    data,
    audit: { action, resourceKind: KIND_OF_DATA },
  })

/** An object was created. */
export const objectCreated = fact('created', 'create')
/** An object changed in more than status or managedFields. */
export const objectUpdated = fact('updated', 'update')
/** An object was deleted. */
export const objectDeleted = fact('deleted', 'delete')

/** Everything was relisted; changes between the two versions may have been merged (A10). */
export const observationGap = defineEvent({
  plugin: 'cluster',
  fact: 'gap',
  summary: 'A kind was relisted; changes in between may have been merged.',
  data: Type.Object({
    group: Type.String(),
    kind: Type.String(),
    // `failed` occurs in events of older versions, which relisted after a failed write.
    reason: Type.Union([Type.Literal('start'), Type.Literal('expired'), Type.Literal('failed')]),
    /** Set if namespaces are watched separately. */
    namespace: Type.Optional(Type.String()),
    fromResourceVersion: Type.Optional(Type.String()),
  }),
})

/** Event types of the informers. */
export const clusterEvents = [objectCreated, objectUpdated, objectDeleted, observationGap]
