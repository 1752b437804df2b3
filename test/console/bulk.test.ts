import assert from 'node:assert/strict'
import test from 'node:test'
import { readTyped, toTyped } from '#plugins/runs/console/again/retry-input.ts'
import { actOnEach } from '#ui/parts/bulk/act-on-each.ts'
import { consoleFiles } from '#test/harness/packed-console.ts'
import { needsChromium } from './browser-session.ts'
import { answering } from './canned-answer.ts'
import type { CannedRequest } from './canned-answer.ts'
import { cannedRunId, cannedRuns } from './canned-runs.ts'
import { serveConsole } from './fake-console.ts'
import { axeViolations, looks, openLook, startBrowser } from './look.ts'

const item = (key: string) => ({ key, name: key })

test('an action goes on with the next when one fails, a few at once, and ends when it is stopped', async () => {
  const keys = Array.from({ length: 20 }, (_, index) => String(index))
  let running = 0
  let most = 0
  const progress: number[] = []
  const act = async (key: string): Promise<void> => {
    running += 1
    most = Math.max(most, running)
    await Promise.resolve()
    running -= 1
    if (Number(key) % 5 === 0) throw new Error(`no ${key}`)
  }
  const { signal } = new AbortController()
  const ended = await actOnEach(keys.map(item), { act, onProgress: (done) => progress.push(done), signal })
  assert.deepEqual(
    [...ended.failed],
    [0, 5, 10, 15].map((key) => [String(key), `no ${key}`]),
  )
  assert.deepEqual([ended.done.size, most, progress.at(-1)], [16, 4, 20])
  const stop = new AbortController()
  const stopped = await actOnEach(keys.map(item), {
    act: async () => undefined,
    onProgress: () => stop.abort(),
    signal: stop.signal,
  })
  assert.ok(stopped.done.size < 20 && stopped.failed.size === 0)
})

test('an input is edited as what it is: a string stays one, although it looks like a number', () => {
  assert.deepEqual(readTyped(toTyped('42')), { value: '42' })
  assert.deepEqual(readTyped(toTyped({ a: [1] })), { value: { a: [1] } })
  assert.deepEqual(toTyped(undefined), { words: '', isJson: false })
  assert.ok('why' in readTyped({ words: '{"a":', isJson: true }))
})

test(
  'runs are cancelled at once: progress, and those that fail stay selected with their reason',
  needsChromium,
  async (t) => {
    const files = await consoleFiles()
    const sent: string[] = []
    let isEnded = true
    const cancel = answering(({ path }) => {
      sent.push(path)
      const isSecond = path.includes(cannedRunId(1))
      if (isSecond && isEnded)
        return { status: 409, body: { title: 'Conflict', detail: 'The run has ended \u202e<b>.' } }
      return { status: 202, body: {} }
    })
    const paths = [0, 1, 2].map((index) => [`/api/runs/${cannedRunId(index)}/cancel`, cancel])
    const url = await serveConsole(t, files, { ...cannedRuns, ...(Object.fromEntries(paths) as typeof cannedRuns) })
    const browser = await startBrowser(t)
    const { page, problems } = await openLook(browser, `${url}/runs#code=once`, looks[0]!)
    await page.waitForSelector('tr[data-index="2"]')
    await page.locator('tr[data-index="0"]').focus()
    for (const count of [1, 2, 3]) {
      if (count > 1) await page.keyboard.press('ArrowDown')
      await page.keyboard.press(' ')
      await page.getByText(`${count} selected`).last().waitFor()
    }
    await page.getByRole('button', { name: 'Cancel 3 runs' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Cancel 3 runs' }).click()
    await dialog.getByText('1 row failed, and stays selected').first().waitFor()
    await dialog.getByText('The run has ended').waitFor()
    assert.deepEqual(await axeViolations(page), [])
    assert.equal(await page.locator('tr[aria-selected="true"]').count(), 1)
    isEnded = false
    await dialog.getByRole('button', { name: 'Try 1 row again' }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.equal(await page.locator('tr[aria-selected="true"]').count(), 0)
    assert.deepEqual(sent.filter((path) => path.includes(cannedRunId(1))).length, 2)
    assert.equal(sent.length, 4)
    assert.deepEqual(
      problems.filter((one) => !one.includes('409')),
      [],
    )
  },
)

test('a run is started again with another input', needsChromium, async (t) => {
  const files = await consoleFiles()
  const sent: CannedRequest[] = []
  const path = `/api/runs/${cannedRunId(3)}`
  const retry = answering((request) => {
    sent.push(request)
    return { status: 201, body: { id: cannedRunId(4) } }
  })
  const url = await serveConsole(t, files, { ...cannedRuns, [`${path}/retry`]: retry })
  const browser = await startBrowser(t)
  const { page } = await openLook(browser, `${url}/runs/${cannedRunId(3)}#code=once`, looks[0]!)
  await page.waitForSelector('[role="treegrid"]')
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Run again with another input' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('JSON', { exact: true }).click()
  await dialog.getByRole('textbox').fill('{"order": ')
  await dialog.getByRole('button', { name: 'Start the run' }).click()
  await dialog.getByText('The input is not JSON').waitFor()
  assert.deepEqual(await axeViolations(page), [])
  await dialog.getByRole('textbox').fill('{"order": 48213}')
  await page.keyboard.press('Control+Enter')
  await page.waitForURL(new RegExp(cannedRunId(4)))
  assert.deepEqual(
    sent.map(({ body }) => body),
    [{ input: { order: 48213 } }],
  )
})

test('shares are revoked at once', needsChromium, async (t) => {
  const files = await consoleFiles()
  const sent: string[] = []
  const { items } = cannedRuns['/api/my/shares'] as {
    readonly items: readonly { readonly id: string; readonly runId: string }[]
  }
  const revoke = answering(({ method, path }) => {
    sent.push(`${method} ${path}`)
    return { status: 204, body: undefined }
  })
  const paths = items.map(({ id, runId }) => [`/api/runs/${runId}/shares/${id}`, revoke])
  const url = await serveConsole(t, files, { ...cannedRuns, ...(Object.fromEntries(paths) as typeof cannedRuns) })
  const browser = await startBrowser(t)
  const { page } = await openLook(browser, `${url}/shares#code=once`, looks[0]!)
  await page.locator('tr[data-index="0"]').focus()
  await page.keyboard.press(' ')
  await page.getByRole('button', { name: 'Revoke 1 share' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke 1 share' }).click()
  await page.getByText('1 share revoked.').waitFor()
  assert.equal(sent.length, 1)
  assert.match(sent[0] ?? '', /^DELETE /)
})
