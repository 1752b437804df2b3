import { RE2JS, RE2JSSyntaxException } from 're2js'
import { canonicalJson } from '#core/json/canonical-json.ts'
import type { Evaluator, EvaluatorConfig, ScoredOutput } from '../contract/points.ts'
import { checkFields, isBoolean, choiceOf, boundedText, textList, outputText } from './config.ts'

const MAX_TEXT = 65_536
const MAX_PATTERN = 1_024
/** Instructions of a compiled pattern: time per character is proportional to them. */
const MAX_PROGRAM = 4_000

/** Whether the output equals the expected one: strings without surrounding space, other values by their canonical JSON. */
export const exact: Evaluator = {
  type: 'exact',
  needsExpected: ({ value }) => value === undefined,
  check: (config) => checkFields(config, { 'value?': boundedText(MAX_TEXT), 'ignoreCase?': isBoolean }),
  evaluate: (scored, config) => {
    const [output, expected] = [scored.output, expectedOf(scored, config)]
    const isSame =
      typeof expected === 'string'
        ? cased(outputText(output).trim(), config) === cased(expected.trim(), config)
        : canonicalJson(output) === canonicalJson(expected)
    return { score: isSame ? 1 : 0 }
  },
}

/** Whether the output contains strings: those of the config, or the expected output. */
export const contains: Evaluator = {
  type: 'contains',
  needsExpected: ({ values }) => values === undefined,
  check: (config) =>
    checkFields(config, {
      'values?': textList({ items: 64, length: 4_096 }),
      'match?': choiceOf(['all', 'any']),
      'ignoreCase?': isBoolean,
    }),
  evaluate: (scored, config) => {
    const text = cased(outputText(scored.output), config)
    const values = Array.isArray(config['values']) ? config['values'].map(String) : expectedTexts(scored)
    const found = values.filter((value) => text.includes(cased(value, config))).length
    if (config['match'] === 'any') return { score: found > 0 ? 1 : 0 }
    return { score: found / values.length, note: `${found} of ${values.length} found` }
  },
}

/** Whether the output matches a regular expression in the syntax of RE2, which takes linear time (X2). */
export const regex: Evaluator = {
  type: 'regex',
  check: (config) => {
    const problems = checkFields(config, {
      pattern: boundedText(MAX_PATTERN),
      'ignoreCase?': isBoolean,
      'absent?': isBoolean,
    })
    const detail = problems.length > 0 ? undefined : patternProblem(config)
    return detail === undefined ? problems : [{ pointer: '/pattern', detail }]
  },
  evaluate: ({ output }, config) => {
    const isFound = compile(config).test(outputText(output))
    return { score: isFound === (config['absent'] !== true) ? 1 : 0 }
  },
}

const compiled = new WeakMap<EvaluatorConfig, RE2JS>()

function compile(config: EvaluatorConfig): RE2JS {
  const known = compiled.get(config)
  if (known !== undefined) return known
  const made = RE2JS.compile(String(config['pattern']), config['ignoreCase'] === true ? RE2JS.CASE_INSENSITIVE : 0)
  compiled.set(config, made)
  return made
}

function patternProblem(config: EvaluatorConfig): string | undefined {
  try {
    return compile(config).programSize() > MAX_PROGRAM ? 'is too large: use fewer repetitions' : undefined
  } catch (error) {
    // The message of the library quotes the pattern.
    const described = error instanceof RE2JSSyntaxException ? `: ${error.error}` : ''
    return `is not a valid RE2 regular expression${described}`
  }
}

function expectedOf({ expected }: ScoredOutput, { value }: EvaluatorConfig): unknown {
  if (value !== undefined) return value
  if (expected === undefined) throw new Error('the case has no expected output')
  return expected
}

function expectedTexts(scored: ScoredOutput): readonly string[] {
  const expected = expectedOf(scored, {})
  const values = Array.isArray(expected) ? expected.map(outputText) : [outputText(expected)]
  if (values.length === 0) throw new Error('the expected output of the case is empty')
  return values
}

function cased(text: string, { ignoreCase }: EvaluatorConfig): string {
  return ignoreCase === true ? text.toLowerCase() : text
}
