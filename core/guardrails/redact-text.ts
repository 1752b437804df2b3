import type { Detector } from './detectors/detector.ts'
import { foldText } from './detectors/fold-text.ts'
import { piiDetector, piiKinds } from './detectors/pii.ts'
import { regexDetector } from './detectors/regex.ts'

// Replaces removed text.
const removed = '[redacted]'

/** Returns a text without what the entries find. */
export type Redact = (text: string) => string

/**
 * Creates a redaction by entries of `spec.tracePolicy.redact`: kinds of personal data, or RE2 patterns, which take linear time. Throws
 * `PolicyProblem` for a pattern that is not valid.
 */
export function createRedact(entries: readonly string[]): Redact {
  const kinds = piiKinds.filter((kind) => entries.includes(kind))
  const patterns = entries.filter((entry) => !piiKinds.some((kind) => kind === entry))
  const detectors = [
    ...(kinds.length === 0 ? [] : [piiDetector(kinds)]),
    ...(patterns.length === 0 ? [] : [regexDetector({ patterns })]),
  ]
  return detectors.length === 0 ? (text) => text : (text) => redactWith(detectors, text)
}

function redactWith(detectors: readonly Detector[], text: string): string {
  const found = detectors.flatMap((detector) => placesIn(detector, text)).sort(([a], [b]) => a - b)
  let result = ''
  let at = 0
  for (const [start, end] of found) {
    // Of overlapping places the union is removed.
    if (start >= at) result += text.slice(at, start) + removed
    at = Math.max(at, end)
  }
  return found.length === 0 ? text : result + text.slice(at)
}

function placesIn(detector: Detector, text: string): (readonly [start: number, end: number])[] {
  if (!detector.folds) return detector.find(text, 0, text.length).map(({ start, end }) => [start, end])
  const folded = foldText(text)
  return detector
    .find(folded.text, 0, folded.text.length)
    .map(({ start, end }) => [folded.toRaw(start), folded.toRaw(end)])
}
