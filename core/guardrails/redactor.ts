import { createPause } from '#core/async/time-slice.ts'
import { REDACTED, processSecrets } from '#core/log/secrets.ts'
import type { Detector } from './detectors/detector.ts'
import { piiDetector, piiKinds } from './detectors/pii.ts'
import type { PiiKind } from './detectors/pii.ts'
import { PolicyProblem } from './detectors/policy-problem.ts'
import { regexDetector } from './detectors/regex.ts'
import { mayHaveSecret, secretDetector } from './detectors/secrets.ts'
import { JsonTexts } from './json-texts.ts'
import type { TextSpan } from './reading-scan.ts'
import { TextScan } from './text-scan.ts'

/** Returns a text without what must not be shown. */
export type Redact = (text: string) => string

/** Replaces what must not be stored or shown by `[redacted]`. */
export interface Redactor {
  /** Redacts one short text, without a turn of the event loop. */
  readonly text: Redact
  /** A copy of a JSON value with its texts redacted. Yields to the event loop every few milliseconds. */
  value(value: unknown): Promise<unknown>
}

/** Instructions of all patterns: time and memory per character are proportional to them. */
const MAX_COST = 20_000

/**
 * Creates a redactor of secrets and of named content. As in `spec.tracePolicy.redact`, a name is a kind of personal data (`email`), or a
 * pattern in the syntax of RE2. Secrets are keys, tokens and private keys by their shape, the secrets of this process, and texts of fields
 * that name a credential. With `keepShape` names of fields and numbers stay; otherwise they are redacted like texts. Throws `PolicyProblem`
 * with the place of the first name that cannot be applied: `/1`.
 */
export function createRedactor(
  names: readonly string[],
  { keepShape = false }: { readonly keepShape?: boolean } = {},
): Redactor {
  const named = toDetectors(names)
  const all = [secretDetector(), ...named]
  const steps = (text: string): Generator<void, string> => {
    const clean = processSecrets.redact(text)
    return redactInSteps(mayHaveSecret(clean) ? all : named, clean)
  }
  return {
    text: (text) => runWhole(steps(text)),
    async value(value) {
      const found = new JsonTexts(value, { keepShape })
      const pause = createPause()
      const texts: string[] = []
      for (const text of found.texts) texts.push(await runPaused(steps(text), pause))
      return found.replaced(texts, REDACTED)
    },
  }
}

function toDetectors(names: readonly string[]): readonly Detector[] {
  const kinds = piiKinds.filter((kind) => names.includes(kind))
  let cost = 0
  const patterns = names.flatMap((name, index) => {
    if (isKind(name)) return []
    const detector = compile(name, index)
    cost += detector.cost ?? 0
    if (cost > MAX_COST) throw new PolicyProblem(`/${index}`, 'makes the combined patterns too large')
    return [detector]
  })
  return [...(kinds.length === 0 ? [] : [piiDetector(kinds)]), ...patterns]
}

function compile(pattern: string, index: number): Detector {
  try {
    return regexDetector({ patterns: [pattern] })
  } catch (error) {
    throw error instanceof PolicyProblem ? new PolicyProblem(`/${index}`, error.detail) : error
  }
}

function isKind(name: string): name is PiiKind {
  return piiKinds.some((kind) => kind === name)
}

/** Redacts a text block by block: linear in time, with a step after each block. */
function* redactInSteps(detectors: readonly Detector[], text: string): Generator<void, string> {
  if (detectors.length === 0) return text
  let result = ''
  let at = 0
  for (const spans of scanBlocks(detectors, text)) {
    for (const { start, end, continued } of spans) {
      // The union of overlapping matches is removed.
      if (start >= at && !continued) result += text.slice(at, start) + REDACTED
      at = Math.max(at, end)
    }
    yield
  }
  return at === 0 ? text : result + text.slice(at)
}

type Spans = readonly Pick<TextSpan, 'start' | 'end' | 'continued'>[]

function* scanBlocks(detectors: readonly Detector[], text: string): Generator<Spans> {
  const scan = new TextScan(detectors, { decodes: false })
  scan.push(text)
  for (let block = scan.next(true); block !== undefined; block = scan.next(true)) yield block.spans
}

function runWhole(steps: Generator<void, string>): string {
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

async function runPaused(steps: Generator<void, string>, pause: () => Promise<void> | undefined): Promise<string> {
  let step = steps.next()
  while (step.done !== true) {
    const turn = pause()
    if (turn !== undefined) await turn
    step = steps.next()
  }
  return step.value
}
