import { formatMicros } from '#schemas/values/money.ts'
import type { RunMoney } from '../contract/run.ts'
import type { RunSums } from './run-sums.ts'
import type { SumsLine } from '../store/sums/sums.ts'

/** Adds lines of several currencies. Pure. */
export function addLines(lines: readonly SumsLine[]): RunSums {
  const sum = (of: (line: SumsLine) => string): number =>
    Number(lines.reduce((all, line) => all + BigInt(of(line)), 0n))
  const times = (of: (line: SumsLine) => string | null): string =>
    String(lines.reduce((all, line) => all + BigInt(of(line) ?? '0'), 0n))
  return {
    count: sum(({ runs }) => runs),
    succeeded: sum(({ succeeded }) => succeeded),
    failed: sum(({ failed }) => failed),
    paused: sum(({ paused }) => paused),
    usage: {
      inputTokens: sum((line) => line.input_tokens),
      outputTokens: sum((line) => line.output_tokens),
      cachedTokens: sum((line) => line.cached_tokens),
      reasoningTokens: sum((line) => line.reasoning_tokens),
    },
    micros: microsOf(lines),
    duration: times(({ duration }) => duration),
    queue: times(({ queue }) => queue),
    firstToken: times((line) => line.first_token),
  }
}

/** The sums without those of a part of them. Pure. */
export function subtractSums(all: RunSums, parts: readonly RunSums[]): RunSums {
  const rest = (of: (sums: RunSums) => number): number => parts.reduce((left, part) => left - of(part), of(all))
  const times = (of: (sums: RunSums) => string): string =>
    String(parts.reduce((left, part) => left - BigInt(of(part)), BigInt(of(all))))
  return {
    count: rest(({ count }) => count),
    succeeded: rest(({ succeeded }) => succeeded),
    failed: rest(({ failed }) => failed),
    paused: rest(({ paused }) => paused),
    usage: {
      inputTokens: rest(({ usage }) => usage.inputTokens),
      outputTokens: rest(({ usage }) => usage.outputTokens),
      cachedTokens: rest(({ usage }) => usage.cachedTokens),
      reasoningTokens: rest(({ usage }) => usage.reasoningTokens),
    },
    micros: new Map(
      [...all.micros].map(([currency, amount]) => [
        currency,
        parts.reduce((left, { micros }) => left - (micros.get(currency) ?? 0n), amount),
      ]),
    ),
    duration: times(({ duration }) => duration),
    queue: times(({ queue }) => queue),
    firstToken: times(({ firstToken }) => firstToken),
  }
}

function microsOf(lines: readonly SumsLine[]): ReadonlyMap<string, bigint> {
  const micros = new Map<string, bigint>()
  for (const { currency, micros: text } of lines)
    if (currency !== '' && currency !== '*') micros.set(currency, (micros.get(currency) ?? 0n) + BigInt(text))
  return micros
}

/** The amounts of sums, in the order of the currencies. Pure. */
export function amountsOf({ micros }: Pick<RunSums, 'micros'>): readonly RunMoney[] {
  const sorted = [...micros].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return sorted.map(([currency, amount]) => ({ amount: formatMicros(amount), currency }))
}
