import { Type } from 'typebox'
import { described } from '#schemas/values/described.ts'
import { defineEvent } from '#core/event-store/event.ts'

const scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()])

const data = Type.Object({
  group: Type.String({ description: 'API group of the kind.' }),
  kind: Type.String({ description: 'Kind of the object.' }),
  uid: Type.String({ description: 'UID of the object.' }),
  resourceVersion: Type.String({ description: 'Version of the object.' }),
  /** The newest field manager: the last writer according to the object. */
  actorGuess: Type.Optional(
    Type.String({ description: 'Most recent field manager, a guess at the author of the change.' }),
  ),
  /** Observed by a list instead of a watch; the time is that of the list. */
  late: Type.Optional(
    Type.Boolean({ description: 'Whether a list observed it instead of a watch; the time is that of the list.' }),
  ),
  specHash: Type.String({ description: 'Hash of the spec.' }),
  generation: Type.Optional(Type.Integer({ description: 'Generation of the object.' })),
  /** Old and new values of the kind's audited fields, for an update. */
  changes: Type.Optional(
    described(
      Type.Record(
        Type.String(),
        Type.Object(
          {
            from: Type.Optional(described(scalar, 'Old value; absent if there was none.')),
            to: Type.Optional(described(scalar, 'New value; absent if there is none.')),
          },
          { additionalProperties: false },
        ),
      ),
      'Old and new values of the audited fields of the kind, by field.',
    ),
  ),
  /** The object could not be parsed; the event still reports the change. */
  error: Type.Optional(described(Type.Literal('malformed_object'), 'Set if the object could not be parsed.')),
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
    group: Type.String({ description: 'API group of the kind.' }),
    kind: Type.String({ description: 'Kind that was listed again.' }),
    // `failed` occurs in events of older versions, which relisted after a failed write.
    reason: described(
      Type.Union([Type.Literal('start'), Type.Literal('expired'), Type.Literal('failed')]),
      'Why it was listed: a start, an expired watch, or a failed write of an older version.',
    ),
    /** Set if namespaces are watched separately. */
    namespace: Type.Optional(Type.String({ description: 'Namespace, where namespaces are watched separately.' })),
    fromResourceVersion: Type.Optional(
      Type.String({ description: 'Version from which changes may have been merged.' }),
    ),
  }),
})

/** Event types of the informers. */
export const clusterEvents = [objectCreated, objectUpdated, objectDeleted, observationGap]
