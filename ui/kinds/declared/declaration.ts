import { toNode } from '../../parts/yaml/schema-shape.ts'
import { valueAt } from '../kind-object.ts'

/** A field of a declared page. */
export interface DeclaredField {
  readonly title: string
  readonly field: string
}

/** A route of the plugin that a button sends. */
export interface DeclaredAction {
  readonly title: string
  readonly method: 'POST' | 'PUT' | 'DELETE'
  readonly path: string
}

/** What a third party's page shows. The server has checked it; a broken one has no fields. */
export interface Declaration {
  readonly layout: 'list' | 'detail'
  readonly source: string
  readonly shown: readonly DeclaredField[]
  readonly actions: readonly DeclaredAction[]
  /** Field of an item that is `{name}` in the paths of actions. */
  readonly nameField: string | undefined
}

/** Values of the parameters of a path. */
export interface PathNames {
  readonly ns: string | undefined
  readonly name: string | undefined
  /** Of a run. */
  readonly id?: string | undefined
}

/** Reads the declaration of a page. */
export function readDeclaration(value: unknown): Declaration {
  const { layout, source, columns, fields, actions, nameField } = toNode(value) ?? {}
  const list = (given: unknown): readonly object[] => (Array.isArray(given) ? given : [])
  return {
    layout: layout === 'detail' ? 'detail' : 'list',
    source: String(source),
    shown: list(layout === 'detail' ? fields : columns) as readonly DeclaredField[],
    actions: list(actions) as readonly DeclaredAction[],
    nameField: typeof nameField === 'string' ? nameField : undefined,
  }
}

/** Segments below `/api` of a path with its parameters; undefined while one of them has no value. */
export function fillPath(path: string, { ns, name, id }: PathNames): readonly string[] | undefined {
  const values: Readonly<Record<string, string | undefined>> = { '{ns}': ns, '{name}': name, '{id}': id }
  const segments = path.split('/').slice(2)
  const filled = segments.map((segment) => (/^\{\w+\}$/.test(segment) ? values[segment] : segment))
  return filled.every((segment) => segment !== undefined && segment !== '') ? (filled as readonly string[]) : undefined
}

/** Names of an item, for the paths of its actions: of its metadata, else of the field that the page names, else of the page. */
export function namesOf(item: unknown, { nameField }: Declaration, names: PathNames): PathNames {
  const field = (...fields: readonly string[]): string | undefined => {
    const found = fields.map((one) => valueAt(item, one)).find((value) => typeof value === 'string' && value !== '')
    return found === undefined ? undefined : String(found)
  }
  return {
    ...names,
    ns: field('metadata.namespace', 'namespace') ?? names.ns,
    name: nameField === undefined ? (field('metadata.name', 'name') ?? names.name) : field(nameField),
  }
}

/** The items of a response. */
export function itemsOf(response: unknown): readonly unknown[] {
  const items = toNode(response)?.['items'] ?? response
  return Array.isArray(items) ? items : []
}
