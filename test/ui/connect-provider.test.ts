import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { listen } from '#test/harness/listen.ts'
import type { Scope } from '#test/harness/scope.ts'
import { needsChromium } from '../console/browser-session.ts'
import { startBrowser, windowOf } from '../console/look.ts'
import { startEmbedded } from '../flows/platform/embedded.ts'
import { signIn, watchPage } from './open-console.ts'

const namespace = 'demo'
// Not the namespace; a required one says so in its label.
const NAME = /^Name(?!space)/
const CALLS_AT_ONCE = 8

interface ModelServer {
  readonly server: Server
  readonly url: string
  readonly key: string
}

/** A local server with the API of OpenAI, which takes one key. */
async function startModelServer(t: Scope, name: string): Promise<ModelServer> {
  const key = `sk-canary-${name}`
  const server = createServer((request, response) => {
    request.resume()
    const isKnown = request.headers.authorization === `Bearer ${key}`
    const choice = { index: 0, message: { role: 'assistant', content: `I am ${name}.` }, finish_reason: 'stop' }
    const completion = { id: 'c', object: 'chat.completion', choices: [choice], usage: usage }
    const models = { object: 'list', data: [{ id: `${name}-large`, object: 'model', created: 1, owned_by: name }] }
    response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isKnown ? (request.method === 'GET' ? models : completion) : { error: {} }))
  })
  return { server, key, url: `${await listen(t, server)}/v1` }
}

const usage = { prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 }

/** Pastes the key of a provider once, and waits for its models. */
async function connect(page: Page, name: string, { url, key }: ModelServer): Promise<void> {
  await page.getByRole('main').getByRole('button', { name: 'Connect' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name', { exact: true }).fill(name)
  await dialog.getByLabel('Namespace', { exact: true }).fill(namespace)
  await dialog.getByLabel('Address', { exact: true }).fill(url)
  await dialog.getByLabel('Key', { exact: true }).fill(key)
  await dialog.getByRole('button', { name: 'Connect' }).click()
  await page.getByRole('complementary').getByText(`${name}-large`).waitFor()
  assert.ok(!(await page.content()).includes(key), 'the key is on no page')
}

/** Fills the form of a route: one provider, and another one behind it. */
async function makeRoute(page: Page, name: string, [first, second]: readonly [string, string]): Promise<void> {
  const metadata = page.getByRole('group', { name: 'Metadata' })
  await metadata.getByRole('textbox', { name: NAME }).fill(name)
  await metadata.getByRole('textbox', { name: 'Namespace' }).fill(namespace)
  const spec = page.getByRole('group', { name: 'Spec' })
  await spec.getByRole('button', { name: /^Provider ref/ }).click()
  await spec.getByRole('group', { name: 'Provider ref' }).getByRole('textbox', { name: NAME }).fill(first)
  await spec.getByRole('textbox', { name: 'Model' }).fill(`${first}-large`)
  await spec.getByRole('button', { name: /^Fallbacks/ }).click()
  await spec.getByRole('button', { name: 'Add to Fallbacks' }).click()
  const behind = spec.getByRole('group', { name: 'Fallbacks 1' })
  // What was added is open.
  await behind.getByRole('button', { name: /^Provider ref/ }).click()
  await behind.getByRole('group', { name: 'Provider ref' }).getByRole('textbox', { name: NAME }).fill(second)
  await behind.getByRole('textbox', { name: 'Model' }).fill(`${second}-large`)
  await page.getByRole('button', { name: 'New model route' }).click()
  await page.getByText('Where a call goes').waitFor()
}

/** Calls the route again and again. Returns the answers so far. */
function keepCalling(t: Scope, gatewayUrl: string, token: string) {
  const answers: string[] = []
  const over = new AbortController()
  const call = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const response = await fetch(`${gatewayUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: `${namespace}/answers`, messages: [{ role: 'user', content: 'Who are you?' }] }),
      })
      const target = response.headers.get('x-mesh-target') ?? ''
      answers.push(`${response.status} ${target} ${(await response.text()).match(/I am \w+/)?.[0] ?? ''}`)
    }
  }
  const calls = Array.from({ length: CALLS_AT_ONCE }, call)
  const stop = async (): Promise<void> => {
    over.abort()
    await Promise.all(calls)
  }
  t.after(stop)
  return { answers, stop }
}

async function until(wanted: () => boolean): Promise<void> {
  while (!wanted()) await pause(20)
}

test(
  'a key is pasted once, a route is made of two providers, and the second one answers when the first is killed under load',
  needsChromium,
  async (t) => {
    const platform = await startEmbedded(t, { env: { MESH_OUTBOUND_ALLOW: '127.0.0.1' } })
    const [near, far] = [await startModelServer(t, 'near'), await startModelServer(t, 'far')]
    const browser = await startBrowser(t)
    const { page, problems } = await watchPage(await browser.newContext(windowOf({ scheme: 'light', width: 'wide' })))
    await signIn(page, platform, 'developer')
    // A section that was never opened is folded.
    await page.getByRole('navigation').getByRole('button', { name: 'Connect' }).click()
    await page.getByRole('link', { name: 'Providers' }).click()
    await connect(page, 'near', near)
    await connect(page, 'far', far)
    await page.getByRole('link', { name: 'Model routes' }).click()
    await page.getByRole('button', { name: 'New model route' }).first().click()
    await makeRoute(page, 'answers', ['near', 'far'])
    await page.getByText('Ready').first().waitFor()

    const { answers, stop } = keepCalling(t, platform.gatewayUrl, platform.tokens.developer)
    await until(() => answers.length > 50)
    assert.deepEqual([...new Set(answers)], ['200 demo/near/near-large I am near'])
    near.server.close()
    near.server.closeAllConnections()
    await until(() => answers.slice(-50).every((one) => one === '200 demo/far/far-large I am far'))
    await stop()
    const kinds = new Set(answers)
    assert.equal(kinds.size, 2, [...kinds].join('\n'))
    await page.getByText('Circuit open').first().waitFor()
    assert.deepEqual(problems, [])
  },
)
