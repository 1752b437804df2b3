import type { Static, TObject } from 'typebox'
import { usageTable } from '#core/database/usage-table.ts'
import type { UsageTable } from '#core/database/usage-table.ts'
import { defineErrors } from '#core/errors/define-errors.ts'
import type { ErrorDefinition, ErrorTable } from '#core/errors/define-errors.ts'
import { storedEventsOf } from './stored-events.ts'
import type { StoredEvents } from './stored-events.ts'
import { checkTableNames, joinedWords, namesOf, tablesOf } from './stored-names.ts'
import type { StoredNames } from './stored-names.ts'
import { storedSchemasOf } from './stored-schemas.ts'
import type { StoredSchemas } from './stored-schemas.ts'
import { checkStoredSpec } from './stored-spec.ts'
import type { StoredSpec } from './stored-spec.ts'

/** Errors of a stored resource. */
export interface StoredErrors {
  /** An object of that name exists. */
  readonly exists: ErrorDefinition
  /** The namespace, or the object, has its maximum number. */
  readonly quota: ErrorDefinition
}

/** A stored resource with what follows from its declaration. */
export interface StoredResource<Fields = unknown> {
  readonly spec: StoredSpec
  readonly names: StoredNames
  readonly schemas: StoredSchemas
  readonly events: StoredEvents
  readonly errors: StoredErrors
  /** Number of objects of each namespace. */
  readonly usage: UsageTable<'items'>
  /** Phantom: the type of the fields. */
  readonly of?: Fields
}

/** Declares a resource whose objects are rows of the store: names, schemas, events, errors and tables in one value. */
export function defineStored<F extends TObject>(spec: StoredSpec<F>): StoredResource<Static<F>> {
  checkStoredSpec(spec as StoredSpec)
  const given = spec as StoredSpec
  const names = namesOf(given)
  checkTableNames(names, Object.keys(given.children ?? {}))
  return {
    spec: given,
    names,
    schemas: storedSchemasOf(given),
    events: storedEventsOf(given, names),
    errors: errorsOf(given),
    usage: usageTable(tablesOf.usage(names), { owner: 'namespace_uid', counts: ['items'] }),
  }
}

function errorsOf({ kind }: StoredSpec): StoredErrors {
  const [code, words] = [joinedWords(kind, '_'), joinedWords(kind, ' ')]
  const article = /^[aeiou]/.test(words) ? 'An' : 'A'
  const table = defineErrors({
    [`${code}_exists`]: { status: 409, title: `${article} ${words} of this name exists.` },
    [`${code}_quota_exceeded`]: { status: 429, title: `The maximum number of objects is reached: ${words}.` },
  }) as ErrorTable
  const [exists, quota] = Object.values(table)
  if (exists === undefined || quota === undefined) throw new TypeError(`the errors of ${kind} are not defined`)
  return { exists, quota }
}
