import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from '#test/harness/find-chromium.ts'
import { consoleFiles } from '#test/harness/packed-console.ts'
import { exec } from '../../test/clients/exec.ts'
import { installNpmTools } from '../../test/clients/toolbox.ts'
import { cannedAgents } from '../../test/console/canned-agents.ts'
import { cannedCost } from '../../test/console/canned-cost.ts'
import { badDay, cannedHome } from '../../test/console/canned-home.ts'
import { cannedRunId, cannedRuns } from '../../test/console/canned-runs.ts'
import { serveConsole } from '../../test/console/fake-console.ts'
import type { CannedResponses } from '../../test/console/fake-console.ts'
import type { Bench } from '../tools/bench.ts'
import { inFolder } from '../tools/platform.ts'
import { interleave } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'

const pages: Readonly<Record<string, readonly [path: string, api: CannedResponses]>> = {
  Home: ['/', cannedHome(badDay)],
  Agents: ['/agents', cannedAgents],
  Runs: ['/runs', cannedRuns],
  Run: [`/runs/${cannedRunId(3)}`, cannedRuns],
  Cost: ['/cost', cannedCost()],
}
const categories = ['accessibility', 'best-practices'] as const

/** Scores of Lighthouse in the categories that do not depend on the load of the machine. */
export const bench: Bench = {
  title: 'Lighthouse on the pages of every day (points of 100)',
  measure: () =>
    withScope(async (t) => {
      const files = await consoleFiles()
      const program = join(await installNpmTools('lighthouse'), 'node_modules/lighthouse/cli/index.js')
      const candidates = Object.entries(pages).map(async ([name, [path, api]]) => {
        const url = (await serveConsole(t, files, api)) + path
        return { name, run: () => inFolder((folder) => score(program, url, folder)) }
      })
      return interleave(await Promise.all(candidates), { rounds: 1, most: 1 })
    }),
  goals: (figureOf) =>
    Object.keys(pages).flatMap((name) =>
      categories.map((one) => ({ text: `${name}: ${one}`, value: figureOf(name, one), limit: 100, atLeast: true })),
    ),
}

interface LighthouseReport {
  readonly categories: Readonly<Record<string, { readonly score: number | null }>>
}

async function score(program: string, url: string, folder: string): Promise<Record<string, number>> {
  const report = join(folder, 'report.json')
  await exec(
    [
      process.execPath,
      program,
      url,
      '--quiet',
      '--preset=desktop',
      '--throttling-method=provided',
      `--only-categories=${categories.join(',')}`,
      '--chrome-flags=--headless --no-sandbox',
      '--output=json',
      `--output-path=${report}`,
    ],
    { cwd: folder, env: { CHROME_PATH: chromium ?? '' } },
  )
  const { categories: found } = JSON.parse(readFileSync(report, 'utf8')) as LighthouseReport
  return Object.fromEntries(categories.map((one) => [one, 100 * (found[one]?.score ?? 0)]))
}
