import type { FigureOf, Goal } from '../tools/bench.ts'
import { cpuOf, ownCpuOf } from '../tools/process-figures.ts'

/** CPU time in microseconds of the programs started by this process: the platform and its servers, not their clients. */
export function serversCpu(): number {
  return cpuOf(process.pid) - ownCpuOf(process.pid)
}

/** Runs work several times sequentially: CPU by a meter and time, as figures `<name> cpu us` and `<name> ms`. */
export async function costOf(
  name: string,
  times: number,
  work: () => Promise<unknown>,
  meter: () => number = serversCpu,
): Promise<Readonly<Record<string, number>>> {
  const from = { cpu: meter(), at: performance.now() }
  for (let turn = 0; turn < times; turn++) await work()
  return { [`${name} cpu us`]: (meter() - from.cpu) / times, [`${name} ms`]: (performance.now() - from.at) / times }
}

/** Goal: an operation costs at most 1.2 times as much in a large installation as in a small one. */
export function staysFlat(figureOf: FigureOf, of: { name: string; what: string; small: string; large: string }): Goal {
  const { name, what, small, large } = of
  const figure = `${name} cpu us`
  return {
    number: 18,
    text: `CPU of ${what}, ${large} against ${small}, ratio`,
    value: figureOf(large, figure) / figureOf(small, figure),
    limit: 1.2,
    peer: { candidate: small, figure },
  }
}
