import { Environment } from '@marcbachmann/cel-js'
import type { ParseResult } from '@marcbachmann/cel-js'
import { createCache } from './bounded-cache.ts'
import { compiledPattern } from './validate-value.ts'

/** A value of an expression. */
export type CelValue = string | number | bigint | boolean | null | CelValue[] | { [key: string]: CelValue }

/** A node of a parsed expression, as far as it is read here. */
export interface CelNode {
  readonly op: string
  readonly args: unknown
}

/** Evaluation steps of all rules of one write. About 0.3 s: rules run on the thread that serves all requests. */
const MAX_STEPS = 2_000_000

/** The rules of a write cost more than `MAX_STEPS`. */
export class RuleBudgetExceeded extends Error {
  override readonly name = 'RuleBudgetExceeded'
}

// Quantifiers catch and rethrow errors: one shared error costs no stack.
const exceeded = new RuleBudgetExceeded(
  'validation failed due to running out of cost budget, no further validation rules will be run',
)

let steps = 0

/** Starts counting the steps of the rules of one write. */
export function resetSteps(): void {
  steps = 0
}

/** Counts steps; throws `RuleBudgetExceeded` when none are left. */
export function spend(cost: number): void {
  steps += cost
  if (steps > MAX_STEPS) throw exceeded
}

const environment = new Environment({
  homogeneousAggregateLiterals: false,
  limits: { maxAstNodes: 5_000, maxDepth: 100 },
})
  .registerVariable('self', 'dyn')
  .registerVariable('oldSelf', 'dyn')
  .registerFunction('string.matchesRe2(string): bool', (text: string, pattern: string) => {
    spend(Math.ceil(text.length / 10) * Math.ceil(pattern.length / 4))
    return compiledPattern(pattern).matcher(text).find()
  })

/** `matches` runs in RE2: the library's own uses a JavaScript regular expression (X2). */
const LITERAL_OR_CALL = /("""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|\.matches\(/g

function parse(expression: string): ParseResult {
  const text = expression.replace(LITERAL_OR_CALL, (_match, literal: string | undefined) => literal ?? '.matchesRe2(')
  return environment.parse(text)
}

const programs = createCache(2_000, (expression): ParseResult => {
  const result = parse(expression)
  const { valid, error } = result.check()
  if (!valid) throw error ?? new Error('the expression is invalid')
  meter(result.ast, new Set())
  return result
})

/** Parses and type-checks an expression. Throws an error whose first line is the reason. */
export function compileExpression(expression: string): CelNode {
  programs(expression)
  // Macros of the checked tree are expanded; the reader needs the expression as written.
  return parse(expression).ast
}

/** Evaluates an expression; throws `RuleBudgetExceeded` when the write has no steps left. */
export function evaluate(expression: string, context: { self: CelValue; oldSelf: CelValue }): unknown {
  return programs(expression)(context)
}

type Evaluate = (evaluator: unknown, node: MeteredNode, context: unknown) => unknown

/** The fields of the library's nodes that carry their evaluation. */
interface MeteredNode {
  op: string
  args: unknown
  receiverWithArgs?: unknown
  evaluate: Evaluate
  readonly meta: {
    readonly evaluate: Evaluate
    readonly alternate?: MeteredNode
    readonly macro?: { readonly evaluate: (evaluator: unknown, macro: unknown, context: unknown) => unknown }
  }
}

const isNode = (value: object): value is MeteredNode => 'op' in value && 'evaluate' in value

/** Makes every node of a checked expression count its evaluations and the size of its result. */
function meter(value: unknown, seen: Set<object>): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return
  seen.add(value)
  if (!isNode(value)) {
    // Arguments of a node: other nodes, and contexts of the library, which have no plain prototype.
    const plain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype
    if (plain) for (const part of Object.values(value)) meter(part, seen)
    return
  }
  const { alternate, macro } = value.meta
  for (const part of [alternate, value.args, value.receiverWithArgs, macro]) meter(part, seen)
  if (alternate) return
  const inner: Evaluate = macro
    ? (evaluator, _node, context) => macro.evaluate(evaluator, macro, context)
    : value.meta.evaluate
  value.evaluate = (evaluator, node, context) => {
    const result = inner(evaluator, node, context)
    spend(1 + (typeof result === 'string' || Array.isArray(result) ? result.length >> 6 : 0))
    return result
  }
}

/** The first line of an error of the library. */
export function reasonOf(error: unknown): string {
  const text = (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
  return text.startsWith('No such key') ? `no such key${text.slice('No such key'.length)}` : text
}
