import { isObject } from '../json/json-value.ts'
import { celName } from '../schema/cel-names.ts'
import type { CelNode } from '../schema/cel-program.ts'
import { largestCount } from './schema-counts.ts'
import type { RawSchema } from './schema-paths.ts'

/** Variables of an expression with the schemas of their values; a value without a known schema is absent. */
type Scope = ReadonlyMap<string, RawSchema>

const MACROS = new Set(['all', 'exists', 'exists_one', 'map', 'filter'])
const TEXT = { type: 'string' }
const HEAD = {
  apiVersion: TEXT,
  kind: TEXT,
  metadata: { type: 'object', properties: { name: TEXT, generateName: TEXT } },
}

const isNode = (value: unknown): value is CelNode =>
  typeof value === 'object' && value !== null && 'op' in value && 'args' in value

const argsOf = ({ args }: CelNode): readonly unknown[] => (Array.isArray(args) ? args : [args])

/** A macro that loops: its range, its variable and the expressions evaluated per item. */
interface Loop {
  readonly range: CelNode
  readonly variable: string
  readonly steps: readonly CelNode[]
  readonly name: string
}

function loopOf(node: CelNode): Loop | undefined {
  if (node.op !== 'rcall') return undefined
  const [name, range, given] = argsOf(node)
  if (typeof name !== 'string' || !MACROS.has(name) || !isNode(range) || !Array.isArray(given)) return undefined
  const [variable, ...steps] = given.filter(isNode)
  if (variable === undefined || variable.op !== 'id' || steps.length === 0) return undefined
  return { range, variable: String(variable.args), steps, name }
}

const rootScope = (schema: RawSchema): Scope =>
  new Map([
    ['self', schema],
    ['oldSelf', schema],
  ])

function inLoop({ range, variable }: Loop, scope: Scope): Scope {
  const of = typeOf(range, scope)
  const next = new Map(scope)
  next.delete(variable)
  // The variable of a map is its key.
  if (isObject(of?.['items'])) next.set(variable, of['items'])
  return next
}

/** The schema of the value of an expression; undefined if it is not known. */
function typeOf(node: CelNode, scope: Scope): RawSchema | undefined {
  if (node.op === 'id') return scope.get(String(node.args))
  const [first, second] = argsOf(node)
  if (node.op === '.' && isNode(first) && typeof second === 'string') return fieldOf(typeOf(first, scope), second)
  if (node.op === '[]' && isNode(first)) {
    const { items, additionalProperties } = typeOf(first, scope) ?? {}
    return isObject(items) ? items : isObject(additionalProperties) ? additionalProperties : undefined
  }
  const loop = loopOf(node)
  return loop?.name === 'filter' ? typeOf(loop.range, scope) : undefined
}

function fieldOf(schema: RawSchema | undefined, name: string): RawSchema | undefined {
  if (schema === undefined) return undefined
  const { properties, additionalProperties } = schema
  const found = Object.entries(isObject(properties) ? properties : {}).find(([key]) => celName(key) === name)?.[1]
  if (isObject(found)) return found
  return isObject(additionalProperties) ? additionalProperties : undefined
}

/** True if an object of the schema cannot have the field; fields that are only preserved cannot be used. */
const lacks = (schema: RawSchema | undefined, name: string): boolean =>
  schema?.['type'] === 'object' && fieldOf(schema, name) === undefined

/** The first field of an expression that the schema does not declare. Of `metadata`, only the names of the object can be used. */
export function undeclaredField(expression: CelNode, schema: RawSchema, isRoot: boolean): string | undefined {
  const { properties } = schema
  const whole = isRoot || schema['x-kubernetes-embedded-resource'] === true
  const typed = whole ? { ...schema, properties: { ...(isObject(properties) ? properties : {}), ...HEAD } } : schema
  return find(expression, rootScope(typed))
}

function find(value: unknown, scope: Scope): string | undefined {
  if (Array.isArray(value))
    return value.reduce<string | undefined>((found, each) => found ?? find(each, scope), undefined)
  if (!isNode(value)) return undefined
  const loop = loopOf(value)
  if (loop) return find(loop.range, scope) ?? find(loop.steps, inLoop(loop, scope))
  const [first, second] = argsOf(value)
  const isAccess = value.op === '.' && isNode(first) && typeof second === 'string'
  return isAccess && lacks(typeOf(first, scope), second) ? second : find(argsOf(value), scope)
}

/** Maximum number of evaluations of the innermost expression of a rule, by the declared sizes of lists and maps. */
export function estimateLoops(root: CelNode, schema: RawSchema): number {
  return loopsIn(root, rootScope(schema))
}

function loopsIn(value: unknown, scope: Scope): number {
  if (Array.isArray(value)) return value.reduce<number>((most, each) => Math.max(most, loopsIn(each, scope)), 1)
  if (!isNode(value)) return 1
  const loop = loopOf(value)
  if (!loop) return loopsIn(argsOf(value), scope)
  const of = typeOf(loop.range, scope)
  const count = of === undefined ? 1 : Math.max(1, largestCount(of))
  return Math.max(loopsIn(loop.range, scope), count * loopsIn(loop.steps, inLoop(loop, scope)))
}
