import assert from 'node:assert/strict'
import test from 'node:test'
import { countOf } from '#test/harness/counts.ts'
import { consoleFiles } from '#test/harness/packed-console.ts'
import { needsChromium } from './browser-session.ts'
import { cannedAgents } from './canned-agents.ts'
import { endlessLog } from './canned-audit.ts'
import { cannedCost } from './canned-cost.ts'
import { cannedDatasets } from './canned-datasets.ts'
import { cannedEvals } from './canned-evals.ts'
import { cannedMcp } from './canned-mcp.ts'
import { cannedPrompts } from './canned-prompts.ts'
import { cannedConnect } from './canned-providers.ts'
import { cannedRunId, cannedRuns } from './canned-runs.ts'
import { serveConsole } from './fake-console.ts'
import type { CannedResponses } from './fake-console.ts'
import { openWindow, startBrowser } from './look.ts'
import { enterFirstRow, walkByTab } from './tab-walk.ts'

const packed = consoleFiles()
const row = 'tr[data-index="0"]'
const agent = '/agents/support/triage'

/** Pages of a console, with what they show when they are whole; the first one is walked through every day. */
const consoles: readonly (readonly [CannedResponses, Readonly<Record<string, string>>])[] = [
  [
    cannedAgents,
    {
      [`${agent}?tab=yaml`]: '[role="form"]',
      '/agents': 'tr[data-index="3"]',
      [agent]: 'text=nightly',
      [`${agent}?tab=runs`]: row,
      [`${agent}?tab=versions`]: '.cm-content',
      [`${agent}?tab=logs`]: 'text=away',
      [`${agent}?tab=yaml&view=yaml`]: '.cm-content',
      [`${agent}?tab=playground`]: 'textarea',
    },
  ],
  [
    cannedRuns,
    {
      '/runs': 'tr[data-index="3"]',
      [`/runs/${cannedRunId(3)}`]: '[role="row"][aria-selected="true"]',
      [`/runs/${cannedRunId(13)}?view=messages`]: 'article',
      '/runs/compare?a=x&b=y': 'tr[data-index="2"]',
      '/shares': 'tr[data-index="1"]',
      '/traces': row,
    },
  ],
  [
    cannedPrompts,
    {
      '/prompts/demo/greet?tab=compare': '.cm-line',
      '/prompts': row,
      '/prompts/demo/greet': 'pre',
      '/prompts/demo/greet?tab=history': row,
    },
  ],
  [
    cannedDatasets,
    {
      '/datasets': row,
      '/datasets/demo/refunds': row,
      '/datasets/demo/refunds?item=b': 'aside section li',
      '/datasets/demo/refunds?tab=label&show=all': 'text=Your label',
      '/datasets/demo/refunds?tab=pins': row,
    },
  ],
  [cannedEvals, { '/evals': row, '/evals/demo/polite': 'text=1 case regressed' }],
  [
    cannedConnect,
    {
      '/providers': row,
      '/providers?item=demo%2Fopenai': 'main aside li',
      '/modelroutes': row,
      '/modelroutes/demo/balanced': 'text=open at 1 of 2 gateways',
    },
  ],
  [cannedMcp, { '/mcpservers': row, '/mcpservers/demo/weather': 'main h1', '/tools': row }],
  [cannedCost(), { '/cost': 'tbody tr[data-index="5"]' }],
  [endlessLog().api, { '/audit': 'tr[data-index="49"]', '/audit?item=row-1': 'main aside h2' }],
]

test(
  'Tab and arrows reach what a page offers, the focus is visible, and nothing keeps it',
  needsChromium,
  async (t) => {
    const { page } = await openWindow(await startBrowser(t))
    await page.setViewportSize({ width: 1440, height: 900 })
    const found: string[] = []
    for (const [api, pages] of consoles) {
      const url = await serveConsole(t, await packed, api)
      for (const [path, shown] of Object.entries(pages).slice(0, countOf(1, Infinity))) {
        const open = async (): Promise<void> => {
          await page.goto(`${url}${path}`)
          await page.waitForSelector(shown, { state: 'attached' })
          await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' })
        }
        await open()
        const { reached, faults } = await walkByTab(page)
        const few = reached > 10 ? [] : [`Tab reaches ${reached} elements`]
        await open()
        found.push(...[...few, ...faults, ...(await enterFirstRow(page))].map((fault) => `${path}: ${fault}`))
      }
    }
    assert.equal(found.length, 0, found.join('\n'))
  },
)
