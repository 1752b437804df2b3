import { outputCheck } from '#core/guardrails/output-schema.ts'
import type { OutputCheck } from '#core/guardrails/output-schema.ts'
import { PolicyProblem } from '#core/guardrails/detectors/policy-problem.ts'
import type { ConfigProblem, Evaluator, EvaluatorConfig, ScoredOutput } from '../contract/points.ts'
import { checkFields, choiceOf, textList, outputText } from './config.ts'

/** Objects and lists of a schema. */
const MAX_BRANCHES = 1_000
const MAX_TOOLS = 64

/** Whether the output is JSON that matches a schema without references, expressions and formats. */
export const jsonSchema: Evaluator = {
  type: 'jsonSchema',
  check: (config) => {
    const problems = checkFields(config, { schema: () => undefined })
    return problems.length > 0 ? problems : schemaProblems(config['schema'])
  },
  evaluate: ({ output }, config) => {
    const text = typeof output === 'string' ? output : JSON.stringify(output ?? null)
    const matches = compile(config)
    return { score: matches(text) || (typeof output !== 'string' && matches(outputText(output))) ? 1 : 0 }
  },
}

/** Whether the run called tools in an order: those of the config, or `metadata.tools` of the case. */
export const toolSequence: Evaluator = {
  type: 'toolSequence',
  needsExpected: ({ tools }) => tools === undefined,
  check: (config) =>
    checkFields(config, {
      'tools?': textList({ items: MAX_TOOLS, length: 128 }),
      'match?': choiceOf(['exact', 'ordered', 'unordered']),
    }),
  evaluate: (scored, config) => {
    const expected = expectedTools(scored, config)
    const found = matched(scored.tools, expected, config['match'] ?? 'exact')
    if ((config['match'] ?? 'exact') !== 'exact') return { score: expected.length === 0 ? 1 : found / expected.length }
    const isSame = found === expected.length && scored.tools.length === expected.length
    return { score: isSame ? 1 : 0, note: `${scored.tools.length} calls, ${expected.length} expected` }
  },
}

/** Number of expected tools that were called, in their order unless it does not matter. */
function matched(called: readonly string[], expected: readonly string[], match: unknown): number {
  const left = [...called]
  let found = 0
  for (const tool of expected) {
    const at = left.indexOf(tool)
    if (at === -1) continue
    found++
    left.splice(match === 'unordered' ? at : 0, match === 'unordered' ? 1 : at + 1)
  }
  return found
}

function expectedTools({ metadata }: ScoredOutput, { tools }: EvaluatorConfig): readonly string[] {
  const expected = tools ?? metadata['tools']
  if (!Array.isArray(expected) || expected.length > MAX_TOOLS || !expected.every((one) => typeof one === 'string'))
    throw new Error('metadata.tools of the case is not a list of names of tools')
  return expected
}

const compiled = new WeakMap<EvaluatorConfig, OutputCheck>()

function compile(config: EvaluatorConfig): OutputCheck {
  const known = compiled.get(config)
  if (known !== undefined) return known
  const made = outputCheck(config['schema'])
  compiled.set(config, made)
  return made
}

function schemaProblems(schema: unknown): readonly ConfigProblem[] {
  try {
    outputCheck(schema)
  } catch (error) {
    if (!(error instanceof PolicyProblem)) throw error
    return [{ pointer: `/schema${error.pointer}`, detail: error.detail }]
  }
  // Counted after the check, which bounds the depth.
  return branchesOf(schema) <= MAX_BRANCHES
    ? []
    : [{ pointer: '/schema', detail: `has more than ${MAX_BRANCHES} branches` }]
}

function branchesOf(schema: unknown): number {
  if (typeof schema !== 'object' || schema === null) return 0
  return Object.values(schema).reduce<number>((sum, one) => sum + branchesOf(one), 1)
}
