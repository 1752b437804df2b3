import type { ComponentType } from 'react'
import type { IconName } from '../parts/icon/icons.ts'
import type { DataColumn } from '../parts/table/data-column.ts'
import type { KindObject } from './kind-object.ts'

/** A column of a list: a dotted path in an object, such as `spec.quota.concurrency`. */
export interface KindColumn {
  readonly title: string
  readonly field: string
  readonly align?: 'end'
}

/** A kind that the console shows by its schema: list, object, form, YAML and differences. */
export interface KindEntry {
  /** Path in the console. */
  readonly path: string
  /** Segments of its routes below `/api`. */
  readonly api: readonly string[]
  readonly title: string
  /** One object, in words: `secret binding`. */
  readonly noun: string
  readonly icon: IconName
  /** What belongs here, in one sentence. */
  readonly about: string
  /** Whether its objects have no namespace. */
  readonly isClusterWide?: boolean
  /** Capability that creating one needs beside the verb, where a setting of its own hides it. */
  readonly createNeeds?: string
  /** Whether its status says what calls do, which no event announces. */
  readonly reportsTraffic?: boolean
  /** Columns beside name, namespace, state and age; without them the first fields of the spec. */
  readonly columns?: readonly KindColumn[]
}

/** What a plugin adds to the pages of its kind. It is loaded with them. */
export interface KindParts {
  /** In place of the columns of the entry. */
  readonly columns?: readonly DataColumn<KindObject>[]
  /** Stands in the bar of the list: what is no action on an object. */
  readonly ListBar?: ComponentType
  /** An action of the bar comes before New. */
  readonly isNewSecond?: boolean
  /** Stands between the state of an object and its spec. */
  readonly Overview?: ComponentType<{ readonly object: KindObject }>
  /** Stands above the buttons that save: what is checked before. `document` is what the YAML says; undefined if it does not parse. */
  readonly Checks?: ComponentType<{ readonly document: unknown }>
}

/** The address of a new object. No name begins with a dash, so that it is never that of an object. */
export function newPath({ path, isClusterWide = false }: Pick<KindEntry, 'path' | 'isClusterWide'>): string {
  return `${path}/${isClusterWide ? '-new' : 'new'}`
}

/** The address of an object. */
export function objectPath(
  { path }: Pick<KindEntry, 'path'>,
  names: { readonly namespace?: string; readonly name: string },
): string {
  const segments = names.namespace === undefined ? [names.name] : [names.namespace, names.name]
  return `${path}/${segments.map(encodeURIComponent).join('/')}`
}
