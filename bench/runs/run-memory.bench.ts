import { setTimeout as sleep } from 'node:timers/promises'
import { createConfigured } from '../tools/agents.ts'
import type { Bench } from '../tools/bench.ts'
import { inFolder } from '../tools/platform.ts'
import { memoryOf, ownCpuOf } from '../tools/process-figures.ts'
import { interleave } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'
import { connect, invoke, runLoad, warm } from './callers.ts'
import { startObserved } from './platform-process.ts'

// Ten thousand take about seven minutes; BENCH_MEMORY_RUNS=10000 measures the goal.
const many = Number(process.env['BENCH_MEMORY_RUNS'] ?? 1000)
const few = Math.ceil(many / 10)
const name = 'embedded'
const settleMs = 5000

/** Memory of the embedded process on PGlite before runs, warm, and after runs of 8 callers, five seconds later each. */
export const bench: Bench = {
  title: `memory of the embedded process (MB) before runs, warm, and after ${few} and ${many} further runs`,
  database: 'fresh',
  measure: () => interleave([{ name, run: measure }], { rounds: 1, most: 1 }),
  goals: (figureOf) => [
    ...[few, many].map((runs) => ({
      number: 22,
      text: `RSS after ${runs} runs, MB`,
      value: figureOf(name, `rss MB after ${runs}`),
      limit: 450,
    })),
    {
      number: 22,
      text: `RSS after ${many} runs against ${few}, ratio`,
      value: figureOf(name, `rss MB after ${many}`) / figureOf(name, `rss MB after ${few}`),
      limit: 1.05,
    },
  ],
}

function measure(): Promise<Record<string, number>> {
  return inFolder((folder) =>
    withScope(async (t) => {
      const platform = await startObserved(t, folder)
      await createConfigured(platform, { name: 'hello', model: { route: 'mock' }, limits: { concurrency: 64 } })
      const pool = connect(t, platform.url)
      const operation = invoke(platform.tokens['developer'] ?? '', 'hello')
      const figures: Record<string, number> = {}
      const read = async (when: string): Promise<void> => {
        await sleep(settleMs)
        const { memory, wasmBytes } = await platform.observe()
        figures[`rss MB ${when}`] = memoryOf(platform.pid).rss
        figures[`heap MB ${when}`] = memory.heapUsed / 2 ** 20
        figures[`PGlite MB ${when}`] = wasmBytes / 2 ** 20
      }
      await read('idle')
      const cpu = (): number => ownCpuOf(platform.pid)
      const { cold } = await warm(pool, operation, { cpu, callers: 8, round: few })
      figures['cold us'] = cold
      await read('warm')
      await runLoad(pool, operation, { callers: 8, count: few })
      await read(`after ${few}`)
      await runLoad(pool, operation, { callers: 8, count: many - few })
      await read(`after ${many}`)
      return figures
    }),
  )
}
