import assert from 'node:assert/strict'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { needsChromium } from '../console/browser-session.ts'
import { openConsole, untilShown, watchPage } from './open-console.ts'
import type { OpenConsole } from './open-console.ts'
import { consoleRoutePaths } from './shown-pages.ts'

/** A story of a person: how many presses lead from Home to the answer. */
interface Story {
  readonly who: string
  /** Paths of the pages that it needs. */
  readonly needs: readonly string[]
  readonly most: number
  tell(hand: Hand, open: OpenConsole): Promise<void>
}

/** Hands of a person without a mouse; counts what is pressed to choose something, as clicks are counted. */
interface Hand {
  readonly page: Page
  presses(): number
  /** Moves to what has the words, and presses Enter. */
  choose(words: RegExp): Promise<void>
  /** Presses a key that acts. */
  strike(key: string): Promise<void>
}

const MOST_TABS = 120

// Of the element that has the focus: what a screen reader says of it.
const focusedWords = `(document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '').trim()`

function handOf(page: Page): Hand {
  let count = 0
  return {
    page,
    presses: () => count,
    choose: async (words) => {
      await untilShown(page)
      const seen: string[] = []
      for (let tab = 0; tab < MOST_TABS; tab += 1) {
        await page.keyboard.press('Tab')
        const focused = await page.evaluate<string>(focusedWords)
        seen.push(focused.slice(0, 40))
        if (!words.test(focused)) continue
        count += 1
        await page.keyboard.press('Enter')
        return
      }
      assert.fail(`the Tab key does not reach ${words}: ${seen.join(' | ')}`)
    },
    strike: async (key) => {
      count += 1
      await page.keyboard.press(key)
    },
  }
}

const stories: readonly Story[] = [
  {
    who: 'a developer finds why an agent fails',
    needs: ['/', '/runs', '/runs/$id'],
    most: 2,
    tell: async ({ page, choose }, { content }) => {
      await page.getByText(/refund-agent fails 100 % of its runs/).waitFor()
      await choose(/^See failed runs$/)
      await page.waitForURL(/\/runs\?.*state=failed/)
      await page.locator('tr[data-index="0"]').waitFor()
      // The row, not the filter with the name of the agent.
      await choose(/refund-agent.*model_error|model_error.*refund-agent/is)
      await page.waitForURL(new RegExp(`/runs/${content.failed}`))
      await page
        .getByText(/model_error|refused|unavailable/i)
        .first()
        .waitFor()
    },
  },
  {
    who: 'an operator rolls back a version that does not start',
    needs: ['/', '/agents/$ns/$name'],
    most: 3,
    tell: async ({ page, choose }, { platform }) => {
      await page.getByText('The newest version of writer does not start').waitFor()
      await choose(/^Compare$/)
      await page.waitForURL(/\/agents\/demo\/writer\?tab=versions/)
      await page.getByRole('heading', { name: 'r1 → r2' }).waitFor()
      await choose(/^Preview roll back to r1$/)
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('heading', { name: 'r2 → r1' }).waitFor()
      await choose(/^Roll back to r1$/)
      await page.getByText('Rolled back to r1.').waitFor()
      const path = '/api/agents/demo/writer'
      const agent = (await platform.send({ path, bearer: platform.tokens.admin })).json<{
        readonly spec: { readonly systemPrompt?: string }
      }>()
      assert.equal(agent.spec.systemPrompt, 'You write.')
    },
  },
  {
    who: 'a reviewer decides what an agent asks',
    needs: ['/', '/approvals'],
    most: 2,
    tell: async ({ page, choose, strike }, { platform, content }) => {
      await page.getByText(/1 run waits for a decision/).waitFor()
      await choose(/^Review$/)
      await page.waitForURL(/\/approvals/)
      await page.getByText('calculate').first().waitFor()
      await untilShown(page)
      await strike('a')
      // The second key confirms the first.
      await page.keyboard.press('Enter')
      const bearer = platform.tokens.admin
      for (let state = 'paused'; state === 'paused'; await page.waitForTimeout(200))
        state = (await platform.send({ path: `/api/runs/${content.paused}`, bearer })).json<{ state: string }>().state
    },
  },
  {
    who: 'a person who watches the spend sees it on Home, and who spends it on Cost',
    needs: ['/', '/cost'],
    most: 3,
    tell: async ({ page, choose }) => {
      await page.getByText('Spend this month').waitFor()
      await choose(/^Cost$/)
      await page.waitForURL(/\/cost/)
      await page.getByRole('heading', { name: 'Cost', level: 1 }).waitFor()
    },
  },
  {
    who: 'an author makes an agent from a recipe',
    needs: ['/', '/agents/new'],
    most: 3,
    tell: async ({ page, choose }) => {
      await choose(/^New agent$/)
      await page.waitForURL(/\/agents\/new/)
      await choose(/Assistant with approval/)
      await choose(/^Create$/)
      await page.waitForURL(/\/agents\/[^/]+\/[^/]+/)
    },
  },
]

test('the stories by keyboard, in at most the presses of the design', needsChromium, async (t) => {
  const paths = new Set(await consoleRoutePaths())
  const open = await openConsole(t, 'admin')
  for (const { who, needs, most, tell } of stories) {
    const missing = needs.filter((path) => !paths.has(path))
    const skip = missing.length > 0 ? `there is no page ${missing.join(', ')}` : false
    await t.test(`${who}: at most ${most}`, { skip }, async () => {
      const context = await open.open({ scheme: 'light', width: 'wide' })
      const { page } = await watchPage(context)
      await page.goto(`${open.platform.url}/`)
      await untilShown(page)
      const hand = handOf(page)
      await tell(hand, open)
      assert.ok(hand.presses() <= most, `${hand.presses()} presses`)
      await context.close()
    })
  }
})
