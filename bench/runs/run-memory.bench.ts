import { setTimeout as sleep } from 'node:timers/promises'
import { createConfigured } from '../tools/agents.ts'
import type { Bench } from '../tools/bench.ts'
import { inFolder } from '../tools/platform.ts'
import { memoryOf } from '../tools/process-figures.ts'
import { interleave } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'
import { connect, invoke, runLoad } from './callers.ts'
import { startObserved } from './platform-process.ts'
import type { ObservedPlatform } from './platform-process.ts'

// Ten thousand take some minutes; BENCH_MEMORY_RUNS=10000 measures the goal.
const many = Number(process.env['BENCH_MEMORY_RUNS'] ?? 1000)
const name = 'embedded'
const after = `rss MB after ${many}`

/** Memory of the embedded process before and after runs of 8 callers, ten seconds later each. */
export const bench: Bench = {
  title: `memory of the embedded process (MB) before and after ${many} runs`,
  measure: () => interleave([{ name, run: measure }], { rounds: 1, most: 1 }),
  goals: (figureOf) => [
    { number: 22, text: `RSS after ${many} runs, MB`, value: figureOf(name, after), limit: 450 },
    {
      number: 22,
      text: `RSS after ${many} runs against half as many, ratio`,
      value: figureOf(name, after) / figureOf(name, 'rss MB after half'),
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
      const half = Math.ceil(many / 2)
      const idle = await settled(platform)
      await runLoad(pool, operation, { callers: 8, count: half })
      const between = await settled(platform)
      await runLoad(pool, operation, { callers: 8, count: many - half })
      const { memory, wasmBytes } = await platform.observe()
      return {
        'rss MB idle': idle,
        'rss MB after half': between,
        [after]: await settled(platform),
        'heap MB': memory.heapTotal / 2 ** 20,
        'PGlite MB': wasmBytes / 2 ** 20,
      }
    }),
  )
}

async function settled({ pid }: ObservedPlatform): Promise<number> {
  await sleep(10_000)
  return memoryOf(pid).rss
}
