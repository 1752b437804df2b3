import { Type } from 'typebox'
import type { Static } from 'typebox'

const title = Type.String({ minLength: 1, maxLength: 60 })
const path = Type.String({ minLength: 1, maxLength: 200 })
const shown = Type.Object({
  title,
  /** Dotted path in an item or in the object: `spec.people`. */
  field: Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_.-]{0,119}$' }),
})

/**
 * A page of a third party as data: the console draws it, so that no code of others runs with the session of a person. `source` and the paths
 * of actions are routes of the plugin, with `{ns}` and `{name}` for the parameters.
 */
export const DeclaredPage = Type.Object({
  layout: Type.Enum(['list', 'detail']),
  source: path,
  columns: Type.Optional(Type.Array(shown, { minItems: 1, maxItems: 20 })),
  fields: Type.Optional(Type.Array(shown, { minItems: 1, maxItems: 60 })),
  /** Field of an item that is `{name}` in the paths of actions. Default: `metadata.name`, or `name`. */
  nameField: Type.Optional(shown.properties.field),
  actions: Type.Optional(
    Type.Array(Type.Object({ title, method: Type.Enum(['POST', 'PUT', 'DELETE']), path }), { maxItems: 10 }),
  ),
})

export type DeclaredPage = Static<typeof DeclaredPage>
