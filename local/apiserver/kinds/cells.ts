import { isObject } from '../json/json-value.ts'
import type { Json, JsonObject } from '../json/json-value.ts'
import { column } from './columns.ts'
import type { Cell, Column } from './columns.ts'
import { ageOf } from './human-duration.ts'
import { compileJsonPath } from './json-path.ts'

/** Shown for a missing value. */
export const NONE = '<none>'
/** A column that `-o wide` shows. */
export const wide = (name: string, cell: Cell): Column => column(name, cell, { priority: 1 })

/** The creation time. */
export const CREATED = column('Created At', (object) => object.metadata.creationTimestamp ?? null, { type: 'date' })

/** Reads the first value at a JSONPath. */
export function read(path: string): (object: Json) => Json | undefined {
  const evaluate = compileJsonPath(path)
  return (object) => evaluate(object)[0]
}

/** The value at a JSONPath. */
export function at(path: string, absent: Json = ''): Cell {
  const value = read(path)
  return (object) => value(object) ?? absent
}

/** All values at a JSONPath, separated by commas. */
export function joined(path: string, separator = ','): Cell {
  const evaluate = compileJsonPath(path)
  return (object) => evaluate(object).map(String).join(separator)
}

/** The number of entries of the maps at the paths. */
export function size(...paths: string[]): Cell {
  const evaluators = paths.map((path) => compileJsonPath(`${path}.*`))
  return (object) => evaluators.reduce((sum, evaluate) => sum + evaluate(object).length, 0)
}

/** A map of labels as a selector. */
export function labels(path: string, empty = NONE): Cell {
  const value = read(path)
  return (object) => {
    const map = value(object)
    const entries = typeof map === 'object' && map !== null ? Object.entries(map) : []
    return entries.length === 0
      ? empty
      : entries
          .map(([key, item]) => `${key}=${String(item)}`)
          .sort()
          .join(',')
  }
}

/** The elements of a list that are objects. */
export function asObjects(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** The first value that is present at one of the paths. */
export function firstOf(...paths: string[]): Cell {
  const readers = paths.map(read)
  return (object) =>
    readers.map((reader) => reader(object)).find((value) => value !== undefined && value !== null) ?? ''
}

/** The age of the first time that is present at one of the paths. */
export function ageAt(...paths: string[]): Cell {
  const value = firstOf(...paths)
  return (object, now) => ageOf(value(object, now), now)
}

/** Columns of a pod template at a path. */
export const workload = (path: string, selector = '.spec.selector.matchLabels'): Column[] => [
  wide('Containers', joined(`${path}.spec.containers[*].name`)),
  wide('Images', joined(`${path}.spec.containers[*].image`)),
  wide('Selector', labels(selector)),
]
