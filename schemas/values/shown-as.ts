import type { TSchema } from 'typebox'

/** Keyword of the schema that the OpenAPI document shows instead. */
export const SHOWN_AS = 'x-mesh-shown-as'

/**
 * The schema `checked`, documented as `shown`. For a part of a body that the route passes on unchecked because the cluster or another validator
 * checks it: clients still see its fields.
 */
export function shownAs<T extends TSchema>(checked: T, shown: object): T {
  return { ...checked, [SHOWN_AS]: shown }
}

/** The schema under a title: it becomes a component of the OpenAPI document with that name. */
export function titled<T extends TSchema>(title: string, schema: T): T {
  return { ...schema, title }
}

/** Reference to the component with this title, for a schema that contains itself. */
export function componentRef(title: string): object {
  return { $ref: `#/components/schemas/${title}` }
}
